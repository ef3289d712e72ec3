-- What became of the writes of requests: a row is stored together with what it tells of, so it answers the question
-- when the answer to the COMMIT was lost. `stored` is false where it was settled that the write never happened.
CREATE TABLE writes (
    id TEXT NOT NULL PRIMARY KEY,
    stored BOOLEAN NOT NULL,
    at TIMESTAMP NOT NULL
);

CREATE INDEX writes_at ON writes (at);

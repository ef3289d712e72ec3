-- Forms that have made a table, by a hash of the secret that each page carries: one sent twice makes one table.
CREATE TABLE forms_done (
    id TEXT NOT NULL PRIMARY KEY,
    table_id BIGINT NOT NULL,
    at TIMESTAMP NOT NULL
);
CREATE INDEX forms_done_at ON forms_done (at);

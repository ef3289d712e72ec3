-- What was booked of a result and why. person_id: whose record it is in, the player's own account or the one they
-- signed up with again after deleting it. counted: of a winner whether the win counts, of the others whether they count
-- as its opponents. not_counted: why it books nothing.
ALTER TABLE results ADD COLUMN person_id BIGINT NOT NULL DEFAULT 0;
UPDATE results SET person_id = user_id;
ALTER TABLE results ADD COLUMN counted BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE results ADD COLUMN walkover BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE results ADD COLUMN not_counted TEXT;
CREATE INDEX results_person ON results (person_id, booked_at);

-- Counts the tables at which a player's win was booked: whoever bumps it books alone until the transaction ends.
ALTER TABLE users ADD COLUMN bookings BIGINT NOT NULL DEFAULT 0;

-- A private table made since is open to watch once it is over, if it is ranked. Those made before were promised otherwise.
ALTER TABLE game_tables ADD COLUMN open_when_over BOOLEAN NOT NULL DEFAULT FALSE;

-- Records of deleted accounts, by the keyed hash of their address, until somebody signs up with it again.
CREATE TABLE departures (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    address_hash TEXT NOT NULL,
    until TIMESTAMP NOT NULL
);
CREATE INDEX departures_hash ON departures (address_hash);
CREATE INDEX departures_until ON departures (until);

-- The links of private tables that were changed because a player was taken from a seat.
CREATE TABLE former_keys (
    invite_key TEXT NOT NULL PRIMARY KEY,
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE
);
CREATE INDEX former_keys_table ON former_keys (table_id);

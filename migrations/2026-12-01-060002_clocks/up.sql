-- Outages that are given back: from the last sign of life until when. `state`: running, done, undoing or undone. One
-- that was interrupted goes on where it stopped, by its marks.
CREATE TABLE credits (
    from_at TIMESTAMP NOT NULL PRIMARY KEY,
    until_at TIMESTAMP NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'undoing', 'undone'))
);

-- What a credit did to a table: by how much its clock (phase_no > 0) or its wait for players (0) was moved. No row:
-- nothing yet.
CREATE TABLE credit_marks (
    from_at TIMESTAMP NOT NULL REFERENCES credits (from_at) ON DELETE CASCADE,
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    phase_no INTEGER NOT NULL,
    gap_s BIGINT NOT NULL,
    undone BOOLEAN NOT NULL,
    PRIMARY KEY (from_at, table_id)
);

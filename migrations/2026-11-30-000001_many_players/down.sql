CREATE TABLE timers_of_less_kinds (
    id BIGINT NOT NULL PRIMARY KEY,
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('deadline', 'reminder')),
    phase_no INTEGER NOT NULL,
    due_at TIMESTAMP NOT NULL,
    attempts INTEGER NOT NULL,
    last_error TEXT,
    UNIQUE (table_id, kind)
);
INSERT INTO timers_of_less_kinds (id, table_id, kind, phase_no, due_at, attempts, last_error)
    SELECT id, table_id, kind, phase_no, due_at, attempts, last_error FROM timers
    WHERE kind IN ('deadline', 'reminder');
DROP TABLE timers;
ALTER TABLE timers_of_less_kinds RENAME TO timers;
CREATE INDEX timers_due ON timers (due_at);

DROP TABLE removals;
DROP INDEX users_bot;
ALTER TABLE users DROP COLUMN bot;
ALTER TABLE game_tables DROP COLUMN private_talk;
ALTER TABLE game_tables DROP COLUMN min_score;

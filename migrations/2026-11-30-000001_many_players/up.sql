-- Tables for more than two: joining rules by score, private talk, players taken from their seat before the
-- start, timers of tables that wait, and players that are programs.
ALTER TABLE game_tables ADD COLUMN min_score INTEGER;
ALTER TABLE game_tables ADD COLUMN private_talk BOOLEAN NOT NULL DEFAULT TRUE;

-- Which bot an account stands for, as game/bot; empty for people.
ALTER TABLE users ADD COLUMN bot TEXT;
CREATE INDEX users_bot ON users (bot);

-- Who was taken from a seat by the player who made the table, and may not sit down again unless invited.
CREATE TABLE removals (
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    removed_at TIMESTAMP NOT NULL,
    PRIMARY KEY (table_id, user_id)
);

-- More kinds of timers. A check cannot be changed in place on every database.
CREATE TABLE timers_of_more_kinds (
    id BIGINT NOT NULL PRIMARY KEY,
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('deadline', 'reminder', 'unjoined', 'bot')),
    phase_no INTEGER NOT NULL,
    due_at TIMESTAMP NOT NULL,
    attempts INTEGER NOT NULL,
    last_error TEXT,
    UNIQUE (table_id, kind)
);
INSERT INTO timers_of_more_kinds (id, table_id, kind, phase_no, due_at, attempts, last_error)
    SELECT id, table_id, kind, phase_no, due_at, attempts, last_error FROM timers;
-- Tables that wait already get their timer too. It fires at once, and is then set to the time it should have.
INSERT INTO timers_of_more_kinds (id, table_id, kind, phase_no, due_at, attempts, last_error)
    SELECT id, id, 'unjoined', 0, created_at, 0, NULL FROM game_tables WHERE status = 'open';
DROP TABLE timers;
ALTER TABLE timers_of_more_kinds RENAME TO timers;
CREATE INDEX timers_due ON timers (due_at);

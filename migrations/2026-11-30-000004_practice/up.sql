-- Tables of one person and bots, for practice.
ALTER TABLE game_tables ADD COLUMN practice BOOLEAN NOT NULL DEFAULT FALSE;

ALTER TABLE game_tables DROP COLUMN practice;

-- A player's finished games, newest first, and the changes that make up a score.
CREATE INDEX results_booked ON results (user_id, booked_at);
-- Tables being played, the latest to start first.
CREATE INDEX game_tables_started ON game_tables (status, started_at);

DROP TABLE departures;
ALTER TABLE game_tables DROP COLUMN open_when_over;
ALTER TABLE users DROP COLUMN bookings;
DROP INDEX results_person;
ALTER TABLE results DROP COLUMN not_counted;
ALTER TABLE results DROP COLUMN walkover;
ALTER TABLE results DROP COLUMN counted;
ALTER TABLE results DROP COLUMN person_id;

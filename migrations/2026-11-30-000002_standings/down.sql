DROP INDEX game_tables_started;
DROP INDEX results_booked;

DROP INDEX outbox_address;
DROP INDEX outbox_user;
DROP INDEX outbox_leased;
DROP INDEX outbox_next;
ALTER TABLE outbox DROP COLUMN leased_until;
ALTER TABLE outbox DROP COLUMN breaks;

-- Every try of a letter has an outcome that counts, and a claim no longer changes the letter's place in the queue:
-- how often the connection ended before the answer to the whole letter came, and until when it belongs to its sender.
ALTER TABLE outbox ADD COLUMN breaks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN leased_until TIMESTAMP;
CREATE INDEX outbox_next ON outbox (status, put_offs, next_attempt_at, id);
CREATE INDEX outbox_leased ON outbox (status, leased_until);

-- A letter goes after the one before it to the same person.
CREATE INDEX outbox_user ON outbox (user_id, id);
CREATE INDEX outbox_address ON outbox (to_address, id);

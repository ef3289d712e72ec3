-- What is said at a table, to everybody (to_user_id is empty) or to one person alone. no counts a table's messages
-- in the order they were said; it is never shown, because gaps in it would tell of messages to others.
CREATE TABLE messages (
    id BIGINT NOT NULL PRIMARY KEY,
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    no INTEGER NOT NULL,
    author_id BIGINT NOT NULL REFERENCES users (id),
    to_user_id BIGINT REFERENCES users (id),
    body TEXT NOT NULL,
    at TIMESTAMP NOT NULL,
    removed_at TIMESTAMP,
    UNIQUE (table_id, no)
);
CREATE INDEX messages_author ON messages (author_id);

-- Up to which message of a table a person has read on its pages.
CREATE TABLE talk_marks (
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    seen_no INTEGER NOT NULL,
    PRIMARY KEY (table_id, user_id)
);

CREATE TABLE mutes (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    muted_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    at TIMESTAMP NOT NULL,
    PRIMARY KEY (user_id, muted_id)
);
CREATE INDEX mutes_muted ON mutes (muted_id);

-- outcome is empty as long as the operator has not decided.
CREATE TABLE message_reports (
    id BIGINT NOT NULL PRIMARY KEY,
    message_id BIGINT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    reporter_id BIGINT NOT NULL REFERENCES users (id),
    reason TEXT NOT NULL,
    at TIMESTAMP NOT NULL,
    outcome TEXT CHECK (outcome IN ('removed', 'dismissed')),
    decided_at TIMESTAMP,
    UNIQUE (message_id, reporter_id)
);
CREATE INDEX message_reports_at ON message_reports (at);

-- What a person writes down for themselves at a table; version counts every change.
CREATE TABLE notes (
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    body TEXT NOT NULL,
    version BIGINT NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    PRIMARY KEY (table_id, user_id)
);
CREATE INDEX notes_user ON notes (user_id);

ALTER TABLE users ADD COLUMN wants_talk BOOLEAN NOT NULL DEFAULT TRUE;

-- The last message of the table's talk that this letter carries.
ALTER TABLE outbox ADD COLUMN talk_no INTEGER;
CREATE INDEX outbox_person ON outbox (table_id, user_id);

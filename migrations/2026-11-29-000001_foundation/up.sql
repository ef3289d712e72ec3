-- Portable words only: this one folder serves SQLite and PostgreSQL. Ids are made by the application,
-- times are UTC in whole seconds from its clock, JSON is text and never queried inside.

CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE heartbeats (
    name TEXT NOT NULL PRIMARY KEY,
    at TIMESTAMP NOT NULL
);

CREATE TABLE users (
    id BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    email TEXT,
    email_key TEXT UNIQUE,
    password_hash TEXT NOT NULL,
    zone TEXT NOT NULL,
    confirmed_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    deleted_at TIMESTAMP,
    wants_due BOOLEAN NOT NULL DEFAULT TRUE,
    wants_resolved BOOLEAN NOT NULL DEFAULT TRUE,
    wants_reminders BOOLEAN NOT NULL DEFAULT TRUE,
    wants_news BOOLEAN NOT NULL DEFAULT TRUE,
    unsubscribe_key TEXT NOT NULL UNIQUE,
    mail_fault TEXT
);

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    csrf TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    seen_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL,
    agent TEXT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE mail_tokens (
    id TEXT NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL CHECK (purpose IN ('confirm', 'reset', 'change')),
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL
);
CREATE INDEX mail_tokens_user ON mail_tokens (user_id);
CREATE INDEX mail_tokens_expiry ON mail_tokens (expires_at);

CREATE TABLE loadouts (
    id BIGINT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX loadouts_user ON loadouts (user_id, game);

CREATE TABLE contents (
    hash TEXT NOT NULL PRIMARY KEY,
    game TEXT NOT NULL,
    body TEXT NOT NULL
);

-- version is the lock: the first statement of every use case that changes a table is its guarded bump.
CREATE TABLE game_tables (
    id BIGINT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    game TEXT NOT NULL,
    title TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'running', 'over', 'cancelled')),
    creator_id BIGINT NOT NULL REFERENCES users (id),
    seat_count INTEGER NOT NULL,
    options TEXT NOT NULL,
    time_limit_s BIGINT NOT NULL,
    ranked BOOLEAN NOT NULL,
    invite_only BOOLEAN NOT NULL,
    invite_key TEXT NOT NULL UNIQUE,
    max_drops INTEGER,
    passes_allowed INTEGER NOT NULL,
    content_hash TEXT NOT NULL REFERENCES contents (hash),
    edition INTEGER NOT NULL,
    format INTEGER NOT NULL,
    dice_secret BYTEA NOT NULL,
    dice_hash TEXT NOT NULL,
    phase_no INTEGER NOT NULL,
    setup TEXT,
    final_state BYTEA,
    outcome TEXT,
    created_at TIMESTAMP NOT NULL,
    started_at TIMESTAMP,
    ended_at TIMESTAMP
);
CREATE INDEX game_tables_status ON game_tables (status, created_at);

-- seat is empty until the table starts and the seats are dealt by dice.
CREATE TABLE seats (
    id BIGINT NOT NULL PRIMARY KEY,
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id),
    seat INTEGER,
    setup TEXT NOT NULL,
    joined_at TIMESTAMP NOT NULL,
    passes_used INTEGER NOT NULL,
    seen_phase_no INTEGER NOT NULL,
    seen_at TIMESTAMP,
    UNIQUE (table_id, user_id),
    UNIQUE (table_id, seat)
);
CREATE INDEX seats_user ON seats (user_id);

CREATE TABLE invitations (
    id BIGINT NOT NULL PRIMARY KEY,
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    email_key TEXT,
    invited_by BIGINT NOT NULL REFERENCES users (id),
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX invitations_table ON invitations (table_id);
CREATE INDEX invitations_user ON invitations (user_id);

-- One row a phase. state is the state it opened with (compressed JSON); report and dice are what closed it.
CREATE TABLE phases (
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    no INTEGER NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    turn INTEGER NOT NULL,
    simultaneous BOOLEAN NOT NULL,
    state BYTEA NOT NULL,
    opened_at TIMESTAMP NOT NULL,
    clock_started_at TIMESTAMP NOT NULL,
    deadline_at TIMESTAMP,
    edition INTEGER NOT NULL,
    closed_at TIMESTAMP,
    closed_by TEXT,
    leavers TEXT,
    report TEXT,
    throws TEXT,
    PRIMARY KEY (table_id, no)
);

-- The report of the set-up belongs to no phase and is kept with number 0 in opening_reports.
CREATE TABLE opening_reports (
    table_id BIGINT NOT NULL PRIMARY KEY REFERENCES game_tables (id) ON DELETE CASCADE,
    report TEXT NOT NULL,
    throws TEXT NOT NULL,
    seating TEXT NOT NULL
);

CREATE TABLE dues (
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    phase_no INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    required BOOLEAN NOT NULL,
    extended BOOLEAN NOT NULL,
    seen_at TIMESTAMP,
    PRIMARY KEY (table_id, phase_no, seat)
);

-- seal is public at once, salt and body only after the phase has closed.
CREATE TABLE plots (
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    phase_no INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    body TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('hand', 'draft', 'default')),
    version BIGINT NOT NULL,
    salt TEXT NOT NULL,
    seal TEXT NOT NULL,
    handed_in_at TIMESTAMP NOT NULL,
    PRIMARY KEY (table_id, phase_no, seat)
);

CREATE TABLE drafts (
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    phase_no INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    body TEXT NOT NULL,
    version BIGINT NOT NULL,
    saved_at TIMESTAMP NOT NULL,
    PRIMARY KEY (table_id, phase_no, seat)
);

-- A row as soon as a seat's fate is sealed; booked when the table ends. The score is 100 plus the sum of booked changes.
CREATE TABLE results (
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    seat INTEGER NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id),
    result TEXT NOT NULL CHECK (result IN ('won', 'lost', 'drew', 'resigned', 'dropped')),
    score_change INTEGER NOT NULL,
    ranked BOOLEAN NOT NULL,
    sealed_at TIMESTAMP NOT NULL,
    booked_at TIMESTAMP,
    PRIMARY KEY (table_id, seat)
);
CREATE INDEX results_user ON results (user_id, sealed_at);

-- What happened to a table besides play: made, joined, extended, credited … kind and detail are shown to its people.
CREATE TABLE table_log (
    id BIGINT NOT NULL PRIMARY KEY,
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    at TIMESTAMP NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX table_log_table ON table_log (table_id, id);

CREATE TABLE timers (
    id BIGINT NOT NULL PRIMARY KEY,
    table_id BIGINT NOT NULL REFERENCES game_tables (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('deadline', 'reminder')),
    phase_no INTEGER NOT NULL,
    due_at TIMESTAMP NOT NULL,
    attempts INTEGER NOT NULL,
    last_error TEXT,
    UNIQUE (table_id, kind)
);
CREATE INDEX timers_due ON timers (due_at);

-- attempts counts claims and is the fencing token of the lease; put_offs counts the answers "later" to this very letter.
CREATE TABLE outbox (
    id BIGINT NOT NULL PRIMARY KEY,
    dedupe_key TEXT NOT NULL UNIQUE,
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    to_address TEXT NOT NULL,
    to_name TEXT NOT NULL,
    letter TEXT NOT NULL,
    table_id BIGINT REFERENCES game_tables (id) ON DELETE CASCADE,
    phase_no INTEGER,
    deadline_at TIMESTAMP,
    subject TEXT NOT NULL,
    body_text TEXT NOT NULL,
    body_html TEXT NOT NULL,
    message_id TEXT NOT NULL UNIQUE,
    thread_id TEXT,
    unsubscribe_url TEXT,
    status TEXT NOT NULL CHECK (status IN ('queued', 'sent', 'dead', 'dropped')),
    attempts INTEGER NOT NULL,
    put_offs INTEGER NOT NULL,
    next_attempt_at TIMESTAMP NOT NULL,
    last_error TEXT,
    created_at TIMESTAMP NOT NULL,
    finished_at TIMESTAMP
);
CREATE INDEX outbox_due ON outbox (status, next_attempt_at);
CREATE INDEX outbox_table ON outbox (table_id, phase_no);

-- Browsers that have signed in to an account before: what others try doesn't stop them. The id is a hash of the
-- browser's secret and the account, so that no row tells which accounts share a browser.
CREATE TABLE known_browsers (
    id TEXT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    seen_at TIMESTAMP NOT NULL
);
CREATE INDEX known_browsers_user ON known_browsers (user_id);
CREATE INDEX known_browsers_seen ON known_browsers (seen_at);

-- How many letters went to an address lately is counted before another one does.
CREATE INDEX mail_tokens_email ON mail_tokens (lower(email));
CREATE INDEX invitations_email ON invitations (email_key);

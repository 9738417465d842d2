-- email_key is what accounts are told apart and found by, whatever case and
-- whatever composition of letters an address is written in. It is filled after
-- this file, for SQL cannot; it stays '' for an account whose address another,
-- older one has in other letters: that is found as it is written.
ALTER TABLE users ADD COLUMN email_key TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX users_email_key ON users (email_key) WHERE email_key <> '';

-- Networks that a user has logged in from, as hashes, the newest few.
CREATE TABLE known_networks (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash    BLOB NOT NULL CHECK (length(hash) = 32),
    used_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

-- The token that made a token: it takes the other with it.
ALTER TABLE tokens ADD COLUMN parent_id INTEGER REFERENCES tokens (id) ON DELETE CASCADE;
CREATE INDEX tokens_parent ON tokens (parent_id) WHERE parent_id IS NOT NULL;

-- The token that a webhook ends with. It is no reference, for the webhook
-- outlives it.
ALTER TABLE webhooks ADD COLUMN token_id INTEGER;
CREATE INDEX webhooks_token ON webhooks (token_id) WHERE token_id IS NOT NULL;

-- What else than a request an entry is about, and whose account it concerns.
ALTER TABLE audit_logs ADD COLUMN event TEXT NOT NULL DEFAULT 'request';
ALTER TABLE audit_logs ADD COLUMN account TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_logs ADD COLUMN target TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_logs ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
CREATE INDEX audit_logs_account ON audit_logs (account, id) WHERE account <> '';
CREATE INDEX audit_logs_event ON audit_logs (event, id) WHERE event <> 'request';

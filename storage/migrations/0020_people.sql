-- The language that a person has chosen, and when the person was last seen.
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN seen_at INTEGER;

-- A log-in gets an id that may be shown, and what tells its owner which it is.
CREATE TABLE sessions_new (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    user_agent TEXT NOT NULL DEFAULT '',
    ip         TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
INSERT INTO sessions_new (hash, user_id, created_at, used_at, expires_at)
    SELECT hash, user_id, created_at, created_at, expires_at FROM sessions ORDER BY created_at;
DROP TABLE sessions;
ALTER TABLE sessions_new RENAME TO sessions;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- One-time links with which people choose a password; a new one replaces the
-- older one of the same person.
CREATE TABLE invitations (
    user_id    INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_at INTEGER NOT NULL
) STRICT;

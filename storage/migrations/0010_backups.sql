-- What became of backups, the latest hundred.
CREATE TABLE backups (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    target     TEXT NOT NULL, -- absolute path
    snapshot   TEXT NOT NULL, -- '' when none was made
    started_at INTEGER NOT NULL,
    ended_at   INTEGER NOT NULL,
    files      INTEGER NOT NULL,
    bytes      INTEGER NOT NULL,
    new_files  INTEGER NOT NULL,
    new_bytes  INTEGER NOT NULL,
    problems   INTEGER NOT NULL, -- files that are damaged or missing
    error      TEXT NOT NULL     -- '' when a snapshot was made
) STRICT;

CREATE TABLE IF NOT EXISTS library (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    id     TEXT NOT NULL CHECK (length(id) = 36), -- a random UUID
    change INTEGER NOT NULL DEFAULT 0 CHECK (change >= 0)
) STRICT;
INSERT OR IGNORE INTO library (one, id) VALUES (1, lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) ||
    '-' || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))));

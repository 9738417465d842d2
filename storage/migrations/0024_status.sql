-- Whether what the target of a backup had was read again.
ALTER TABLE backups ADD COLUMN verified INTEGER NOT NULL DEFAULT 0 CHECK (verified IN (0, 1));

-- What checks of the library have found, the latest hundred.
CREATE TABLE checks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER NOT NULL,
    every_byte INTEGER NOT NULL CHECK (every_byte IN (0, 1)), -- the files were read
    files      INTEGER NOT NULL,
    problems   INTEGER NOT NULL
) STRICT;

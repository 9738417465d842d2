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

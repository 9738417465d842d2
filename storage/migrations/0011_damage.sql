-- The blobs whose file is known to be damaged. A row goes with the damage, or
-- with the blob.
CREATE TABLE damaged_blobs (
    sha256   TEXT PRIMARY KEY REFERENCES blobs (sha256) ON DELETE CASCADE,
    damage   TEXT NOT NULL CHECK (damage IN ('missing','irregular','size','corrupt')),
    found_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Files in place: folders that the library catalogues without copying what is in them.

-- A blob whose bytes dal has only in files of such folders: there is no file of its own.
ALTER TABLE blobs ADD COLUMN in_place INTEGER NOT NULL DEFAULT 0 CHECK (in_place IN (0, 1));

CREATE TABLE roots (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL UNIQUE, -- the first part of the folders of its assets
    path          TEXT NOT NULL UNIQUE, -- absolute
    user_id       INTEGER NOT NULL REFERENCES users (id), -- who owns the assets
    state         TEXT NOT NULL CHECK (state IN ('online','offline')),
    note          TEXT NOT NULL DEFAULT '', -- why it is offline, or why the last scan was not whole
    identity      TEXT NOT NULL DEFAULT '', -- device and inode of the folder, when it was last scanned
    mounts        TEXT NOT NULL DEFAULT '[]', -- JSON: folders below it on other devices, then
    is_watched    INTEGER NOT NULL DEFAULT 0 CHECK (is_watched IN (0, 1)), -- the system tells of changes
    scan_wanted   INTEGER NOT NULL DEFAULT 0 CHECK (scan_wanted IN (0, 1)),
    created_at    INTEGER NOT NULL,
    last_scan_at  INTEGER,
    last_scan_ms  INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE root_files (
    id        INTEGER PRIMARY KEY,
    root_id   INTEGER NOT NULL REFERENCES roots (id) ON DELETE CASCADE,
    folder    TEXT NOT NULL, -- below the root, with slashes; '' for the root itself
    name      TEXT NOT NULL,
    size      INTEGER NOT NULL,
    mtime_ns  INTEGER NOT NULL,
    sha256    TEXT NOT NULL DEFAULT '', -- '' for what was not read: sidecars, and files that the library does not take
    state     TEXT NOT NULL CHECK (state IN ('present','missing')),
    kind      TEXT NOT NULL CHECK (kind IN ('original','sidecar')),
    asset_id  INTEGER REFERENCES assets (id) ON DELETE SET NULL,
    file_id   INTEGER REFERENCES batch_files (id) ON DELETE SET NULL, -- while it is ingested, or may be retried
    excluded  INTEGER NOT NULL DEFAULT 0 CHECK (excluded IN (0, 1)), -- its asset was deleted for good
    problem   TEXT NOT NULL DEFAULT '', -- why it did not become an asset
    UNIQUE (root_id, folder, name)
) STRICT;
CREATE INDEX root_files_sha256 ON root_files (sha256) WHERE sha256 <> '';
CREATE INDEX root_files_asset ON root_files (asset_id) WHERE asset_id IS NOT NULL;
CREATE INDEX root_files_file ON root_files (file_id) WHERE file_id IS NOT NULL;

-- Where the file of an asset lies. The root may be one that was forgotten.
ALTER TABLE assets ADD COLUMN root_id INTEGER;
ALTER TABLE assets ADD COLUMN folder TEXT NOT NULL DEFAULT '';
CREATE INDEX assets_root ON assets (root_id) WHERE root_id IS NOT NULL;
CREATE INDEX assets_folder ON assets (folder) WHERE folder <> '';

-- The files that an asset has beside the one that is shown, such as the RAW file of a
-- photo that was taken as both.
CREATE TABLE asset_parts (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    asset_id   INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    role       TEXT NOT NULL CHECK (role IN ('raw','video','image','sidecar')),
    filename   TEXT NOT NULL,
    mime_type  TEXT NOT NULL,
    extension  TEXT NOT NULL, -- of its type
    sha256     TEXT NOT NULL REFERENCES blobs (sha256),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX asset_parts_asset ON asset_parts (asset_id);
CREATE INDEX asset_parts_sha256 ON asset_parts (sha256);

-- The files that an asset had before the one that it has now, with what they said of
-- themselves.
CREATE TABLE asset_versions (
    id          INTEGER PRIMARY KEY,
    asset_id    INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    version     INTEGER NOT NULL,
    sha256      TEXT NOT NULL REFERENCES blobs (sha256),
    filename    TEXT NOT NULL,
    mime_type   TEXT NOT NULL,
    extension   TEXT NOT NULL,
    width       INTEGER NOT NULL,
    height      INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    page_count  INTEGER NOT NULL,
    phash       INTEGER NOT NULL,
    thumbhash   BLOB,
    colors      TEXT NOT NULL, -- JSON
    technical   TEXT NOT NULL, -- JSON
    text        TEXT NOT NULL, -- that the file itself has
    created_by  INTEGER REFERENCES users (id),
    created_at  INTEGER NOT NULL,
    replaced_at INTEGER NOT NULL,
    UNIQUE (asset_id, version)
) STRICT;
CREATE INDEX asset_versions_sha256 ON asset_versions (sha256);
CREATE INDEX asset_versions_replaced ON asset_versions (replaced_at);

-- Which of its files an asset has now, and since when and by whom, unless with the asset.
ALTER TABLE assets ADD COLUMN file_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE assets ADD COLUMN file_at INTEGER;
ALTER TABLE assets ADD COLUMN file_by INTEGER REFERENCES users (id);

-- The asset that the one file of a batch is a new version of, '' for other batches.
ALTER TABLE upload_batches ADD COLUMN version_of TEXT NOT NULL DEFAULT '';
CREATE INDEX upload_batches_version_of ON upload_batches (version_of) WHERE version_of <> '';

-- By what files of a batch are found that belong together: see dam.Stem.
ALTER TABLE batch_files ADD COLUMN stem TEXT NOT NULL DEFAULT '';
CREATE INDEX batch_files_stem ON batch_files (batch_id, stem) WHERE stem <> '';

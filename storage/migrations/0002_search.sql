-- What the texts of assets mean, as a model sees them. They are derived, but
-- dear to make.
CREATE TABLE asset_vectors (
    asset_id  INTEGER PRIMARY KEY REFERENCES assets (id) ON DELETE CASCADE,
    model     TEXT NOT NULL,
    dimension INTEGER NOT NULL,              -- 0 when the text has no meaning
    vector    BLOB NOT NULL,                 -- float32, little-endian
    text_hash BLOB NOT NULL,                 -- SHA-256 of the text
    error     TEXT NOT NULL DEFAULT '',      -- why the model refused the text
    CHECK (length(vector) = 4 * dimension)
) STRICT;

-- How far in the sequence of asset_changes those who follow it have come. One of
-- another version begins anew.
CREATE TABLE followers (
    name    TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    seq     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Numbers of the query that were not said are 0. They refer to nothing: a
-- class or a batch that is gone is one that no asset has.
CREATE TABLE saved_searches (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id        INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name           TEXT NOT NULL,
    name_key       TEXT NOT NULL, -- the name regardless of case, beyond ASCII too
    q              TEXT NOT NULL,
    filters        TEXT NOT NULL, -- JSON as the client wrote it, or ''
    sort_by        TEXT NOT NULL,
    sort_direction TEXT NOT NULL,
    asset_class_id INTEGER NOT NULL,
    mime_type      TEXT NOT NULL,
    batch_id       INTEGER NOT NULL,
    trashed        TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX saved_searches_name ON saved_searches (user_id, name_key);

-- The pictures that people have set for videos and sounds, and what is known of the
-- picture that the file itself has, for when they are taken away. A blob that a row
-- refers to is kept.
CREATE TABLE posters (
    asset_id       INTEGER PRIMARY KEY REFERENCES assets (id) ON DELETE CASCADE,
    sha256         TEXT NOT NULL REFERENCES blobs (sha256),
    extension      TEXT NOT NULL, -- of its type
    own_thumbhash  BLOB,
    own_phash      INTEGER NOT NULL,
    own_colors     TEXT NOT NULL, -- JSON
    own_preview    TEXT NOT NULL, -- technical.file.preview, '' for none
    own_no_preview TEXT NOT NULL
) STRICT;
CREATE INDEX posters_sha256 ON posters (sha256);

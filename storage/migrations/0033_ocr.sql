-- The words that were read in the pictures of assets, with where they are.
CREATE TABLE recognized (
    asset_id INTEGER PRIMARY KEY REFERENCES assets (id) ON DELETE CASCADE,
    sha256   TEXT NOT NULL, -- of the file that they were read in
    words    TEXT NOT NULL  -- JSON
) STRICT;

-- What has been read so far of files with many pages.
CREATE TABLE recognizing (
    asset_id INTEGER PRIMARY KEY REFERENCES assets (id) ON DELETE CASCADE,
    sha256   TEXT NOT NULL, -- as above
    version  TEXT NOT NULL, -- of what reads it
    page     INTEGER NOT NULL, -- to go on with
    words    TEXT NOT NULL  -- JSON
) STRICT;

-- What has been found out about assets: when a task was last done for an asset, by what,
-- and why it could not be done.
CREATE TABLE analyses (
    asset_id INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    task     TEXT NOT NULL CHECK (task IN ('ocr','tags','caption')),
    version  TEXT NOT NULL, -- of what did it, and how that was set
    error    TEXT NOT NULL DEFAULT '', -- for people; '' if there was none
    done_at  INTEGER NOT NULL,
    PRIMARY KEY (asset_id, task)
) STRICT, WITHOUT ROWID;

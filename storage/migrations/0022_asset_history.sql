-- What has changed in assets, for people. Changes are JSON: [{field, from, to}].
CREATE TABLE asset_history (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    asset_id     INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    type         TEXT NOT NULL,
    version      INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    user_id      INTEGER REFERENCES users (id),
    token_name   TEXT NOT NULL DEFAULT '',
    operation_id INTEGER, -- which may be gone
    changes      TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE INDEX asset_history_asset ON asset_history (asset_id, id);
CREATE INDEX asset_history_at ON asset_history (at);

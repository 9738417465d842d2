-- Long work on many assets. done and failed count up to total, item by item in
-- the order of position, so that the next item is the one at done + failed.
CREATE TABLE operations (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    type            TEXT NOT NULL CHECK (type IN ('bulk_update','bulk_delete','ai_analysis','export')),
    state           TEXT NOT NULL CHECK (state IN ('pending','running','cancelling','cancelled','completed','completed_with_errors','failed')),
    spec            TEXT NOT NULL, -- JSON: what was asked for
    total           INTEGER NOT NULL,
    done            INTEGER NOT NULL DEFAULT 0, -- those unchanged included
    unchanged       INTEGER NOT NULL DEFAULT 0,
    failed          INTEGER NOT NULL DEFAULT 0,
    error_code      TEXT NOT NULL DEFAULT '',
    error_message   TEXT NOT NULL DEFAULT '',
    file_size       INTEGER NOT NULL DEFAULT 0,
    file_sha256     TEXT NOT NULL DEFAULT '', -- '' when there is no file
    file_expires_at INTEGER,
    created_by      INTEGER NOT NULL REFERENCES users (id),
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    started_at      INTEGER,
    finished_at     INTEGER,
    CHECK (done + failed <= total AND unchanged <= done),
    CHECK ((finished_at IS NOT NULL) = (state IN ('cancelled','completed','completed_with_errors','failed')))
) STRICT;
CREATE INDEX operations_user ON operations (created_by, id);
CREATE INDEX operations_open ON operations (created_by, id) WHERE finished_at IS NULL;
CREATE INDEX operations_finished ON operations (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX operations_files ON operations (file_expires_at) WHERE file_expires_at IS NOT NULL;

-- What an operation is about, fixed when it starts. It outlives its assets.
CREATE TABLE operation_items (
    operation_id  INTEGER NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL,
    asset_id      INTEGER, -- NULL when there never was one
    gaid          TEXT NOT NULL,
    state         TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending','done','unchanged','failed')),
    error_code    TEXT NOT NULL DEFAULT '',
    error_message TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (operation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX operation_items_odd ON operation_items (operation_id, state, position) WHERE state IN ('unchanged','failed');

-- Which key of a user started which operation.
CREATE TABLE idempotency_keys (
    user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key          TEXT NOT NULL,
    body_hash    BLOB NOT NULL CHECK (length(body_hash) = 32), -- SHA-256 of the canonical body
    operation_id INTEGER NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_operation ON idempotency_keys (operation_id);

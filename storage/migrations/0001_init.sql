-- Times are milliseconds since 1970 UTC. Texts that nobody set are '',
-- references that point nowhere are NULL.

CREATE TABLE users (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    email         TEXT NOT NULL COLLATE NOCASE UNIQUE,
    name          TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('admin','editor','viewer')),
    password_hash TEXT NOT NULL DEFAULT '',
    disabled_at   INTEGER,
    created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE tokens (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name         TEXT NOT NULL,
    description  TEXT NOT NULL DEFAULT '',
    abilities    TEXT NOT NULL, -- comma-separated
    hash         BLOB NOT NULL CHECK (length(hash) = 32),
    last_used_at INTEGER,
    last_used_ip TEXT NOT NULL DEFAULT '',
    expires_at   INTEGER,
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX tokens_user ON tokens (user_id);

CREATE TABLE audit_logs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL,
    request_id  TEXT NOT NULL,
    user_id     INTEGER NOT NULL,
    token_id    INTEGER,
    method      TEXT NOT NULL,
    path        TEXT NOT NULL,
    status      INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    ip          TEXT NOT NULL
) STRICT;
CREATE INDEX audit_logs_at ON audit_logs (at);

-- Files in the blob folder. A row is there exactly while something refers to
-- the blob: an asset, or a file of a batch.
CREATE TABLE blobs (
    sha256     TEXT PRIMARY KEY CHECK (length(sha256) = 64),
    size       INTEGER NOT NULL CHECK (size >= 0),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE asset_classes (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL COLLATE NOCASE UNIQUE
) STRICT;
INSERT INTO asset_classes (name) VALUES ('Default');

CREATE TABLE upload_batches (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    name             TEXT NOT NULL,
    status           TEXT NOT NULL CHECK (status IN ('open','processing','completed','completed_with_errors','failed','cancelled')),
    asset_class_id   INTEGER REFERENCES asset_classes (id),
    collection_ids   TEXT NOT NULL DEFAULT '[]', -- JSON
    metadata         TEXT NOT NULL DEFAULT '{}', -- JSON
    expected_files   INTEGER NOT NULL DEFAULT 0,
    allow_duplicates INTEGER NOT NULL DEFAULT 0 CHECK (allow_duplicates IN (0, 1)),
    created_by       INTEGER NOT NULL REFERENCES users (id),
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    last_file_at     INTEGER NOT NULL,
    closed_at        INTEGER,
    completed_at     INTEGER,
    announced        INTEGER NOT NULL DEFAULT 0 CHECK (announced IN (0, 1)), -- upload.batch.completed was written
    CHECK (status = 'open' OR closed_at IS NOT NULL)
) STRICT;
CREATE INDEX upload_batches_open ON upload_batches (last_file_at) WHERE status = 'open';

CREATE TABLE assets (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    gaid              TEXT NOT NULL UNIQUE,
    title             TEXT NOT NULL,
    original_filename TEXT NOT NULL,
    mime_type         TEXT NOT NULL,
    file_category     TEXT NOT NULL CHECK (file_category IN ('Image','Video','Audio','Document')),
    extension         TEXT NOT NULL,
    width             INTEGER NOT NULL DEFAULT 0,
    height            INTEGER NOT NULL DEFAULT 0,
    duration_ms       INTEGER NOT NULL DEFAULT 0,
    page_count        INTEGER NOT NULL DEFAULT 0,
    file_size         INTEGER NOT NULL,
    sha256            TEXT NOT NULL REFERENCES blobs (sha256),
    asset_class_id    INTEGER REFERENCES asset_classes (id),
    batch_id          INTEGER REFERENCES upload_batches (id),
    capture_date      INTEGER,
    creator           TEXT NOT NULL DEFAULT '',
    copyright         TEXT NOT NULL DEFAULT '',
    workflow_status   TEXT NOT NULL CHECK (workflow_status IN ('draft','in_review','approved','rejected','archived')),
    processing_status TEXT NOT NULL CHECK (processing_status IN ('processing','ready','failed')),
    phash             INTEGER NOT NULL DEFAULT 0,
    thumbhash         BLOB,
    owner_id          INTEGER REFERENCES users (id),
    created_by        INTEGER REFERENCES users (id),
    updated_by        INTEGER REFERENCES users (id),
    version           INTEGER NOT NULL DEFAULT 1,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    deleted_at        INTEGER
) STRICT;
CREATE INDEX assets_sha256 ON assets (sha256);
CREATE INDEX assets_batch ON assets (batch_id);

-- The wide part of an asset, apart so that scans of assets stay narrow.
CREATE TABLE asset_details (
    asset_id   INTEGER PRIMARY KEY REFERENCES assets (id) ON DELETE CASCADE,
    ai_caption TEXT NOT NULL DEFAULT '',
    ocr_text   TEXT NOT NULL DEFAULT '',
    colors     TEXT NOT NULL DEFAULT '[]', -- JSON
    technical  TEXT NOT NULL DEFAULT '{}'  -- JSON
) STRICT;

CREATE TABLE asset_words (
    asset_id INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL CHECK (kind IN ('keyword','ai_tag')),
    position INTEGER NOT NULL,
    word     TEXT NOT NULL,
    PRIMARY KEY (asset_id, kind, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX asset_words_word ON asset_words (kind, word, asset_id);

CREATE TABLE asset_metadata (
    asset_id INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    key      TEXT NOT NULL,
    value    TEXT NOT NULL, -- JSON
    PRIMARY KEY (asset_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX asset_metadata_key ON asset_metadata (key, value, asset_id);

-- The index queue. It outlives an asset that is deleted for good, so that
-- readers learn of the deletion; hence no reference.
CREATE TABLE asset_changes (
    asset_id INTEGER PRIMARY KEY,
    seq      INTEGER NOT NULL UNIQUE
) STRICT;

CREATE TABLE collections (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL,
    created_by INTEGER REFERENCES users (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE collection_assets (
    collection_id INTEGER NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    asset_id      INTEGER NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
    added_at      INTEGER NOT NULL,
    PRIMARY KEY (collection_id, asset_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_assets_asset ON collection_assets (asset_id);

CREATE TABLE batch_files (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    batch_id        INTEGER NOT NULL REFERENCES upload_batches (id) ON DELETE CASCADE,
    filename        TEXT NOT NULL,
    size            INTEGER NOT NULL,
    sha256          TEXT NOT NULL DEFAULT '', -- '' when no bytes are kept
    status          TEXT NOT NULL CHECK (status IN ('queued','scanning','validating','extracting','enriching','ready','duplicate','rejected','failed')),
    error_code      TEXT NOT NULL DEFAULT '',
    error_message   TEXT NOT NULL DEFAULT '',
    error_retryable INTEGER NOT NULL DEFAULT 0 CHECK (error_retryable IN (0, 1)),
    gaid            TEXT NOT NULL DEFAULT '',
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX batch_files_status ON batch_files (batch_id, status);
CREATE INDEX batch_files_sha256 ON batch_files (sha256) WHERE sha256 <> '';

CREATE TABLE jobs (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    kind         TEXT NOT NULL,
    subject      INTEGER NOT NULL DEFAULT 0, -- what it works on, in the terms of its kind
    state        TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('ready','running','dead')),
    priority     INTEGER NOT NULL DEFAULT 0, -- lower runs first
    attempt      INTEGER NOT NULL DEFAULT 0,
    max_attempts INTEGER NOT NULL,
    run_at       INTEGER NOT NULL,
    lease_until  INTEGER,
    last_error   TEXT NOT NULL DEFAULT '',
    created_at   INTEGER NOT NULL,
    CHECK ((state = 'running') = (lease_until IS NOT NULL))
) STRICT;
CREATE INDEX jobs_due ON jobs (kind, priority, run_at, id) WHERE state = 'ready';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_subject ON jobs (kind, subject);

-- The outbox.
CREATE TABLE events (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid       TEXT NOT NULL UNIQUE,
    type       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    data       TEXT NOT NULL, -- JSON
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX events_created ON events (created_at);

-- Tables that people have uploaded to change assets with, and their rows. While
-- its rows are being inserted, in several transactions, a file is a draft.
CREATE TABLE import_files (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    filename   TEXT NOT NULL,
    size       INTEGER NOT NULL,
    sha256     TEXT NOT NULL,
    encoding   TEXT NOT NULL,
    separator  TEXT NOT NULL,
    columns    TEXT NOT NULL, -- JSON
    total      INTEGER NOT NULL, -- rows
    created_by INTEGER NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    draft      INTEGER NOT NULL DEFAULT 0 CHECK (draft IN (0, 1))
) STRICT;
CREATE INDEX import_files_user ON import_files (created_by, id);
CREATE INDEX import_files_expire ON import_files (expires_at);

CREATE TABLE import_rows (
    file_id  INTEGER NOT NULL REFERENCES import_files (id),
    position INTEGER NOT NULL,
    line     INTEGER NOT NULL,
    cells    TEXT NOT NULL, -- JSON: those of the columns that are kept
    problem  TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (file_id, position)
) STRICT, WITHOUT ROWID;

-- The type metadata_import is new, and which table an operation uses.
CREATE TABLE operations_new (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    type             TEXT NOT NULL CHECK (type IN ('bulk_update','bulk_delete','ai_analysis','export','metadata_import')),
    state            TEXT NOT NULL CHECK (state IN ('pending','running','cancelling','cancelled','completed','completed_with_errors','failed')),
    spec             TEXT NOT NULL, -- JSON: what was asked for
    total            INTEGER NOT NULL,
    done             INTEGER NOT NULL DEFAULT 0, -- those unchanged included
    unchanged        INTEGER NOT NULL DEFAULT 0,
    failed           INTEGER NOT NULL DEFAULT 0,
    error_code       TEXT NOT NULL DEFAULT '',
    error_message    TEXT NOT NULL DEFAULT '',
    file_size        INTEGER NOT NULL DEFAULT 0,
    file_sha256      TEXT NOT NULL DEFAULT '', -- '' when there is no file
    file_expires_at  INTEGER,
    created_by       INTEGER NOT NULL REFERENCES users (id),
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    started_at       INTEGER,
    finished_at      INTEGER,
    draft            INTEGER NOT NULL DEFAULT 0 CHECK (draft IN (0, 1)),
    file_collections TEXT NOT NULL DEFAULT '[]', -- JSON: the collections that the file of an export names
    import_file_id   INTEGER REFERENCES import_files (id) ON DELETE SET NULL,
    CHECK (done + failed <= total AND unchanged <= done),
    CHECK ((finished_at IS NOT NULL) = (state IN ('cancelled','completed','completed_with_errors','failed')))
) STRICT;
INSERT INTO operations_new (id, type, state, spec, total, done, unchanged, failed, error_code, error_message, file_size, file_sha256,
    file_expires_at, created_by, created_at, updated_at, started_at, finished_at, draft, file_collections)
SELECT id, type, state, spec, total, done, unchanged, failed, error_code, error_message, file_size, file_sha256,
    file_expires_at, created_by, created_at, updated_at, started_at, finished_at, draft, file_collections FROM operations;
DELETE FROM sqlite_sequence WHERE name = 'operations_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'operations_new', seq FROM sqlite_sequence WHERE name = 'operations';
DROP TABLE operations;
ALTER TABLE operations_new RENAME TO operations;
CREATE INDEX operations_user ON operations (created_by, id);
CREATE INDEX operations_open ON operations (created_by, id) WHERE finished_at IS NULL;
CREATE INDEX operations_finished ON operations (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX operations_files ON operations (file_expires_at) WHERE file_expires_at IS NOT NULL;
CREATE INDEX operations_drafts ON operations (created_at) WHERE draft = 1;
CREATE INDEX operations_import ON operations (import_file_id) WHERE import_file_id IS NOT NULL;

-- The line of the table that an item is about, and the field that is wrong.
ALTER TABLE operation_items ADD COLUMN line INTEGER NOT NULL DEFAULT 0;
ALTER TABLE operation_items ADD COLUMN error_field TEXT NOT NULL DEFAULT '';

-- Rows can name assets by their files' names.
CREATE INDEX assets_filename ON assets (original_filename);

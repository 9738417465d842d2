-- Files that come into a batch in pieces. Until the last byte is there, the bytes are
-- in the folder of incoming files, under the id; then file_id says which file of the
-- batch they became.
CREATE TABLE resumable_uploads (
    id         TEXT PRIMARY KEY CHECK (length(id) = 32),
    batch_id   INTEGER NOT NULL REFERENCES upload_batches (id) ON DELETE CASCADE,
    filename   TEXT NOT NULL,
    metadata   TEXT NOT NULL, -- as the client sent it
    size       INTEGER NOT NULL CHECK (size >= 0),
    received   INTEGER NOT NULL DEFAULT 0 CHECK (received BETWEEN 0 AND size),
    hash       BLOB,          -- the state of SHA-256 after these bytes
    file_id    INTEGER REFERENCES batch_files (id) ON DELETE CASCADE,
    created_by INTEGER NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    touched_at INTEGER NOT NULL, -- when the last bytes came
    CHECK (file_id IS NULL OR received = size)
) STRICT, WITHOUT ROWID;
CREATE INDEX resumable_uploads_batch ON resumable_uploads (batch_id);
CREATE INDEX resumable_uploads_file ON resumable_uploads (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX resumable_uploads_user ON resumable_uploads (created_by) WHERE file_id IS NULL;
CREATE INDEX resumable_uploads_touched ON resumable_uploads (touched_at);

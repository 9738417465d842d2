-- Idempotency keys of all requests, with their sealed answers. A key of an older version keeps its row, so that nothing is
-- started twice; it has the hash of a body alone, which is that of no request now.
DROP INDEX idempotency_keys_created;
DROP INDEX idempotency_keys_operation;
ALTER TABLE idempotency_keys RENAME TO idempotency_keys_old;
CREATE TABLE idempotency_keys (
    id           INTEGER PRIMARY KEY, -- the order of claims
    user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key          TEXT NOT NULL,
    request_hash BLOB NOT NULL CHECK (length(request_hash) = 32), -- SHA-256
    answer       BLOB, -- sealed; NULL if it was not stored
    created_at   INTEGER NOT NULL,
    UNIQUE (user_id, key)
) STRICT;
INSERT INTO idempotency_keys (user_id, key, request_hash, created_at)
    SELECT user_id, key, body_hash, created_at FROM idempotency_keys_old ORDER BY created_at;
DROP TABLE idempotency_keys_old;
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_user ON idempotency_keys (user_id, id);

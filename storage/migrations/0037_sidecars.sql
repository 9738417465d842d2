-- Whether who uploaded a file may change no assets but those of its batch, by its being a sidecar.
ALTER TABLE batch_files ADD COLUMN own_only INTEGER NOT NULL DEFAULT 0 CHECK (own_only IN (0, 1));

-- The collections that the file of an export names, as JSON.
ALTER TABLE operations ADD COLUMN file_collections TEXT NOT NULL DEFAULT '[]';

CREATE INDEX upload_batches_user ON upload_batches (created_by);

-- What guests may hand in through a share of the type upload, as JSON (dam.ShareUpload); NULL for other types.
ALTER TABLE shares ADD COLUMN upload TEXT;
-- The share through which a guest hands in the files of a batch, and the guest: by the visit, which ends after hours and
-- whose id is never used again, and by what the access log says of it. There is no more about the guest here, so that
-- nothing is left of a person who was taken out of those two.
ALTER TABLE upload_batches ADD COLUMN share_id INTEGER REFERENCES shares (id);
ALTER TABLE upload_batches ADD COLUMN visit_id INTEGER;
ALTER TABLE upload_batches ADD COLUMN access_id INTEGER;
CREATE INDEX upload_batches_share ON upload_batches (share_id, id) WHERE share_id IS NOT NULL;

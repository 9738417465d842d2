-- Which property of XMP fills a field, and whether files add terms to its vocabulary.
ALTER TABLE metadata_fields ADD COLUMN xmp_path TEXT NOT NULL DEFAULT '';
ALTER TABLE metadata_fields ADD COLUMN accepts_new_terms INTEGER NOT NULL DEFAULT 0 CHECK (accepts_new_terms IN (0, 1));

-- By what the file of a sidecar is found. lower() knows the letters of ASCII.
CREATE INDEX batch_files_filename ON batch_files (batch_id, lower(filename));
CREATE INDEX assets_lower_filename ON assets (lower(original_filename));

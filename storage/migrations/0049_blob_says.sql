-- What a file in place says about itself, as JSON: when it changes, metadata that nobody has edited follows. '' if not known.
ALTER TABLE blobs ADD COLUMN says TEXT NOT NULL DEFAULT '';

-- What to know of a file that became an asset: that it has no preview, or a name that misleads.
ALTER TABLE batch_files ADD COLUMN warning TEXT NOT NULL DEFAULT '';

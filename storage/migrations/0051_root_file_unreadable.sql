-- Whether a file in place is there and cannot be read: its problem says why.
ALTER TABLE root_files ADD COLUMN unreadable INTEGER NOT NULL DEFAULT 0 CHECK (unreadable IN (0, 1));

-- The folders of a root that its last scan could not read, as JSON.
ALTER TABLE roots ADD COLUMN unread TEXT NOT NULL DEFAULT '[]';

-- Changes with a file in place, also if its size and its mtime do not: its ctime and its inode. '' if not known.
ALTER TABLE root_files ADD COLUMN stamp TEXT NOT NULL DEFAULT '';

-- The people in the pictures that are already in the library are read from their files: bit 8.
CREATE TABLE asset_followups_new (
    asset_id INTEGER PRIMARY KEY, -- which may be gone by then, hence no reference
    what     INTEGER NOT NULL CHECK (what BETWEEN 1 AND 15) -- 1: tell of it by an event, 2: find it under other words, 4: read its offset, 8: read its people
) STRICT;
INSERT INTO asset_followups_new SELECT * FROM asset_followups;
DROP TABLE asset_followups;
ALTER TABLE asset_followups_new RENAME TO asset_followups;
INSERT INTO asset_followups (asset_id, what) SELECT id, 8 FROM assets WHERE file_category = 'Image'
    ON CONFLICT (asset_id) DO UPDATE SET what = what | 8;

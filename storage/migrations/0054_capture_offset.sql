-- The offset of the camera's clock from UTC, in minutes. Without one, capture_date is what that clock showed, as if it
-- were in UTC. Those of the assets that are there are read again from what their files say: bit 4.
ALTER TABLE assets ADD COLUMN capture_offset INTEGER CHECK (capture_offset BETWEEN -720 AND 840);

CREATE TABLE asset_followups_new (
    asset_id INTEGER PRIMARY KEY, -- which may be gone by then, hence no reference
    what     INTEGER NOT NULL CHECK (what BETWEEN 1 AND 7) -- 1: tell of it by an event, 2: find it under other words, 4: read its offset
) STRICT;
INSERT INTO asset_followups_new SELECT * FROM asset_followups;
DROP TABLE asset_followups;
ALTER TABLE asset_followups_new RENAME TO asset_followups;
INSERT INTO asset_followups (asset_id, what) SELECT id, 4 FROM assets WHERE capture_date IS NOT NULL
    ON CONFLICT (asset_id) DO UPDATE SET what = what | 4;

-- What people know of an asset besides its title: how good it is, where it is,
-- and when and how it may be used.
ALTER TABLE assets ADD COLUMN rating INTEGER CHECK (rating BETWEEN 0 AND 5);
ALTER TABLE assets ADD COLUMN latitude REAL;
ALTER TABLE assets ADD COLUMN longitude REAL;
ALTER TABLE assets ADD COLUMN place TEXT NOT NULL DEFAULT '';
ALTER TABLE assets ADD COLUMN usage_from INTEGER;
ALTER TABLE assets ADD COLUMN usage_until INTEGER;

-- What is read alone comes before what is long.
CREATE TABLE asset_details_new (
    asset_id    INTEGER PRIMARY KEY REFERENCES assets (id) ON DELETE CASCADE,
    focal_x     REAL,
    focal_y     REAL,
    usage_terms TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    ai_caption  TEXT NOT NULL DEFAULT '',
    ocr_text    TEXT NOT NULL DEFAULT '',
    colors      TEXT NOT NULL DEFAULT '[]', -- JSON
    technical   TEXT NOT NULL DEFAULT '{}'  -- JSON
) STRICT;
INSERT INTO asset_details_new (asset_id, ai_caption, ocr_text, colors, technical)
    SELECT asset_id, ai_caption, ocr_text, colors, technical FROM asset_details;
DROP TABLE asset_details;
ALTER TABLE asset_details_new RENAME TO asset_details;

-- Where the pictures that are there were taken has been read from them already.
UPDATE assets SET latitude = json_extract(d.technical, '$.gps.latitude'), longitude = json_extract(d.technical, '$.gps.longitude')
FROM asset_details d
WHERE d.asset_id = assets.id AND json_type(d.technical, '$.gps.latitude') IN ('real', 'integer')
    AND json_type(d.technical, '$.gps.longitude') IN ('real', 'integer');

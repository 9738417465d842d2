-- What a saved search looks for is one JSON document, as dam.QueryParams has it:
-- a new parameter of the asset list needs no column.
ALTER TABLE saved_searches ADD COLUMN query TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(query));

-- json_patch leaves out what is null.
UPDATE saved_searches SET query = json_patch('{}', json_object(
    'q', nullif(q, ''),
    'filters', nullif(filters, ''), -- as a text: it comes back byte by byte
    'sort_by', nullif(sort_by, ''),
    'sort_direction', nullif(sort_direction, ''),
    'asset_class_id', nullif(asset_class_id, 0),
    'mime_type', nullif(mime_type, ''),
    'ingestion_batch_id', nullif(batch_id, 0),
    'trashed', nullif(trashed, '')));

ALTER TABLE saved_searches DROP COLUMN q;
ALTER TABLE saved_searches DROP COLUMN filters;
ALTER TABLE saved_searches DROP COLUMN sort_by;
ALTER TABLE saved_searches DROP COLUMN sort_direction;
ALTER TABLE saved_searches DROP COLUMN asset_class_id;
ALTER TABLE saved_searches DROP COLUMN mime_type;
ALTER TABLE saved_searches DROP COLUMN batch_id;
ALTER TABLE saved_searches DROP COLUMN trashed;

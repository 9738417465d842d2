-- The name regardless of case, beyond ASCII too, as collection_types has it. It
-- is filled after this file, for SQL cannot; it stays '' for a class whose name
-- an older one has in other letters.
ALTER TABLE asset_classes ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX asset_classes_name ON asset_classes (name_key) WHERE name_key <> '';

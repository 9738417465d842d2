CREATE TABLE collection_types (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    name     TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE -- the name regardless of case, beyond ASCII too
) STRICT;
INSERT INTO collection_types (name, name_key) VALUES ('Default', 'default');

-- A collection with rules fills itself and has no rows in collection_assets.
-- Those who may view a restricted one are its creator, its viewers and admins.
ALTER TABLE collections ADD COLUMN sort_key BLOB NOT NULL DEFAULT x''; -- of its name, in the order of Unicode
ALTER TABLE collections ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE collections ADD COLUMN type_id INTEGER REFERENCES collection_types (id);
ALTER TABLE collections ADD COLUMN parent_id INTEGER REFERENCES collections (id);
ALTER TABLE collections ADD COLUMN is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1));
ALTER TABLE collections ADD COLUMN visibility TEXT NOT NULL DEFAULT 'everyone' CHECK (visibility IN ('everyone','restricted'));
ALTER TABLE collections ADD COLUMN cover_id INTEGER REFERENCES assets (id) ON DELETE SET NULL;
ALTER TABLE collections ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN updated_by INTEGER REFERENCES users (id);
ALTER TABLE collections ADD COLUMN rules TEXT NOT NULL DEFAULT ''; -- JSON as the client wrote it, or ''
UPDATE collections SET sort_key = CAST(lower(name) AS BLOB), updated_by = created_by;
CREATE INDEX collections_order ON collections (position, sort_key, id);
CREATE INDEX collections_parent ON collections (parent_id);
CREATE INDEX collections_type ON collections (type_id) WHERE type_id IS NOT NULL;
CREATE INDEX collections_cover ON collections (cover_id) WHERE cover_id IS NOT NULL;
CREATE INDEX collections_rules ON collections (id) WHERE rules <> '';

CREATE TABLE collection_viewers (
    collection_id INTEGER NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    user_id       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (collection_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_viewers_user ON collection_viewers (user_id);

-- Positions have gaps, so that assets can be moved without touching the others.
ALTER TABLE collection_assets ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
CREATE INDEX collection_assets_order ON collection_assets (collection_id, position, asset_id);

-- Those in the trash do not count as assets of a collection; there are few.
CREATE INDEX assets_trash ON assets (id) WHERE deleted_at IS NOT NULL;

-- The definitions of custom metadata. What assets have is in asset_metadata, by
-- the key of the field; terms are there by their key.

-- One row: how often definitions have changed.
CREATE TABLE definitions (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO definitions (id, version) VALUES (1, 1);

CREATE TABLE vocabularies (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    key         TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    version     INTEGER NOT NULL, -- of the definitions when it or a term of it changed
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE terms (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    vocabulary_id INTEGER NOT NULL REFERENCES vocabularies (id) ON DELETE CASCADE,
    key           TEXT NOT NULL,
    label         TEXT NOT NULL,
    parent_id     INTEGER REFERENCES terms (id) ON DELETE SET NULL,
    position      INTEGER NOT NULL,
    is_active     INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
    UNIQUE (vocabulary_id, key)
) STRICT;
CREATE INDEX terms_parent ON terms (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE metadata_fields (
    key             TEXT PRIMARY KEY,
    label           TEXT NOT NULL,
    description     TEXT NOT NULL DEFAULT '',
    type            TEXT NOT NULL CHECK (type IN ('text','long_text','integer','number','boolean','date','datetime','term','terms','url')),
    vocabulary_id   INTEGER REFERENCES vocabularies (id),
    is_required     INTEGER NOT NULL CHECK (is_required IN (0, 1)),
    is_searchable   INTEGER NOT NULL CHECK (is_searchable IN (0, 1)),
    is_filterable   INTEGER NOT NULL CHECK (is_filterable IN (0, 1)),
    default_value   TEXT NOT NULL, -- JSON
    validation      TEXT NOT NULL, -- JSON
    asset_class_ids TEXT NOT NULL, -- JSON; [] for all
    position        INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    CHECK ((type IN ('term','terms')) = (vocabulary_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX metadata_fields_vocabulary ON metadata_fields (vocabulary_id) WHERE vocabulary_id IS NOT NULL;

package storage

import (
	"encoding/json"

	"github.com/digital-asset-library/dal/app/dam"
)

// DefinitionsVersion returns the version of the definitions, which increases with each
// change.
func (tx *Tx) DefinitionsVersion() (int64, error) {
	return one[int64](tx, "", `SELECT version FROM definitions`)
}

// definitionsChanged increments the version of the definitions, once in a transaction,
// and gives it to the changed vocabulary, 0 for none.
func (tx *Tx) definitionsChanged(vocabulary int64) (err error) {
	if tx.definitions == 0 {
		if tx.definitions, err = one[int64](tx, "", `UPDATE definitions SET version = version + 1 RETURNING version`); err != nil {
			return err
		}
	}
	if vocabulary == 0 || vocabulary == tx.vocabulary {
		return nil
	}
	tx.vocabulary = vocabulary
	_, err = tx.exec("", `UPDATE vocabularies SET version = ?, updated_at = ? WHERE id = ?`, tx.definitions, msec(tx.now), vocabulary)
	return err
}

const fieldColumns = `key, label, description, type, vocabulary_id, is_required, is_searchable, is_filterable, default_value, validation,
	asset_class_ids, position, xmp_path, accepts_new_terms, created_at, updated_at`

func scanField(r row) (*dam.Field, error) {
	var f dam.Field
	err := r.Scan(&f.Key, &f.Label, &f.Description, &f.Type, refCol{&f.VocabularyID}, &f.IsRequired, &f.IsSearchable, &f.IsFilterable,
		jsonCol{&f.Default}, jsonCol{&f.Validation}, jsonCol{&f.AssetClassIDs}, &f.Position, &f.XMPPath, &f.AcceptsNewTerms,
		timeCol{&f.CreatedAt}, timeCol{&f.UpdatedAt})
	return &f, wrap(err, "Metadata field")
}

// Fields returns all custom fields.
func (tx *Tx) Fields() ([]*dam.Field, error) {
	return list(tx, scanField, `SELECT `+fieldColumns+` FROM metadata_fields ORDER BY position, key`)
}

func fieldValues(f *dam.Field) ([]any, error) {
	def, err := jsonText(f.Default)
	if err != nil {
		return nil, err
	}
	validation, err := jsonText(f.Validation)
	return []any{f.Key, f.Label, f.Description, f.Type, ref(f.VocabularyID), f.IsRequired, f.IsSearchable, f.IsFilterable, def, validation,
		ids(f.AssetClassIDs), f.Position, f.XMPPath, f.AcceptsNewTerms}, err
}

// InsertField adds f. It returns Conflict if the key exists.
func (tx *Tx) InsertField(f *dam.Field) error {
	f.CreatedAt, f.UpdatedAt = tx.now, tx.now
	args, err := fieldValues(f)
	if err != nil {
		return err
	}
	if _, err := tx.exec("A metadata field with that key", `INSERT INTO metadata_fields (`+fieldColumns+`)
		VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?15)`, append(args, msec(tx.now))...); err != nil {
		return err
	}
	return tx.definitionsChanged(0)
}

// UpdateField writes all of f but its key.
func (tx *Tx) UpdateField(f *dam.Field) error {
	f.UpdatedAt = tx.now
	args, err := fieldValues(f)
	if err != nil {
		return err
	}
	if err := tx.must("Metadata field", `UPDATE metadata_fields
		SET label = ?2, description = ?3, type = ?4, vocabulary_id = ?5, is_required = ?6,
		is_searchable = ?7, is_filterable = ?8, default_value = ?9, validation = ?10, asset_class_ids = ?11, position = ?12,
		xmp_path = ?13, accepts_new_terms = ?14, updated_at = ?15
		WHERE key = ?1`, append(args, msec(tx.now))...); err != nil {
		return err
	}
	return tx.definitionsChanged(0)
}

// DeleteField deletes the definition of a field, not its values.
func (tx *Tx) DeleteField(key string) error {
	if err := tx.must("Metadata field", `DELETE FROM metadata_fields WHERE key = ?`, key); err != nil {
		return err
	}
	return tx.definitionsChanged(0)
}

// MetadataValue is a distinct value of a field.
type MetadataValue struct {
	Text   string // as JSON
	Value  any
	Assets int // number of assets that have it
}

// MetadataValues returns up to limit of the distinct values of a field, including those
// of assets in the trash, in the order of their text, starting after one.
func (tx *Tx) MetadataValues(key, after string, limit int) ([]MetadataValue, error) {
	return list(tx, func(r row) (v MetadataValue, err error) {
		if err := r.Scan(&v.Text, &v.Assets); err != nil {
			return v, err
		}
		return v, json.Unmarshal([]byte(v.Text), &v.Value)
	}, `SELECT value, count(*) FROM asset_metadata WHERE key = ? AND value > ? GROUP BY value ORDER BY value LIMIT ?`, key, after, limit)
}

// CountMetadata returns the number of assets that have a value in a field.
func (tx *Tx) CountMetadata(key string) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM asset_metadata WHERE key = ?`, key)
}

// ReplaceMetadata replaces values of a field in all assets and returns the assets that
// had them. The map is from the JSON of an old value to the new one, nil to delete it.
// The rows of the assets themselves do not change: see TouchAssets.
func (tx *Tx) ReplaceMetadata(key string, to map[string]any) ([]int64, error) {
	pairs, gone := [][2]string{}, []string{}
	for old, v := range to {
		if v == nil {
			gone = append(gone, old)
			continue
		}
		text, err := jsonText(v)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, [2]string{old, text})
	}
	pairsText, err := jsonText(pairs)
	if err != nil {
		return nil, err
	}
	// CROSS JOIN makes SQLite look up each old value instead of scanning all pairs for
	// each row (https://sqlite.org/lang_select.html#crossjoin).
	had, err := list(tx, scanID, `INSERT INTO asset_metadata (asset_id, key, value)
		SELECT m.asset_id, m.key, p.value ->> 1 FROM json_each(?1) p CROSS JOIN asset_metadata m ON m.key = ?2 AND m.value = p.value ->> 0
		ON CONFLICT (asset_id, key) DO UPDATE SET value = excluded.value RETURNING asset_id`, pairsText, key)
	if err != nil || len(gone) == 0 {
		return had, err
	}
	more, err := list(tx, scanID, `DELETE FROM asset_metadata WHERE key = ? AND value IN (SELECT value FROM json_each(?)) RETURNING asset_id`,
		key, texts(gone))
	return append(had, more...), err
}

// DeleteMetadata deletes the values of a field from all assets and returns those assets.
// Their own rows do not change: see TouchAssets.
func (tx *Tx) DeleteMetadata(key string) ([]int64, error) {
	had, err := tx.AssetsWithKey(key)
	if err == nil {
		_, err = tx.exec("", `DELETE FROM asset_metadata WHERE key = ?`, key)
	}
	return had, err
}

// AssetsWithKey returns the assets that have a value in a field.
func (tx *Tx) AssetsWithKey(key string) ([]int64, error) {
	return list(tx, scanID, `SELECT asset_id FROM asset_metadata WHERE key = ? ORDER BY asset_id`, key)
}

func scanID(r row) (id int64, err error) { return id, r.Scan(&id) }

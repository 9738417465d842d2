package storage

import "github.com/digital-asset-library/dal/app/dam"

// A NameTable is a lookup table of ids and names, which are unique regardless of case.
type NameTable string

// The lookup tables.
const (
	AssetClasses    NameTable = "asset_classes"
	CollectionTypes NameTable = "collection_types"
)

// what returns the noun for an entry in messages.
func (t NameTable) what() string {
	if t == AssetClasses {
		return "Asset class"
	}
	return "Collection type"
}

func scanNamed(r row) (n dam.NamedID, err error) { return n, r.Scan(&n.ID, &n.Name) }

// Names returns the entries of a table by name, and their total number.
func (tx *Tx) Names(t NameTable, p dam.Page) ([]dam.NamedID, int, error) {
	total, err := one[int](tx, "", `SELECT count(*) FROM `+string(t))
	if err != nil {
		return nil, 0, err
	}
	all, err := list(tx, scanNamed, `SELECT id, name FROM `+string(t)+` ORDER BY name_key, name, id LIMIT ? OFFSET ?`, p.Limit, p.Offset)
	return all, total, err
}

// HasName reports whether a table has an entry with an ID.
func (tx *Tx) HasName(t NameTable, id int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM `+string(t)+` WHERE id = ?)`, id)
}

// NamesOf returns names by ID and omits IDs that do not exist.
func (tx *Tx) NamesOf(t NameTable, want []int64) (map[int64]string, error) {
	return tx.names(`SELECT id, name FROM `+string(t)+` WHERE id IN (SELECT value FROM json_each(?))`, want)
}

// InsertName adds a name and sets its ID. It returns Conflict if the name is taken.
func (tx *Tx) InsertName(t NameTable, n *dam.NamedID) (err error) {
	n.ID, err = one[int64](tx, t.what()+" with that name", `INSERT INTO `+string(t)+` (name, name_key) VALUES (?, ?) RETURNING id`,
		n.Name, nameKey(n.Name))
	return err
}

// Rename changes the name of an entry. It returns Conflict if the name is taken.
func (tx *Tx) Rename(t NameTable, n *dam.NamedID) error {
	return tx.must(t.what(), `UPDATE `+string(t)+` SET name = ?, name_key = ? WHERE id = ?`, n.Name, nameKey(n.Name), n.ID)
}

// Name returns the entry with an ID.
func (tx *Tx) Name(t NameTable, id int64) (n dam.NamedID, err error) {
	n.ID = id
	n.Name, err = one[string](tx, t.what(), `SELECT name FROM `+string(t)+` WHERE id = ?`, id)
	return n, err
}

// DeleteName deletes an entry that nothing refers to.
func (tx *Tx) DeleteName(t NameTable, id int64) error {
	return tx.must(t.what(), `DELETE FROM `+string(t)+` WHERE id = ?`, id)
}

// keyAssetClasses fills in the name keys of asset classes.
func (tx *Tx) keyAssetClasses() error {
	classes, err := list(tx, scanNamed, `SELECT id, name FROM asset_classes ORDER BY id`)
	if err != nil {
		return err
	}
	for _, c := range classes {
		if _, err := tx.exec("", `UPDATE OR IGNORE asset_classes SET name_key = ? WHERE id = ?`, nameKey(c.Name), c.ID); err != nil {
			return err
		}
	}
	return nil
}

// CollectionTypeUsed reports whether any collection has a type.
func (tx *Tx) CollectionTypeUsed(id int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM collections WHERE type_id = ?)`, id)
}

// CountClassUse returns the number of assets and upload batches that have an asset class.
func (tx *Tx) CountClassUse(id int64) (int, error) {
	return one[int](tx, "", `SELECT (SELECT count(*) FROM assets WHERE asset_class_id = ?1) +
		(SELECT count(*) FROM upload_batches WHERE asset_class_id = ?1)`, id)
}

// DeleteAssetClass deletes an asset class, removes it from assets and upload batches, and
// returns the assets that had it. Their rows do not change otherwise: see TouchAssets.
func (tx *Tx) DeleteAssetClass(id int64) ([]int64, error) {
	had, err := list(tx, scanID, `SELECT id FROM assets WHERE asset_class_id = ? ORDER BY id`, id)
	if err != nil {
		return nil, err
	}
	for _, query := range []string{
		`UPDATE assets SET asset_class_id = NULL WHERE asset_class_id = ?`,
		`UPDATE upload_batches SET asset_class_id = NULL WHERE asset_class_id = ?`,
	} {
		if _, err := tx.exec("", query, id); err != nil {
			return nil, err
		}
	}
	return had, tx.DeleteName(AssetClasses, id)
}

// BatchNames returns the names of upload batches.
func (tx *Tx) BatchNames(want []int64) (map[int64]string, error) {
	return tx.names(`SELECT id, name FROM upload_batches WHERE id IN (SELECT value FROM json_each(?))`, want)
}

func (tx *Tx) names(query string, want []int64) (map[int64]string, error) {
	names := map[int64]string{}
	return names, each(tx, func(r row) error {
		var id int64
		var name string
		err := r.Scan(&id, &name)
		names[id] = name
		return err
	}, query, ids(want))
}

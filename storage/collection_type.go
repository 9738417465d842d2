package storage

import "github.com/digital-asset-library/dal/app/dam"

func scanNamed(r row) (n dam.NamedID, err error) {
	return n, wrap(r.Scan(&n.ID, &n.Name), "Collection type")
}

// CollectionTypes lists types of collections by name, and how many there are.
func (tx *Tx) CollectionTypes(p dam.Page) ([]dam.NamedID, int, error) {
	total, err := one[int](tx, "", `SELECT count(*) FROM collection_types`)
	if err != nil {
		return nil, 0, err
	}
	types, err := list(tx, scanNamed, `SELECT id, name FROM collection_types ORDER BY name_key, id LIMIT ? OFFSET ?`, p.Limit, p.Offset)
	return types, total, err
}

// CollectionType returns a type of collections.
func (tx *Tx) CollectionType(id int64) (dam.NamedID, error) {
	return scanNamed(tx.tx.QueryRowContext(tx.ctx, `SELECT id, name FROM collection_types WHERE id = ?`, id))
}

// InsertCollectionType adds a type and sets its ID. A name that is taken is a
// Conflict.
func (tx *Tx) InsertCollectionType(n *dam.NamedID) (err error) {
	n.ID, err = one[int64](tx, "A collection type with that name", `INSERT INTO collection_types (name, name_key) VALUES (?, ?) RETURNING id`, n.Name, nameKey(n.Name))
	return err
}

// RenameCollectionType writes the name of a type. A name that is taken is a
// Conflict.
func (tx *Tx) RenameCollectionType(n *dam.NamedID) error {
	return tx.must("Collection type", `UPDATE collection_types SET name = ?, name_key = ? WHERE id = ?`, n.Name, nameKey(n.Name), n.ID)
}

// DeleteCollectionType deletes a type that no collection has.
func (tx *Tx) DeleteCollectionType(id int64) error {
	return tx.must("Collection type", `DELETE FROM collection_types WHERE id = ?`, id)
}

// CollectionTypeUsed reports whether a collection has a type.
func (tx *Tx) CollectionTypeUsed(id int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM collections WHERE type_id = ?)`, id)
}

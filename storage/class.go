package storage

import "github.com/digital-asset-library/dal/app/dam"

// AssetClasses lists the asset classes by name, and how many there are.
func (tx *Tx) AssetClasses(p dam.Page) ([]dam.NamedID, int, error) {
	total, err := one[int](tx, "", `SELECT count(*) FROM asset_classes`)
	if err != nil {
		return nil, 0, err
	}
	classes, err := list(tx, scanNamed, `SELECT id, name FROM asset_classes ORDER BY name, id LIMIT ? OFFSET ?`, p.Limit, p.Offset)
	return classes, total, err
}

// InsertAssetClass adds an asset class and returns its ID.
func (tx *Tx) InsertAssetClass(name string) (int64, error) {
	return one[int64](tx, "An asset class with that name", `INSERT INTO asset_classes (name) VALUES (?) RETURNING id`, name)
}

// RenameAssetClass changes the case of the name of an asset class, or all of it.
func (tx *Tx) RenameAssetClass(id int64, name string) error {
	return tx.must("Asset class", `UPDATE asset_classes SET name = ? WHERE id = ?`, name, id)
}

// CountClassUse returns how many assets and upload batches have an asset class.
func (tx *Tx) CountClassUse(id int64) (int, error) {
	return one[int](tx, "", `SELECT (SELECT count(*) FROM assets WHERE asset_class_id = ?1) + (SELECT count(*) FROM upload_batches WHERE asset_class_id = ?1)`, id)
}

// DeleteAssetClass deletes an asset class, takes it from the assets and upload
// batches that have it, and returns those assets, whose rows are not touched
// otherwise: see TouchAssets.
func (tx *Tx) DeleteAssetClass(id int64) ([]int64, error) {
	had, err := list(tx, scanID, `SELECT id FROM assets WHERE asset_class_id = ? ORDER BY id`, id)
	if err != nil {
		return nil, err
	}
	for _, query := range []string{`UPDATE assets SET asset_class_id = NULL WHERE asset_class_id = ?`,
		`UPDATE upload_batches SET asset_class_id = NULL WHERE asset_class_id = ?`} {
		if _, err := tx.exec("", query, id); err != nil {
			return nil, err
		}
	}
	return had, tx.must("Asset class", `DELETE FROM asset_classes WHERE id = ?`, id)
}

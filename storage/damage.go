package storage

import "github.com/digital-asset-library/dal/app/dam"

// processingStatus is the expression for the column of that name: the file of an asset
// may have been damaged since it was processed.
const processingStatus = `CASE WHEN EXISTS (SELECT 1 FROM damaged_blobs d WHERE d.sha256 = a.sha256)
	THEN 'damaged' ELSE a.processing_status END`

// MarkDamaged records that the file of a blob is damaged and reports whether that is new.
// It ignores blobs without a row.
func (tx *Tx) MarkDamaged(sha256 string, d dam.Damage) (bool, error) {
	n, err := tx.exec("Blob", `INSERT INTO damaged_blobs (sha256, damage, found_at) SELECT sha256, ?, ? FROM blobs WHERE sha256 = ?
		ON CONFLICT (sha256) DO UPDATE SET damage = excluded.damage WHERE damage <> excluded.damage`, d, msec(tx.now), sha256)
	return n > 0, err
}

// ClearDamage deletes the record that the file of a blob is damaged and reports whether
// there was one.
func (tx *Tx) ClearDamage(sha256 string) (bool, error) {
	n, err := tx.exec("Blob", `DELETE FROM damaged_blobs WHERE sha256 = ?`, sha256)
	return n > 0, err
}

// DamageOf returns the recorded damage of a blob's file, "" for none.
func (tx *Tx) DamageOf(sha256 string) (dam.Damage, error) {
	return one[dam.Damage](tx, "", `SELECT coalesce((SELECT damage FROM damaged_blobs WHERE sha256 = ?), '')`, sha256)
}

// AssetsOfBlob returns the assets that have the bytes of a blob, in the trash or not.
func (tx *Tx) AssetsOfBlob(sha256 string) ([]int64, error) {
	return list(tx, scanID, `SELECT id FROM assets WHERE sha256 = ? ORDER BY id`, sha256)
}

// BlobSize returns the size of a blob in bytes, or NotFound.
func (tx *Tx) BlobSize(sha256 string) (int64, error) {
	return one[int64](tx, "Blob", `SELECT size FROM blobs WHERE sha256 = ?`, sha256)
}

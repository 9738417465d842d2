package storage

import "github.com/digital-asset-library/dal/app/dam"

// processingStatus is what the column of that name is read as: the file of an asset
// may have been damaged since it was processed.
const processingStatus = `CASE WHEN EXISTS (SELECT 1 FROM damaged_blobs d WHERE d.sha256 = a.sha256)
	THEN 'damaged' ELSE a.processing_status END`

// MarkDamaged notes that the file of a blob is damaged and reports whether that
// is new. A blob without a row gets no mark.
func (tx *Tx) MarkDamaged(sha256 string, d dam.Damage) (bool, error) {
	n, err := tx.exec("Blob", `INSERT INTO damaged_blobs (sha256, damage, found_at) SELECT sha256, ?, ? FROM blobs WHERE sha256 = ?
		ON CONFLICT (sha256) DO UPDATE SET damage = excluded.damage WHERE damage <> excluded.damage`, d, msec(tx.now), sha256)
	return n > 0, err
}

// ClearDamage forgets that the file of a blob was damaged and reports whether it
// was.
func (tx *Tx) ClearDamage(sha256 string) (bool, error) {
	n, err := tx.exec("Blob", `DELETE FROM damaged_blobs WHERE sha256 = ?`, sha256)
	return n > 0, err
}

// DamageOf returns what is known to be wrong with the file of a blob.
func (tx *Tx) DamageOf(sha256 string) (dam.Damage, error) {
	return one[dam.Damage](tx, "", `SELECT coalesce((SELECT damage FROM damaged_blobs WHERE sha256 = ?), '')`, sha256)
}

// AssetsOfBlob returns the assets that have the bytes of a blob, in the trash
// or not.
func (tx *Tx) AssetsOfBlob(sha256 string) ([]int64, error) {
	return list(tx, scanID, `SELECT id FROM assets WHERE sha256 = ? ORDER BY id`, sha256)
}

// BlobSize returns how many bytes a blob has, or NotFound.
func (tx *Tx) BlobSize(sha256 string) (int64, error) {
	return one[int64](tx, "Blob", `SELECT size FROM blobs WHERE sha256 = ?`, sha256)
}

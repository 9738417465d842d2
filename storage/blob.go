package storage

import "github.com/digital-asset-library/dal/app/dam"

// InsertBlob records a blob that has a file, if it is not recorded yet. Assets whose
// bytes existed only in external libraries become available.
func (tx *Tx) InsertBlob(sha256 string, size int64) error {
	if _, err := tx.exec("Blob", `INSERT OR IGNORE INTO blobs (sha256, size, created_at) VALUES (?,?,?)`,
		sha256, size, msec(tx.now)); err != nil {
		return err
	}
	n, err := tx.exec("Blob", `UPDATE blobs SET in_place = 0 WHERE sha256 = ? AND in_place = 1`, sha256)
	if err != nil || n == 0 {
		return err
	}
	assets, err := tx.AssetsOfBlob(sha256)
	if err != nil {
		return err
	}
	return tx.Reappeared(assets)
}

// BlobKnown reports whether a blob is recorded as having a file.
func (tx *Tx) BlobKnown(sha256 string) (bool, error) {
	stored, err := tx.stored()
	if err != nil {
		return false, err
	}
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM blobs WHERE sha256 = ? AND `+stored+`)`, sha256)
}

// ReleaseBlob deletes the row of a blob if nothing refers to it, and reports whether it
// did. The file can be removed after the commit.
func (tx *Tx) ReleaseBlob(sha256 string) (bool, error) {
	n, err := tx.exec("Blob", `DELETE FROM blobs WHERE sha256 = ?1
		AND NOT EXISTS (SELECT 1 FROM assets WHERE sha256 = ?1)
		AND NOT EXISTS (SELECT 1 FROM posters WHERE sha256 = ?1)
		AND NOT EXISTS (SELECT 1 FROM asset_parts WHERE sha256 = ?1)
		AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE sha256 = ?1)
		AND NOT EXISTS (SELECT 1 FROM batch_files WHERE sha256 = ?1 AND sha256 <> '')`, sha256)
	return n > 0, err
}

// Blob is the record of a file in the blob folder.
type Blob struct {
	SHA256 string
	Size   int64
}

// Blobs returns up to limit blobs that have files, in order of SHA-256, starting after
// the given one.
func (tx *Tx) Blobs(after string, limit int) ([]Blob, error) {
	stored, err := tx.stored()
	if err != nil {
		return nil, err
	}
	return list(tx, func(r row) (b Blob, err error) { return b, r.Scan(&b.SHA256, &b.Size) },
		`SELECT sha256, size FROM blobs WHERE sha256 > ? AND `+stored+` ORDER BY sha256 LIMIT ?`, after, limit)
}

// BlobUses contains the references to a blob.
type BlobUses struct {
	Asset dam.GAID // one of its assets, "" for none
	Files int      // number of files in batches
}

// BlobUses returns the references to a blob, except those of one batch file.
func (tx *Tx) BlobUses(sha256 string, besides int64) (u BlobUses, err error) {
	if u.Files, err = one[int](tx, "", `SELECT count(*) FROM batch_files WHERE sha256 = ? AND sha256 <> '' AND id <> ?`,
		sha256, besides); err != nil {
		return u, err
	}
	further, err := tx.withFurther()
	if err != nil {
		return u, err
	}
	u.Asset, err = one[dam.GAID](tx, "", `SELECT coalesce((SELECT gaid FROM assets WHERE sha256 = ?1 ORDER BY id LIMIT 1),
		(SELECT gaid FROM assets WHERE id IN (`+further+`) ORDER BY id LIMIT 1), '')`, sha256)
	return u, err
}

// CountBlobs returns the number of recorded blobs that have files.
func (tx *Tx) CountBlobs() (int64, error) {
	stored, err := tx.stored()
	if err != nil {
		return 0, err
	}
	return one[int64](tx, "", `SELECT count(*) FROM blobs WHERE `+stored)
}

// withFurther returns a query for the assets that have a further file (see FurtherFiles)
// with the checksum in the first parameter. A read-only database may be from an older dal
// that lacks some of the tables.
func (tx *Tx) withFurther() (string, error) {
	query := `SELECT 0 WHERE ?1 IS NULL`
	for _, table := range []string{"posters", "asset_parts", "asset_versions"} {
		has, err := tx.hasTable(table)
		if err != nil {
			return "", err
		}
		if has {
			query += ` UNION ALL SELECT asset_id FROM ` + table + ` WHERE sha256 = ?1`
		}
	}
	return query, nil
}

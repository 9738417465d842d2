package storage

import "github.com/digital-asset-library/dal/app/dam"

// InsertBlob records a blob, unless it has a record.
func (tx *Tx) InsertBlob(sha256 string, size int64) error {
	_, err := tx.exec("Blob", `INSERT OR IGNORE INTO blobs (sha256, size, created_at) VALUES (?,?,?)`, sha256, size, msec(tx.now))
	return err
}

// BlobKnown reports whether a blob has a row.
func (tx *Tx) BlobKnown(sha256 string) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM blobs WHERE sha256 = ?)`, sha256)
}

// ReleaseBlob deletes the row of a blob if nothing refers to it, and reports
// whether it did. After the commit the file can be removed.
func (tx *Tx) ReleaseBlob(sha256 string) (bool, error) {
	n, err := tx.exec("Blob", `DELETE FROM blobs WHERE sha256 = ?1
		AND NOT EXISTS (SELECT 1 FROM assets WHERE sha256 = ?1)
		AND NOT EXISTS (SELECT 1 FROM posters WHERE sha256 = ?1)
		AND NOT EXISTS (SELECT 1 FROM batch_files WHERE sha256 = ?1 AND sha256 <> '')`, sha256)
	return n > 0, err
}

// Blob is the record of a file in the blob folder.
type Blob struct {
	SHA256 string
	Size   int64
}

// Blobs returns up to limit blobs after the given one in the order of SHA-256.
func (tx *Tx) Blobs(after string, limit int) ([]Blob, error) {
	return list(tx, func(r row) (b Blob, err error) { return b, r.Scan(&b.SHA256, &b.Size) },
		`SELECT sha256, size FROM blobs WHERE sha256 > ? ORDER BY sha256 LIMIT ?`, after, limit)
}

// BlobUses says what refers to a blob.
type BlobUses struct {
	Asset dam.GAID // one of the assets whose file or poster it is, "" for none
	Files int      // files of batches
}

// BlobUses returns what refers to a blob besides one file of a batch.
func (tx *Tx) BlobUses(sha256 string, besides int64) (u BlobUses, err error) {
	if u.Files, err = one[int](tx, "", `SELECT count(*) FROM batch_files WHERE sha256 = ? AND sha256 <> '' AND id <> ?`,
		sha256, besides); err != nil {
		return u, err
	}
	posters, err := tx.ofPosters()
	if err != nil {
		return u, err
	}
	u.Asset, err = one[dam.GAID](tx, "", `SELECT coalesce((SELECT gaid FROM assets WHERE sha256 = ?1 ORDER BY id LIMIT 1),
		(SELECT gaid FROM assets WHERE id IN (`+posters+`) ORDER BY id LIMIT 1), '')`, sha256)
	return u, err
}

// CountBlobs returns how many blobs have a row.
func (tx *Tx) CountBlobs() (int64, error) { return one[int64](tx, "", `SELECT count(*) FROM blobs`) }

// ofPosters is a query for the assets whose poster has the checksum that is the first
// parameter. Records that are only read may be of a dal that knew no posters.
func (tx *Tx) ofPosters() (string, error) {
	has, err := tx.hasTable("posters")
	if !has {
		return `SELECT 0 WHERE ?1 IS NULL`, err
	}
	return `SELECT asset_id FROM posters WHERE sha256 = ?1`, nil
}

package storage

import (
	"errors"

	"github.com/digital-asset-library/dal/app/dam"
)

// backupsKept is the number of backups whose results are kept.
const backupsKept = 100

// InsertBackup records the result of a backup and deletes the oldest records.
func (tx *Tx) InsertBackup(b *dam.Backup) error {
	_, err := tx.exec("Backup", `INSERT INTO backups
		(target, snapshot, started_at, ended_at, files, bytes, new_files, new_bytes, problems, error, verified)
		VALUES (?,?,?,?,?,?,?,?,?,?,?)`,
		b.Target, b.Snapshot, msec(b.Started), msec(b.Ended), b.Files, b.Bytes, b.NewFiles, b.NewBytes, b.Problems, b.Error, b.Verified)
	if err != nil {
		return err
	}
	_, err = tx.exec("Backup", `DELETE FROM backups WHERE id NOT IN (SELECT id FROM backups ORDER BY id DESC LIMIT ?)`, backupsKept)
	return err
}

// LastBackup returns the backup that ended last; with made, the last one that created a
// snapshot. It returns NotFound if none exists.
func (tx *Tx) LastBackup(made bool) (*dam.Backup, error) {
	if has, err := tx.hasTable("backups"); err != nil || !has { // a read-only database may be from an older dal
		return nil, errors.Join(err, notFound("Backup"))
	}
	verified := `verified`
	if has, err := tx.hasTable("checks"); err != nil {
		return nil, err
	} else if !has {
		verified = `0`
	}
	var b dam.Backup
	err := tx.tx.QueryRowContext(tx.ctx, `SELECT target, snapshot, started_at, ended_at, files, bytes, new_files, new_bytes, problems, error,
		`+verified+` FROM backups WHERE error = '' OR NOT ? ORDER BY id DESC LIMIT 1`, made).Scan(
		&b.Target, &b.Snapshot, timeCol{&b.Started}, timeCol{&b.Ended},
		&b.Files, &b.Bytes, &b.NewFiles, &b.NewBytes, &b.Problems, &b.Error, &b.Verified)
	if err != nil {
		return nil, wrap(err, "Backup")
	}
	return &b, nil
}

// BackedUpTo reports whether the kept results include a backup to target that created a
// snapshot.
func (tx *Tx) BackedUpTo(target string) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM backups WHERE target = ? AND error = '')`, target)
}

// CountAssets returns the number of assets, including those in the trash.
func (tx *Tx) CountAssets() (int64, error) { return one[int64](tx, "", `SELECT count(*) FROM assets`) }

// BlobBytes returns the total size in bytes of all recorded blobs that have files.
func (tx *Tx) BlobBytes() (int64, error) {
	stored, err := tx.stored()
	if err != nil {
		return 0, err
	}
	return one[int64](tx, "", `SELECT coalesce(sum(size), 0) FROM blobs WHERE `+stored)
}

// BlobOwner is an asset or an uploaded file that has a blob.
type BlobOwner struct {
	Asset           dam.GAID // "" for a file of an upload batch that is not an asset yet
	Title, Filename string
}

// BlobOwners returns up to limit assets that have a blob or, if none do, files of upload
// batches.
func (tx *Tx) BlobOwners(sha256 string, limit int) ([]BlobOwner, error) {
	scan := func(r row) (o BlobOwner, err error) { return o, r.Scan(&o.Asset, &o.Title, &o.Filename) }
	further, err := tx.withFurther()
	if err != nil {
		return nil, err
	}
	owners, err := list(tx, scan, `SELECT gaid, title, original_filename FROM assets
		WHERE sha256 = ?1 OR id IN (`+further+`) ORDER BY id LIMIT ?2`, sha256, limit)
	if err != nil || len(owners) > 0 {
		return owners, err
	}
	return list(tx, scan, `SELECT '', '', filename FROM batch_files WHERE sha256 = ? AND sha256 <> '' ORDER BY id LIMIT ?`, sha256, limit)
}

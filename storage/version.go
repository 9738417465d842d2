package storage

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const selectVersion = `SELECT v.version, v.sha256, b.size, v.filename, v.mime_type, v.extension, v.width, v.height, v.duration_ms,
	v.page_count, v.phash, v.thumbhash, v.colors, v.technical, v.text, v.created_by, v.created_at, v.replaced_at
	FROM asset_versions v JOIN blobs b ON b.sha256 = v.sha256 WHERE v.asset_id = ?`

func scanVersion(r row) (*dam.FileVersion, error) {
	var v dam.FileVersion
	err := r.Scan(&v.Number, &v.SHA256, &v.Size, &v.Filename, &v.MIMEType, &v.Extension, &v.Width, &v.Height, &v.DurationMS,
		&v.PageCount, (*hashCol)(&v.PHash), &v.ThumbHash, jsonCol{&v.Colors}, jsonCol{&v.Technical}, &v.Text,
		refCol{&v.CreatedByID}, timeCol{&v.CreatedAt}, optTimeCol{&v.ReplacedAt})
	return &v, wrap(err, "Version")
}

// InsertVersion stores the previous file of an asset as a version.
func (tx *Tx) InsertVersion(asset int64, v *dam.FileVersion) error {
	_, err := tx.exec("Version", `INSERT INTO asset_versions (asset_id, version, sha256, filename, mime_type, extension, width, height,
			duration_ms, page_count, phash, thumbhash, colors, technical, text, created_by, created_at, replaced_at)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		asset, v.Number, v.SHA256, v.Filename, v.MIMEType, v.Extension, v.Width, v.Height, v.DurationMS, v.PageCount, int64(v.PHash),
		v.ThumbHash, jsonCol{v.Colors}, jsonCol{v.Technical}, v.Text, ref(v.CreatedByID), msec(v.CreatedAt), msec(tx.now))
	return err
}

// Versions returns the previous files of an asset, newest first, and their total number.
func (tx *Tx) Versions(asset int64, p dam.Page) ([]*dam.FileVersion, int, error) {
	total, err := tx.CountVersions(asset)
	if err != nil {
		return nil, 0, err
	}
	versions, err := list(tx, scanVersion, selectVersion+` ORDER BY v.version DESC LIMIT ? OFFSET ?`, asset, p.Limit, p.Offset)
	return versions, total, err
}

// CountVersions returns the number of previous files of an asset.
func (tx *Tx) CountVersions(asset int64) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM asset_versions WHERE asset_id = ?`, asset)
}

// Version returns a previous file of an asset, or NotFound.
func (tx *Tx) Version(asset, number int64) (*dam.FileVersion, error) {
	return scanVersion(tx.tx.QueryRowContext(tx.ctx, selectVersion+` AND v.version = ?`, asset, number))
}

// DeleteVersion deletes a previous file of an asset.
func (tx *Tx) DeleteVersion(asset, number int64) error {
	return tx.must("Version", `DELETE FROM asset_versions WHERE asset_id = ? AND version = ?`, asset, number)
}

// TrimVersions deletes up to limit previous files that were replaced before a time, and
// returns their checksums.
func (tx *Tx) TrimVersions(before time.Time, limit int) ([]string, error) {
	return list(tx, func(r row) (sha string, err error) { return sha, r.Scan(&sha) }, `DELETE FROM asset_versions WHERE id IN (
		SELECT id FROM asset_versions WHERE replaced_at < ? ORDER BY replaced_at LIMIT ?) RETURNING sha256`, msec(before), limit)
}

package storage

import "github.com/digital-asset-library/dal/app/dam"

const selectPart = `SELECT p.id, p.role, p.filename, p.mime_type, p.extension, p.sha256, b.size, p.created_at
	FROM asset_parts p JOIN blobs b ON b.sha256 = p.sha256 WHERE p.asset_id = ?`

func scanPart(r row) (*dam.Part, error) {
	var p dam.Part
	err := r.Scan(&p.ID, &p.Role, &p.Filename, &p.MIMEType, &p.Extension, &p.SHA256, &p.Size, timeCol{&p.CreatedAt})
	return &p, wrap(err, "Part")
}

// InsertPart adds a part, whose blob is recorded, to an asset, and sets its ID and time.
// It returns Conflict if the asset has dam.MaxParts already.
func (tx *Tx) InsertPart(asset int64, p *dam.Part) error {
	n, err := one[int](tx, "", `SELECT count(*) FROM asset_parts WHERE asset_id = ?`, asset)
	if err != nil {
		return err
	}
	if n >= dam.MaxParts {
		return dam.Errorf(dam.Conflict, "The asset has %d parts already.", n)
	}
	p.CreatedAt = tx.now
	p.ID, err = one[int64](tx, "Part", `INSERT INTO asset_parts (asset_id, role, filename, mime_type, extension, sha256, created_at)
		VALUES (?,?,?,?,?,?,?) RETURNING id`, asset, p.Role, p.Filename, p.MIMEType, p.Extension, p.SHA256, msec(tx.now))
	return err
}

// PartsOf returns the parts of an asset in the order in which they were added.
func (tx *Tx) PartsOf(asset int64) ([]*dam.Part, error) {
	return list(tx, scanPart, selectPart+` ORDER BY p.id`, asset)
}

// Part returns a part of an asset, or NotFound.
func (tx *Tx) Part(asset, id int64) (*dam.Part, error) {
	return scanPart(tx.tx.QueryRowContext(tx.ctx, selectPart+` AND p.id = ?`, asset, id))
}

// RenamePart sets the filename of a part.
func (tx *Tx) RenamePart(id int64, filename string) error {
	return tx.must("Part", `UPDATE asset_parts SET filename = ? WHERE id = ?`, filename, id)
}

// DeletePart removes a part from its asset.
func (tx *Tx) DeletePart(asset, id int64) error {
	return tx.must("Part", `DELETE FROM asset_parts WHERE asset_id = ? AND id = ?`, asset, id)
}

// FurtherFiles returns the checksums of an asset's files other than its main one: its
// poster, its parts and the previous versions of its file.
func (tx *Tx) FurtherFiles(asset int64) ([]string, error) {
	return list(tx, func(r row) (sha string, err error) { return sha, r.Scan(&sha) }, `
		SELECT sha256 FROM posters WHERE asset_id = ?1 UNION SELECT sha256 FROM asset_parts WHERE asset_id = ?1
		UNION SELECT sha256 FROM asset_versions WHERE asset_id = ?1`, asset)
}

package storage

import (
	"github.com/digital-asset-library/dal/app/dam"
)

// availability is the expression for the column of that name. An asset whose bytes are
// stored in the library itself is always available.
const availability = `CASE WHEN a.root_id IS NULL OR EXISTS (SELECT 1 FROM blobs b WHERE b.sha256 = a.sha256 AND b.in_place = 0)
	THEN 'available'
	WHEN EXISTS (SELECT 1 FROM root_files f JOIN roots r ON r.id = f.root_id
		WHERE f.asset_id = a.id AND f.sha256 = a.sha256 AND f.state = 'present' AND r.state = 'online' AND f.unreadable = 0
		AND (r.unread = '[]' OR NOT EXISTS (SELECT 1 FROM json_each(r.unread) u
			WHERE u.value IN ('', f.folder) OR substr(f.folder, 1, length(u.value) + 1) = u.value || '/'))) THEN 'available'
	WHEN EXISTS (SELECT 1 FROM root_files f JOIN roots r ON r.id = f.root_id
		WHERE f.asset_id = a.id AND f.sha256 = a.sha256 AND f.state = 'present' AND r.state = 'offline') THEN 'offline'
	WHEN EXISTS (SELECT 1 FROM root_files f WHERE f.asset_id = a.id AND f.sha256 = a.sha256 AND f.state = 'present') THEN 'unreadable'
	ELSE 'missing' END`

const (
	rootFileColumns    = rootFileColumnsOld + `, f.stamp, f.unreadable`
	rootFileColumnsOld = `f.id, f.root_id, f.folder, f.name, f.size, f.mtime_ns, f.sha256, f.state, f.kind, f.asset_id, f.file_id,
	f.excluded, f.problem`
)

// readableRootFile returns rootFileColumns for a read-only database, which may be from an
// older dal.
func (tx *Tx) readableRootFile() (string, error) {
	columns := rootFileColumnsOld
	for _, c := range []struct{ name, before string }{{"stamp", "''"}, {"unreadable", "0"}} {
		has, err := one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM pragma_table_info('root_files') WHERE name = ?)`, c.name)
		if err != nil {
			return "", err
		}
		if !has {
			columns += ", " + c.before
			continue
		}
		columns += ", f." + c.name
	}
	return columns, nil
}

func scanRootFile(r row) (*dam.RootFile, error) {
	var f dam.RootFile
	err := r.Scan(&f.ID, &f.RootID, &f.Folder, &f.Name, &f.Size, &f.MTime, &f.SHA256, &f.State, &f.Kind,
		refCol{&f.AssetID}, refCol{&f.FileID}, &f.Excluded, &f.Problem, &f.Stamp, &f.Unreadable)
	return &f, wrap(err, "File in place")
}

// PlaceBlob records bytes that exist only in files of external libraries, if they are not
// recorded yet.
func (tx *Tx) PlaceBlob(sha256 string, size int64) error {
	_, err := tx.exec("Blob", `INSERT OR IGNORE INTO blobs (sha256, size, created_at, in_place) VALUES (?,?,?,1)`, sha256, size, msec(tx.now))
	return err
}

// SetSaid records the metadata that was read from the bytes of a blob.
func (tx *Tx) SetSaid(sha256, says string) error {
	_, err := tx.exec("Blob", `UPDATE blobs SET says = ? WHERE sha256 = ?`, says, sha256)
	return err
}

// Said returns the metadata recorded by SetSaid, "" for none.
func (tx *Tx) Said(sha256 string) (string, error) {
	return one[string](tx, "", `SELECT coalesce((SELECT says FROM blobs WHERE sha256 = ?), '')`, sha256)
}

// IsPlaced reports whether bytes exist only in files of external libraries.
func (tx *Tx) IsPlaced(sha256 string) (bool, error) {
	has, err := tx.knowsPlaces()
	if err != nil || !has {
		return false, err
	}
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM blobs WHERE sha256 = ? AND in_place = 1)`, sha256)
}

// knowsPlaces reports whether the database has tables for external libraries: a read-only
// one may be from an older dal.
func (tx *Tx) knowsPlaces() (bool, error) { return tx.hasTable("root_files") }

// stored returns the condition for blobs that have a file in the blob folder.
func (tx *Tx) stored() (string, error) {
	has, err := tx.knowsPlaces()
	if err != nil || !has {
		return `true`, err
	}
	return `in_place = 0`, nil
}

// FolderFiles returns the records of the files in a folder of an external library, by
// name.
func (tx *Tx) FolderFiles(root int64, folder string) ([]*dam.RootFile, error) {
	return list(tx, scanRootFile, `SELECT `+rootFileColumns+` FROM root_files f WHERE f.root_id = ? AND f.folder = ? ORDER BY f.name`,
		root, folder)
}

// RootFileAt returns the record of a file in a folder of an external library, or
// NotFound.
func (tx *Tx) RootFileAt(root int64, folder, name string) (*dam.RootFile, error) {
	return scanRootFile(tx.tx.QueryRowContext(tx.ctx, `SELECT `+rootFileColumns+` FROM root_files f
		WHERE f.root_id = ? AND f.folder = ? AND f.name = ?`, root, folder, name))
}

// RootFolders returns the folders of an external library that contain files.
func (tx *Tx) RootFolders(root int64) ([]string, error) {
	return list(tx, func(r row) (s string, err error) { return s, r.Scan(&s) },
		`SELECT DISTINCT folder FROM root_files WHERE root_id = ?`, root)
}

// RootFilesOf returns up to limit files of an external library after an ID, by ID.
func (tx *Tx) RootFilesOf(root, after int64, limit int) ([]*dam.RootFile, error) {
	columns, err := tx.readableRootFile()
	if err != nil {
		return nil, err
	}
	return list(tx, scanRootFile, `SELECT `+columns+` FROM root_files f WHERE f.root_id = ? AND f.id > ? ORDER BY f.id LIMIT ?`,
		root, after, limit)
}

// SampleRootFiles returns up to limit files of an external library, spread evenly over
// those that were present.
func (tx *Tx) SampleRootFiles(root int64, limit int) ([]*dam.RootFile, error) {
	return list(tx, scanRootFile, `SELECT `+rootFileColumns+` FROM root_files f JOIN (
			SELECT id, row_number() OVER (ORDER BY id) n, count(*) OVER () total FROM root_files WHERE root_id = ?1 AND state = 'present'
		) s ON s.id = f.id WHERE total <= ?2 OR n % (total / ?2) = 0 ORDER BY f.id LIMIT ?2`, root, limit)
}

// PutRootFile writes the record of a file in an external library, and sets its ID.
func (tx *Tx) PutRootFile(f *dam.RootFile) (err error) {
	f.ID, err = one[int64](tx, "File in place", `INSERT INTO root_files (root_id, folder, name, size, mtime_ns, sha256, state, kind, asset_id,
			file_id, excluded, problem, stamp, unreadable) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (root_id, folder, name) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns, sha256 = excluded.sha256,
			state = excluded.state, kind = excluded.kind, asset_id = excluded.asset_id, file_id = excluded.file_id,
			excluded = excluded.excluded, problem = excluded.problem, stamp = excluded.stamp,
			unreadable = excluded.unreadable RETURNING id`,
		f.RootID, f.Folder, f.Name, f.Size, f.MTime, f.SHA256, f.State, f.Kind, ref(f.AssetID), ref(f.FileID), f.Excluded, f.Problem, f.Stamp,
		f.Unreadable)
	return err
}

// StampRootFile writes the stamp of an external file that has not changed otherwise.
func (tx *Tx) StampRootFile(id int64, stamp string) error {
	_, err := tx.exec("File in place", `UPDATE root_files SET stamp = ? WHERE id = ?`, stamp, id)
	return err
}

// DeleteRootFile deletes the record of an external file.
func (tx *Tx) DeleteRootFile(id int64) error {
	_, err := tx.exec("File in place", `DELETE FROM root_files WHERE id = ?`, id)
	return err
}

// PlacesOf returns the files of external libraries, except sidecars, last read with a
// checksum, present ones first.
func (tx *Tx) PlacesOf(sha256 string) ([]*dam.RootFile, error) {
	columns, err := tx.readableRootFile()
	if err != nil {
		return nil, err
	}
	return list(tx, scanRootFile, `SELECT `+columns+` FROM root_files f WHERE f.sha256 = ? AND f.sha256 <> '' AND f.kind = 'original'
		ORDER BY f.state = 'missing', f.id`, sha256)
}

// PlacesOfAsset returns the files of external libraries, except sidecars, that are linked
// to an asset, present ones first.
func (tx *Tx) PlacesOfAsset(asset int64) ([]*dam.RootFile, error) {
	return tx.filesOfAsset(asset, dam.RootFileOriginal)
}

// SidecarsOfAsset returns the sidecars in external libraries that are linked to an asset,
// including missing ones.
func (tx *Tx) SidecarsOfAsset(asset int64) ([]*dam.RootFile, error) {
	return tx.filesOfAsset(asset, dam.RootFileSidecar)
}

func (tx *Tx) filesOfAsset(asset int64, kind dam.RootFileKind) ([]*dam.RootFile, error) {
	return list(tx, scanRootFile, `SELECT `+rootFileColumns+` FROM root_files f WHERE f.asset_id = ? AND f.kind = ?
		ORDER BY f.state = 'missing', f.id`, asset, kind)
}

// maxNamesakesIn is the maximum number of files that NamesakesIn returns.
const maxNamesakesIn = 1000

// NamesakesIn returns the records of a folder's files whose names are a stem, optionally
// followed by a dot and more, compared by dam.NameKey, shortest names first.
func (tx *Tx) NamesakesIn(root int64, folder, stem string) ([]*dam.RootFile, error) {
	return list(tx, scanRootFile, `SELECT `+rootFileColumns+` FROM root_files f WHERE f.root_id = ?1 AND f.folder = ?2
		AND `+called("f.name")+` ORDER BY length(f.name), f.name LIMIT ?4`, root, folder, dam.NameKey(stem), maxNamesakesIn)
}

// SidecarFolders calls do with the records of the files in each folder of an external
// library that has, or had, sidecars.
func (tx *Tx) SidecarFolders(root int64, do func(files []*dam.RootFile) error) error {
	var files []*dam.RootFile
	err := each(tx, func(r row) error {
		f, err := scanRootFile(r)
		if err == nil && len(files) > 0 && files[0].Folder != f.Folder {
			err = do(files)
			files = nil
		}
		files = append(files, f)
		return err
	}, `SELECT `+rootFileColumns+` FROM root_files f WHERE f.root_id = ?1
		AND f.folder IN (SELECT folder FROM root_files WHERE root_id = ?1 AND kind = 'sidecar') ORDER BY f.folder, f.name`, root)
	if err != nil || len(files) == 0 {
		return err
	}
	return do(files)
}

// CountSidecarJobs counts the assets of an external library whose sidecars wait to be
// read, up to limit.
func (tx *Tx) CountSidecarJobs(root int64, limit int) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM (SELECT 1 FROM jobs j WHERE j.kind = ?1 AND j.state <> 'dead'
		AND EXISTS (SELECT 1 FROM root_files f WHERE f.asset_id = j.subject AND f.root_id = ?2) LIMIT ?3)`, dam.JobSidecar, root, limit)
}

// PlaceOfFile returns the external file that is being ingested as a batch file, or
// NotFound.
func (tx *Tx) PlaceOfFile(file int64) (*dam.RootFile, error) {
	return scanRootFile(tx.tx.QueryRowContext(tx.ctx, `SELECT `+rootFileColumns+` FROM root_files f WHERE f.file_id = ?`, file))
}

// AssetOfBytes returns the row number of the asset that an external file with a checksum
// belongs to, as its main file or else as a part. Assets outside the trash come first,
// then assets in the trash whose bytes exist only in external libraries. It returns 0 for
// none.
func (tx *Tx) AssetOfBytes(sha256 string) (int64, error) {
	return one[int64](tx, "", `SELECT coalesce((SELECT a.id FROM (SELECT id, 0 AS part FROM assets WHERE sha256 = ?1
			UNION ALL SELECT asset_id, 1 FROM asset_parts WHERE sha256 = ?1 AND role <> 'sidecar') u JOIN assets a ON a.id = u.id
		WHERE a.deleted_at IS NULL OR EXISTS (SELECT 1 FROM blobs b WHERE b.sha256 = ?1 AND b.in_place = 1)
		ORDER BY a.deleted_at IS NOT NULL, u.part, a.id LIMIT 1), 0)`, sha256)
}

// IsExcluded reports whether an asset with a checksum was permanently deleted from an
// external library.
func (tx *Tx) IsExcluded(root int64, sha256 string) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM root_files WHERE root_id = ? AND sha256 = ? AND excluded = 1)`, root, sha256)
}

// Exclude marks the external files of an asset as unwanted. Its sidecars there become
// unread.
func (tx *Tx) Exclude(asset int64) error {
	_, err := tx.exec("File in place", `UPDATE root_files SET excluded = kind = 'original', asset_id = NULL,
		sha256 = CASE kind WHEN 'sidecar' THEN '' ELSE sha256 END WHERE asset_id = ?`, asset)
	return err
}

// SetPlace writes the external library, folder and name of an asset's file.
func (tx *Tx) SetPlace(a *dam.Asset) error {
	return tx.must("Asset", `UPDATE assets SET root_id = ?, folder = ?, original_filename = ? WHERE id = ?`,
		ref(a.RootID), a.Folder, a.OriginalFilename, a.ID)
}

// Reappeared increments the versions of assets whose availability has changed, and adds
// them to the index queue. The modification time stays: people made no change.
func (tx *Tx) Reappeared(assets []int64) error {
	if len(assets) == 0 {
		return nil
	}
	if _, err := tx.exec("", `UPDATE assets SET version = version + 1 WHERE id IN (SELECT value FROM json_each(?))`,
		ids(assets)); err != nil {
		return err
	}
	return tx.AllChanged(assets)
}

// AssetsOfRoot returns the row numbers of the assets that have a file in an external
// library.
func (tx *Tx) AssetsOfRoot(root int64) ([]int64, error) {
	return list(tx, scanID, `SELECT DISTINCT asset_id FROM root_files WHERE root_id = ? AND asset_id IS NOT NULL ORDER BY asset_id`, root)
}

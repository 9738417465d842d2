package storage

import (
	"github.com/digital-asset-library/dal/app/dam"
)

// availability is what the column of that name is read as. An asset whose bytes
// the library has is always available.
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

// readableRootFile returns rootFileColumns for records that are only read and may be of an
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

// PlaceBlob records bytes that are only in files of roots, unless they have a
// record.
func (tx *Tx) PlaceBlob(sha256 string, size int64) error {
	_, err := tx.exec("Blob", `INSERT OR IGNORE INTO blobs (sha256, size, created_at, in_place) VALUES (?,?,?,1)`, sha256, size, msec(tx.now))
	return err
}

// SetSaid records what bytes say about themselves.
func (tx *Tx) SetSaid(sha256, says string) error {
	_, err := tx.exec("Blob", `UPDATE blobs SET says = ? WHERE sha256 = ?`, says, sha256)
	return err
}

// Said returns what SetSaid has recorded of bytes, "" for nothing.
func (tx *Tx) Said(sha256 string) (string, error) {
	return one[string](tx, "", `SELECT coalesce((SELECT says FROM blobs WHERE sha256 = ?), '')`, sha256)
}

// IsPlaced reports whether bytes are only in files of roots.
func (tx *Tx) IsPlaced(sha256 string) (bool, error) {
	has, err := tx.knowsPlaces()
	if err != nil || !has {
		return false, err
	}
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM blobs WHERE sha256 = ? AND in_place = 1)`, sha256)
}

// knowsPlaces reports whether records know of files in place: those that are only
// read may be of an older dal.
func (tx *Tx) knowsPlaces() (bool, error) { return tx.hasTable("root_files") }

// stored is the condition of blobs that have a file of their own.
func (tx *Tx) stored() (string, error) {
	has, err := tx.knowsPlaces()
	if err != nil || !has {
		return `true`, err
	}
	return `in_place = 0`, nil
}

// FolderFiles returns what is known of the files in a folder of a root, by name.
func (tx *Tx) FolderFiles(root int64, folder string) ([]*dam.RootFile, error) {
	return list(tx, scanRootFile, `SELECT `+rootFileColumns+` FROM root_files f WHERE f.root_id = ? AND f.folder = ? ORDER BY f.name`,
		root, folder)
}

// RootFileAt returns what is known of the file of a root in a folder, or NotFound.
func (tx *Tx) RootFileAt(root int64, folder, name string) (*dam.RootFile, error) {
	return scanRootFile(tx.tx.QueryRowContext(tx.ctx, `SELECT `+rootFileColumns+` FROM root_files f
		WHERE f.root_id = ? AND f.folder = ? AND f.name = ?`, root, folder, name))
}

// RootFolders returns the folders of a root that have files.
func (tx *Tx) RootFolders(root int64) ([]string, error) {
	return list(tx, func(r row) (s string, err error) { return s, r.Scan(&s) },
		`SELECT DISTINCT folder FROM root_files WHERE root_id = ?`, root)
}

// RootFilesOf returns the files of a root after an ID, by ID, up to a number.
func (tx *Tx) RootFilesOf(root, after int64, limit int) ([]*dam.RootFile, error) {
	columns, err := tx.readableRootFile()
	if err != nil {
		return nil, err
	}
	return list(tx, scanRootFile, `SELECT `+columns+` FROM root_files f WHERE f.root_id = ? AND f.id > ? ORDER BY f.id LIMIT ?`,
		root, after, limit)
}

// SampleRootFiles returns up to limit files of a root that were there, from all
// over it.
func (tx *Tx) SampleRootFiles(root int64, limit int) ([]*dam.RootFile, error) {
	return list(tx, scanRootFile, `SELECT `+rootFileColumns+` FROM root_files f JOIN (
			SELECT id, row_number() OVER (ORDER BY id) n, count(*) OVER () total FROM root_files WHERE root_id = ?1 AND state = 'present'
		) s ON s.id = f.id WHERE total <= ?2 OR n % (total / ?2) = 0 ORDER BY f.id LIMIT ?2`, root, limit)
}

// PutRootFile writes what is known of a file of a root, and sets its ID.
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

// StampRootFile writes the stamp of a file of a root that has not changed otherwise.
func (tx *Tx) StampRootFile(id int64, stamp string) error {
	_, err := tx.exec("File in place", `UPDATE root_files SET stamp = ? WHERE id = ?`, stamp, id)
	return err
}

// DeleteRootFile forgets a file of a root.
func (tx *Tx) DeleteRootFile(id int64) error {
	_, err := tx.exec("File in place", `DELETE FROM root_files WHERE id = ?`, id)
	return err
}

// PlacesOf returns the files of roots, sidecars aside, that were read as having
// certain bytes, those that are there first.
func (tx *Tx) PlacesOf(sha256 string) ([]*dam.RootFile, error) {
	columns, err := tx.readableRootFile()
	if err != nil {
		return nil, err
	}
	return list(tx, scanRootFile, `SELECT `+columns+` FROM root_files f WHERE f.sha256 = ? AND f.sha256 <> '' AND f.kind = 'original'
		ORDER BY f.state = 'missing', f.id`, sha256)
}

// PlacesOfAsset returns the files of roots, sidecars aside, that an asset is linked
// with, those that are there first.
func (tx *Tx) PlacesOfAsset(asset int64) ([]*dam.RootFile, error) {
	return tx.filesOfAsset(asset, dam.RootFileOriginal)
}

// SidecarsOfAsset returns the sidecars in roots that an asset is linked with, also
// those that are gone.
func (tx *Tx) SidecarsOfAsset(asset int64) ([]*dam.RootFile, error) {
	return tx.filesOfAsset(asset, dam.RootFileSidecar)
}

func (tx *Tx) filesOfAsset(asset int64, kind dam.RootFileKind) ([]*dam.RootFile, error) {
	return list(tx, scanRootFile, `SELECT `+rootFileColumns+` FROM root_files f WHERE f.asset_id = ? AND f.kind = ?
		ORDER BY f.state = 'missing', f.id`, asset, kind)
}

// maxNamesakesIn is how many files of a folder are looked at for those with a name.
const maxNamesakesIn = 1000

// NamesakesIn returns what is known of the files of a folder whose names are a stem,
// or that with a dot and more, by dam.NameKey, the shortest names first.
func (tx *Tx) NamesakesIn(root int64, folder, stem string) ([]*dam.RootFile, error) {
	return list(tx, scanRootFile, `SELECT `+rootFileColumns+` FROM root_files f WHERE f.root_id = ?1 AND f.folder = ?2
		AND `+called("f.name")+` ORDER BY length(f.name), f.name LIMIT ?4`, root, folder, dam.NameKey(stem), maxNamesakesIn)
}

// SidecarFolders calls do with what is known of the files in each folder of a root
// that has sidecars, or had.
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

// CountSidecarJobs returns how many assets of a root wait to have their sidecars
// read, up to a number.
func (tx *Tx) CountSidecarJobs(root int64, limit int) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM (SELECT 1 FROM jobs j WHERE j.kind = ?1 AND j.state <> 'dead'
		AND EXISTS (SELECT 1 FROM root_files f WHERE f.asset_id = j.subject AND f.root_id = ?2) LIMIT ?3)`, dam.JobSidecar, root, limit)
}

// PlaceOfFile returns the file of a root that is ingested as a file of a batch, or
// NotFound.
func (tx *Tx) PlaceOfFile(file int64) (*dam.RootFile, error) {
	return scanRootFile(tx.tx.QueryRowContext(tx.ctx, `SELECT `+rootFileColumns+` FROM root_files f WHERE f.file_id = ?`, file))
}

// AssetOfBytes returns the row number of the asset that a file in place with
// certain bytes belongs to, as its own file or else a part: one outside the trash, or
// else one in the trash that has the bytes in place. It is 0 when there is none.
func (tx *Tx) AssetOfBytes(sha256 string) (int64, error) {
	return one[int64](tx, "", `SELECT coalesce((SELECT a.id FROM (SELECT id, 0 AS part FROM assets WHERE sha256 = ?1
			UNION ALL SELECT asset_id, 1 FROM asset_parts WHERE sha256 = ?1 AND role <> 'sidecar') u JOIN assets a ON a.id = u.id
		WHERE a.deleted_at IS NULL OR EXISTS (SELECT 1 FROM blobs b WHERE b.sha256 = ?1 AND b.in_place = 1)
		ORDER BY a.deleted_at IS NOT NULL, u.part, a.id LIMIT 1), 0)`, sha256)
}

// IsExcluded reports whether an asset of a root was deleted for good that had
// certain bytes.
func (tx *Tx) IsExcluded(root int64, sha256 string) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM root_files WHERE root_id = ? AND sha256 = ? AND excluded = 1)`, root, sha256)
}

// Exclude remembers of the files in place of an asset that nobody wants it. Its
// sidecars there are as if they had not been read.
func (tx *Tx) Exclude(asset int64) error {
	_, err := tx.exec("File in place", `UPDATE root_files SET excluded = kind = 'original', asset_id = NULL,
		sha256 = CASE kind WHEN 'sidecar' THEN '' ELSE sha256 END WHERE asset_id = ?`, asset)
	return err
}

// SetPlace writes where the file of an asset lies, and what it is called there.
func (tx *Tx) SetPlace(a *dam.Asset) error {
	return tx.must("Asset", `UPDATE assets SET root_id = ?, folder = ?, original_filename = ? WHERE id = ?`,
		ref(a.RootID), a.Folder, a.OriginalFilename, a.ID)
}

// Reappeared counts the versions of assets up, whose availability has changed, and
// puts them in the index queue. They are not changes that people made.
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

// AssetsOfRoot returns the row numbers of the assets that have a file in a root.
func (tx *Tx) AssetsOfRoot(root int64) ([]int64, error) {
	return list(tx, scanID, `SELECT DISTINCT asset_id FROM root_files WHERE root_id = ? AND asset_id IS NOT NULL ORDER BY asset_id`, root)
}

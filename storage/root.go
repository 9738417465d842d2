package storage

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const rootColumns = `id, name, path, user_id, state, note, identity, mounts, is_watched, scan_wanted, created_at, last_scan_at,
	last_scan_ms, unread`

func scanRoot(r row) (*dam.Root, error) {
	var f dam.Root
	var ms int64
	err := r.Scan(&f.ID, &f.Name, &f.Path, &f.UserID, &f.State, &f.Note, &f.Identity, jsonCol{&f.Mounts}, &f.Watched, &f.ScanWanted,
		timeCol{&f.CreatedAt}, optTimeCol{&f.LastScanAt}, &ms, jsonCol{&f.Unread})
	f.LastScan = time.Duration(ms) * time.Millisecond
	return &f, wrap(err, "Root")
}

// InsertRoot adds an external library and sets its ID. It returns Conflict if the name or
// path is taken.
func (tx *Tx) InsertRoot(r *dam.Root) (err error) {
	r.CreatedAt, r.State = tx.now, dam.RootOnline
	r.ID, err = one[int64](tx, "Root with that name or path",
		`INSERT INTO roots (name, path, user_id, state, created_at) VALUES (?,?,?,?,?) RETURNING id`,
		r.Name, r.Path, r.UserID, r.State, msec(tx.now))
	return err
}

// Roots returns all external libraries by name.
func (tx *Tx) Roots() ([]*dam.Root, error) {
	has, err := tx.knowsPlaces()
	if err != nil || !has {
		return nil, err
	}
	return list(tx, scanRoot, `SELECT `+rootColumns+` FROM roots ORDER BY name`)
}

// Root returns an external library by its ID.
func (tx *Tx) Root(id int64) (*dam.Root, error) {
	return scanRoot(tx.tx.QueryRowContext(tx.ctx, `SELECT `+rootColumns+` FROM roots WHERE id = ?`, id))
}

// SetRoot writes the state of an external library and the results of its last scan.
func (tx *Tx) SetRoot(r *dam.Root) error {
	return tx.must("Root", `UPDATE roots SET state = ?, note = ?, identity = ?, mounts = ?, scan_wanted = ?, last_scan_at = ?,
		last_scan_ms = ?, unread = ?
		WHERE id = ?`, r.State, r.Note, r.Identity, jsonCol{r.Mounts}, r.ScanWanted, msecPtr(r.LastScanAt), r.LastScan.Milliseconds(),
		jsonCol{append([]string{}, r.Unread...)}, r.ID)
}

// WantScan requests a scan of an external library.
func (tx *Tx) WantScan(id int64) error {
	return tx.must("Root", `UPDATE roots SET scan_wanted = 1 WHERE id = ?`, id)
}

// SetWatched records whether the OS reports changes in an external library.
func (tx *Tx) SetWatched(id int64, on bool) error {
	_, err := tx.exec("Root", `UPDATE roots SET is_watched = ?1 WHERE id = ?2 AND is_watched <> ?1`, on, id)
	return err
}

// DeleteRoot deletes an external library and its file records, not its assets.
func (tx *Tx) DeleteRoot(id int64) error {
	return tx.must("Root", `DELETE FROM roots WHERE id = ?`, id)
}

// RootCounts counts the files of an external library by state, each once.
func (tx *Tx) RootCounts(id int64) (c dam.RootCounts, err error) {
	return c, wrap(tx.tx.QueryRowContext(tx.ctx, `SELECT
			coalesce(sum(asset_id IS NOT NULL AND state = 'present' AND kind = 'original' AND file_id IS NULL AND problem = ''), 0),
			coalesce(sum(asset_id IS NOT NULL AND state = 'missing' AND kind = 'original'), 0),
			coalesce(sum(file_id IS NOT NULL AND problem = ''), 0), coalesce(sum(problem <> ''), 0),
			coalesce(sum(excluded AND problem = ''), 0), coalesce(sum(kind = 'sidecar' AND state = 'present' AND problem = ''), 0)
		FROM root_files WHERE root_id = ?`, id).Scan(&c.Present, &c.Missing, &c.Open, &c.Problems, &c.Excluded, &c.Sidecars), "Root")
}

// RootProblems returns up to limit problem files of an external library, which did not
// become assets, after an ID, by ID.
func (tx *Tx) RootProblems(root, after int64, limit int) ([]*dam.RootFile, error) {
	return list(tx, scanRootFile, `SELECT `+rootFileColumns+` FROM root_files f WHERE f.root_id = ? AND f.problem <> '' AND f.id > ?
		ORDER BY f.id LIMIT ?`, root, after, limit)
}

// ForgetProblems deletes the records of an external library's files that did not become
// assets and, with excluded, of those whose assets were deleted, so that the next scan
// ingests them again. It also clears the problems of its sidecars, so that these are read
// again.
func (tx *Tx) ForgetProblems(root int64, excluded bool) error {
	if _, err := tx.exec("Root", `UPDATE root_files SET problem = '' WHERE root_id = ? AND kind = 'sidecar' AND problem <> ''`,
		root); err != nil {
		return err
	}
	_, err := tx.exec("Root", `DELETE FROM root_files WHERE root_id = ? AND asset_id IS NULL AND (problem <> '' OR ? AND excluded = 1)`,
		root, excluded)
	return err
}

// TrashedOfRoot returns up to limit assets in the trash that have a file in an external
// library.
func (tx *Tx) TrashedOfRoot(root int64, limit int) ([]dam.GAID, error) {
	return list(tx, func(r row) (g dam.GAID, err error) { return g, r.Scan(&g) }, `SELECT gaid FROM assets WHERE deleted_at IS NOT NULL
		AND id IN (SELECT asset_id FROM root_files WHERE root_id = ?) ORDER BY id LIMIT ?`, root, limit)
}

// onlyIn is the condition for assets whose bytes exist only in the external library ?1:
// dal has no copy of them, and no other external library has a file that is at least as
// present.
const onlyIn = `EXISTS (SELECT 1 FROM blobs b WHERE b.sha256 = a.sha256 AND b.in_place = 1)
	AND (a.root_id = ?1 OR EXISTS (SELECT 1 FROM root_files f WHERE f.asset_id = a.id AND f.root_id = ?1 AND f.sha256 = a.sha256))
	AND NOT EXISTS (SELECT 1 FROM root_files f WHERE f.asset_id = a.id AND f.root_id <> ?1 AND f.sha256 = a.sha256
		AND f.kind = 'original' AND (f.state = 'present' OR NOT EXISTS (SELECT 1 FROM root_files h
			WHERE h.asset_id = a.id AND h.root_id = ?1 AND h.sha256 = a.sha256 AND h.state = 'present')))`

// inRoot is the condition for assets that are shown in, or have files in, an external
// library; it keeps onlyIn from reading every asset.
const inRoot = `a.id IN (SELECT asset_id FROM root_files WHERE root_id = ?1 UNION ALL SELECT id FROM assets WHERE root_id = ?1)`

// LiveOnlyIn returns up to limit assets outside the trash whose bytes exist only in an
// external library.
func (tx *Tx) LiveOnlyIn(root int64, limit int) ([]dam.GAID, error) {
	return list(tx, func(r row) (g dam.GAID, err error) { return g, r.Scan(&g) }, `SELECT a.gaid FROM assets a
		WHERE `+inRoot+` AND a.deleted_at IS NULL AND `+onlyIn+` ORDER BY a.id LIMIT ?2`, root, limit)
}

// CountLiveOnlyIn counts the assets outside the trash whose bytes exist only in an
// external library.
func (tx *Tx) CountLiveOnlyIn(root int64) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM assets a WHERE `+inRoot+` AND a.deleted_at IS NULL AND `+onlyIn, root)
}

// CountInPlace counts the assets whose bytes exist only in external libraries, including
// those in the trash.
func (tx *Tx) CountInPlace() (int, error) {
	has, err := tx.knowsPlaces()
	if err != nil || !has {
		return 0, err
	}
	return one[int](tx, "", `SELECT count(*) FROM assets a JOIN blobs b ON b.sha256 = a.sha256 AND b.in_place = 1`)
}

// Folders returns up to limit direct subfolders of a folder that contain assets outside
// the trash, at any depth, by path. The subfolders of "" are the external libraries.
func (tx *Tx) Folders(in string, limit int) ([]dam.Folder, error) {
	under := ""
	if in != "" {
		under = in + "/"
	}
	return list(tx, func(r row) (f dam.Folder, err error) {
		err = r.Scan(&f.Path, refCol{&f.RootID}, &f.State, &f.Assets, &f.Folders)
		return f, err
	}, `WITH below AS (
			SELECT root_id, substr(folder, length(?1) + 1) AS rest FROM assets
			WHERE folder <> '' AND deleted_at IS NULL AND (?1 = '' OR folder >= ?1 AND folder < ?2)
		), first AS (
			SELECT root_id, CASE WHEN instr(rest, '/') > 0 THEN substr(rest, 1, instr(rest, '/') - 1) ELSE rest END AS name,
				instr(rest, '/') > 0 AS deeper FROM below)
		SELECT ?1 || f.name, f.root, coalesce(r.state, 'offline'), f.assets, f.deeper FROM (
			SELECT name, min(root_id) AS root, count(*) AS assets, max(deeper) AS deeper FROM first WHERE name <> '' GROUP BY name
		) f LEFT JOIN roots r ON r.id = f.root ORDER BY f.name COLLATE NOCASE LIMIT ?3`, under, in+"0", limit) // '0' follows '/'
}

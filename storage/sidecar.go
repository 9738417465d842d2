package storage

import (
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxNamesakes is how many files are looked at for one with a name.
const maxNamesakes = 100

// stems returns the names from which on, and up to which, those of files are that begin with
// the stem of a sidecar.
func stems(stem string) (from, to string) {
	var b strings.Builder
	for _, r := range stem { // as SQLite's lower
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String(), b.String() + "/" // which comes after the dot, and is in no name
}

// BatchFilesNamed returns files of a batch whose names are a stem, or that with a dot and
// more, in any case.
func (tx *Tx) BatchFilesNamed(batch int64, stem string) ([]*dam.BatchFile, error) {
	from, to := stems(stem)
	return list(tx, scanFile, `SELECT `+fileColumns+` FROM batch_files
		WHERE batch_id = ?1 AND (lower(filename) = ?2 OR lower(filename) > ?2 || '.' AND lower(filename) < ?3) ORDER BY id LIMIT ?4`,
		batch, from, to, maxNamesakes)
}

// AssetsNamed returns the assets of a user outside of the trash whose files are called as
// those of BatchFilesNamed, with the names.
func (tx *Tx) AssetsNamed(user int64, stem string) (gaids []dam.GAID, names []string, err error) {
	from, to := stems(stem)
	err = each(tx, func(r row) error {
		var gaid dam.GAID
		var name string
		err := r.Scan(&gaid, &name)
		gaids, names = append(gaids, gaid), append(names, name)
		return err
	}, `SELECT gaid, original_filename FROM assets WHERE created_by = ?1 AND deleted_at IS NULL
		AND (lower(original_filename) = ?2 OR lower(original_filename) > ?2 || '.' AND lower(original_filename) < ?3) ORDER BY id LIMIT ?4`,
		user, from, to, maxNamesakes)
	return gaids, names, err
}

// HasSidecar reports whether an asset outside of the trash has the sidecar with a checksum.
func (tx *Tx) HasSidecar(sha256 string) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM asset_parts p JOIN assets a ON a.id = p.asset_id
		WHERE p.sha256 = ? AND p.role = 'sidecar' AND a.deleted_at IS NULL)`, sha256)
}

package storage

import (
	"database/sql/driver"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxNamesakes is how many files are looked at for one with a name.
const maxNamesakes = 100

// file_name_key of SQL is dam.NameKey.
var _ = func() any {
	register("file_name_key", 1, func(args []driver.Value) driver.Value {
		name, _ := args[0].(string)
		return dam.NameKey(name)
	})
	return nil
}()

// called is the condition of files whose names in a column are those in the parameter ?3, or
// that with a dot and more: the key of a stem. SQLite's own function is faster, and knows ASCII.
func called(column string) string {
	key := `CASE WHEN ` + column + ` GLOB '*[^ -~]*' THEN file_name_key(` + column + `) ELSE lower(` + column + `) END`
	return `(` + key + ` = ?3 OR ` + key + ` > ?3 || '.' AND ` + key + ` < ?3 || '/')` // which comes after the dot, and is in no name
}

// BatchFilesNamed returns files of a batch whose names are a stem, or that with a dot and
// more, by dam.NameKey.
func (tx *Tx) BatchFilesNamed(batch int64, stem string) ([]*dam.BatchFile, error) {
	return list(tx, scanFile, `SELECT `+fileColumns+` FROM batch_files WHERE batch_id = ?1 AND `+called("filename")+` ORDER BY id LIMIT ?2`,
		batch, maxNamesakes, dam.NameKey(stem))
}

// AssetsNamed returns the assets of a user outside of the trash whose files are called as
// those of BatchFilesNamed, with the names.
func (tx *Tx) AssetsNamed(user int64, stem string) (gaids []dam.GAID, names []string, err error) {
	err = each(tx, func(r row) error {
		var gaid dam.GAID
		var name string
		err := r.Scan(&gaid, &name)
		gaids, names = append(gaids, gaid), append(names, name)
		return err
	}, `SELECT gaid, original_filename FROM assets WHERE created_by = ?1 AND deleted_at IS NULL
		AND `+called("original_filename")+` ORDER BY id LIMIT ?2`, user, maxNamesakes, dam.NameKey(stem))
	return gaids, names, err
}

// HasSidecar reports whether an asset outside of the trash has the sidecar with a checksum.
func (tx *Tx) HasSidecar(sha256 string) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM asset_parts p JOIN assets a ON a.id = p.asset_id
		WHERE p.sha256 = ? AND p.role = 'sidecar' AND a.deleted_at IS NULL)`, sha256)
}

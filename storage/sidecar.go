package storage

import (
	"database/sql/driver"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxNamesakes is the maximum number of files returned for a name.
const maxNamesakes = 100

// The SQL function file_name_key is dam.NameKey.
var _ = func() any {
	register("file_name_key", 1, func(args []driver.Value) driver.Value {
		name, _ := args[0].(string)
		return dam.NameKey(name)
	})
	return nil
}()

// called returns the condition that the name in a column is the stem with the key ?3,
// optionally followed by a dot and more. SQLite's lower is faster, but covers ASCII only.
func called(column string) string {
	key := `CASE WHEN ` + column + ` GLOB '*[^ -~]*' THEN file_name_key(` + column + `) ELSE lower(` + column + `) END`
	return `(` + key + ` = ?3 OR ` + key + ` > ?3 || '.' AND ` + key + ` < ?3 || '/')` // follows the dot; never in a name
}

// BatchFilesNamed returns files of a batch whose names are a stem, optionally followed by
// a dot and more, compared by dam.NameKey.
func (tx *Tx) BatchFilesNamed(batch int64, stem string) ([]*dam.BatchFile, error) {
	return list(tx, scanFile, `SELECT `+fileColumns+` FROM batch_files WHERE batch_id = ?1 AND `+called("filename")+` ORDER BY id LIMIT ?2`,
		batch, maxNamesakes, dam.NameKey(stem))
}

// AssetsNamed returns the assets of a user outside the trash whose filenames match a stem
// like those of BatchFilesNamed, and these filenames.
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

// HasSidecar reports whether an asset outside the trash has a sidecar with this checksum.
func (tx *Tx) HasSidecar(sha256 string) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM asset_parts p JOIN assets a ON a.id = p.asset_id
		WHERE p.sha256 = ? AND p.role = 'sidecar' AND a.deleted_at IS NULL)`, sha256)
}

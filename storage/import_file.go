package storage

import (
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/digital-asset-library/dal/app/dam"
)

const importFileColumns = `id, filename, size, sha256, encoding, separator, columns, total, created_by, created_at, expires_at`

func scanImportFile(r row) (*dam.ImportFile, error) {
	var f dam.ImportFile
	err := r.Scan(&f.ID, &f.Filename, &f.Size, &f.SHA256, &f.Encoding, &f.Separator, jsonCol{&f.Columns}, &f.Rows, &f.CreatedByID,
		timeCol{&f.CreatedAt}, timeCol{&f.ExpiresAt})
	return &f, wrap(err, "File")
}

// InsertImportFile adds a table as an invisible draft and sets its ID and creation time.
// Add its rows next, in as many transactions as needed, then call PublishImportFile.
func (tx *Tx) InsertImportFile(f *dam.ImportFile) (err error) {
	f.CreatedAt = tx.now
	f.ID, err = one[int64](tx, "File", `INSERT INTO import_files
		(filename, size, sha256, encoding, separator, columns, total, created_by, created_at, expires_at, draft)
		VALUES (?,0,'',?,?,?,0,?,?,?,1) RETURNING id`,
		f.Filename, f.Encoding, f.Separator, jsonCol{f.Columns}, f.CreatedByID, msec(tx.now), msec(f.ExpiresAt))
	return err
}

// InsertImportRows adds rows to a draft.
func (tx *Tx) InsertImportRows(f *dam.ImportFile, rows []dam.ImportRow) error {
	type plain struct {
		Position, Line int
		Cells          []string
		Problem        string
	}
	list := make([]plain, len(rows))
	for i, r := range rows {
		list[i] = plain(r)
	}
	text, err := jsonText(list)
	if err != nil {
		return err
	}
	_, err = tx.exec("File", `INSERT INTO import_rows (file_id, position, line, cells, problem)
		SELECT ?1, value ->> 'Position', value ->> 'Line', value -> 'Cells', value ->> 'Problem' FROM json_each(?2)`, f.ID, text)
	return err
}

// PublishImportFile turns a draft with all its rows into a table.
func (tx *Tx) PublishImportFile(f *dam.ImportFile) error {
	return tx.must("File", `UPDATE import_files SET draft = 0, size = ?, sha256 = ?, columns = ?, total = ?, expires_at = ?
		WHERE id = ? AND draft = 1`, f.Size, f.SHA256, jsonCol{f.Columns}, f.Rows, msec(f.ExpiresAt), f.ID)
}

// inUse is the condition that an unfinished operation uses a table.
const inUse = `EXISTS (SELECT 1 FROM operations WHERE import_file_id = import_files.id AND finished_at IS NULL)`

// ImportFile returns a table that has not expired or is in use.
func (tx *Tx) ImportFile(id int64) (*dam.ImportFile, error) {
	return scanImportFile(tx.tx.QueryRowContext(tx.ctx, `SELECT `+importFileColumns+` FROM import_files
		WHERE id = ? AND draft = 0 AND (expires_at > ? OR `+inUse+`)`, id, msec(tx.now)))
}

// ImportRows returns up to limit rows of a table, starting at a position.
func (tx *Tx) ImportRows(file int64, from, limit int) ([]*dam.ImportRow, error) {
	return list(tx, func(r row) (*dam.ImportRow, error) {
		var x dam.ImportRow
		return &x, r.Scan(&x.Position, &x.Line, jsonCol{&x.Cells}, &x.Problem)
	}, `SELECT position, line, cells, problem FROM import_rows WHERE file_id = ? AND position >= ? ORDER BY position LIMIT ?`,
		file, from, limit)
}

// CountImportFiles returns the number of a user's drafts and of tables that any operation
// uses or has used, without those that have expired.
func (tx *Tx) CountImportFiles(user int64) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM import_files WHERE created_by = ? AND (expires_at > ? OR `+inUse+`)
		AND (draft = 1 OR EXISTS (SELECT 1 FROM operations WHERE import_file_id = import_files.id))`, user, msec(tx.now))
}

// ExpireUnused immediately expires a user's tables that no operation has used, except for
// the newest ones.
func (tx *Tx) ExpireUnused(user int64, newest int) error {
	_, err := tx.exec("", `UPDATE import_files SET expires_at = ?1 WHERE id IN (
		SELECT id FROM import_files f WHERE created_by = ?2 AND draft = 0 AND expires_at > ?1
			AND NOT EXISTS (SELECT 1 FROM operations WHERE import_file_id = f.id)
		ORDER BY id DESC LIMIT -1 OFFSET ?3)`, msec(tx.now), user, newest)
	return err
}

// ExpireImportFile makes a table expire at a time; it is kept as long as an operation
// uses it.
func (tx *Tx) ExpireImportFile(id int64, at time.Time) error {
	_, err := tx.exec("", `UPDATE import_files SET expires_at = ? WHERE id = ?`, msec(at), id)
	return err
}

// TrimImportFiles deletes up to limit rows of tables that have expired and are not in
// use. Once no such rows are left, it deletes the tables. It returns the number of
// deleted rows.
func (tx *Tx) TrimImportFiles(limit int) (int64, error) {
	const old = `SELECT id FROM import_files WHERE expires_at <= ?1 AND NOT ` + inUse + ` ORDER BY expires_at LIMIT 50`
	n, err := tx.exec("", `DELETE FROM import_rows WHERE (file_id, position) IN (
		SELECT file_id, position FROM import_rows WHERE file_id IN (`+old+`) LIMIT ?2)`, msec(tx.now), limit)
	if err != nil || n > 0 {
		return n, err
	}
	return tx.exec("", `DELETE FROM import_files WHERE id IN (`+old+`)`, msec(tx.now))
}

// AddImportItems adds the items for the next rows of the table to a draft.
func (tx *Tx) AddImportItems(o *dam.Operation, items []*dam.OperationItem) error {
	type plain struct {
		Line                 int
		Asset                *int64
		GAID                 dam.GAID
		Code, Message, Field string
	}
	rows := make([]plain, len(items))
	for i, item := range items {
		rows[i] = plain{Line: item.Line, GAID: item.GAID}
		if item.AssetID != 0 {
			rows[i].Asset = &item.AssetID
		}
		if e := item.Error; e != nil {
			rows[i].Code, rows[i].Message, rows[i].Field = string(e.Code), e.Message, e.Field
		}
	}
	text, err := jsonText(rows)
	if err != nil {
		return err
	}
	return tx.addItems(o, `INSERT INTO operation_items
		(operation_id, position, asset_id, gaid, line, error_code, error_message, error_field)
		SELECT ?1, ?2 + key, value ->> 'Asset', value ->> 'GAID', value ->> 'Line', value ->> 'Code', value ->> 'Message', value ->> 'Field'
		FROM json_each(?3)`, text)
}

// AssetMatch is the result for a key.
type AssetMatch struct {
	ID    int64
	GAID  dam.GAID
	Count int // number of assets that have the key; ID and GAID are those of one of them
}

// MatchAssets returns the assets that have a key in a column, by key, and omits keys
// without a match. Filenames match in composed or decomposed form. Assets in the trash
// match by GAID only. The keys of a custom field are values, and the result has their
// JSON as keys.
func (tx *Tx) MatchAssets(column string, keys []any) (map[string]AssetMatch, error) {
	const from = ` FROM (SELECT DISTINCT value ->> 0 key, value ->> 1 form FROM json_each(?1)) k JOIN `
	query, key := "", ""
	switch column {
	case "gaid":
		query = from + `assets a ON a.gaid = k.key`
	case "original_filename":
		query = from + `assets a ON a.original_filename = k.form WHERE a.deleted_at IS NULL`
	case "checksum_sha256":
		query = from + `assets a ON a.sha256 = k.key WHERE a.deleted_at IS NULL`
	default:
		key = strings.TrimPrefix(column, "metadata.")
		query = from + `asset_metadata m ON m.key = ?2 AND m.value = k.key JOIN assets a ON a.id = m.asset_id WHERE a.deleted_at IS NULL`
	}
	texts, err := MatchTexts(column, keys)
	if err != nil {
		return nil, err
	}
	forms := make([][2]string, 0, len(texts))
	for _, t := range texts {
		forms = append(forms, [2]string{t, t})
		if column == "original_filename" {
			forms = append(forms, [2]string{t, norm.NFC.String(t)}, [2]string{t, norm.NFD.String(t)})
		}
	}
	text, err := jsonText(forms)
	if err != nil {
		return nil, err
	}
	found := map[string]AssetMatch{}
	return found, each(tx, func(r row) error {
		var k string
		var m AssetMatch
		err := r.Scan(&k, &m.Count, &m.ID, &m.GAID)
		found[k] = m
		return err
	}, `SELECT k.key, count(*), min(a.id), a.gaid`+query+` GROUP BY k.key`, text, key)
}

// MatchTexts returns keys in the form that MatchAssets uses in its result.
func MatchTexts(column string, keys []any) ([]string, error) {
	texts := make([]string, len(keys))
	for i, k := range keys {
		text, isText := k.(string)
		if strings.HasPrefix(column, "metadata.") || !isText {
			var err error
			if text, err = jsonText(k); err != nil {
				return nil, err
			}
		}
		texts[i] = text
	}
	return texts, nil
}

// OpenImports returns a user's unfinished operations on tables with a checksum, oldest
// first.
func (tx *Tx) OpenImports(user int64, sha256 string) ([]*dam.Operation, error) {
	return list(tx, scanOperation, `SELECT `+operationColumns+` FROM operations WHERE created_by = ?1 AND finished_at IS NULL AND draft = 0
		AND import_file_id IN (SELECT id FROM import_files WHERE created_by = ?1 AND sha256 = ?2) ORDER BY id`, user, sha256)
}

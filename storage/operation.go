package storage

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const operationColumns = `id, type, state, spec, total, done, unchanged, failed, error_code, error_message, file_size, file_sha256,
	file_expires_at, file_collections, created_by, (SELECT name FROM users WHERE id = created_by),
	(SELECT email FROM users WHERE id = created_by), created_at, updated_at, started_at, finished_at`

func scanOperation(r row) (*dam.Operation, error) {
	var o dam.Operation
	var by dam.User
	var fault dam.OperationError
	var file dam.OperationFile
	var expires *time.Time
	err := r.Scan(&o.ID, &o.Type, &o.State, jsonCol{&o.Spec}, &o.Total, &o.Done, &o.Unchanged, &o.Failed, &fault.Code, &fault.Message,
		&file.Size, &file.SHA256, optTimeCol{&expires}, jsonCol{&file.Collections}, &o.CreatedByID, &by.Name, &by.Email,
		timeCol{&o.CreatedAt}, timeCol{&o.UpdatedAt}, optTimeCol{&o.StartedAt}, optTimeCol{&o.FinishedAt})
	if err != nil {
		return nil, wrap(err, "Operation")
	}
	by.ID = o.CreatedByID
	o.Spec.Type, o.CreatedBy = o.Type, &by
	if fault.Code != "" {
		o.Error = &fault
	}
	if expires != nil {
		file.ExpiresAt = *expires
		o.File = &file
	}
	return &o, nil
}

// InsertOperation adds o as a draft, which is invisible and not processed, and sets its
// ID, state and times. Add its items next, in as many transactions as needed, then call
// PublishOperation.
func (tx *Tx) InsertOperation(o *dam.Operation) error {
	spec, err := jsonText(o.Spec)
	if err != nil {
		return err
	}
	o.State, o.CreatedAt, o.UpdatedAt = dam.OperationPending, tx.now, tx.now
	o.ID, err = one[int64](tx, "Operation", `INSERT INTO operations
		(type, state, spec, total, created_by, created_at, updated_at, draft, import_file_id) VALUES (?1,?2,?3,0,?4,?5,?5,1,?6) RETURNING id`,
		o.Type, o.State, spec, o.CreatedByID, msec(tx.now), importFile(o))
	return err
}

// importFile returns the ID of the table that an operation uses, nil for none.
func importFile(o *dam.Operation) *int64 {
	if o.Spec.Import == nil {
		return nil
	}
	return &o.Spec.Import.FileID
}

// AddOperationGAIDs adds distinct assets to the items of a draft in that order, including
// those that do not exist.
func (tx *Tx) AddOperationGAIDs(o *dam.Operation, gaids []dam.GAID) error {
	text, err := jsonText(gaids)
	if err != nil {
		return err
	}
	return tx.addItems(o, `INSERT INTO operation_items (operation_id, position, asset_id, gaid)
		SELECT ?1, ?2 + j.key, a.id, j.value FROM json_each(?3) j LEFT JOIN assets a ON a.gaid = j.value`, text)
}

// AddOperationAssets adds the assets with these row numbers, ascending, to the items of a
// draft, and skips those that have been deleted meanwhile.
func (tx *Tx) AddOperationAssets(o *dam.Operation, assets []int64) error {
	return tx.addItems(o, `INSERT INTO operation_items (operation_id, position, asset_id, gaid)
		SELECT ?1, ?2 + row_number() OVER (ORDER BY a.id) - 1, a.id, a.gaid FROM json_each(?3) j JOIN assets a ON a.id = j.value`, ids(assets))
}

func (tx *Tx) addItems(o *dam.Operation, query, list string) error {
	n, err := tx.exec("Operation", query, o.ID, o.Total, list)
	o.Total += int(n)
	return err
}

// PublishOperation turns a draft with all its items into an operation.
func (tx *Tx) PublishOperation(o *dam.Operation) error {
	tx.touch(TouchedOperation, o.ID)
	return tx.must("Operation", `UPDATE operations SET draft = 0, total = ? WHERE id = ? AND draft = 1`, o.Total, o.ID)
}

// Operation returns an operation.
func (tx *Tx) Operation(id int64) (*dam.Operation, error) {
	return scanOperation(tx.tx.QueryRowContext(tx.ctx, `SELECT `+operationColumns+` FROM operations WHERE id = ? AND draft = 0`, id))
}

// Operations returns operations, newest first, and their total number.
func (tx *Tx) Operations(f dam.OperationFilter, p dam.Page) ([]*dam.Operation, int, error) {
	const where = ` FROM operations WHERE draft = 0 AND (?1 = 0 OR created_by = ?1) AND (?2 = '' OR state = ?2) AND (?3 = '' OR type = ?3)`
	total, err := one[int](tx, "", `SELECT count(*)`+where, f.User, f.State, f.Type)
	if err != nil {
		return nil, 0, err
	}
	all, err := list(tx, scanOperation, `SELECT `+operationColumns+where+` ORDER BY id DESC LIMIT ?4 OFFSET ?5`,
		f.User, f.State, f.Type, p.Limit, p.Offset)
	return all, total, err
}

// CountOpenOperations returns the number of a user's unfinished operations, including
// drafts.
func (tx *Tx) CountOpenOperations(user int64) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM operations WHERE created_by = ? AND finished_at IS NULL`, user)
}

// OpenOperation returns a user's oldest unfinished operation of these types, nil for
// none.
func (tx *Tx) OpenOperation(user int64, types ...dam.OperationType) (*dam.Operation, error) {
	text, err := jsonText(types)
	if err != nil {
		return nil, err
	}
	all, err := list(tx, scanOperation, `SELECT `+operationColumns+` FROM operations
		WHERE created_by = ? AND finished_at IS NULL AND draft = 0 AND type IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT 1`, user, text)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

// UpdateOperation writes the state, the counters, the error, the file and the times of an
// operation. It returns Conflict if the operation has ended meanwhile.
func (tx *Tx) UpdateOperation(o *dam.Operation) error {
	tx.touch(TouchedOperation, o.ID)
	o.UpdatedAt = tx.now
	var fault dam.OperationError
	if o.Error != nil {
		fault = *o.Error
	}
	var file dam.OperationFile
	var expires *time.Time
	if o.File != nil {
		file, expires = *o.File, &o.File.ExpiresAt
	}
	n, err := tx.exec("Operation", `UPDATE operations SET state = ?, done = ?, unchanged = ?, failed = ?, error_code = ?, error_message = ?,
		file_size = ?, file_sha256 = ?, file_expires_at = ?, file_collections = ?, updated_at = ?, started_at = ?, finished_at = ?
			WHERE id = ? AND finished_at IS NULL`,
		o.State, o.Done, o.Unchanged, o.Failed, fault.Code, fault.Message,
		file.Size, file.SHA256, msecPtr(expires), ids(file.Collections), msec(tx.now),
		msecPtr(o.StartedAt), msecPtr(o.FinishedAt), o.ID)
	if err == nil && n == 0 {
		err = dam.Errorf(dam.Conflict, "The operation has ended.")
	}
	return err
}

const itemColumns = `position, coalesce(asset_id, 0), gaid, state, error_code, error_message, error_field, line`

func scanItem(r row) (*dam.OperationItem, error) {
	var i dam.OperationItem
	var fault dam.OperationError
	if err := r.Scan(&i.Position, &i.AssetID, &i.GAID, &i.State, &fault.Code, &fault.Message, &fault.Field, &i.Line); err != nil {
		return nil, err
	}
	if fault.Code != "" {
		i.Error = &fault
	}
	return &i, nil
}

// NextItems returns up to limit pending items of o, in order.
func (tx *Tx) NextItems(o *dam.Operation, limit int) ([]*dam.OperationItem, error) {
	return list(tx, scanItem, `SELECT `+itemColumns+` FROM operation_items WHERE operation_id = ? AND position >= ? ORDER BY position
		LIMIT ?`,
		o.ID, o.Next(), limit)
}

// OperationItems returns the items of o in order, either those in a state or, if it is
// "", all.
func (tx *Tx) OperationItems(o *dam.Operation, state dam.ItemState, p dam.Page) ([]*dam.OperationItem, error) {
	switch state {
	case "": // positions have no gaps
		return list(tx, scanItem, `SELECT `+itemColumns+` FROM operation_items WHERE operation_id = ? AND position >= ? ORDER BY position
			LIMIT ?`,
			o.ID, p.Offset, p.Limit)
	case dam.ItemPending:
		return list(tx, scanItem, `SELECT `+itemColumns+` FROM operation_items WHERE operation_id = ? AND position >= ? ORDER BY position
			LIMIT ?`,
			o.ID, o.Next()+p.Offset, p.Limit)
	case dam.ItemUnchanged, dam.ItemFailed: // literals, for the index
		return list(tx, scanItem, `SELECT `+itemColumns+` FROM operation_items WHERE operation_id = ? AND state = ?
			AND state IN ('unchanged','failed')
			ORDER BY position LIMIT ? OFFSET ?`, o.ID, state, p.Limit, p.Offset)
	}
	return list(tx, scanItem, `SELECT `+itemColumns+` FROM operation_items WHERE operation_id = ? AND state = ? ORDER BY position
		LIMIT ? OFFSET ?`,
		o.ID, state, p.Limit, p.Offset)
}

// NameItems sets the titles of items to the current titles of their assets.
func (tx *Tx) NameItems(items []*dam.OperationItem) error {
	byID := make(map[int64]*dam.OperationItem, len(items))
	want := make([]int64, 0, len(items))
	for _, i := range items {
		byID[i.AssetID] = i
		want = append(want, i.AssetID)
	}
	return each(tx, func(r row) error {
		var id int64
		var title string
		err := r.Scan(&id, &title)
		if i := byID[id]; i != nil {
			i.Title = title
		}
		return err
	}, `SELECT id, title FROM assets WHERE id IN (SELECT value FROM json_each(?))`, ids(want))
}

// SetItems writes the results of consecutive items.
func (tx *Tx) SetItems(o *dam.Operation, items []*dam.OperationItem) error {
	if len(items) == 0 {
		return nil
	}
	if _, err := tx.exec("", `UPDATE operation_items SET state = 'done' WHERE operation_id = ? AND position BETWEEN ? AND ?`,
		o.ID, items[0].Position, items[len(items)-1].Position); err != nil {
		return err
	}
	for _, i := range items {
		if i.State == dam.ItemDone {
			continue
		}
		var fault dam.OperationError
		if i.Error != nil {
			fault = *i.Error
		}
		if _, err := tx.exec("", `UPDATE operation_items SET state = ?, error_code = ?, error_message = ?, error_field = ?
			WHERE operation_id = ? AND position = ?`,
			i.State, fault.Code, fault.Message, fault.Field, o.ID, i.Position); err != nil {
			return err
		}
	}
	return nil
}

// UndoItems makes up to limit of the last processed items of o pending again, and
// decreases its counters.
func (tx *Tx) UndoItems(o *dam.Operation, limit int) error {
	from, to := max(0, o.Next()-limit), o.Next()
	if err := each(tx, func(r row) error {
		var state dam.ItemState
		var n int
		err := r.Scan(&state, &n)
		switch state {
		case dam.ItemFailed:
			o.Failed -= n
			return err
		case dam.ItemUnchanged:
			o.Unchanged -= n
		}
		o.Done -= n
		return err
	}, `SELECT state, count(*) FROM operation_items WHERE operation_id = ? AND position >= ? AND position < ? GROUP BY state`,
		o.ID, from, to); err != nil {
		return err
	}
	if _, err := tx.exec("", `UPDATE operation_items SET state = 'pending', error_code = '', error_message = '', error_field = ''
		WHERE operation_id = ? AND position >= ? AND position < ?`, o.ID, from, to); err != nil {
		return err
	}
	return tx.UpdateOperation(o)
}

// AssetsOf returns the assets of items by row number, with all their fields, without
// those that no longer exist.
func (tx *Tx) AssetsOf(items []*dam.OperationItem) (map[int64]*dam.Asset, error) {
	want := make([]int64, 0, len(items))
	for _, i := range items {
		if i.AssetID != 0 {
			want = append(want, i.AssetID)
		}
	}
	assets, err := tx.AssetsByID(want)
	byID := make(map[int64]*dam.Asset, len(assets))
	for _, a := range assets {
		byID[a.ID] = a
	}
	return byID, err
}

// AssetRows returns the row numbers of assets and omits those that do not exist.
func (tx *Tx) AssetRows(gaids []dam.GAID) (map[dam.GAID]int64, error) {
	text, err := jsonText(gaids)
	if err != nil {
		return nil, err
	}
	rows := make(map[dam.GAID]int64, len(gaids))
	return rows, each(tx, func(r row) error {
		var g dam.GAID
		var id int64
		err := r.Scan(&g, &id)
		rows[g] = id
		return err
	}, `SELECT gaid, id FROM assets WHERE gaid IN (SELECT value FROM json_each(?))`, text)
}

// ExpiredExports returns up to limit operations whose file expires before a time.
func (tx *Tx) ExpiredExports(before time.Time, limit int) ([]*dam.Operation, error) {
	return list(tx, scanOperation, `SELECT `+operationColumns+` FROM operations WHERE file_expires_at < ? AND file_sha256 <> ''
		ORDER BY file_expires_at LIMIT ?`,
		msec(before), limit)
}

// ForgetExport records that the file of an operation was deleted.
func (tx *Tx) ForgetExport(id int64) error {
	tx.touch(TouchedOperation, id)
	_, err := tx.exec("", `UPDATE operations SET file_expires_at = NULL, file_size = 0, file_sha256 = '', updated_at = ? WHERE id = ?`,
		msec(tx.now), id)
	return err
}

// HasExport reports whether an operation has a file.
func (tx *Tx) HasExport(id int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM operations WHERE id = ? AND file_sha256 <> '')`, id)
}

// TrimOperations deletes up to limit items of operations that ended before a time and no
// longer have a file. Once no such items are left, it deletes the operations. It returns
// the number of deleted rows.
func (tx *Tx) TrimOperations(before time.Time, limit int) (int64, error) {
	return tx.trimOperations(`finished_at < ? AND file_expires_at IS NULL ORDER BY finished_at`, msec(before), limit)
}

// TrimDrafts is TrimOperations for drafts that were created before a time and never
// published.
func (tx *Tx) TrimDrafts(before time.Time, limit int) (int64, error) {
	return tx.trimOperations(`draft = 1 AND created_at < ? ORDER BY created_at`, msec(before), limit)
}

// TrimDraft is TrimDrafts for one draft.
func (tx *Tx) TrimDraft(id int64, limit int) (int64, error) {
	return tx.trimOperations(`draft = 1 AND id = ?`, id, limit)
}

func (tx *Tx) trimOperations(which string, arg int64, limit int) (int64, error) {
	old := `SELECT id FROM operations WHERE ` + which + ` LIMIT 50`
	n, err := tx.exec("", `DELETE FROM operation_items WHERE (operation_id, position) IN (
		SELECT operation_id, position FROM operation_items WHERE operation_id IN (`+old+`) LIMIT ?)`, arg, limit)
	if err != nil || n > 0 {
		return n, err
	}
	return tx.exec("", `DELETE FROM operations WHERE id IN (`+old+`)`, arg)
}

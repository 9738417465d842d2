package storage

import (
	"encoding/json"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

const assetColumns = `a.id, a.gaid, a.title, a.original_filename, a.mime_type, a.file_category, a.extension, a.width, a.height,
	a.duration_ms, a.page_count, a.file_size, a.sha256, a.asset_class_id, a.batch_id, a.capture_date, a.creator, a.copyright,
	a.workflow_status, ` + processingStatus + `, a.phash, a.thumbhash, a.owner_id, a.created_by, a.updated_by, a.version,
	a.created_at, a.updated_at, a.deleted_at`

// assetDest lists where the assetColumns go.
func assetDest(a *dam.Asset) []any {
	return []any{&a.ID, &a.GAID, &a.Title, &a.OriginalFilename, &a.MIMEType, &a.FileCategory, &a.Extension, &a.Width, &a.Height,
		&a.DurationMS, &a.PageCount, &a.FileSize, &a.SHA256, refCol{&a.AssetClassID}, refCol{&a.BatchID}, optTimeCol{&a.CaptureDate},
		&a.Creator, &a.Copyright, &a.WorkflowStatus, &a.ProcessingStatus, (*hashCol)(&a.PHash), &a.ThumbHash, refCol{&a.OwnerID},
		refCol{&a.CreatedByID}, refCol{&a.UpdatedByID}, &a.Version, timeCol{&a.CreatedAt}, timeCol{&a.UpdatedAt}, optTimeCol{&a.DeletedAt}}
}

// narrowColumns are those that lists are filtered and sorted by.
const narrowColumns = `a.id, a.title, a.original_filename, a.mime_type, a.file_category, a.extension, a.width, a.height, a.duration_ms, a.page_count,
	a.file_size, a.asset_class_id, a.batch_id, a.capture_date, a.creator, a.copyright, a.workflow_status, ` + processingStatus + `, a.phash,
	a.created_at, a.updated_at, a.deleted_at`

func scanNarrow(r row) (*dam.Asset, error) {
	var a dam.Asset
	return &a, wrap(r.Scan(&a.ID, &a.Title, &a.OriginalFilename, &a.MIMEType, &a.FileCategory, &a.Extension, &a.Width, &a.Height, &a.DurationMS, &a.PageCount,
		&a.FileSize, refCol{&a.AssetClassID}, refCol{&a.BatchID}, optTimeCol{&a.CaptureDate}, &a.Creator, &a.Copyright, &a.WorkflowStatus, &a.ProcessingStatus,
		(*hashCol)(&a.PHash), timeCol{&a.CreatedAt}, timeCol{&a.UpdatedAt}, optTimeCol{&a.DeletedAt}), "Asset")
}

// hashCol scans a 64-bit hash, which SQLite keeps as a signed number.
type hashCol uint64

func (c *hashCol) Scan(v any) error {
	n, _ := v.(int64)
	*c = hashCol(n)
	return nil
}

// scanAsset reads the assetColumns and then more.
func scanAsset(r row, more ...any) (*dam.Asset, error) {
	var a dam.Asset
	return &a, wrap(r.Scan(append(assetDest(&a), more...)...), "Asset")
}

// InsertAsset adds a to the library, sets its ID, version and times, and puts
// it in the index queue.
func (tx *Tx) InsertAsset(a *dam.Asset) (err error) {
	a.CreatedAt, a.UpdatedAt, a.Version = tx.now, tx.now, 1
	a.ID, err = one[int64](tx, "Asset", `INSERT INTO assets (gaid, title, original_filename, mime_type, file_category, extension,
		width, height, duration_ms, page_count, file_size, sha256, asset_class_id, batch_id, capture_date, creator, copyright,
		workflow_status, processing_status, phash, thumbhash, owner_id, created_by, updated_by, version, created_at, updated_at)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) RETURNING id`,
		a.GAID, a.Title, a.OriginalFilename, a.MIMEType, a.FileCategory, a.Extension, a.Width, a.Height, a.DurationMS, a.PageCount,
		a.FileSize, a.SHA256, ref(a.AssetClassID), ref(a.BatchID), msecPtr(a.CaptureDate), a.Creator, a.Copyright, a.WorkflowStatus,
		a.ProcessingStatus, int64(a.PHash), a.ThumbHash, ref(a.OwnerID), ref(a.CreatedByID), ref(a.UpdatedByID), a.Version,
		msec(a.CreatedAt), msec(a.UpdatedAt))
	if err != nil {
		return err
	}
	return tx.writeDetails(a)
}

// UpdateAsset writes what people and enrichment may change of a, counts its
// version up and puts it in the index queue. An asset that has another version
// than a is Stale.
func (tx *Tx) UpdateAsset(a *dam.Asset) error {
	n, err := tx.exec("Asset", `UPDATE assets SET title = ?, asset_class_id = ?, capture_date = ?, creator = ?, copyright = ?,
		workflow_status = ?, processing_status = CASE ?7 WHEN 'damaged' THEN processing_status ELSE ?7 END, owner_id = ?, updated_by = ?, deleted_at = ?, updated_at = ?, version = version + 1
		WHERE id = ? AND version = ?`,
		a.Title, ref(a.AssetClassID), msecPtr(a.CaptureDate), a.Creator, a.Copyright, a.WorkflowStatus, a.ProcessingStatus,
		ref(a.OwnerID), ref(a.UpdatedByID), msecPtr(a.DeletedAt), msec(tx.now), a.ID, a.Version)
	if err != nil {
		return err
	}
	if n == 0 {
		return dam.Errorf(dam.Stale, "The asset was changed meanwhile.")
	}
	a.Version++
	a.UpdatedAt = tx.now
	return tx.writeDetails(a)
}

// writeDetails writes the wide part of a and its sets.
func (tx *Tx) writeDetails(a *dam.Asset) error {
	colors, err := jsonText(a.Colors)
	if err != nil {
		return err
	}
	technical, err := jsonText(a.Technical)
	if err != nil {
		return err
	}
	if _, err := tx.exec("Asset", `INSERT INTO asset_details (asset_id, ai_caption, ocr_text, colors, technical) VALUES (?,?,?,?,?)
		ON CONFLICT (asset_id) DO UPDATE SET ai_caption = excluded.ai_caption, ocr_text = excluded.ocr_text, colors = excluded.colors, technical = excluded.technical`,
		a.ID, a.AICaption, a.OCRText, colors, technical); err != nil {
		return err
	}
	if _, err := tx.exec("Asset", `DELETE FROM asset_words WHERE asset_id = ?`, a.ID); err != nil {
		return err
	}
	for kind, words := range map[string][]string{"keyword": a.Keywords, "ai_tag": a.AITags} {
		for i, w := range words {
			if _, err := tx.exec("Asset", `INSERT INTO asset_words (asset_id, kind, position, word) VALUES (?,?,?,?)`, a.ID, kind, i, w); err != nil {
				return err
			}
		}
	}
	if _, err := tx.exec("Asset", `DELETE FROM asset_metadata WHERE asset_id = ?`, a.ID); err != nil {
		return err
	}
	for key, v := range a.Metadata {
		text, err := jsonText(v)
		if err != nil {
			return err
		}
		if _, err := tx.exec("Asset", `INSERT INTO asset_metadata (asset_id, key, value) VALUES (?,?,?)`, a.ID, key, text); err != nil {
			return err
		}
	}
	return tx.Changed(a.ID)
}

// DeleteAsset deletes an asset for good.
func (tx *Tx) DeleteAsset(id int64) error {
	if err := tx.must("Asset", `DELETE FROM assets WHERE id = ?`, id); err != nil {
		return err
	}
	return tx.Changed(id)
}

// Asset returns the asset with the given GAID, in the trash or not, with all
// its fields. Which of its collections are shown depends on to whom:
// see CollectionsOf.
func (tx *Tx) Asset(gaid dam.GAID) (*dam.Asset, error) {
	a, err := scanAsset(tx.tx.QueryRowContext(tx.ctx, `SELECT `+assetColumns+` FROM assets a WHERE gaid = ?`, gaid))
	if err != nil {
		return nil, err
	}
	return a, tx.fillDetails([]*dam.Asset{a})
}

// AssetsByID returns the assets with the given row numbers in that order, with
// all their fields, leaving out those that are gone.
func (tx *Tx) AssetsByID(want []int64) ([]*dam.Asset, error) {
	assets, err := list(tx, func(r row) (*dam.Asset, error) { return scanAsset(r) },
		`SELECT `+assetColumns+` FROM assets a WHERE id IN (SELECT value FROM json_each(?))`, ids(want))
	if err != nil {
		return nil, err
	}
	pos := make(map[int64]int, len(want))
	for i, id := range want {
		pos[id] = i
	}
	slices.SortFunc(assets, func(a, b *dam.Asset) int { return pos[a.ID] - pos[b.ID] })
	return assets, tx.fillDetails(assets)
}

// DuplicateOf returns the oldest asset outside the trash with these bytes, or
// a NotFound error.
func (tx *Tx) DuplicateOf(sha256 string) (dam.GAID, error) {
	return one[dam.GAID](tx, "Asset", `SELECT gaid FROM assets WHERE sha256 = ? AND deleted_at IS NULL ORDER BY id LIMIT 1`, sha256)
}

// fillDetails reads the wide part and the sets of assets.
func (tx *Tx) fillDetails(assets []*dam.Asset) error {
	if len(assets) == 0 {
		return nil
	}
	byID := make(map[int64]*dam.Asset, len(assets))
	want := make([]int64, len(assets))
	for i, a := range assets {
		byID[a.ID], want[i] = a, a.ID
	}
	in := ids(want)
	if err := each(tx, func(r row) error {
		var id int64
		var caption, ocr, colors, technical string
		if err := r.Scan(&id, &caption, &ocr, &colors, &technical); err != nil {
			return err
		}
		a := byID[id]
		a.AICaption, a.OCRText = caption, ocr
		if err := json.Unmarshal([]byte(colors), &a.Colors); err != nil {
			return err
		}
		return json.Unmarshal([]byte(technical), &a.Technical)
	}, `SELECT asset_id, ai_caption, ocr_text, colors, technical FROM asset_details WHERE asset_id IN (SELECT value FROM json_each(?))`, in); err != nil {
		return err
	}
	if err := each(tx, func(r row) error {
		var id int64
		var kind, word string
		if err := r.Scan(&id, &kind, &word); err != nil {
			return err
		}
		if a := byID[id]; kind == "keyword" {
			a.Keywords = append(a.Keywords, word)
		} else {
			a.AITags = append(a.AITags, word)
		}
		return nil
	}, `SELECT asset_id, kind, word FROM asset_words WHERE asset_id IN (SELECT value FROM json_each(?)) ORDER BY asset_id, kind, position`, in); err != nil {
		return err
	}
	return each(tx, func(r row) error {
		var id int64
		var key, value string
		if err := r.Scan(&id, &key, &value); err != nil {
			return err
		}
		a := byID[id]
		if a.Metadata == nil {
			a.Metadata = map[string]any{}
		}
		var v any
		err := json.Unmarshal([]byte(value), &v)
		a.Metadata[key] = v
		return err
	}, `SELECT asset_id, key, value FROM asset_metadata WHERE asset_id IN (SELECT value FROM json_each(?))`, in)
}

// Changed puts an asset in the index queue: its entry gets the next sequence
// number.
func (tx *Tx) Changed(id int64) error {
	_, err := tx.exec("", `INSERT INTO asset_changes (asset_id, seq) VALUES (?, (SELECT coalesce(max(seq), 0) + 1 FROM asset_changes))
		ON CONFLICT (asset_id) DO UPDATE SET seq = excluded.seq`, id)
	return err
}

// LastChange returns the sequence number of the latest change, 0 if there was
// none.
func (tx *Tx) LastChange() (int64, error) {
	return one[int64](tx, "", `SELECT coalesce(max(seq), 0) FROM asset_changes`)
}

// Changes returns up to limit entries of the index queue after a sequence
// number, in order. The assets have only the fields that lists are filtered and
// sorted by, unless detailed.
func (tx *Tx) Changes(after int64, limit int, detailed bool) ([]dam.Change, error) {
	changes, err := list(tx, func(r row) (c dam.Change, err error) { return c, r.Scan(&c.Seq, &c.AssetID) },
		`SELECT seq, asset_id FROM asset_changes WHERE seq > ? ORDER BY seq LIMIT ?`, after, limit)
	if err != nil || len(changes) == 0 {
		return changes, err
	}
	last := changes[len(changes)-1].Seq
	columns, scan := narrowColumns, scanNarrow
	if detailed {
		columns, scan = assetColumns, func(r row) (*dam.Asset, error) { return scanAsset(r) }
	}
	assets, err := list(tx, scan, `SELECT `+columns+` FROM asset_changes c JOIN assets a ON a.id = c.asset_id WHERE c.seq > ? AND c.seq <= ? ORDER BY c.seq`, after, last)
	if err != nil {
		return nil, err
	}
	if detailed {
		if err := tx.fillDetails(assets); err != nil {
			return nil, err
		}
	}
	for i, j := 0, 0; i < len(changes) && j < len(assets); i++ {
		if changes[i].AssetID == assets[j].ID {
			changes[i].Asset = assets[j]
			j++
		}
	}
	return changes, nil
}

// AssetClassExists reports whether there is an asset class with that ID.
func (tx *Tx) AssetClassExists(id int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM asset_classes WHERE id = ?)`, id)
}

// PHashes returns the perceptual hashes of all pictures outside the trash, by
// asset.
func (tx *Tx) PHashes() (map[int64]uint64, error) {
	all := map[int64]uint64{}
	return all, each(tx, func(r row) error {
		var id int64
		var h hashCol
		err := r.Scan(&id, &h)
		all[id] = uint64(h)
		return err
	}, `SELECT id, phash FROM assets WHERE phash <> 0 AND deleted_at IS NULL`)
}

// AssetClassNames returns the names of asset classes.
func (tx *Tx) AssetClassNames(want []int64) (map[int64]string, error) {
	return tx.names(`SELECT id, name FROM asset_classes WHERE id IN (SELECT value FROM json_each(?))`, want)
}

// BatchNames returns the names of upload batches.
func (tx *Tx) BatchNames(want []int64) (map[int64]string, error) {
	return tx.names(`SELECT id, name FROM upload_batches WHERE id IN (SELECT value FROM json_each(?))`, want)
}

func (tx *Tx) names(query string, want []int64) (map[int64]string, error) {
	names := map[int64]string{}
	return names, each(tx, func(r row) error {
		var id int64
		var name string
		err := r.Scan(&id, &name)
		names[id] = name
		return err
	}, query, ids(want))
}

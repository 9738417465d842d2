package storage

import (
	"fmt"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// Columns by query.
var (
	allColumns    = slices.Concat(assetColumns, detailColumns)
	listColumns   = columnsFor(assetColumns, inLists)
	shortDetails  = columnsWithout(detailColumns, notListed)
	shortColumns  = slices.Concat(assetColumns, shortDetails)
	insertColumns = columnsWithout(assetColumns[1:], derived) // SQLite assigns the row numbers
	changeColumns = columnsFor(assetColumns, canChange)
	ofFileColumns = columnsFor(assetColumns, ofFile)
)

// Queries built from columns.
var (
	wholeAsset  = selection("a", assetColumns) + `, ` + selection("d", detailColumns)
	selectAsset = `SELECT ` + wholeAsset + assetTables

	selectShort = `SELECT ` + selection("a", assetColumns) + `, ` + selection("d", shortDetails) + assetTables

	insertAsset = `INSERT INTO assets (` + names(insertColumns) + `) VALUES (` + parameters(1, len(insertColumns)) + `) RETURNING id`

	updateAsset = fmt.Sprintf(`UPDATE assets SET %s, updated_at = ?%d, version = version + 1 WHERE id = ?%d AND version = ?%d`,
		assignments(changeColumns), len(changeColumns)+1, len(changeColumns)+2, len(changeColumns)+3)

	setFile = fmt.Sprintf(`UPDATE assets SET %s WHERE id = ?%d`, assignments(ofFileColumns), len(ofFileColumns)+1)

	putDetails = fmt.Sprintf(`INSERT INTO asset_details (%s, asset_id) VALUES (%s) ON CONFLICT (asset_id) DO UPDATE SET %s`,
		names(detailColumns), parameters(1, len(detailColumns)+1), assignments(detailColumns))
)

const assetTables = ` FROM assets a JOIN asset_details d ON d.asset_id = a.id`

func scanAsset(r row) (*dam.Asset, error) { return scanColumns(r, allColumns) }

func scanShort(r row) (*dam.Asset, error) { return scanColumns(r, shortColumns) }

func scanListed(r row) (*dam.Asset, error) { return scanColumns(r, listColumns) }

// InsertAsset adds a to the library, sets its ID, version and times, and adds it to the
// index queue.
func (tx *Tx) InsertAsset(a *dam.Asset) (err error) {
	a.CreatedAt, a.UpdatedAt, a.Version = tx.now, tx.now, 1
	a.FileVersion = max(a.FileVersion, 1)
	if a.ID, err = one[int64](tx, "Asset", insertAsset, valuesOf(insertColumns, a)...); err != nil {
		return err
	}
	return tx.writeDetails(a)
}

// UpdateAsset writes the fields of a that people and enrichment may change, increments
// its version and adds it to the index queue. It returns Stale if the stored asset has
// another version than a.
func (tx *Tx) UpdateAsset(a *dam.Asset) error {
	n, err := tx.exec("Asset", updateAsset, valuesOf(changeColumns, a, msec(tx.now), a.ID, a.Version)...)
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

// SetFile writes the facts about the file of an asset that UpdateAsset does not write.
// Call it before UpdateAsset.
func (tx *Tx) SetFile(a *dam.Asset) error {
	return tx.must("Asset", setFile, valuesOf(ofFileColumns, a, a.ID)...)
}

// putWords adds the words of a kind to an asset that has none of that kind.
func (tx *Tx) putWords(asset int64, kind string, words []string) error {
	for i, w := range words {
		if _, err := tx.exec("Asset", `INSERT INTO asset_words (asset_id, kind, position, word) VALUES (?,?,?,?)`,
			asset, kind, i, w); err != nil {
			return err
		}
	}
	return nil
}

// writeDetails writes the long fields of a, its words and its metadata.
func (tx *Tx) writeDetails(a *dam.Asset) error {
	if _, err := tx.exec("Asset", putDetails, valuesOf(detailColumns, a, a.ID)...); err != nil {
		return err
	}
	if _, err := tx.exec("Asset", `DELETE FROM asset_words WHERE asset_id = ?`, a.ID); err != nil {
		return err
	}
	for _, l := range wordLists {
		if err := tx.putWords(a.ID, l.kind, *l.of(a)); err != nil {
			return err
		}
	}
	if _, err := tx.exec("Asset", `DELETE FROM asset_metadata WHERE asset_id = ?`, a.ID); err != nil {
		return err
	}
	for key, v := range a.Metadata {
		if _, err := tx.exec("Asset", `INSERT INTO asset_metadata (asset_id, key, value) VALUES (?,?,?)`, a.ID, key, jsonCol{v}); err != nil {
			return err
		}
	}
	return tx.Changed(a.ID)
}

// DeleteAsset permanently deletes an asset.
func (tx *Tx) DeleteAsset(id int64) error {
	if err := tx.must("Asset", `DELETE FROM assets WHERE id = ?`, id); err != nil {
		return err
	}
	return tx.Changed(id)
}

// Asset returns the asset with the given GAID, in the trash or not, with all its fields.
// The collections it lists depend on the caller's access: see CollectionsOf.
func (tx *Tx) Asset(gaid dam.GAID) (*dam.Asset, error) {
	a, err := scanAsset(tx.tx.QueryRowContext(tx.ctx, selectAsset+` WHERE gaid = ?`, gaid))
	if err != nil {
		return nil, err
	}
	return a, tx.fillLists([]*dam.Asset{a})
}

// AssetsByID returns the assets with the given row numbers in that order, with all their
// fields, skipping those that no longer exist.
func (tx *Tx) AssetsByID(want []int64) ([]*dam.Asset, error) {
	return tx.assetsByID(want, scanAsset, selectAsset)
}

// ShortAssetsByID is AssetsByID without the recognized text and the technical metadata,
// which are slow to read and not shown in lists.
func (tx *Tx) ShortAssetsByID(want []int64) ([]*dam.Asset, error) {
	return tx.assetsByID(want, scanShort, selectShort)
}

// FillText reads the recognized text of assets.
func (tx *Tx) FillText(assets []*dam.Asset) error {
	if len(assets) == 0 {
		return nil
	}
	byID, in := indexed(assets)
	return each(tx, func(r row) error {
		var id int64
		var text string
		err := r.Scan(&id, &text)
		byID[id].OCRText = text
		return err
	}, `SELECT asset_id, ocr_text FROM asset_details WHERE ocr_text <> '' AND asset_id IN (SELECT value FROM json_each(?))`, in)
}

func (tx *Tx) assetsByID(want []int64, scan func(row) (*dam.Asset, error), query string) ([]*dam.Asset, error) {
	assets, err := list(tx, scan, query+` WHERE id IN (SELECT value FROM json_each(?))`, ids(want))
	if err != nil {
		return nil, err
	}
	pos := make(map[int64]int, len(want))
	for i, id := range want {
		pos[id] = i
	}
	slices.SortFunc(assets, func(a, b *dam.Asset) int { return pos[a.ID] - pos[b.ID] })
	return assets, tx.fillLists(assets)
}

// AssetTitles returns the titles of assets as suggestions, in the order of want.
func (tx *Tx) AssetTitles(want []int64) ([]dam.Suggestion, error) {
	return list(tx, func(r row) (dam.Suggestion, error) {
		s := dam.Suggestion{Type: dam.SuggestTitle}
		err := r.Scan(&s.Text, &s.GAID)
		return s, err
	}, `SELECT a.title, a.gaid FROM json_each(?) w JOIN assets a ON a.id = w.value ORDER BY w.key`, ids(want))
}

// DuplicateOf returns the oldest asset outside the trash whose file, or a part other than
// a sidecar, has this checksum. It returns NotFound if none has.
func (tx *Tx) DuplicateOf(sha256 string) (dam.GAID, error) {
	return one[dam.GAID](tx, "Asset", `SELECT gaid FROM assets WHERE deleted_at IS NULL AND id IN (
			SELECT id FROM assets WHERE sha256 = ?1
			UNION ALL SELECT asset_id FROM asset_parts WHERE sha256 = ?1 AND role <> 'sidecar')
		ORDER BY id LIMIT 1`, sha256)
}

// fillLists reads the words and the metadata of assets.
func (tx *Tx) fillLists(assets []*dam.Asset) error {
	if len(assets) == 0 {
		return nil
	}
	byID, in := indexed(assets)
	if err := tx.fillWords(byID, in); err != nil {
		return err
	}
	return tx.fillMetadata(byID, in)
}

// indexed returns assets by row number, and their row numbers as JSON for json_each.
func indexed(assets []*dam.Asset) (byID map[int64]*dam.Asset, in string) {
	byID = make(map[int64]*dam.Asset, len(assets))
	want := make([]int64, len(assets))
	for i, a := range assets {
		byID[a.ID], want[i] = a, a.ID
	}
	return byID, ids(want)
}

func (tx *Tx) fillWords(byID map[int64]*dam.Asset, in string) error {
	return each(tx, func(r row) error {
		var id int64
		var kind, word string
		if err := r.Scan(&id, &kind, &word); err != nil {
			return err
		}
		for _, l := range wordLists {
			if l.kind == kind {
				words := l.of(byID[id])
				*words = append(*words, word)
			}
		}
		return nil
	}, `SELECT asset_id, kind, word FROM asset_words WHERE asset_id IN (SELECT value FROM json_each(?))
		ORDER BY asset_id, kind, position`, in)
}

func (tx *Tx) fillMetadata(byID map[int64]*dam.Asset, in string) error {
	return each(tx, func(r row) error {
		var id int64
		var key string
		var v any
		if err := r.Scan(&id, &key, jsonCol{&v}); err != nil {
			return err
		}
		a := byID[id]
		if a.Metadata == nil {
			a.Metadata = map[string]any{}
		}
		a.Metadata[key] = v
		return nil
	}, `SELECT asset_id, key, value FROM asset_metadata WHERE asset_id IN (SELECT value FROM json_each(?))`, in)
}

// PHashes returns the perceptual hashes of all images outside the trash, by asset.
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

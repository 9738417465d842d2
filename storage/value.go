package storage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// AssetValues calls yield for the values of one field, for the given assets in the order
// of their IDs, or for all assets if the list is nil. The fields are keywords and ai_tags
// (a string for each), collections (an int64 for each), description, usage_terms,
// ai_caption and ocr_text (a non-empty string), colors ([]dam.Color), metadata.{key} (the
// decoded JSON: string, float64, bool or []any), owner, created_by and updated_by (an
// int64), file_version (a float64), deleted_at (an RFC 3339 string), and those of
// dam.CameraPaths.
func (tx *Tx) AssetValues(field string, assets []int64, yield func(asset int64, v any)) error {
	var query string
	args := []any{}
	scan := func(r row) (asset int64, v any, err error) {
		var s string
		err = r.Scan(&asset, &s)
		return asset, s, err
	}
	key, isMetadata := strings.CutPrefix(field, "metadata.")
	switch {
	case isMetadata:
		query, args = `SELECT asset_id, value FROM asset_metadata WHERE key = ?`, append(args, key)
		scan = func(r row) (asset int64, v any, err error) {
			err = r.Scan(&asset, jsonCol{&v})
			return asset, v, err
		}
	case wordKind(field) != "":
		query, args = `SELECT asset_id, word FROM asset_words WHERE kind = ?`, append(args, wordKind(field))
	case field == "collections":
		query = `SELECT asset_id, collection_id FROM collection_assets WHERE true`
		scan = func(r row) (asset int64, v any, err error) {
			var id int64
			err = r.Scan(&asset, &id)
			return asset, id, err
		}
	case field == "colors":
		query = `SELECT asset_id, colors FROM asset_details WHERE colors <> '[]'`
		scan = func(r row) (asset int64, v any, err error) {
			var colors []dam.Color
			err = r.Scan(&asset, jsonCol{&colors})
			return asset, colors, err
		}
	case assetScalars[field].sql != "":
		query = `SELECT asset_id, v FROM (SELECT id AS asset_id, ` + assetScalars[field].sql + ` AS v FROM assets) WHERE v IS NOT NULL`
		scan = func(r row) (asset int64, v any, err error) {
			var n int64
			err = r.Scan(&asset, &n)
			return asset, assetScalars[field].value(n), err
		}
	case dam.CameraPaths(field) != nil:
		found := `json_extract(technical, '` + strings.Join(dam.CameraPaths(field), `'), json_extract(technical, '`) + `')`
		query = `SELECT asset_id, json_array(` + found + `) FROM asset_details WHERE coalesce(` + found + `, NULL) IS NOT NULL`
		scan = func(r row) (asset int64, v any, err error) {
			var found []any
			if err = r.Scan(&asset, jsonCol{&found}); err == nil {
				v = dam.CameraValue(field, found)
			}
			return asset, v, err
		}
	case slices.ContainsFunc(detailColumns, func(c assetColumn) bool { return c.name == field }):
		query = `SELECT asset_id, ` + field + ` FROM asset_details WHERE ` + field + ` <> ''`
	default:
		return fmt.Errorf("there is no column of values for the field %q", field)
	}
	if assets != nil {
		query += ` AND asset_id IN (SELECT value FROM json_each(?))`
		args = append(args, ids(assets))
	}
	return each(tx, func(r row) error {
		id, v, err := scan(r)
		if err == nil && v != nil {
			yield(id, v)
		}
		return err
	}, query+` ORDER BY asset_id`, args...)
}

// assetScalars are the fields of AssetValues that are one integer of an asset.
var assetScalars = map[string]struct {
	sql   string
	value func(int64) any
}{
	"owner":        {"owner_id", func(n int64) any { return n }},
	"created_by":   {"created_by", func(n int64) any { return n }},
	"updated_by":   {"updated_by", func(n int64) any { return n }},
	"file_version": {"file_version", func(n int64) any { return float64(n) }},
	"deleted_at":   {"deleted_at", func(n int64) any { return time.UnixMilli(n).UTC().Format(time.RFC3339Nano) }},
}

// wordKind returns the kind of a field in the table asset_words, "" if it has none.
func wordKind(field string) string {
	for _, l := range wordLists {
		if l.field == field {
			return l.kind
		}
	}
	return ""
}

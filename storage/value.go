package storage

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// AssetValues calls yield for what assets have in one field; those of a nil
// list all, in the order of their IDs. The fields are keywords and ai_tags (a
// string for each), collections (an int64 for each), ai_caption and ocr_text
// (a string that is not ""), colors ([]dam.Color) and metadata.{key} (as JSON
// has it: string, float64, bool or []any).
func (tx *Tx) AssetValues(field string, assets []int64, yield func(asset int64, v any)) error {
	var query string
	args := []any{}
	text := func(r row) (int64, any, error) {
		var id int64
		var s string
		err := r.Scan(&id, &s)
		return id, s, err
	}
	scan := text
	key, isMetadata := strings.CutPrefix(field, "metadata.")
	switch {
	case isMetadata:
		query, args = `SELECT asset_id, value FROM asset_metadata WHERE key = ?`, append(args, key)
		scan = func(r row) (int64, any, error) {
			id, s, err := text(r)
			if err != nil {
				return 0, nil, err
			}
			var v any
			err = json.Unmarshal([]byte(s.(string)), &v)
			return id, v, err
		}
	case field == "keywords":
		query = `SELECT asset_id, word FROM asset_words WHERE kind = 'keyword'`
	case field == "ai_tags":
		query = `SELECT asset_id, word FROM asset_words WHERE kind = 'ai_tag'`
	case field == "ai_caption":
		query = `SELECT asset_id, ai_caption FROM asset_details WHERE ai_caption <> ''`
	case field == "ocr_text":
		query = `SELECT asset_id, ocr_text FROM asset_details WHERE ocr_text <> ''`
	case field == "collections":
		query = `SELECT asset_id, collection_id FROM collection_assets WHERE true`
		scan = func(r row) (asset int64, v any, err error) {
			var id int64
			err = r.Scan(&asset, &id)
			return asset, id, err
		}
	case field == "colors":
		query = `SELECT asset_id, colors FROM asset_details WHERE colors <> '[]'`
		scan = func(r row) (int64, any, error) {
			id, s, err := text(r)
			if err != nil {
				return 0, nil, err
			}
			var colors []dam.Color
			err = json.Unmarshal([]byte(s.(string)), &colors)
			return id, colors, err
		}
	default:
		return fmt.Errorf("there is no field %q of several values", field)
	}
	if assets != nil {
		query += ` AND asset_id IN (SELECT value FROM json_each(?))`
		args = append(args, ids(assets))
	}
	return each(tx, func(r row) error {
		id, v, err := scan(r)
		if err == nil {
			yield(id, v)
		}
		return err
	}, query+` ORDER BY asset_id`, args...)
}

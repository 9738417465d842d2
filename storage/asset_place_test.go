package storage_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// After the migration of an older library, images have the location that their files
// contain, and all other new fields are empty.
func TestPlacesInOlderLibrary(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dal.db")
	unpack(t, "../testdata/libraries/schema-8.db.gz", path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for id, technical := range map[int]string{
		1: `{"gps":{"latitude":53.5,"longitude":-10},"file":{"frames":2}}`,
		2: `{"gps":{"latitude":"53 N","longitude":9}}`, 3: `{"gps":{"latitude":1}}`,
	} {
		if _, err := db.Exec(`UPDATE asset_details SET technical = ?, ai_caption = 'A boat' WHERE asset_id = ?`, technical, id); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	err = open(t, path).View(t.Context(), func(tx *storage.Tx) error {
		list, err := tx.AssetsByID([]int64{1, 2, 3, 4})
		if err != nil || len(list) != 4 {
			t.Fatal(len(list), err)
		}
		if l := list[0].Location; l == nil || *l.Latitude != 53.5 || *l.Longitude != -10 || l.Place != "" || list[0].Technical["file"] == nil {
			t.Errorf("%+v", list[0])
		}
		if list[1].Location != nil || list[2].Location != nil || list[3].Location != nil {
			t.Errorf("%+v %+v %+v", list[1].Location, list[2].Location, list[3].Location)
		}
		a := list[0]
		if a.AICaption != "A boat" || a.Description != "" || a.Rating != nil || a.FocalPoint != nil || a.UsageFrom != nil || a.UsageTerms != "" {
			t.Errorf("%+v", a)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Locations and focal points, complete or partial, are read exactly as written.
func TestObjectsOfAnAssetAreKept(t *testing.T) {
	t.Parallel()
	s, _ := oldLibrary(t)
	number := func(v float64) *float64 { return &v }
	for _, l := range []*dam.Location{
		{Latitude: number(0), Longitude: number(-180)}, {Place: "Rome"}, {Latitude: number(1.5), Longitude: number(2), Place: "x"}, nil,
	} {
		err := s.Update(t.Context(), func(tx *storage.Tx) error {
			list, err := tx.AssetsByID([]int64{1})
			if err != nil {
				return err
			}
			a := list[0]
			if a.Location, a.FocalPoint = l, nil; l != nil {
				a.FocalPoint = &dam.FocalPoint{X: 0, Y: 1}
			}
			if err := tx.UpdateAsset(a); err != nil {
				return err
			}
			again, err := tx.AssetsByID([]int64{1})
			if err != nil {
				return err
			}
			if diff := dam.DiffAssets(a, again[0]); len(diff) > 0 {
				t.Errorf("%+v", diff)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

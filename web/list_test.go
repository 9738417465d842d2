package web_test

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// A list returns the same data of an asset as the asset's endpoint, whether or not it was
// listed before its last change.
func TestListsShowAssetsAsTheyAre(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	class := s.do(t, "POST", "/api/v1/asset-classes", `{"name":"Photo"}`).want(t, 201).get("data.id")
	gaid := s.one(t, "harbour.jpg", picture(3, 64, 48))
	other := s.one(t, "other.jpg", picture(4, 64, 48))
	path := assets + "/" + gaid
	same := func(what, trashed string) {
		t.Helper()
		shown, _ := s.do(t, "GET", path+"?trashed=with", "").want(t, 200).get("data").(map[string]any)
		for range 2 {
			list := s.list(t, "trashed", trashed)
			item, _ := list.get("data.0").(map[string]any)
			if item["gaid"] != gaid {
				item, _ = list.get("data.1").(map[string]any)
			}
			if len(item) < 30 {
				t.Fatalf("%s: %s", what, list)
			}
			for name, v := range item {
				if !reflect.DeepEqual(v, shown[name]) {
					t.Errorf("%s: %s is %v in the list and %v in the asset", what, name, v, shown[name])
				}
			}
		}
	}
	same("as uploaded", "")
	s.do(t, "PUT", path, `{"title":"Dawn","keywords":["a","b"],"rating":3,"description":"Boats","location":{"place":"Cork"},
		"metadata":{"project":"Apollo \"11\"","year":1969,"list":["x","y"],"done":true}}`).want(t, 200)
	same("changed", "")
	s.do(t, "PUT", path, `{"keywords":[],"rating":null,"metadata":{"year":0.5}}`).want(t, 200)
	same("changed again", "")
	op := s.operate(t, `{"type":"bulk_update","selection":{"gaids":["`+gaid+`"]},"changes":{"workflow_status":"approved"}}`)
	s.ended(t, op)
	same("changed in bulk", "")
	s.do(t, "PUT", path, fmt.Sprintf(`{"asset_class_id":%v}`, class)).want(t, 200)
	same("with a class", "")
	s.do(t, "DELETE", fmt.Sprintf("/api/v1/asset-classes/%v?force=true", class), "").want(t, 200)
	same("without its class", "")
	s.do(t, "DELETE", path, "").want(t, 200)
	same("in the trash", "only")
	s.do(t, "POST", path+"/restore", "").want(t, 200)
	same("restored", "")
	must(t, s.store(t).Update(t.Context(), func(tx *storage.Tx) error { // by another process
		a, err := tx.Asset(dam.GAID(gaid))
		if err != nil {
			return err
		}
		a.AICaption, a.OCRText = "a harbour", "Berth seventeen"
		return tx.UpdateAsset(a)
	}))
	same("changed by another process", "")
	// Search highlights also show fields that lists omit.
	if found := s.search(t, "q", "seventeen"); found.get("data.0.highlights.0.html") != "Berth <mark>seventeen</mark>" {
		t.Errorf("%s", found)
	}
	must(t, os.Remove(s.blobOf(t, gaid)))
	s.do(t, "GET", path+"/download", "")
	same("damaged", "")
	s.do(t, "DELETE", assets+"/"+other+"?force=true", "").want(t, 200)
	s.total(t, s.token, assets, 1)
}

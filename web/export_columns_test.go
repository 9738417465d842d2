package web_test

import (
	"encoding/csv"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/web"
)

// notExported are the members of an asset that exports omit, and why.
var notExported = map[string]string{
	"colors":            "derived from the picture",
	"thumbhash":         "derived from the picture",
	"technical":         "in the file itself",
	"urls":              "of this server only",
	"processing_status": "of this server only",
	"ai_tag_details":    "says who chose ai_tags",
	"root_id":           "of this server only",
	"folder":            "of this server only",
	"availability":      "of this server only",
	"deleted_at":        "assets in the trash are not exported",
	"file_version":      "of this server only",
	"parts":             "an export has the file that is shown",
	"metadata":          "has a column for each key",
	"owner":             "is owner_id",
	"created_by":        "people are not exported",
	"updated_by":        "people are not exported",
}

// Every member of an asset is a column of the table and a member of the manifest, or is
// listed above with the reason why not.
func TestExportHasEveryMember(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 64, 48))
	s.do(t, "PUT", "/api/v1/assets/"+gaid, `{"creator":"Ada","copyright":"Ada","keywords":["sea"],"capture_date":"2026-01-31T00:00:00Z",
		"asset_class_id":1,"owner_id":1,"ai_caption":"A harbour","ai_tags":["boat"],"metadata":{"note":"x"}}`).want(t, 200)
	fetch := func(format string) answer {
		path := s.operate(t, `{"type":"export","format":"`+format+`","selection":{"gaids":["`+gaid+`"]}}`)
		s.ended(t, path)
		return s.do(t, "GET", path+"/download", "").want(t, 200)
	}
	rows, err := csv.NewReader(strings.NewReader(string(fetch("csv").body))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Assets []map[string]json.RawMessage }
	if err := json.Unmarshal(fetch("json").body, &manifest); err != nil {
		t.Fatal(err)
	}
	for _, name := range jsonNames(reflect.TypeFor[web.Asset]()) {
		column := slices.IndexFunc(rows[0], func(c string) bool { return c == name || strings.HasPrefix(c, name+".") && name != "metadata" })
		if _, left := notExported[name]; left == (column >= 0) {
			t.Errorf("%s: exported: %t, in notExported: %t", name, column >= 0, left)
		}
		if column < 0 {
			continue
		}
		if _, ok := manifest.Assets[0][name]; ok != (rows[1][column] != "") {
			t.Errorf("%s: a member of the manifest: %t, but its cell is %q", name, ok, rows[1][column])
		}
	}
}

// jsonNames returns the JSON names of a struct's fields.
func jsonNames(of reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(of) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

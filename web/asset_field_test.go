package web_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// Fields that some representations of an asset omit, and why.
var (
	unfiltered = map[string]string{"FocalPoint": "nobody looks for it", "CaptureUTCOffset": "days are at the place anyway"}
	shownAs    = map[string]string{"OwnerID": "owner.id"} // in answers
	filteredAs = map[string]string{"OwnerID": "owner"}    // in rules
)

// sampleField is a sample value for a field.
type sampleField struct {
	field  string // of dam.AssetPatch
	name   string // in the API
	value  any    // as decoded from JSON
	word   string // search term that finds it; "" unless it is a text
	cell   string // value in a CSV table
	filter string // rule that matches it
	diff   string // path in a diff
	column string // column of a CSV table
}

// sampleFields returns a sample for every field of dam.AssetPatch. ids contains the values
// of fields that refer to other records.
func sampleFields(t *testing.T, ids map[string]int64) (list []sampleField) {
	t.Helper()
	body := reflect.TypeFor[web.AssetChanges]()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[dam.AssetPatch]()) {
		if !f.IsExported() {
			continue
		}
		in, ok := body.FieldByName(f.Name)
		if !ok {
			t.Errorf("%s: web.AssetChanges has no such field", f.Name)
			continue
		}
		s := sampleField{field: f.Name}
		s.name, _, _ = strings.Cut(in.Tag.Get("json"), ",")
		word := "quartz" + strings.ToLower(f.Name)
		s.diff, s.filter = s.name, rule("asset."+s.name, "equals", jsonString(word))
		switch reflect.Zero(f.Type).Interface().(type) {
		case dam.Opt[string]:
			s.value, s.word, s.cell = word, word, word
			if f.Name == "CaptureUTCOffset" { // the default offset, so that the instant does not change
				s.value, s.word, s.cell = "+00:00", "", "'+00:00"
			}
		case dam.Opt[[]string]:
			s.value, s.word, s.cell = []any{word, "more"}, word, word+"; more"
			s.filter = rule("asset."+s.name, "contains", jsonString(word))
		case dam.Opt[dam.CaptureTime]:
			s.value, s.cell = "2025-06-07T08:09:10.000Z", "2025-06-07T08:09:10.000Z"
			s.filter = rule("asset."+s.name, "equals", `"2025-06-07"`)
		case dam.Opt[time.Time]:
			s.value, s.cell = "2025-06-07T08:09:10.000Z", "2025-06-07T08:09:10.000Z"
			if f.Name == "UsageUntil" { // must be later than UsageFrom
				s.value, s.cell = "2025-06-07T08:09:10.001Z", "2025-06-07T08:09:10.001Z"
			}
			s.filter = rule("asset."+s.name, "equals", `"2025-06-07"`)
		case dam.Opt[dam.LocationPatch]:
			s.value, s.word, s.cell = map[string]any{"latitude": 53.5, "longitude": 9.25, "place": word}, word, "53.5"
			s.filter, s.column = rule("asset.location.latitude", "between", "[53,54]"), "location.latitude"
		case dam.Opt[dam.FocalPoint]:
			s.value, s.cell, s.column = map[string]any{"x": 0.25, "y": 1.0}, "0.25", "focal_point.x"
		case dam.Opt[dam.WorkflowStatus]:
			s.value, s.cell = "approved", "approved"
			s.filter = rule("asset."+s.name, "equals", `"approved"`)
		case dam.Opt[int64]:
			s.value, s.cell = float64(ids[f.Name]), fmt.Sprint(ids[f.Name]) // also used for the rating
			s.filter = rule("asset."+cmp.Or(filteredAs[f.Name], s.name), "equals", s.cell)
			if ids[f.Name] == 0 {
				t.Errorf("%s: no sample: add one to the test", f.Name)
			}
		case dam.Opt[map[string]any]:
			s.value, s.word, s.cell = map[string]any{"project": word}, word, word
			s.diff, s.filter = "metadata.project", rule("metadata.project", "equals", jsonString(word))
		default:
			t.Errorf("%s: no sample of %s: add one to the test", f.Name, f.Type)
			continue
		}
		if s.column == "" {
			s.column = s.diff
		}
		list = append(list, s)
	}
	return list
}

// holds fails the test unless the answer contains the sample where it shows the asset.
func (s *sampleField) holds(t *testing.T, what string, get func(path string) any, at string) {
	t.Helper()
	path := s.name
	if as := shownAs[s.field]; as != "" {
		path = as
	}
	if got := get(at + path); !reflect.DeepEqual(got, s.value) {
		t.Errorf("%s: %s has %v, want %v", s.field, what, got, s.value)
	}
}

// Every field of dam.AssetPatch can be set on its own and appears in every representation
// of an asset. A representation that omits a new field fails here.
func TestEveryFieldOfAnAsset(t *testing.T) {
	t.Parallel()
	s := start(t, sends(t, noMeaning)) // without semantic search: q must match words
	r := newReceiver(t)
	gaid := s.one(t, "a.jpg", picture(1, 64, 48))
	s.hook(t, r.URL, "asset.updated")
	path := "/api/v1/assets/" + gaid
	class := s.do(t, "POST", "/api/v1/asset-classes", `{"name":"Press"}`).want(t, 201).get("data.id").(float64)
	editor := s.userID(t, "bob@example.com", dam.RoleEditor)
	narrow := s.tokenFor(t, editor, dam.AssetsRead, dam.MetadataWrite)
	samples := sampleFields(t, map[string]int64{"AssetClassID": int64(class), "OwnerID": editor, "Rating": 4})
	for i, f := range samples {
		body, err := json.Marshal(map[string]any{f.name: f.value})
		must(t, err)
		if f.field != "Metadata" {
			s.as(t, narrow, "PUT", path, string(body)).lacks(t, f.field, dam.AssetsWrite)
		}
		operation := fmt.Sprintf(`{"type":"bulk_update","selection":{"gaids":[%q]},"changes":%s}`, gaid, body)
		preview := s.do(t, "POST", operations+"?dry_run=true", operation, "Idempotency-Key", newKey())
		changes, _ := preview.get("data.items.0.changes").(map[string]any)
		delete(changes, "capture_local_time") // changes along with capture_date
		if change, _ := changes[f.diff].(map[string]any); len(changes) != 1 || !reflect.DeepEqual(change["to"], diffOf(f)) {
			t.Errorf("%s: the preview of an operation has %v", f.field, changes)
		}
		a := s.do(t, "PUT", path, string(body)).want(t, 200)
		f.holds(t, "the answer of PUT", a.get, "data.")
		f.holds(t, "GET", s.do(t, "GET", path, "").get, "data.")
		if got := a.get("data.version"); got != float64(i+2) {
			t.Errorf("%s: the version is %v, want %d", f.field, got, i+2)
		}
		if unfiltered[f.field] == "" {
			if n := s.do(t, "GET", "/api/v1/assets?filters="+url.QueryEscape(f.filter), "").get("meta.total"); n != 1.0 {
				t.Errorf("%s: %v assets fit %s", f.field, n, f.filter)
			}
		}
		if f.word != "" {
			if n := s.search(t, "q", f.word).get("meta.total"); n != 1.0 {
				t.Errorf("%s: q finds %v assets by %s", f.field, n, f.word)
			}
		}
	}
	for i, m := range r.wait(t, len(samples)) {
		shown, err := json.Marshal(m.event.Data)
		must(t, err)
		samples[i].holds(t, "the event", answer{body: shown}.get, "")
	}
	s.exported(t, gaid, samples)
}

// diffOf returns the value that a diff shows for a sample.
func diffOf(f sampleField) any {
	if m, ok := f.value.(map[string]any); ok && f.field == "Metadata" {
		return m["project"]
	}
	return f.value
}

// exported checks that exports contain all samples.
func (s *server) exported(t *testing.T, gaid string, samples []sampleField) {
	t.Helper()
	fetch := func(format string) answer {
		op := s.operate(t, fmt.Sprintf(`{"type":"export","format":%q,"selection":{"gaids":[%q]}}`, format, gaid))
		s.ended(t, op)
		return s.do(t, "GET", op+"/download", "").want(t, 200)
	}
	row := table(t, fetch("csv").body)[0]
	manifest := fetch("json")
	for _, f := range samples {
		if got := row[f.column]; got != f.cell {
			t.Errorf("%s: a CSV has %q, want %q", f.field, got, f.cell)
		}
		if got := manifest.get("assets.0." + f.name); !reflect.DeepEqual(got, f.value) {
			t.Errorf("%s: a manifest has %v, want %v", f.field, got, f.value)
		}
	}
}

// The OpenAPI document lists every field of dam.AssetPatch in requests, answers and rules.
func TestEveryFieldOfAnAssetIsInTheDocument(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	doc := s.do(t, "GET", "/docs/api.json", "").want(t, 200)
	fields, _ := doc.get("components.schemas.FilterField.enum").([]any)
	for _, f := range sampleFields(t, map[string]int64{"AssetClassID": 1, "OwnerID": 1, "Rating": 4}) {
		for _, schema := range []string{"AssetChanges", "BulkChanges", "Asset", "AssetItem"} {
			name := f.name
			if as := shownAs[f.field]; as != "" && strings.HasPrefix(schema, "Asset") && schema != "AssetChanges" {
				if name, _, _ = strings.Cut(as, "."); schema == "AssetItem" {
					continue
				}
			}
			if doc.get("components.schemas."+schema+".properties."+name) == nil {
				t.Errorf("%s: %s has no %s", f.field, schema, name)
			}
		}
		if unfiltered[f.field] == "" && f.field != "Metadata" &&
			!strings.Contains(fmt.Sprint(fields), "asset."+cmp.Or(filteredAs[f.field], f.name)) {
			t.Errorf("%s: FilterField has no field for %s", f.field, f.name)
		}
	}
}

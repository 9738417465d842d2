package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func group(operator string, rules ...string) string {
	return fmt.Sprintf(`{"type":"group","operator":%q,"rules":[%s]}`, operator, strings.Join(rules, ","))
}

// titles returns the titles on a page of assets, separated by spaces.
func titles(t testing.TB, a answer) string {
	t.Helper()
	var page struct {
		Data []struct{ Title string }
		Meta struct{ Total int }
	}
	if err := json.Unmarshal(a.want(t, 200).body, &page); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, d := range page.Data {
		list = append(list, d.Title)
	}
	return strings.Join(list, " ")
}

// shelf starts a server with four assets, A to D, that differ in all editable fields, and E
// in the trash.
func shelf(t *testing.T) *server {
	t.Helper()
	s := start(t, noMeaning) // semantic matches are not predictable
	var files []upload
	for i, name := range []string{"a_harbour.jpg", "b_harbour.jpg", "c_dawn.jpg", "d.jpg", "e_harbour.jpg"} {
		files = append(files, upload{name, picture(i+1, 40+10*i, 60)})
	}
	gaids := map[string]string{}
	for _, f := range append(s.ingest(t, files[:3]...), s.ingest(t, files[3:]...)...) {
		name, _ := f["filename"].(string)
		if gaids[name], _ = f["gaid"].(string); gaids[name] == "" {
			t.Fatalf("%v", f)
		}
	}
	for name, body := range map[string]string{
		"a_harbour.jpg": `{
			"title": "A", "creator": "Zoë Müller", "keywords": ["Sea","boat"], "ai_tags": ["water"],
			"ai_caption": "A boat, très loin", "capture_date": "2026-01-31T23:59:59.999Z",
			"workflow_status": "approved", "asset_class_id": 1,
			"metadata": {"project":"Apollo 11","year":1969,"done":true,"crew":["Neil","Buzz"]}
		}`,
		"b_harbour.jpg": `{
			"title": "B", "creator": "zoe muller", "keywords": ["sea"],
			"capture_date": "2026-02-01T00:00:00Z", "asset_class_id": null,
			"metadata": {"project":"apollo 12","year":"1969","done":false,"crew":["Neil"]}
		}`,
		"c_dawn.jpg": `{
			"title": "C", "keywords": ["boat","SEA"], "workflow_status": "approved",
			"metadata": {"project":" ","year":1972.5,"crew":[]}
		}`,
		"d.jpg":         `{"title":"D"}`,
		"e_harbour.jpg": `{"title":"E","creator":"Zoe Muller","keywords":["sea"]}`,
	} {
		s.do(t, "PUT", "/api/v1/assets/"+gaids[name], body).want(t, 200)
	}
	s.do(t, "DELETE", "/api/v1/assets/"+gaids["e_harbour.jpg"], "").want(t, 200)
	return s
}

// Filters on every field match the right assets.
func TestFilters(t *testing.T) {
	t.Parallel()
	s := shelf(t)
	tests := []struct{ filters, want string }{
		{rule("asset.title", "in", `["a","C","E"]`), "A C"},
		{rule("asset.original_filename", "contains", `"HARBOUR"`), "A B"},
		{rule("asset.original_filename", "ends_with", `"dawn.jpg"`), "C"},
		{rule("asset.creator", "equals", `"ZOE MÜLLER"`), "A B"},
		{rule("asset.creator", "not_equals", `"zoe muller"`), "C D"},
		{rule("asset.creator", "is_empty", ""), "C D"},
		{rule("asset.copyright", "is_not_empty", ""), ""},
		{rule("asset.ai_caption", "contains", `"TRES"`), "A"},
		{rule("asset.ai_caption", "not_contains", `"TRES"`), "B C D"},
		{rule("asset.ocr_text", "is_empty", ""), "A B C D"},
		{rule("asset.keywords", "contains", `"sea"`), "A B C"},
		{rule("asset.keywords", "equals", `["sea","boat"]`), "A C"},
		{rule("asset.keywords", "not_in", `["boat"]`), "B D"},
		{rule("asset.keywords", "is_empty", ""), "D"},
		{rule("asset.ai_tags", "starts_with", `"wat"`), "A"},
		{rule("asset.collections", "in", "[1,2]"), ""},
		{rule("asset.collections", "not_in", "[1,2]"), "A B C D"},
		{rule("asset.mime_type", "starts_with", `"image/"`), "A B C D"},
		{rule("asset.extension", "equals", `"JPG"`), "A B C D"},
		{rule("asset.file_category", "not_equals", `"image"`), ""},
		{rule("asset.workflow_status", "equals", `"approved"`), "A C"},
		{rule("asset.processing_status", "in", `["ready","failed"]`), "A B C D"},
		{rule("asset.width", "between", "[50,60]"), "B C"},
		{rule("asset.height", "equals", "60"), "A B C D"},
		{rule("asset.duration", "is_empty", ""), "A B C D"},
		{rule("asset.page_count", "greater_than_or_equal", "0"), ""},
		{rule("asset.file_size", "greater_than", "0"), "A B C D"},
		{rule("asset.asset_class_id", "less_than_or_equal", "1"), "A"},
		{rule("asset.asset_class_id", "is_empty", ""), "B C D"},
		{rule("asset.ingestion_batch_id", "equals", "1"), "A B C"},
		{rule("asset.capture_date", "equals", `"2026-01-31"`), "A"},
		{rule("asset.capture_date", "greater_than", `"2026-01-31"`), "B"},
		{rule("asset.capture_date", "less_than_or_equal", `"2026-01-31T23:59:59.998Z"`), ""},
		{rule("asset.capture_date", "is_empty", ""), "C D"},
		{rule("asset.created_at", "greater_than", `"2020-01-01"`), "A B C D"},
		{rule("asset.updated_at", "less_than", `"2020-01-01"`), ""},
		{rule("asset.colors", "is_not_empty", ""), "A B C D"},
		{rule("asset.colors", "color_near", `{"color":"#808080","distance":100}`), "A B C D"},
		{rule("metadata.project", "contains", `"APOLLO"`), "A B"},
		{rule("metadata.project", "is_empty", ""), "C D"},
		{rule("metadata.year", "equals", "1969"), "A"},
		{rule("metadata.year", "equals", `"1969"`), "A B"},
		{rule("metadata.year", "greater_than", "1969"), "C"},
		{rule("metadata.done", "equals", "false"), "B"},
		{rule("metadata.done", "not_equals", "false"), "A C D"},
		{rule("metadata.crew", "contains", `"neil"`), "A B"},
		{rule("metadata.crew", "contains", `"nei"`), ""},
		{rule("metadata.crew", "equals", `["buzz","neil"]`), "A"},
		{rule("metadata.crew", "is_empty", ""), "C D"},
		{rule("metadata.nothing", "is_not_empty", ""), ""},
		{rule("asset.original_filename", "exact_search", `"harbour"`), "A B"},
		{rule("asset", "hybrid_search", `"boats"`), "A C"},
		{group("and",
			rule("asset.keywords", "contains", `"boat"`),
			group("or", rule("asset.width", "less_than", "50"), rule("asset.title", "equals", `"c"`)),
		), "A C"},
		{group("or"), ""}, {group("and"), "A B C D"},
		{"", "A B C D"},
	}
	for _, tt := range tests {
		a := s.list(t, "filters", tt.filters, "sort_by", "title")
		if got := titles(t, a); got != tt.want || a.get("meta.total") != float64(len(strings.Fields(tt.want))) {
			t.Errorf("%s: %q of %v, want %q", tt.filters, got, a.get("meta.total"), tt.want)
		}
	}
}

// A filter can be combined with all other parameters; each narrows the result, and facets
// count the assets of all pages.
func TestFiltersCombined(t *testing.T) {
	t.Parallel()
	s := shelf(t)
	sea, boat := rule("asset.keywords", "contains", `"sea"`), rule("asset.keywords", "contains", `"boat"`)
	tests := []struct {
		parameters []string
		titles     string
		total      float64
	}{
		{[]string{"filters", sea, "sort_by", "title"}, "A B C", 3},
		{[]string{"filters", sea, "sort_by", "title", "sort_direction", "desc"}, "C B A", 3},
		{[]string{"filters", sea, "sort_by", "original_filename", "per_page", "2"}, "A B", 3},
		{[]string{"filters", sea, "sort_by", "original_filename", "per_page", "2", "page", "2"}, "C", 3},
		{[]string{"filters", sea, "sort_by", "original_filename", "per_page", "2", "page", "3"}, "", 3},
		{[]string{"filters", sea, "q", "harbours", "sort_by", "title"}, "A B", 2},
		{[]string{"filters", boat, "q", "harbours"}, "A", 1},
		{[]string{"filters", boat, "q", "harbours -zoe"}, "", 0},
		{[]string{"filters", sea, "q", "harbours", "sort_by", "title", "per_page", "1", "page", "2"}, "B", 2},
		{[]string{"filters", boat, "asset_class_id", "1"}, "A", 1},
		{[]string{"filters", boat, "asset_class_id", "2"}, "", 0},
		{[]string{"filters", sea, "ingestion_batch_id", "1", "mime_type", "JPEG", "sort_by", "title"}, "A B C", 3},
		{[]string{"filters", sea, "ingestion_batch_id", "2"}, "", 0},
		{[]string{"filters", sea, "mime_type", "video"}, "", 0},
		{[]string{"filters", sea, "trashed", "only"}, "E", 1},
		{[]string{"filters", sea, "trashed", "with", "sort_by", "title"}, "A B C E", 4},
		{[]string{"filters", sea, "trashed", "with", "q", "harbour", "ingestion_batch_id", "2"}, "E", 1},
		{[]string{"filters", " ", "sort_by", "title"}, "A B C D", 4},
	}
	for _, tt := range tests {
		a := s.list(t, tt.parameters...)
		if got := titles(t, a); got != tt.titles || a.get("meta.total") != tt.total {
			t.Errorf("%v: %q of %v, want %q of %v", tt.parameters, got, a.get("meta.total"), tt.titles, tt.total)
		}
	}

	// Facets, with one asset per page.
	facets := map[string]string{
		"creator":            "Zoë Müller 2|zoe muller 2",
		"keywords":           "Sea 3, boat 2|sea 3, boat 2|SEA 3, boat 2",
		"workflow_status":    "approved 2, draft 1",
		"file_category":      "Image 3",
		"mime_type":          "image/jpeg 3",
		"asset_class_id":     "1 1",
		"ingestion_batch_id": "1 3",
		"ai_tags":            "water 1",
		"collections":        "",
		"copyright":          "",
		"extension":          "jpg 3",
		"processing_status":  "ready 3",
		"metadata.crew":      "Neil 2, Buzz 1",
		"metadata.done":      "true 1, false 1|false 1, true 1",
		"metadata.nothing":   "",
	}
	var names []string
	for f := range facets {
		names = append(names, f)
	}
	a := s.list(t, "filters", sea, "facets", " "+strings.Join(names, " , ")+",,creator", "per_page", "1", "sort_by", "title").want(t, 200)
	var page struct {
		Meta struct {
			Facets map[string][]struct {
				Value any
				Count int
			}
		}
	}
	if err := json.Unmarshal(a.body, &page); err != nil || len(page.Meta.Facets) != len(facets) {
		t.Fatalf("%v: %s", err, a)
	}
	for f, want := range facets {
		var got []string
		for _, v := range page.Meta.Facets[f] {
			got = append(got, fmt.Sprint(v.Value, " ", v.Count))
		}
		if !slices.Contains(strings.Split(want, "|"), strings.Join(got, ", ")) || page.Meta.Facets[f] == nil {
			t.Errorf("facet %s: %v, want %s", f, got, want)
		}
	}
	if label := a.get("meta.facets.mime_type.0.label"); label != "JPEG" {
		t.Errorf("a format is called %v", label)
	}
	a = s.list(t, "filters", sea, "facets", "keywords", "q", "harbour", "per_page", "1", "page", "9").want(t, 200)
	if got := fmt.Sprint(a.get("meta.facets.keywords.0.count"), a.get("meta.facets.keywords.1.count"), a.get("data")); got != "2 1 []" {
		t.Errorf("facets of a search, beyond its end: %s", a)
	}
	if a = s.list(t, "filters", sea).want(t, 200); strings.Contains(string(a.body), `"facets"`) {
		t.Errorf("facets that nobody asked for: %s", a)
	}
}

// Errors are reported at their position, without a result.
func TestFiltersRefused(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	good := rule("asset.title", "equals", `"a"`)
	many := "keywords"
	for i := range 20 {
		many += fmt.Sprintf(",metadata.x%d", i)
	}
	tests := []struct {
		name, parameter, value string
		errors                 string // sorted keys
	}{
		{"no JSON", "filters", "title=a", "filters"},
		{"cut off", "filters", good[:20], "filters"},
		{"text behind it", "filters", good + "x", "filters"},
		{"a list", "filters", "[" + good + "]", "filters"},
		{"null", "filters", "null", "filters"},
		{"brackets without end", "filters", strings.Repeat("[", 60_000), "filters"},
		{"no UTF-8", "filters", "\xff\xfe", "filters"},
		{"unknown member", "filters", `{"type":"group","operator":"and","rules":[],"limit":1}`, "filters"},
		{"empty", "filters", "{}", "filters.type"},
		{"operator of a group", "filters", group("xor", good), "filters.operator"},
		{"unknown field", "filters", group("and", rule("asset.nope", "equals", "1")), "filters.rules.0.field"},
		{"unknown operator", "filters", group("and", rule("asset.title", "like", `"a"`)), "filters.rules.0.operator"},
		{"wrong pair", "filters", group("and", rule("asset.width", "contains", "1")), "filters.rules.0.operator"},
		{"wrong value", "filters", group("and", good, rule("asset.width", "equals", `"wide"`)), "filters.rules.1.value"},
		{"wrong item", "filters",
			group("and", good, group("or", rule("asset.created_at", "between", `["2026-01-01","soon"]`))),
			"filters.rules.1.rules.0.value.1"},
		{"several", "filters",
			group("and", rule("asset.nope", "equals", "1"), good, rule("asset.title", "in", `"a"`), "7"),
			"filters.rules.0.field filters.rules.2.value filters.rules.3"},
		{"too long", "filters", good + strings.Repeat(" ", 65_537-len(good)), "filters"},
		{"unknown facet", "facets", "file_category,title", "facets"},
		{"facet of a bad key", "facets", "metadata.No", "facets"},
		{"too many facets", "facets", many, "facets"},
		{"facets too long", "facets", strings.Repeat("a", 1001), "facets"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := s.list(t, tt.parameter, tt.value).want(t, 422)
			var body struct {
				Message string
				Errors  map[string][]string
			}
			if err := json.Unmarshal(a.body, &body); err != nil {
				t.Fatal(err)
			}
			var keys []string
			for k, messages := range body.Errors {
				if keys = append(keys, k); len(messages) == 0 || messages[0] == "" {
					t.Errorf("nothing said about %s", k)
				}
			}
			slices.Sort(keys)
			if got := strings.Join(keys, " "); got != tt.errors || body.Message == "" {
				t.Errorf("errors at %q, want %q: %s", got, tt.errors, a)
			}
		})
	}
	s.list(t, "filters", good+strings.Repeat(" ", 65_536-len(good))).want(t, 200)
	if a := s.list(t, "filters", "{}", "facets", "nope", "per_page", "1").want(t, 422); a.get("data") != nil {
		t.Errorf("%s", a)
	}
}

package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// suggested lists a user's suggestions for a text.
func (s *server) suggested(t testing.TB, token, q string, more ...string) string {
	t.Helper()
	a := s.as(t, token, "GET", "/api/v1/suggestions?q="+url.QueryEscape(q)+strings.Join(more, ""), "").want(t, 200)
	var list []string
	items, _ := a.get("data").([]any)
	for _, item := range items {
		v := item.(map[string]any)
		line := fmt.Sprint(v["type"], ":", v["text"])
		if v["count"] != nil {
			line += fmt.Sprint("×", v["count"])
		}
		list = append(list, line)
	}
	return strings.Join(list, ", ")
}

// Suggestions include only visible items and match the beginning of words, ignoring
// case and accents; the best of each kind are returned.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	g := s.pictures(t, 5)
	for i, body := range []string{
		`{"title":"Hafen bei Nacht","keywords":["Harbour","Élan"]}`, `{"title":"At the harbour","keywords":["harbour","hart"]}`,
		`{"title":"harbour 2","keywords":["old harbour"]}`, `{"title":"Harbour 2","keywords":["hart"]}`, `{"title":"Charm","keywords":["harm"]}`,
	} {
		s.do(t, "PUT", assets+"/"+g[i], body).want(t, 200)
	}
	s.do(t, "DELETE", assets+"/"+g[4], "").want(t, 200)
	s.collection(t, `{"name":"Harbours"}`)
	s.collection(t, `{"name":"Harsh secrets","visibility":"restricted"}`)
	s.do(t, "POST", "/api/v1/saved-searches", `{"name":"My harbours","query":{}}`).want(t, 201)
	viewer := s.user(t, "vi@example.com", dam.RoleViewer)
	blind := s.user(t, "no@example.com", dam.RoleViewer, dam.AssetsRead)
	for _, tt := range []struct{ token, q, more, want string }{
		{s.token, "har", "", "saved_search:My harbours, collection:Harbours, collection:Harsh secrets, " +
			"keyword:Harbour×2, keyword:hart×2, keyword:old harbour×1, title:Harbour 2, title:At the harbour"},
		{viewer, " HÄR ", "", "collection:Harbours, keyword:Harbour×2, keyword:hart×2, keyword:old harbour×1, " +
			"title:Harbour 2, title:At the harbour"},
		{blind, "har", "", "keyword:Harbour×2, keyword:hart×2, keyword:old harbour×1, title:Harbour 2, title:At the harbour"},
		{s.token, "har", "&limit=3", "saved_search:My harbours, collection:Harbours, keyword:Harbour×2"},
		{s.token, "har", "&type=keyword", "keyword:Harbour×2, keyword:hart×2, keyword:old harbour×1"},
		{s.token, "the harb", "", "title:At the harbour"},
		{s.token, "elan", "", "keyword:Élan×1"},
		{s.token, "bour", "", ""},
		{s.token, "charm", "", ""}, // in the trash
		{s.token, " ", "", ""},
		{s.token, "", "", ""},
		{s.token, `%_"*`, "", ""},
	} {
		// The spelling of a suggested keyword depends on the order of indexing.
		if got := s.suggested(t, tt.token, tt.q, tt.more); !strings.EqualFold(got, tt.want) {
			t.Errorf("%q%s: %s, want %s", tt.q, tt.more, got, tt.want)
		}
	}
	a := s.do(t, "GET", "/api/v1/suggestions?q=hafen", "").want(t, 200)
	if a.get("data.0.gaid") != g[0] || a.get("data.0.id") != nil {
		t.Errorf("%s", a)
	}
	for _, query := range []string{"limit=0", "limit=51", "type=asset", "q=" + strings.Repeat("x", 501)} {
		s.do(t, "GET", "/api/v1/suggestions?"+query, "").want(t, 422)
	}
	// Changes are visible in the next answer.
	s.do(t, "PUT", assets+"/"+g[0], `{"title":"Quayside"}`).want(t, 200)
	if got := s.suggested(t, s.token, "quay"); got != "title:Quayside" {
		t.Errorf("%s", got)
	}
}

// Near duplicates are listed in groups, by page, without trashed assets.
func TestDuplicateGroups(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var files []upload
	for seed := range uint64(3) {
		files = append(files, upload{fmt.Sprintf("%d a.jpg", seed), scene(seed, 320, 240, 90)},
			upload{fmt.Sprintf("%d b.jpg", seed), scene(seed, 160, 120, 60)})
	}
	files = append(files, upload{"alone.jpg", scene(99, 320, 240, 90)})
	gaids := map[string]string{}
	for _, f := range s.ingest(t, files...) {
		gaids[f["filename"].(string)], _ = f["gaid"].(string)
	}
	seen := map[string]bool{}
	for page := 1; page <= 2; page++ {
		a := s.do(t, "GET", fmt.Sprintf("/api/v1/duplicates?per_page=2&page=%d", page), "").want(t, 200)
		if a.get("meta.total") != 3.0 || a.get("meta.last_page") != 2.0 {
			t.Errorf("%s", a)
		}
		groups, _ := a.get("data").([]any)
		for i := range groups {
			at := fmt.Sprintf("data.%d.", i)
			first, second := fmt.Sprint(a.get(at+"assets.0.original_filename")), fmt.Sprint(a.get(at+"assets.1.original_filename"))
			if first[0] != second[0] || first == second || a.get(at+"assets_count") != 2.0 || a.get(at+"distance").(float64) > 6 {
				t.Errorf("%s", a)
			}
			seen[first[:1]] = true
		}
	}
	if len(seen) != 3 {
		t.Errorf("groups of %v", seen)
	}
	s.total(t, s.token, "/api/v1/duplicates?page=9", 3)
	s.do(t, "POST", assets+"/"+gaids["0 a.jpg"]+"/merge", fmt.Sprintf(`{"gaids":[%q]}`, gaids["0 b.jpg"])).want(t, 200)
	s.total(t, s.token, "/api/v1/duplicates", 2)
	s.do(t, "GET", "/api/v1/duplicates?distance=7", "").want(t, 422)
}

// A selection, by GAIDs or by a query, is counted as far as its caller may see it.
func TestFacetsOfASelection(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	g := s.pictures(t, 4)
	for i, body := range []string{
		`{"keywords":["sea","Boat"],"rating":5}`, `{"keywords":["boat"]}`, `{"keywords":["sea"],"rating":5}`, `{"keywords":["boat"]}`,
	} {
		s.do(t, "PUT", assets+"/"+g[i], body).want(t, 200)
	}
	s.do(t, "DELETE", assets+"/"+g[3], "").want(t, 200)
	boats := rule("asset.keywords", "contains", `"boat"`)
	for _, tt := range []struct {
		selection, facets, want string
	}{
		{fmt.Sprintf(`{"gaids":[%q,%q]}`, g[0], g[1]), `["keywords","rating"]`,
			"2 map[keywords:[map[count:2 value:Boat] map[count:1 value:sea]] rating:[map[count:1 value:5]]]"},
		{fmt.Sprintf(`{"gaids":[%q,%q,%q,"nowhere"]}`, g[2], g[2], g[3]), `["keywords"]`, "1 map[keywords:[map[count:1 value:sea]]]"},
		{`{"gaids":["01KB3J8Q5V7X9Z1B3D5F7H9K1M"]}`, `["keywords"]`, "0 map[keywords:[]]"},
		{`{"filters":` + boats + `}`, `["keywords"]`, "2 map[keywords:[map[count:2 value:Boat] map[count:1 value:sea]]]"},
		{`{"filters":` + boats + `,"trashed":"only"}`, `["keywords"]`, "1 map[keywords:[map[count:1 value:boat]]]"},
		{`{"q":"sea"}`, `["rating"]`, "2 map[rating:[map[count:2 value:5]]]"},
	} {
		a := s.do(t, "POST", assets+"/facets", `{"selection":`+tt.selection+`,"facets":`+tt.facets+`}`).want(t, 200)
		if got := strings.ToLower(fmt.Sprint(a.get("data.total"), " ", a.get("data.facets"))); got != strings.ToLower(tt.want) {
			t.Errorf("%s: %s, want %s", tt.selection, got, tt.want)
		}
	}
	for body, field := range map[string]string{
		`{"selection":{},"facets":["keywords"]}`:                            "selection",
		`{"selection":{"gaids":[]},"facets":["keywords"]}`:                  "selection.gaids",
		`{"selection":{"q":"x","gaids":["x"]},"facets":["keywords"]}`:       "selection",
		`{"selection":{"q":"x"},"facets":["nonsense"]}`:                     "facets",
		`{"selection":{"q":"x"},"facets":[]}`:                               "facets",
		`{"selection":{"filters":{"type":"filter"}},"facets":["keywords"]}`: "selection.filters.field",
	} {
		if a := s.do(t, "POST", assets+"/facets", body).want(t, 422); a.told(field) == "" {
			t.Errorf("%s: %s", body, a)
		}
	}
	blind := s.user(t, "no@example.com", dam.RoleViewer, dam.AssetsRead)
	s.as(t, blind, "POST", assets+"/facets", `{"selection":{"q":"sea"},"facets":["collections"]}`).want(t, 403)
}

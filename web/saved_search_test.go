package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/web"
)

const savedSearches = "/api/v1/saved-searches"

// savedRule is a filter document with one rule.
const savedRule = `{"type":"filter","field":"asset.title","operator":"equals","value":"x"}`

// save saves a search as the admin and returns its path.
func (s *server) save(t testing.TB, name, query string) string {
	t.Helper()
	return s.saveAs(t, s.token, name, query)
}

// savedNames lists the names on a page of saved searches.
func savedNames(a answer) (list []string) {
	items, _ := a.get("data").([]any)
	for _, item := range items {
		list = append(list, fmt.Sprint(item.(map[string]any)["name"]))
	}
	return list
}

func TestSavedSearch(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	full := `{
		"q": "harbour dawn",
		"meaning": false,
		"filters": ` + savedRule + `,
		"sort_by": "title",
		"sort_direction": "asc",
		"asset_class_id": 1,
		"mime_type": "image/",
		"ingestion_batch_id": 3,
		"trashed": "with"
	}`
	a := s.do(t, "POST", savedSearches, `{"name":" Harbours ","query":`+full+`}`).want(t, 201)
	var sent any
	if err := json.Unmarshal([]byte(full), &sent); err != nil {
		t.Fatal(err)
	}
	if a.get("data.name") != "Harbours" || !reflect.DeepEqual(a.get("data.query"), sent) {
		t.Errorf("created: %s", a)
	}
	if a.get("data.created_at") != a.get("data.updated_at") {
		t.Errorf("created: %s", a)
	}
	path := fmt.Sprintf("%s/%v", savedSearches, a.get("data.id"))
	if b := s.do(t, "GET", path, "").want(t, 200); string(b.body) != string(a.body) {
		t.Errorf("shown: %s, created: %s", b, a)
	}
	if b := s.do(t, "GET", savedSearches, "").want(t, 200); !reflect.DeepEqual(b.get("data.0"), a.get("data")) || b.get("meta.total") != 1.0 {
		t.Errorf("listed: %s", b)
	}

	if b := s.do(t, "DELETE", path, "").want(t, 200); b.get("message") != "Saved search deleted." {
		t.Errorf("%s", b)
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		if b := s.do(t, method, path, "").want(t, 404); b.get("message") != "Saved search not found." {
			t.Errorf("%s: %s", method, b)
		}
	}
	if again := s.save(t, "Harbours", `{}`); again == path {
		t.Error("an id was used again")
	}
}

// Absent members are null, however they were omitted.
func TestSavedSearchWithoutQuery(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	empty := map[string]any{
		"q":                  nil,
		"filters":            nil,
		"sort_by":            nil,
		"sort_direction":     nil,
		"asset_class_id":     nil,
		"mime_type":          nil,
		"meaning":            nil,
		"ingestion_batch_id": nil,
		"trashed":            nil,
	}
	nulls, err := json.Marshal(empty)
	if err != nil {
		t.Fatal(err)
	}
	for name, query := range map[string]string{"absent": `{}`, "null": string(nulls), "empty": `{"q":"","mime_type":""}`} {
		a := s.do(t, "GET", s.save(t, name, query), "").want(t, 200)
		if !reflect.DeepEqual(a.get("data.query"), any(empty)) {
			t.Errorf("%s: %s", name, a)
		}
	}
}

// A filter document is returned unchanged, apart from white space.
func TestSavedSearchKeepsFilters(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for i, doc := range []string{
		savedRule,
		`{"value":"x","operator":"equals","field":"asset.title","type":"filter"}`,
		`{"type":"filter","field":"asset.title","operator":"contains","value":"<b> & \u00e9 é 写真 🙂 \u2028"}`,
		`{"type":"filter","field":"asset.width","operator":"in","value":[1e3,1000.0,100]}`,
		`{"type":"group","operator":"or","rules":[` + savedRule + `,{"type":"group","operator":"and","rules":[` + savedRule + `]}]}`,
		`{"type":"filter","field":"metadata.project","operator":"is_empty","value":null}`,
	} {
		pretty := strings.NewReplacer(`,"`, ",\n\t\"", `":`, `" : `).Replace(doc)
		for j, sent := range []string{doc, pretty} {
			path := s.save(t, fmt.Sprint(i, " ", j), `{"filters":`+sent+`}`)
			if a := s.do(t, "GET", path, "").want(t, 200); !strings.Contains(string(a.body), `"filters":`+doc+`,`) {
				t.Errorf("%s came back in %s", sent, a)
			}
		}
	}
}

func TestUpdateSavedSearch(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := s.save(t, "One", `{"q":"a","sort_by":"size","filters":`+savedRule+`}`)
	s.save(t, "Two", `{}`)
	before := s.do(t, "GET", path, "")
	for _, body := range []string{"", `{}`, `{"name":"One"}`, `{"query":{"q":"a","sort_by":"size","filters":` + savedRule + `}}`} {
		if a := s.do(t, "PUT", path, body).want(t, 200); string(a.body) != string(before.body) {
			t.Errorf("%q changed it: %s", body, a)
		}
	}
	a := s.do(t, "PUT", path, `{"name":"Eins"}`).want(t, 200)
	if a.get("data.name") != "Eins" || !reflect.DeepEqual(a.get("data.query"), before.get("data.query")) {
		t.Errorf("the name alone: %s", a)
	}
	if a.get("data.created_at") != before.get("data.created_at") {
		t.Errorf("the name alone: %s", a)
	}
	a = s.do(t, "PUT", path, `{"query":{"trashed":"only"}}`).want(t, 200)
	if a.get("data.name") != "Eins" || a.get("data.query.trashed") != "only" {
		t.Errorf("the whole query: %s", a)
	}
	if a.get("data.query.q") != nil || a.get("data.query.filters") != nil || a.get("data.query.sort_by") != nil {
		t.Errorf("the whole query: %s", a)
	}
	s.do(t, "PUT", path, `{"name":"EINS"}`).want(t, 200) // its own name is not taken
	for _, body := range []string{`{"name":null}`, `{"name":"two"}`, `{"query":null}`, `{"name":"Drei","query":{"filters":{}}}`} {
		s.do(t, "PUT", path, body).want(t, 422)
	}
	b := s.do(t, "GET", path, "").want(t, 200)
	if b.get("data.name") != "EINS" || b.get("data.query.trashed") != "only" {
		t.Errorf("a refused change was made: %s", b)
	}
}

func TestSavedSearchTimes(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now })
	path := s.save(t, "x", `{}`)
	created := s.do(t, "GET", path, "").get("data.created_at")
	var last any
	for _, body := range []string{`{"name":"y"}`, `{"query":{"asset_class_id":2}}`, `{"query":{"ingestion_batch_id":2}}`} {
		c.ahead.Add(int64(time.Minute))
		a := s.do(t, "PUT", path, body).want(t, 200)
		if a.get("data.created_at") != created || a.get("data.updated_at") == created || a.get("data.updated_at") == last {
			t.Errorf("%s: %s; created at %v", body, a, created)
		}
		last = a.get("data.updated_at")
		c.ahead.Add(int64(time.Minute))
		s.do(t, "PUT", path, body).want(t, 200) // changes nothing
		if b := s.do(t, "GET", path, ""); string(b.body) != string(a.body) {
			t.Errorf("shown: %s, changed: %s", b, a)
		}
	}
}

// A client can send back an answer, with changes.
func TestSavedSearchRoundTrip(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := s.save(t, "x", `{"q":"a","filters":`+savedRule+`}`)
	a := s.do(t, "GET", path, "")
	query, err := json.Marshal(a.get("data.query"))
	if err != nil {
		t.Fatal(err)
	}
	if b := s.do(t, "PUT", path, `{"query":`+string(query)+`}`).want(t, 200); !reflect.DeepEqual(b.get("data.query"), a.get("data.query")) {
		t.Errorf("%s became %s", a, b)
	}
}

// Saved searches are private, even from administrators.
func TestSavedSearchesAreOnesOwn(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	bob := s.user(t, "bob@example.com", dam.RoleViewer)
	bobs := s.saveAs(t, bob, "Mine", `{"q":"bob"}`)
	adas := s.save(t, "mine", `{"q":"ada"}`) // names are unique per user
	session := s.do(t, "POST", "/api/v1/session", `{"email":"ada@example.com","password":"correct horse battery"}`).want(t, 201).Cookies()[0]

	others := []struct {
		who, token, path string
		header           []string
	}{
		{"admin's token", s.token, bobs, nil},
		{"admin's session", "", bobs, []string{"Cookie", session.Name + "=" + session.Value}},
		{"viewer", bob, adas, nil},
	}
	for _, o := range others {
		for method, body := range map[string]string{"GET": "", "PUT": `{"name":"stolen"}`, "DELETE": ""} {
			if a := s.as(t, o.token, method, o.path, body, o.header...).want(t, 404); a.get("message") != "Saved search not found." {
				t.Errorf("%s, %s: %s", o.who, method, a)
			}
		}
		own := s.as(t, o.token, "GET", savedSearches, "", o.header...).want(t, 200)
		theirs := strings.HasSuffix(o.path, fmt.Sprintf("/%v", own.get("data.0.id")))
		if len(savedNames(own)) != 1 || own.get("meta.total") != 1.0 || theirs {
			t.Errorf("%s sees %s", o.who, own.body)
		}
	}
	if a := s.as(t, bob, "GET", bobs, "").want(t, 200); a.get("data.query.q") != "bob" {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "GET", adas, "").want(t, 200); a.get("data.query.q") != "ada" {
		t.Errorf("%s", a)
	}
}

func TestSavedSearchAbilities(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := s.save(t, "x", `{}`)
	viewer := s.user(t, "viewer@example.com", dam.RoleViewer, dam.AssetsRead)
	other := s.user(t, "other@example.com", dam.RoleEditor, dam.AssetsWrite, dam.CollectionsRead)
	for _, r := range []struct{ method, path, body string }{
		{"GET", savedSearches, ""},
		{"POST", savedSearches, `{"name":"y","query":{}}`},
		{"GET", path, ""},
		{"PUT", path, `{}`},
		{"DELETE", path, ""},
	} {
		if a := s.as(t, "", r.method, r.path, r.body).want(t, 401); a.get("message") != "Unauthenticated." {
			t.Errorf("%s %s: %s", r.method, r.path, a)
		}
		if a := s.as(t, other, r.method, r.path, r.body).want(t, 403); fmt.Sprint(a.get("required_abilities")) != "[assets:read]" {
			t.Errorf("%s %s: %s", r.method, r.path, a)
		}
		if a := s.as(t, viewer, r.method, r.path, r.body); a.StatusCode == 401 || a.StatusCode == 403 {
			t.Errorf("assets:read is not enough for %s %s: %s", r.method, r.path, a)
		}
	}
}

// Invalid input, with the key of each error, when creating and when changing.
func TestSavedSearchValidation(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.save(t, "Taken", `{}`)
	path := s.save(t, "x", `{}`)
	long := func(n int) string { return strings.Repeat("é", n) }
	filters := func(doc string) string { return `{"name":"n","query":{"filters":` + doc + `}}` }
	query := func(member string) string { return `{"name":"n","query":{` + member + `}}` }
	group := func(rules string) string { return filters(`{"type":"group","operator":"and","rules":[` + rules + `]}`) }
	const sortBy = "The selected query.sort_by is invalid; " +
		"it must be one of created_at, updated_at, capture_date, " +
		"title, original_filename, size, rating, usage_until, relevance."
	tests := []struct{ name, body, key, want string }{
		{"empty name", `{"name":"","query":{}}`, "name", "name must have at least 1 character."},
		{"blank name", `{"name":" \t ","query":{}}`, "name", "name is required."},
		{"long name", `{"name":"` + long(256) + `","query":{}}`, "name", "name may not have more than 255 characters."},
		{"name no text", `{"name":5,"query":{}}`, "name", "name must be a string."},
		{"name taken", `{"name":"Taken","query":{}}`, "name", "The name has already been taken."},
		{"name taken in another case", `{"name":" tAKEN","query":{}}`, "name", "The name has already been taken."},
		{"query no object", `{"name":"n","query":"x"}`, "query", "query must be an object."},
		{"query a list", `{"name":"n","query":[]}`, "query", "query must be an object."},
		{"unknown field", `{"name":"n","query":{},"color":1}`, "color", "There is no field color."},
		{"unknown member", query(`"sort":"title"`), "query.sort", "There is no field query.sort."},
		{"q too long", query(`"q":"` + long(501) + `"`), "query.q", "query.q may not have more than 500 characters."},
		{"q no text", query(`"q":1`), "query.q", "query.q must be a string."},
		{"sort_by unknown", query(`"sort_by":"nope"`), "query.sort_by", sortBy},
		{"sort_by empty", query(`"sort_by":""`), "query.sort_by", sortBy},
		{
			"sort_direction unknown", query(`"sort_direction":"up"`),
			"query.sort_direction", `The selected query.sort_direction is invalid; it must be one of asc, desc.`,
		},
		{"class no number", query(`"asset_class_id":"1"`), "query.asset_class_id", "query.asset_class_id must be an integer."},
		{"class a fraction", query(`"asset_class_id":1.5`), "query.asset_class_id", "query.asset_class_id must be an integer."},
		{
			"mime_type too long", query(`"mime_type":"` + long(101) + `"`),
			"query.mime_type", "query.mime_type may not have more than 100 characters.",
		},
		{
			"batch no number", query(`"ingestion_batch_id":true`),
			"query.ingestion_batch_id", "query.ingestion_batch_id must be an integer.",
		},
		{"trashed unknown", query(`"trashed":"yes"`), "query.trashed", `The selected query.trashed is invalid; it must be one of only, with.`},
		{"trashed a boolean", query(`"trashed":true`), "query.trashed", `query.trashed must be a string.`},
		{"filters as text", filters(`"{}"`), "query.filters", "query.filters must be an object."},
		{"filters a list", filters(`[]`), "query.filters", "query.filters must be an object."},
		{"filters empty", filters(`{}`), "query.filters.type", ""},
		{"filters of no type", filters(`{"type":"x"}`), "query.filters.type", ""},
		{
			"filters with a wrong operator", group(savedRule + `,` + rule("asset.width", "contains", `1`)),
			"query.filters.rules.1.operator", "",
		},
		{
			"filters with an unknown field", group(rule("asset.nope", "equals", `1`)),
			"query.filters.rules.0.field", "",
		},
		{
			"filters with a wrong value", filters(rule("asset.width", "equals", `"wide"`)),
			"query.filters.value", "",
		},
		{
			"filters with too many rules", group(strings.Repeat(savedRule+",", dam.MaxFilterRules) + savedRule),
			fmt.Sprintf("query.filters.rules.%d", dam.MaxFilterRules), "",
		},
		{
			"filters no UTF-8", filters(rule("asset.title", "equals", "\"\xff\"")),
			"query.filters", "query.filters must be valid UTF-8.",
		},
		{
			"filters too large", filters(filterOfSize(dam.MaxFilterBytes + 1)),
			"query.filters", "query.filters may not have more than 65536 bytes.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for method, path := range map[string]string{"POST": savedSearches, "PUT": path} {
				a := s.do(t, method, path, tt.body).want(t, 422)
				errs, _ := a.get("errors").(map[string]any)
				list, _ := errs[tt.key].([]any)
				if len(errs) != 1 || len(list) != 1 || tt.want != "" && list[0] != tt.want {
					t.Errorf("%s: %s; want %s: %q", method, a, tt.key, tt.want)
				}
			}
		})
	}
	for name, tt := range map[string]struct{ method, body, key string }{
		"no name":              {"POST", `{"query":{}}`, "name"},
		"no query":             {"POST", `{"name":"n"}`, "query"},
		"null name":            {"POST", `{"name":null,"query":{}}`, "name"},
		"null query":           {"POST", `{"name":"n","query":null}`, "query"},
		"name becomes null":    {"PUT", `{"name":null}`, "name"},
		"query becomes null":   {"PUT", `{"query":null}`, "query"},
		"several, one of each": {"POST", `{"name":"","query":{"q":1,"trashed":"x"}}`, "query.trashed"},
	} {
		at := path
		if tt.method == "POST" {
			at = savedSearches
		}
		a := s.do(t, tt.method, at, tt.body).want(t, 422)
		if errs, _ := a.get("errors").(map[string]any); errs[tt.key] == nil {
			t.Errorf("%s: %s; want %s", name, a, tt.key)
		}
	}
	// Duplicate members are refused; the first one is checked.
	twice := `{"name":"n","query":{"sort_by":"nope","sort_direction":"up","trashed":"yes"},"query":{}}`
	a := s.do(t, "POST", savedSearches, twice).want(t, 422)
	if errs, _ := a.get("errors").(map[string]any); len(errs) != 4 || errs["query"] == nil {
		t.Errorf("%s", a)
	}
	s.do(t, "POST", savedSearches, "").want(t, 400)
	s.do(t, "POST", savedSearches, `{"name":`).want(t, 400)
	s.do(t, "PUT", path, `[`).want(t, 400)
	s.do(t, "POST", savedSearches, "name=n", "Content-Type", "text/plain").want(t, 415)
	s.do(t, "POST", savedSearches, filters(filterOfSize(2<<20))).want(t, 413)
	for _, id := range []string{"0", "-1", "9223372036854775807"} {
		s.do(t, "GET", savedSearches+"/"+id, "").want(t, 404)
	}
	a = s.do(t, "GET", savedSearches+"/x", "").want(t, 422)
	if a.get("errors.saved_search.0") != "saved_search must be an integer." {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "PATCH", path, `{}`).want(t, 405); !slices.Contains(a.Header.Values("Allow"), "PUT") {
		t.Errorf("Allow: %v", a.Header.Values("Allow"))
	}
	if a := s.do(t, "GET", savedSearches, ""); !slices.Equal(savedNames(a), []string{"Taken", "x"}) {
		t.Errorf("a refused search was kept: %s", a)
	}
}

// The maximum of everything is accepted.
func TestSavedSearchBounds(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	name, q, mime := strings.Repeat("写", 255), strings.Repeat("🙂", 500), strings.Repeat("é", 100)
	doc := filterOfSize(dam.MaxFilterBytes)
	if len(doc) != dam.MaxFilterBytes {
		t.Fatalf("%d bytes", len(doc))
	}
	// White space does not count towards the limits.
	path := s.save(t, name, fmt.Sprintf(`{"q":%q,"mime_type":%q,"filters":%s}`, q, mime, strings.Replace(doc, ":", ":    ", 1)))
	a := s.do(t, "GET", path, "").want(t, 200)
	if a.get("data.name") != name || a.get("data.query.q") != q || a.get("data.query.mime_type") != mime {
		t.Error("it came back changed")
	}
	if !strings.Contains(string(a.body), doc) {
		t.Error("it came back changed")
	}
}

func TestSavedSearchLimit(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for i := range find.MaxSavedSearches {
		s.save(t, fmt.Sprint(i), `{}`)
	}
	more := `{"name":"one more","query":{}}`
	a := s.do(t, "POST", savedSearches, more).want(t, 422)
	if a.get("errors.body.0") != "A user can keep at most 500 saved searches; delete one first." {
		t.Errorf("%s", a)
	}
	if n := s.do(t, "GET", savedSearches, "").get("meta.total"); n != 500.0 {
		t.Errorf("%v saved searches", n)
	}
	s.saveAs(t, s.user(t, "bob@example.com", dam.RoleViewer), "another user's", `{}`)
	s.do(t, "DELETE", savedSearches+"/1", "").want(t, 200)
	s.do(t, "POST", savedSearches, more).want(t, 201)
}

// Of concurrent requests with the same name, one succeeds.
func TestSavedSearchRace(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var made, refused atomic.Int32
	t.Run("all", func(t *testing.T) {
		for i := range 16 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				switch a := s.do(t, "POST", savedSearches, `{"name":"same","query":{}}`); a.StatusCode {
				case http.StatusCreated:
					made.Add(1)
				case http.StatusUnprocessableEntity:
					refused.Add(1)
				default:
					t.Errorf("%d: %s", a.StatusCode, a)
				}
			})
		}
	})
	if made.Load() != 1 || refused.Load() != 15 {
		t.Errorf("%d made, %d refused", made.Load(), refused.Load())
	}
}

func TestSavedSearchNames(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	first := []string{"Häfen", "Straße", "ΣΊΣΥΦΟΣ", "写真 🙂", "Ǆ", "name", `<a href="x">`, `quote " and \ slash`}
	for _, n := range first {
		path := s.save(t, n, `{}`)
		if got := s.do(t, "GET", path, "").get("data.name"); got != n {
			t.Errorf("%q came back as %q", n, got)
		}
	}
	s.do(t, "POST", savedSearches, `{"name":"tab\tand\nline","query":{}}`).want(t, 422)
	for _, n := range []string{"HÄFEN", "ha\u0308fen", "STRASSE", "σίσυφος", "写真 🙂 ", "ǆ", "NAME"} {
		body, err := json.Marshal(map[string]any{"name": n, "query": struct{}{}})
		if err != nil {
			t.Fatal(err)
		}
		if a := s.do(t, "POST", savedSearches, string(body)).want(t, 422); a.get("errors.name.0") != "The name has already been taken." {
			t.Errorf("%q: %s", n, a)
		}
	}
	for _, n := range []string{"Hafen", "写真", "näme"} { // names that differ in any letter are distinct
		s.save(t, n, `{}`)
	}
}

func TestSavedSearchList(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	none := s.do(t, "GET", savedSearches, "").want(t, 200)
	if len(savedNames(none)) != 0 || none.get("meta.total") != 0.0 {
		t.Errorf("empty: %s", none)
	}
	if none.get("meta.from") != nil || none.get("meta.per_page") != 24.0 {
		t.Errorf("empty: %s", none)
	}
	for _, n := range []string{"delta", "Bravo", "alpha", "Écho", "CHARLIE", "echo 2"} {
		s.save(t, n, `{}`)
	}
	want := []string{"alpha", "Bravo", "CHARLIE", "delta", "echo 2", "Écho"}
	if got := savedNames(s.do(t, "GET", savedSearches, "").want(t, 200)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var all []string
	for page := 1; page <= 3; page++ {
		a := s.do(t, "GET", fmt.Sprintf("%s?per_page=2&page=%d", savedSearches, page), "").want(t, 200)
		all = append(all, savedNames(a)...)
		for path, want := range map[string]any{
			"meta.total":        6.0,
			"meta.current_page": float64(page),
			"meta.last_page":    3.0,
			"meta.from":         float64(2*page - 1),
			"meta.path":         s.URL + savedSearches,
			"links.last":        s.URL + savedSearches + "?page=3&per_page=2",
		} {
			if got := a.get(path); got != want {
				t.Errorf("page %d: %s = %v, want %v", page, path, got, want)
			}
		}
	}
	if !slices.Equal(all, want) {
		t.Errorf("page by page: %q", all)
	}
	if a := s.do(t, "GET", savedSearches+"?page=9", "").want(t, 200); len(savedNames(a)) != 0 || a.get("links.next") != nil {
		t.Errorf("beyond the end: %s", a)
	}
	for _, query := range []string{"per_page=101", "per_page=0", "page=0", "page=x"} {
		s.do(t, "GET", savedSearches+"?"+query, "").want(t, 422)
	}
}

// A saved query has the same members, with the same limits, as the parameters of GET
// /assets.
func TestSavedQueryFollowsAssets(t *testing.T) {
	t.Parallel()
	srv, err := web.New(nil, web.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Type      any
		MaxLength *int
		Minimum   *float64
		Maximum   *float64
		Ref       string `json:"$ref"`
		AnyOf     []schema
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Schema   schema
			}
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]schema
				Required   []string
			}
		}
	}
	if err := json.Unmarshal(srv.OpenAPI(), &doc); err != nil {
		t.Fatal(err)
	}
	members := doc.Components.Schemas["SavedQuery"].Properties
	if len(members) == 0 || doc.Components.Schemas["SavedQuery"].Required != nil {
		t.Fatalf("%+v", doc.Components.Schemas["SavedQuery"])
	}
	rules := map[string]string{ // parameters that saved searches store as rules about these fields
		"file_category": "asset.file_category", "extension": "asset.extension", "owner_id": "asset.owner",
		"created_by_id": "asset.created_by", "keywords": "asset.keywords", "collection_id": "asset.collections", "gaids[]": "asset.gaid",
	}
	for name, field := range rules {
		if !slices.Contains(dam.FilterFields(), field) {
			t.Errorf("%s: no rule can be about %s", name, field)
		}
	}
	seen := map[string]bool{"filters": true}                             // a string there, an object here
	others := []string{"page", "per_page", "filters", "facets", "exact"} // a saved search is never exact
	for _, p := range doc.Paths["/api/v1/assets"]["get"].Parameters {
		if p.In != "query" || slices.Contains(others, p.Name) || rules[p.Name] != "" {
			continue
		}
		seen[p.Name] = true
		want := p.Schema
		if want.Ref != "" { // a named enum
			want = schema{AnyOf: []schema{{Ref: want.Ref}, {Type: "null"}}}
		} else {
			want.Type = []any{want.Type, "null"}
		}
		if got := members[p.Name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", p.Name, got, want)
		}
	}
	for name := range members {
		if !seen[name] {
			t.Errorf("GET /assets has no %s", name)
		}
	}
}

package web_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/web"
)

func TestCollection(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 20, 10))
	vera := s.userID(t, "vera@example.com", dam.RoleViewer)
	parent := s.collection(t, `{"name":"Coasts"}`)
	a := s.do(t, "POST", collections, fmt.Sprintf(`{
		"name": " Harbours ",
		"description": " Ports ",
		"collection_type_id": 1,
		"parent_id": %s,
		"is_active": false,
		"visibility": "restricted",
		"viewer_ids": [%d,1,%d],
		"cover_gaid": %q,
		"position": 7
	}`, idOf(parent), vera, vera, gaid)).want(t, 201)
	for field, want := range map[string]any{
		"name": "Harbours", "description": "Ports", "collection_type_id": 1.0, "is_active": false,
		"visibility": "restricted", "viewer_ids.0": 1.0, "viewer_ids.1": float64(vera), "viewer_ids.2": nil,
		"rules": nil, "cover_gaid": gaid, "assets_count": 0.0, "position": 7.0,
		"created_by.email": "ada@example.com", "updated_by.email": "ada@example.com", "parent.name": "Coasts",
	} {
		if got := a.get("data." + field); got != want {
			t.Errorf("%s = %v, want %v", field, got, want)
		}
	}
	path := fmt.Sprintf("%s/%v", collections, a.get("data.id"))
	if b := s.do(t, "GET", path, "").want(t, 200); string(b.body) != string(a.body) {
		t.Errorf("shown: %s, created: %s", b, a)
	}
	s.do(t, "GET", parent, "").want(t, 200).shows(t, "data.children", "name", "Harbours")

	for _, body := range []string{"", `{}`, `{"name":"Harbours"}`, `{"position":7}`, `{"viewer_ids":[2,1]}`} {
		if b := s.do(t, "PUT", path, body).want(t, 200); string(b.body) != string(a.body) {
			t.Errorf("%q changed it: %s", body, b)
		}
	}
	if b := s.do(t, "PUT", path, `{"name":"Häfen"}`).want(t, 200); b.get("data.name") != "Häfen" || b.get("data.position") != 7.0 {
		t.Errorf("%s", b)
	}
	b := s.do(t, "PUT", path, `{
		"description": null,
		"collection_type_id": null,
		"parent_id": null,
		"is_active": null,
		"visibility": null,
		"viewer_ids": null,
		"cover_gaid": null,
		"position": null,
		"rules": null
	}`).want(t, 200)
	for field, want := range map[string]any{
		"name": "Häfen", "description": nil, "collection_type_id": nil, "parent_id": nil, "parent": nil, "is_active": true,
		"visibility": "everyone", "viewer_ids.0": nil, "cover_gaid": nil, "position": 0.0, "rules": nil,
	} {
		if got := b.get("data." + field); got != want {
			t.Errorf("cleared %s = %v, want %v", field, got, want)
		}
	}

	if b := s.do(t, "DELETE", path, "").want(t, 200); b.get("message") != "Collection deleted." {
		t.Errorf("%s", b)
	}
	for _, r := range [][2]string{{"GET", path}, {"PUT", path}, {"DELETE", path}, {"GET", path + "/assets"}, {"POST", path + "/assets"},
		{"DELETE", path + "/assets"}, {"PUT", path + "/assets/order"}} {
		body := ""
		if strings.HasSuffix(r[1], "assets") && r[0] != "GET" || strings.HasSuffix(r[1], "order") {
			body = gaids(gaid)
		}
		if b := s.do(t, r[0], r[1], body).want(t, 404); b.get("message") != "Collection not found." {
			t.Errorf("%s", b)
		}
	}
	if again := s.collection(t, `{"name":"Harbours"}`); again == path {
		t.Error("an id was used again")
	}
}

func TestCollectionTimes(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now })
	g := s.pictures(t, 2)
	path := s.collection(t, `{"name":"x"}`)
	created := s.do(t, "GET", path, "").get("data.created_at")
	last := created
	for _, r := range [][3]string{
		{"PUT", path, `{"name":"y"}`},
		{"POST", path + "/assets", gaids(g...)},
		{"PUT", path + "/assets/order", gaids(g[1])},
		{"DELETE", path + "/assets", gaids(g[0])},
	} {
		for n, moves := range []bool{true, false} { // sending it again changes nothing
			c.ahead.Add(int64(time.Minute))
			s.do(t, r[0], r[1], r[2]).want(t, 200)
			a := s.do(t, "GET", path, "")
			if a.get("data.created_at") != created || (a.get("data.updated_at") != last) != moves {
				t.Errorf("%v, time %d: %s; before at %v", r, n, a, last)
			}
			last = a.get("data.updated_at")
		}
	}
}

func TestCollectionLists(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	kind := s.do(t, "POST", "/api/v1/collection-types", `{"name":"Campaign"}`).want(t, 201).get("data.id")
	s.collection(t, `{"name":"late","position":2}`)
	s.collection(t, `{"name":"b","position":1}`)
	s.collection(t, `{"name":"Äpfel","position":1,"is_active":false}`)
	top := s.collection(t, fmt.Sprintf(`{"name":"A","position":1,"collection_type_id":%v}`, kind))
	s.collection(t, `{"name":"below","parent_id":`+idOf(top)+`}`)
	for query, want := range map[string][]string{
		"":                                  {"below", "A", "Äpfel", "b", "late"},
		"?is_active=true":                   {"below", "A", "b", "late"},
		"?is_active=1":                      {"below", "A", "b", "late"},
		"?is_active=false":                  {"below", "A", "Äpfel", "b", "late"},
		"?parent_id=0":                      {"A", "Äpfel", "b", "late"},
		"?parent_id=":                       {"below", "A", "Äpfel", "b", "late"},
		"?parent_id=999":                    {},
		"?parent_id=-1":                     {},
		"?collection_type_id=":              {"below", "A", "Äpfel", "b", "late"},
		"?collection_type_id=0&parent_id=0": {"Äpfel", "b", "late"},
		fmt.Sprintf("?collection_type_id=%v", kind):             {"A"},
		fmt.Sprintf("?parent_id=%s", idOf(top)):                 {"below"},
		fmt.Sprintf("?parent_id=%s&is_active=true", idOf(top)):  {"below"},
		fmt.Sprintf("?parent_id=0&collection_type_id=%v", kind): {"A"},
		"?q=":                    {"below", "A", "Äpfel", "b", "late"},
		"?q=%20":                 {"below", "A", "Äpfel", "b", "late"},
		"?q=APF":                 {"Äpfel"},
		"?q=a%CC%88p":            {"Äpfel"},
		"?q=a&per_page=2":        {"A", "Äpfel"},
		"?q=a&per_page=2&page=2": {"late"},
		"?q=a&is_active=true":    {"A", "late"},
		"?q=%25":                 {},
		"?q=B&parent_id=0":       {"b"},
		"?per_page=2":            {"below", "A"},
		"?per_page=2&page=2":     {"Äpfel", "b"},
		"?per_page=2&page=3":     {"late"},
		"?per_page=2&page=4":     {},
	} {
		s.do(t, "GET", collections+query, "").want(t, 200).shows(t, "data", "name", want...)
	}
	a := s.do(t, "GET", collections+"?parent_id=0&per_page=3&page=2", "").want(t, 200)
	if a.get("meta.total") != 4.0 || a.get("meta.from") != 4.0 || a.get("meta.last_page") != 2.0 || a.get("links.next") != nil ||
		!strings.Contains(fmt.Sprint(a.get("links.prev")), "parent_id=0") {
		t.Errorf("%s", a)
	}
	a = s.do(t, "GET", collections, "")
	if a.get("meta.per_page") != 24.0 || a.get("data.0.children") != nil || a.get("data.0.viewer_ids") == nil {
		t.Errorf("%s", a)
	}
	for query, field := range map[string]string{
		"?per_page=501":                   "per_page",
		"?per_page=0":                     "per_page",
		"?page=0":                         "page",
		"?parent_id=x":                    "parent_id",
		"?collection_type_id=1.5":         "collection_type_id",
		"?is_active=perhaps":              "is_active",
		"?q=" + strings.Repeat("x", 256):  "q",
		"?parent_id=99999999999999999999": "parent_id",
	} {
		if a := s.do(t, "GET", collections+query, "").want(t, 422); a.get("errors."+field) == nil {
			t.Errorf("%s: %s", query, a)
		}
	}
}

func TestCollectionTree(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	paths := make([]string, dam.MaxCollectionDepth)
	for i := range paths {
		parent := "null"
		if i > 0 {
			parent = idOf(paths[i-1])
		}
		paths[i] = s.collection(t, fmt.Sprintf(`{"name":"level %d","parent_id":%s}`, i+1, parent))
	}
	below := func(path string) string { return `{"parent_id":` + idOf(path) + `}` }
	cycle := "parent_id may not be the collection itself or one below it."
	deep := "Collections may not be nested more than 10 levels deep."
	unknown := "The selected parent_id is invalid."
	other := s.collection(t, `{"name":"other"}`)
	child := s.collection(t, `{"name":"child","parent_id":`+idOf(other)+`}`)
	for name, tt := range map[string]struct{ method, path, body, want string }{
		"itself":             {"PUT", paths[0], below(paths[0]), cycle},
		"its child":          {"PUT", paths[0], below(paths[1]), cycle},
		"far below":          {"PUT", paths[0], below(paths[9]), cycle},
		"in the middle":      {"PUT", paths[4], below(paths[6]), cycle},
		"too deep":           {"POST", collections, `{"name":"x","parent_id":` + idOf(paths[9]) + `}`, deep},
		"a leaf too deep":    {"PUT", child, below(paths[9]), deep},
		"a subtree too deep": {"PUT", other, below(paths[8]), deep},
		"unknown":            {"PUT", other, `{"parent_id":999}`, unknown},
		"negative":           {"POST", collections, `{"name":"x","parent_id":-1}`, "parent_id may not be less than 0."},
	} {
		if a := s.do(t, tt.method, tt.path, tt.body).want(t, 422); a.get("errors.parent_id.0") != tt.want {
			t.Errorf("%s: %s", name, a)
		}
	}
	s.do(t, "PUT", other, below(paths[7])).want(t, 200) // child is on the deepest level now
	s.do(t, "PUT", paths[9], `{"parent_id":0}`).want(t, 200)
	if a := s.do(t, "GET", paths[9], ""); a.get("data.parent_id") != nil || a.get("data.parent") != nil {
		t.Errorf("%s", a)
	}

	s.do(t, "DELETE", paths[7], "").want(t, 200) // its children move up
	for _, path := range []string{paths[8], other} {
		if a := s.do(t, "GET", path, ""); fmt.Sprint(a.get("data.parent_id")) != idOf(paths[6]) || a.get("data.parent.name") != "level 7" {
			t.Errorf("%s", a)
		}
	}
	s.do(t, "GET", paths[6], "").shows(t, "data.children", "name", "level 9", "other")
	s.do(t, "GET", child, "").want(t, 200)
	s.do(t, "DELETE", paths[0], "").want(t, 200) // its children move to the top level
	s.do(t, "GET", collections+"?parent_id=0", "").shows(t, "data", "name", "level 2", "level 10")
}

// Requests that collections refuse, and their messages.
func TestCollectionRefusals(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	g := s.pictures(t, 2)
	s.do(t, "DELETE", "/api/v1/assets/"+g[1], "").want(t, 200)
	path := s.collection(t, `{"name":"x"}`)
	many := make([]int, dam.MaxViewers+1)
	for i := range many {
		many[i] = i + 1
	}
	viewers, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ method, body, field string }{
		{"POST", `{}`, "name"},
		{"POST", `{"name":""}`, "name"},
		{"POST", `{"name":"  "}`, "name"},
		{"POST", `{"name":null}`, "name"},
		{"PUT", `{"name":null}`, "name"},
		{"PUT", `{"name":""}`, "name"},
		{"PUT", `{"name":"` + strings.Repeat("ä", 256) + `"}`, "name"},
		{"PUT", `{"name":5}`, "name"},
		{"PUT", `{"nmae":"y"}`, "nmae"},
		{"PUT", `{"id":5}`, "id"},
		{"PUT", `{"assets_count":5}`, "assets_count"},
		{"PUT", `{"description":"` + strings.Repeat("x", 10_001) + `"}`, "description"},
		{"PUT", `{"collection_type_id":99}`, "collection_type_id"},
		{"PUT", `{"collection_type_id":"1"}`, "collection_type_id"},
		{"PUT", `{"is_active":"yes"}`, "is_active"},
		{"PUT", `{"visibility":"nobody"}`, "visibility"},
		{"PUT", `{"visibility":""}`, "visibility"},
		{"PUT", `{"viewer_ids":[1,99]}`, "viewer_ids.1"},
		{"PUT", `{"viewer_ids":[0]}`, "viewer_ids.0"},
		{"PUT", `{"viewer_ids":1}`, "viewer_ids"},
		{"PUT", `{"viewer_ids":` + string(viewers) + `}`, "viewer_ids"},
		{"PUT", `{"position":-1}`, "position"},
		{"PUT", `{"position":1000001}`, "position"},
		{"PUT", `{"position":1.5}`, "position"},
		{"PUT", `{"cover_gaid":"nope"}`, "cover_gaid"},
		{"PUT", `{"cover_gaid":"` + g[1] + `"}`, "cover_gaid"}, // in the trash
		{"PUT", `{"rules":{}}`, "rules.type"},
		{"PUT", `{"rules":[]}`, "rules"},
		{"PUT", `{"rules":"x"}`, "rules"},
		{"PUT", `{"rules":{"type":"filter","field":"asset.title","operator":"near","value":"x"}}`, "rules.operator"},
		{"PUT", `{"rules":{"type":"group","operator":"and","rules":[` + rule("asset.width", "equals", `"x"`) + `]}}`, "rules.rules.0.value"},
		{"PUT", `{"rules":{"type":"group","operator":"and","rules":[` + collectionRule("in", "[999]") + `]}}`, "rules.rules.0.value"},
		{"PUT", `{"rules":` + collectionRule("contains", idOf(path)) + `}`, "rules.value"}, // itself
		{"PUT", `{"rules":` + filterOfSize(65<<10) + `}`, "rules"},
		{"POST", `{"name":"y","position":-1}`, "position"},
		{"POST", `{"name":"y","cover_gaid":"nope"}`, "cover_gaid"},
		{"POST", `{"name":"y","rules":{"type":"group","operator":"and"}}`, "rules.rules"},
	}
	for _, tt := range tests {
		at := path
		if tt.method == "POST" {
			at = collections
		}
		a := s.do(t, tt.method, at, tt.body).want(t, 422)
		if errs, _ := a.get("errors").(map[string]any); errs[tt.field] == nil {
			t.Errorf("%.80s: %s; want %s", tt.body, a, tt.field)
		}
		if strings.Contains(string(a.body), "filters") {
			t.Errorf("%.80s speaks of filters: %s", tt.body, a)
		}
	}
	over := make([]string, 1001)
	for i := range over {
		over[i] = fmt.Sprint(i)
	}
	for _, r := range [][2]string{{"POST", "/assets"}, {"DELETE", "/assets"}, {"PUT", "/assets/order"}} {
		for _, body := range []string{`{}`, `{"gaids":null}`, `{"gaids":[]}`, `{"gaids":"` + g[0] + `"}`, gaids(over...)} {
			if a := s.do(t, r[0], path+r[1], body).want(t, 422); a.get("errors.gaids") == nil {
				t.Errorf("%v %.60s: %s", r, body, a)
			}
		}
		s.do(t, r[0], path+r[1], "").want(t, 400)
		s.do(t, r[0], path+r[1], `{"gaids":[`).want(t, 400)
		s.do(t, r[0], collections+"/x"+r[1], gaids(g[0])).want(t, 422)
	}
	s.do(t, "POST", collections, "").want(t, 400)
	a := s.do(t, "GET", path+"/assets?sort_by=nope", "").want(t, 422)
	if !strings.Contains(fmt.Sprint(a.get("errors.sort_by.0")), "position") {
		t.Errorf("%s", a)
	}
	s.do(t, "GET", path+"/assets?per_page=101", "").want(t, 422)
	s.do(t, "GET", "/api/v1/assets?sort_by=position", "").want(t, 422)
	if a := s.do(t, "GET", path, ""); a.get("data.name") != "x" || a.get("data.updated_at") != a.get("data.created_at") {
		t.Errorf("a refused change was made: %s", a)
	}
	if a := s.do(t, "GET", collections, ""); a.get("meta.total") != 1.0 {
		t.Errorf("a refused collection was made: %s", a)
	}
}

func TestCollectionAbilities(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := s.collection(t, `{"name":"x"}`)
	viewer := s.user(t, "viewer@example.com", dam.RoleViewer)
	token := func(abilities []dam.Ability) string {
		b, err := json.Marshal(map[string]any{"name": "test", "abilities": abilities})
		if err != nil {
			t.Fatal(err)
		}
		return s.do(t, "POST", "/api/v1/tokens", string(b)).want(t, 201).get("data.plain_text_token").(string)
	}
	for _, tt := range []struct {
		method, path, body string
		needs              []dam.Ability
	}{
		{"GET", collections, "", []dam.Ability{dam.CollectionsRead}},
		{"GET", path, "", []dam.Ability{dam.CollectionsRead}},
		{"GET", "/api/v1/collection-types", "", []dam.Ability{dam.CollectionsRead}},
		{"GET", "/api/v1/asset-classes", "", []dam.Ability{dam.AssetsRead}},
		{"GET", path + "/assets", "", []dam.Ability{dam.CollectionsRead, dam.AssetsRead}},
		{"POST", collections, `{"name":"y"}`, []dam.Ability{dam.CollectionsWrite}},
		{"PUT", path, `{"name":"z"}`, []dam.Ability{dam.CollectionsWrite}},
		{"POST", path + "/assets", gaids("nope"), []dam.Ability{dam.CollectionsWrite}},
		{"DELETE", path + "/assets", gaids("nope"), []dam.Ability{dam.CollectionsWrite}},
		{"DELETE", path, "", []dam.Ability{dam.CollectionsDelete}},
	} {
		for _, missing := range tt.needs {
			poor := token(slices.DeleteFunc(dam.Values[dam.Ability](), func(a dam.Ability) bool { return a == missing }))
			a := s.as(t, poor, tt.method, tt.path, tt.body).want(t, 403)
			if fmt.Sprint(a.get("required_abilities")) != fmt.Sprintf("[%s]", missing) {
				t.Errorf("%s %s without %s: %s", tt.method, tt.path, missing, a)
			}
		}
		if tt.method != "GET" {
			if a := s.as(t, viewer, tt.method, tt.path, tt.body).want(t, 403); fmt.Sprint(a.get("required_abilities")) != "[]" {
				t.Errorf("a viewer: %s", a)
			}
		} else {
			s.as(t, viewer, tt.method, tt.path, tt.body).want(t, 200)
		}
		if a := s.as(t, token(tt.needs), tt.method, tt.path, tt.body); a.StatusCode > 201 {
			t.Errorf("%s %s with %v: %d %s", tt.method, tt.path, tt.needs, a.StatusCode, a)
		}
	}
}

func TestCollectionTypes(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const types = "/api/v1/collection-types"
	s.do(t, "GET", types, "").want(t, 200).shows(t, "data", "name", "Default")
	s.do(t, "GET", "/api/v1/asset-classes", "").want(t, 200).shows(t, "data", "name", "Default")
	a := s.do(t, "POST", types, `{"name":" Über "}`).want(t, 201)
	path := fmt.Sprintf("%s/%v", types, a.get("data.id"))
	if a.get("data.name") != "Über" {
		t.Errorf("%s", a)
	}
	for _, body := range []string{
		`{"name":"ÜBER"}`,
		`{"name":"default"}`,
		`{"name":" "}`,
		`{"name":""}`,
		`{"name":"` + strings.Repeat("x", 256) + `"}`,
		`{}`,
	} {
		if a := s.do(t, "POST", types, body).want(t, 422); a.get("errors.name") == nil {
			t.Errorf("%s: %s", body, a)
		}
	}
	if a := s.do(t, "PUT", path, `{"name":"Campaign"}`).want(t, 200); a.get("data.name") != "Campaign" {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", path, `{"name":"DEFAULT"}`).want(t, 422)
	s.do(t, "GET", types, "").shows(t, "data", "name", "Campaign", "Default")
	editor := s.user(t, "ed@example.com", dam.RoleEditor)
	for _, method := range []string{"PUT", "DELETE"} {
		body := ""
		if method == "PUT" {
			body = `{"name":"y"}`
		}
		if a := s.as(t, editor, method, path, body).want(t, 403); fmt.Sprint(a.get("required_abilities")) != "[]" {
			t.Errorf("%s", a)
		}
		if a := s.do(t, method, types+"/99", body).want(t, 404); a.get("message") != "Collection type not found." {
			t.Errorf("%s", a)
		}
	}
	s.as(t, editor, "POST", types, `{"name":"y"}`).want(t, 403)
	c := s.collection(t, `{"name":"x","collection_type_id":`+idOf(path)+`}`)
	if a := s.do(t, "DELETE", path, "").want(t, 409); a.get("message") != "There are collections of this type." {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", c, `{"collection_type_id":null}`).want(t, 200)
	if a := s.do(t, "DELETE", path, "").want(t, 200); a.get("message") != "Collection type deleted." {
		t.Errorf("%s", a)
	}
	s.do(t, "GET", types, "").shows(t, "data", "name", "Default")
}

// Every change writes one event; a request that changes nothing writes none.
func TestCollectionEvents(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	g := s.pictures(t, 3)
	var want []string
	check := func(what string, more ...string) {
		t.Helper()
		want = append(want, more...)
		var got []string
		for _, e := range s.collectionEvents(t) {
			got = append(got, fmt.Sprintf("%s %s %s %d", e.kind, e.subject, e.data.Name, e.data.AssetsCount))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %q, want %q", what, got, want)
		}
	}
	path := s.collection(t, `{"name":"a"}`)
	check("created", "collection.created 1 a 0")
	s.do(t, "PUT", path, `{"name":"b"}`).want(t, 200)
	check("renamed", "collection.updated 1 b 0")
	s.do(t, "PUT", path, `{"name":"b"}`).want(t, 200)
	s.do(t, "PUT", path, `{"name":""}`).want(t, 422)
	check("nothing changed")
	s.do(t, "POST", path+"/assets", gaids(g...)).want(t, 200)
	check("added", "collection.updated 1 b 3")
	s.do(t, "POST", path+"/assets", gaids(g[0], "nope")).want(t, 200)
	check("added again")
	s.do(t, "PUT", path+"/assets/order", gaids(g[2], g[0])).want(t, 200)
	check("ordered", "collection.updated 1 b 3")
	s.do(t, "DELETE", path+"/assets", gaids(g[1], g[2])).want(t, 200)
	check("removed", "collection.updated 1 b 1")
	s.do(t, "DELETE", path+"/assets", gaids(g[1], g[2])).want(t, 200)
	check("removed again")
	rules := `{"type":"filter","field":"asset.title","operator":"starts_with","value":"picture"}`
	child := s.collection(t, `{"name":"all","parent_id":1,"rules":`+rules+`}`)
	check("a child with rules", "collection.created 2 all 3")
	s.do(t, "PUT", child, `{"name":"everything"}`).want(t, 200)
	check("the child renamed", "collection.updated 2 everything 3")
	s.do(t, "DELETE", path, "").want(t, 200)
	check("deleted", "collection.updated 2 everything 3", "collection.deleted 1 b 1")
	if e := s.collectionEvents(t); e[len(e)-2].data.ParentID != 0 {
		t.Errorf("the child is still below: %+v", e[len(e)-2].data)
	}
	batch := s.batch(t, `{"collection_ids":[`+idOf(s.collection(t, `{"name":"in"}`))+`]}`)
	s.push(t, batch, upload{"x.jpg", picture(9, 10, 10)}, upload{"y.jpg", picture(8, 10, 10)}).want(t, 201)
	s.finish(t, batch)
	check("an upload batch", "collection.created 3 in 0", "collection.updated 3 in 2")
	var assets int
	s.records(t, func(tx *storage.Tx) error {
		all, err := tx.Events(0, 1000)
		for _, e := range all {
			if e.Type == dam.AssetUpdated {
				assets++
			}
		}
		return err
	})
	if assets != 0 {
		t.Errorf("%d assets are said to have changed", assets)
	}
}

// An asset's ETag changes with its collections, although its version does not, and depends
// on the collections that the user can see.
func TestAssetTagKnowsCollections(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.pictures(t, 1)[0]
	path := "/api/v1/assets/" + gaid
	before := s.do(t, "GET", path, "").Header.Get("ETag")
	c := s.collection(t, `{"name":"x"}`)
	s.do(t, "POST", c+"/assets", gaids(gaid)).want(t, 200)
	a := s.do(t, "GET", path, "", "If-None-Match", before).want(t, 200)
	tag := a.Header.Get("ETag")
	s.do(t, "GET", path, "", "If-None-Match", tag).want(t, 304)
	s.do(t, "PUT", c, `{"name":"y"}`).want(t, 200)
	a = s.do(t, "GET", path, "", "If-None-Match", tag).want(t, 200)
	if a.get("data.collections.0.name") != "y" || a.get("data.version") != 1.0 {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", path, `{"title":"new"}`, "If-Match", tag).want(t, 412) // the asset is unchanged, its collections are not
	tag = s.do(t, "GET", path, "").Header.Get("ETag")
	s.do(t, "PUT", path, `{"title":"new"}`, "If-Match", tag).want(t, 200)
	s.do(t, "PUT", path, `{"title":"newer"}`, "If-Match", tag).want(t, 412)
	b := s.do(t, "PUT", path, `{"title":"newer"}`).want(t, 200)
	if !reflect.DeepEqual(b.get("data.collections"), s.do(t, "GET", path, "").get("data.collections")) {
		t.Errorf("%s", b)
	}
}

// Concurrent moves never put a collection below itself.
func TestCollectionTreeAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	const n = 6
	var paths [n]string
	for i := range paths {
		paths[i] = s.collection(t, fmt.Sprintf(`{"name":"%d"}`, i))
	}
	var wg sync.WaitGroup
	for i := range paths {
		wg.Go(func() {
			for j := 1; j < 4*n; j++ {
				if a := s.do(t, "PUT", paths[i], `{"parent_id":`+idOf(paths[(i+j)%n])+`}`); a.StatusCode != 200 && a.StatusCode != 422 {
					t.Errorf("%d %s", a.StatusCode, a)
				}
			}
		})
	}
	wg.Wait()
	for _, path := range paths {
		at := path
		for up := 0; ; up++ {
			id := s.do(t, "GET", at, "").want(t, 200).get("data.parent_id")
			if id == nil {
				break
			}
			if at = fmt.Sprintf("%s/%v", collections, id); up == n {
				t.Fatalf("%s has no top", path)
			}
		}
	}
}

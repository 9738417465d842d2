package web_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/dam"
)

func TestCollectionMembers(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	g := s.pictures(t, 6)
	s.do(t, "DELETE", assets+"/"+g[5], "").want(t, 200)
	path := s.collection(t, `{"name":"x"}`)
	in := filtered("in", "["+idOf(path)+"]")
	change := func(method, body, answer string, count int) {
		t.Helper()
		if a := s.do(t, method, path+"/assets", body).want(t, 200); fmt.Sprint(a.get("data")) != answer {
			t.Errorf("%s %s: %s, want %s", method, body, a, answer)
		}
		if n := s.do(t, "GET", path, "").get("data.assets_count"); n != float64(count) {
			t.Errorf("%s %s: %v assets, want %d", method, body, n, count)
		}
		s.total(t, s.token, path+"/assets", count)
		s.total(t, s.token, in, count)
	}
	change("POST", gaids(g[0], g[1], g[0]), "map[added:2 not_found:[] unchanged:0]", 2)
	change("POST", gaids(g[1], g[2]), "map[added:1 not_found:[] unchanged:1]", 3)
	change("POST", gaids(g[5], "nope", g[3], "nope", ""), fmt.Sprintf("map[added:1 not_found:[%s nope ] unchanged:0]", g[5]), 4)
	change("DELETE", gaids(g[0], g[0], g[4], "nope"), "map[not_found:[nope] removed:1 unchanged:1]", 3)
	change("DELETE", gaids(g[0]), "map[not_found:[] removed:0 unchanged:1]", 3)

	s.do(t, "DELETE", assets+"/"+g[1], "").want(t, 200) // trashed assets do not count
	s.total(t, s.token, path+"/assets", 2)
	s.total(t, s.token, path+"/assets?trashed=with", 3)
	s.total(t, s.token, path+"/assets?trashed=only", 1)
	change("POST", gaids(g[1]), fmt.Sprintf("map[added:0 not_found:[%s] unchanged:0]", g[1]), 2)
	s.do(t, "POST", assets+"/"+g[1]+"/restore", "").want(t, 200)
	change("POST", gaids(g[1]), "map[added:0 not_found:[] unchanged:1]", 3)
	s.do(t, "DELETE", assets+"/"+g[1], "").want(t, 200)
	change("DELETE", gaids(g[1]), "map[not_found:[] removed:1 unchanged:0]", 2) // works in the trash too
	s.do(t, "DELETE", assets+"/"+g[2]+"?force=true", "").want(t, 200)
	change("DELETE", gaids(g[2]), fmt.Sprintf("map[not_found:[%s] removed:0 unchanged:0]", g[2]), 1)
	s.do(t, "GET", path+"/assets", "").shows(t, "data", "gaid", g[3])
	s.do(t, "GET", assets+"/"+g[3], "").shows(t, "data.collections", "name", "x")

	s.do(t, "DELETE", path, "").want(t, 200) // the assets remain, in no collection
	s.do(t, "GET", assets+"/"+g[3], "").want(t, 200).shows(t, "data.collections", "name")
	s.total(t, s.token, in, 0)
	s.total(t, s.token, filtered("is_empty", "null"), 3)
	if a := s.do(t, "GET", assets+"?facets=collections", ""); fmt.Sprint(a.get("meta.facets")) != "map[collections:[]]" {
		t.Errorf("%s", a)
	}
}

// The assets of a collection can be listed in every order of asset lists, and in the
// collection's own.
func TestCollectionOrder(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	g := s.pictures(t, 7)
	path := s.collection(t, `{"name":"x"}`)
	s.do(t, "POST", path+"/assets", gaids(g[4], g[2])).want(t, 200)
	s.do(t, "POST", path+"/assets", gaids(g[0], g[5], g[1])).want(t, 200)
	order := func(query string, want ...int) {
		t.Helper()
		list := make([]string, len(want))
		for i, n := range want {
			list[i] = g[n]
		}
		s.do(t, "GET", path+"/assets"+query, "").want(t, 200).shows(t, "data", "gaid", list...)
	}
	order("", 4, 2, 0, 5, 1)
	order("?sort_by=position&sort_direction=desc", 1, 5, 0, 2, 4)
	order("?sort_by=title", 0, 1, 2, 4, 5)
	order("?per_page=2", 4, 2)
	order("?per_page=2&page=3", 1)
	order("?per_page=2&page=4")
	order("?sort_direction=desc&per_page=2&page=2", 0, 2)
	order("?mime_type=video")
	three := `{"type":"filter","field":"asset.title","operator":"in","value":["picture 001","picture 002","picture 003"]}`
	order("?filters="+url.QueryEscape(three), 2, 1)
	order("?q=002", 2)
	order("?q=picture&sort_by=position", 4, 2, 0, 5, 1)
	if a := s.do(t, "GET", path+"/assets?q=002&facets=file_category,collections", ""); a.get("data.0.matched_on.0") != "title" ||
		fmt.Sprint(a.get("meta.facets.collections")) != "[map[count:1 label:x value:1]]" || a.get("meta.facets.file_category.0.count") != 1.0 {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "GET", path+"/assets?per_page=2", ""); !strings.Contains(fmt.Sprint(a.get("links.next")), path+"/assets?page=2") {
		t.Errorf("%s", a)
	}

	move := func(body string, want ...int) {
		t.Helper()
		s.do(t, "PUT", path+"/assets/order", body).want(t, 200)
		order("", want...)
	}
	after := func(n int, list ...int) string {
		var all []string
		for _, i := range list {
			all = append(all, g[i])
		}
		return strings.TrimSuffix(gaids(all...), "}") + `,"after":"` + g[n] + `"}`
	}
	move(gaids(g[5]), 5, 4, 2, 0, 1)
	move(gaids(g[5]), 5, 4, 2, 0, 1)
	move(gaids(g[1], g[0], g[5]), 1, 0, 5, 4, 2)
	move(after(2, 1, 5), 0, 4, 2, 1, 5)
	move(after(4, 5, 0), 4, 5, 0, 2, 1)
	move(after(4, 5, 0), 4, 5, 0, 2, 1)
	move(`{"gaids":["`+g[1]+`"],"after":null}`, 1, 4, 5, 0, 2)
	want := []int{1, 4, 5, 0, 2}
	for i := range 45 { // each move halves the gap behind the first asset, more often than it can be halved
		last := want[4]
		want = slices.Insert(want[:4:4], 1, last)
		move(after(1, last), want...)
		if i == 0 {
			move(after(1, last), want...)
		}
	}
	s.do(t, "POST", path+"/assets", gaids(g[3])).want(t, 200)
	order("", append(slices.Clone(want), 3)...)

	for body, field := range map[string]string{
		gaids(g[6]):                             "gaids.0",
		gaids(g[0], "no"):                       "gaids.1",
		gaids(g[0], g[0]):                       "gaids.1",
		after(0, 0):                             "after",
		after(6, 0):                             "after",
		`{"gaids":["` + g[0] + `"],"before":1}`: "before",
	} {
		if a := s.do(t, "PUT", path+"/assets/order", body).want(t, 422); a.told(field) == "" {
			t.Errorf("%s: %s; want %s", body, a, field)
		}
	}
	order("", append(want, 3)...)
}

// A request can add up to a thousand assets to a collection.
func TestCollectionTakesAThousand(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	g := s.pictures(t, 3)
	path := s.collection(t, `{"name":"x"}`)
	list := make([]string, 1000)
	for i := range list {
		list[i] = fmt.Sprintf("nope %d", i)
	}
	copy(list[997:], g)
	a := s.do(t, "POST", path+"/assets", gaids(list...)).want(t, 200)
	if a.get("data.added") != 3.0 || len(a.get("data.not_found").([]any)) != 997 {
		t.Errorf("%.200s", a)
	}
	s.do(t, "GET", path+"/assets", "").shows(t, "data", "gaid", g...)
}

// Users without access to a restricted collection find no trace of it.
func TestRestrictedCollections(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	g := s.pictures(t, 4)
	creator := s.user(t, "creator@example.com", dam.RoleEditor)
	guest := s.user(t, "guest@example.com", dam.RoleViewer)
	guestID := s.lastUser(t)
	colleague := s.user(t, "colleague@example.com", dam.RoleEditor)
	colleagueID := s.lastUser(t)
	other := s.user(t, "other@example.com", dam.RoleEditor)
	viewer := s.user(t, "viewer@example.com", dam.RoleViewer)

	open := s.collectionAs(t, creator, `{"name":"open"}`)
	restricted := fmt.Sprintf(`"visibility":"restricted","viewer_ids":[%d,%d]`, guestID, colleagueID)
	secret := s.collectionAs(t, creator, `{"name":"secret","parent_id":`+idOf(open)+`,`+restricted+`}`)
	below := s.collectionAs(t, creator, `{"name":"below","parent_id":`+idOf(secret)+`}`)
	ruled := s.collectionAs(t, creator, `{"name":"ruled",`+restricted+`,"rules":`+fmt.Sprintf(titleRule, "equals", "picture 003")+`}`)
	public := s.collectionAs(t, creator, `{"name":"public","rules":`+collectionRule("in", "["+idOf(secret)+"]")+`}`)
	s.as(t, creator, "POST", open+"/assets", gaids(g[0], g[1])).want(t, 200)
	s.as(t, creator, "POST", secret+"/assets", gaids(g[1], g[2])).want(t, 200)
	ids := func(paths ...string) string {
		for i, p := range paths {
			paths[i] = idOf(p)
		}
		return "[" + strings.Join(paths, ",") + "]"
	}

	for who, tt := range map[string]struct {
		token          string
		sees, manages  bool
		writes, trusts bool // writes: may write at all; trusts: has the upload abilities
	}{
		"admin":     {s.token, true, true, true, true},
		"creator":   {creator, true, true, true, true},
		"guest":     {guest, true, false, false, false},
		"colleague": {colleague, true, true, true, true},
		"other":     {other, false, false, true, true},
		"viewer":    {viewer, false, false, false, false},
	} {
		t.Run(who, func(t *testing.T) {
			get := func(path string) answer { t.Helper(); return s.as(t, tt.token, "GET", path, "") }
			pick := func(seen, unseen int) int {
				if tt.sees {
					return seen
				}
				return unseen
			}
			// Lists and relations.
			if tt.sees {
				get(collections).shows(t, "data", "name", "below", "open", "public", "ruled", "secret")
				get(collections+"?parent_id=0").shows(t, "data", "name", "open", "public", "ruled")
				get(open).shows(t, "data.children", "name", "secret")
				if a := get(below).want(t, 200); a.get("data.parent.name") != "secret" || fmt.Sprint(a.get("data.parent_id")) != idOf(secret) {
					t.Errorf("%s", a)
				}
				a := get(secret).want(t, 200)
				if (a.get("data.viewer_ids") != nil) != tt.manages || a.get("data.assets_count") != 2.0 {
					t.Errorf("%s", a)
				}
				get(assets+"/"+g[1]).shows(t, "data.collections", "name", "open", "public", "secret")
				get(assets+"/"+g[3]).shows(t, "data.collections", "name", "ruled")
			} else {
				get(collections).shows(t, "data", "name", "below", "open", "public")
				get(collections+"?parent_id=0").shows(t, "data", "name", "below", "open", "public")
				get(open).shows(t, "data.children", "name")
				if a := get(below).want(t, 200); a.get("data.parent") != nil || a.get("data.parent_id") != nil {
					t.Errorf("%s", a)
				}
				get(assets+"/"+g[1]).shows(t, "data.collections", "name", "open")
				get(assets+"/"+g[3]).shows(t, "data.collections", "name")
				for _, path := range []string{secret, secret + "/assets", ruled, ruled + "/assets"} {
					if a := get(path).want(t, 404); a.get("message") != "Collection not found." {
						t.Errorf("%s", a)
					}
				}
			}
			s.total(t, tt.token, collections, pick(5, 3))
			s.total(t, tt.token, collections+"?parent_id="+idOf(secret), pick(1, 0))
			// Membership derived from another collection is visible only with that collection.
			if n := get(public).get("data.assets_count"); n != float64(pick(2, 0)) {
				t.Errorf("public has %v", n)
			}
			s.total(t, tt.token, public+"/assets", pick(2, 0))
			// Filters, including negated ones.
			for _, f := range []struct {
				op, value    string
				seen, unseen int
			}{
				{"in", ids(secret), 2, 0},
				{"not_in", ids(secret), 2, 4},
				{"in", ids(ruled), 1, 0},
				{"not_in", ids(ruled), 3, 4},
				{"in", ids(open, secret, ruled), 4, 2},
				{"not_in", ids(open, secret, ruled), 0, 2},
				{"contains", idOf(secret), 2, 0},
				{"not_contains", idOf(secret), 2, 4},
				{"contains", idOf(ruled), 1, 0},
				{"equals", ids(open), 1, 2}, // picture 001 is in secret and public too
				{"not_equals", ids(open), 3, 2},
				{"equals", ids(secret, public), 1, 0},
				{"equals", ids(open, secret, public), 1, 0},
				{"not_equals", ids(open, secret, public), 3, 4},
				{"equals", ids(ruled), 1, 0},
				{"equals", idOf(secret), 0, 0},
				{"is_empty", "null", 0, 2},
				{"is_not_empty", "null", 4, 2},
			} {
				s.total(t, tt.token, filtered(f.op, f.value), pick(f.seen, f.unseen))
			}
			// Facets.
			a := get(assets + "?facets=collections")
			var got []string
			for _, v := range column(a, "meta.facets.collections", "value") {
				got = append(got, fmt.Sprint(v))
			}
			slices.Sort(got)
			wantIDs := []string{idOf(open)}
			if tt.sees {
				wantIDs = []string{idOf(open), idOf(secret), idOf(ruled), idOf(public)}
			}
			slices.Sort(wantIDs)
			if !slices.Equal(got, wantIDs) {
				t.Errorf("facets: %s, want %s", a, wantIDs)
			}
			// Writes.
			if tt.writes && !tt.sees {
				for _, r := range [][3]string{
					{"PUT", secret, `{"name":"mine"}`},
					{"POST", secret + "/assets", gaids(g[0])},
					{"DELETE", secret + "/assets", gaids(g[1])},
					{"PUT", secret + "/assets/order", gaids(g[1])},
					{"DELETE", secret, ""},
				} {
					if a := s.as(t, tt.token, r[0], r[1], r[2]).want(t, 404); a.get("message") != "Collection not found." {
						t.Errorf("%s", a)
					}
				}
				for body, field := range map[string]string{
					`{"name":"x","parent_id":` + idOf(secret) + `}`:                                 "parent_id",
					`{"name":"x","rules":` + collectionRule("in", ids(open, secret)) + `}`:          "rules.value",
					`{"name":"x","rules":` + collectionRule("not_contains", idOf(secret)) + `}`:     "rules.value",
					`{"name":"x","rules":` + collectionRule("equals", "[999,"+idOf(open)+"]") + `}`: "rules.value",
				} {
					a := s.as(t, tt.token, "POST", collections, body).want(t, 422)
					if errs, _ := a.get("errors").(map[string]any); errs[field] == nil || strings.Contains(string(a.body), "fills itself") {
						t.Errorf("%s: %s", body, a)
					}
				}
				// A collection keeps its parent even if its editor cannot see the parent.
				s.as(t, tt.token, "PUT", below, `{"description":"kept"}`).want(t, 200)
				if p := s.do(t, "GET", below, "").get("data.parent_id"); fmt.Sprint(p) != idOf(secret) {
					t.Errorf("the parent became %v", p)
				}
				s.as(t, tt.token, "PUT", below, `{"description":null}`).want(t, 200)
			}
			if tt.trusts {
				for id, status := range map[string]int{idOf(open): 201, idOf(secret): map[bool]int{true: 201, false: 422}[tt.sees], idOf(ruled): 422} {
					a := s.as(t, tt.token, "POST", "/api/v1/upload-batches", `{"collection_ids":[`+id+`]}`).want(t, status)
					known := !strings.Contains(string(a.body), "is invalid")
					if status == 422 && known != tt.sees {
						t.Errorf("%s", a)
					}
				}
			}
		})
	}

	// Opening and closing the collection changes its visibility for everybody else.
	s.total(t, other, filtered("in", ids(secret)), 0)
	s.as(t, creator, "PUT", secret, `{"visibility":"everyone"}`).want(t, 200)
	s.total(t, other, filtered("in", ids(secret)), 2)
	s.as(t, other, "GET", assets+"/"+g[2], "").shows(t, "data.collections", "name", "public", "secret")
	s.as(t, creator, "PUT", secret, `{"visibility":"restricted","viewer_ids":[]}`).want(t, 200)
	s.total(t, other, filtered("in", ids(secret)), 0)
	s.as(t, guest, "GET", secret, "").want(t, 404)
	// Only its creator or an administrator can restrict a collection.
	s.as(t, other, "PUT", open, `{"visibility":"restricted"}`).want(t, 403)
	s.as(t, other, "GET", open, "").want(t, 200)
}

func TestRuledCollections(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	g := s.pictures(t, 5)
	people := s.collection(t, `{"name":"people"}`)
	s.do(t, "POST", people+"/assets", gaids(g[0], g[1])).want(t, 200)
	rules := fmt.Sprintf(titleRule, "in", `x`)
	rules = strings.Replace(rules, `"x"`, `["picture 001","picture 002","new"]`, 1)
	a := s.do(t, "POST", collections, `{"name":"ruled","rules": `+rules+`}`).want(t, 201)
	ruled := fmt.Sprintf("%s/%v", collections, a.get("data.id"))
	if a.get("data.assets_count") != 2.0 || !strings.Contains(string(a.body), `"rules":`+rules+`,`) {
		t.Errorf("%s", a)
	}
	count := func(path string, want int) {
		t.Helper()
		for _, at := range []string{path, collections + "?per_page=100"} {
			a := s.do(t, "GET", at, "").want(t, 200)
			n := a.get("data.assets_count")
			for i, id := range column(a, "data", "id") {
				if fmt.Sprint(id) == idOf(path) {
					n = column(a, "data", "assets_count")[i]
				}
			}
			if n != float64(want) {
				t.Errorf("%s: %s has %v, want %d", at, path, n, want)
			}
		}
		s.total(t, s.token, path+"/assets", want)
		s.total(t, s.token, filtered("in", "["+idOf(path)+"]"), want)
	}
	count(ruled, 2)
	count(people, 2)
	newest := s.do(t, "GET", assets+"?filters="+url.QueryEscape(rules), "").want(t, 200)
	oldest := s.do(t, "GET", assets+"?sort_direction=asc&filters="+url.QueryEscape(rules), "").want(t, 200)
	for query, want := range map[string]answer{"": newest, "?sort_by=position": newest, "?sort_direction=desc": oldest} {
		if a := s.do(t, "GET", ruled+"/assets"+query, ""); !reflect.DeepEqual(a.get("data"), want.get("data")) {
			t.Errorf("%s: %s, want %s", query, a, want.body)
		}
	}
	s.do(t, "GET", ruled+"/assets?sort_by=title", "").shows(t, "data", "gaid", g[1], g[2])
	s.do(t, "GET", ruled+"/assets?q=001", "").shows(t, "data", "gaid", g[1])
	s.do(t, "GET", assets+"/"+g[1], "").shows(t, "data.collections", "name", "people", "ruled")
	s.do(t, "GET", assets+"/"+g[3], "").shows(t, "data.collections", "name")

	// It follows changes to assets immediately.
	s.do(t, "PUT", assets+"/"+g[3], `{"title":"New"}`).want(t, 200)
	count(ruled, 3)
	s.do(t, "GET", assets+"/"+g[3], "").shows(t, "data.collections", "name", "ruled")
	s.do(t, "DELETE", assets+"/"+g[3], "").want(t, 200)
	count(ruled, 2)
	s.total(t, s.token, ruled+"/assets?trashed=with", 3)

	// Assets cannot be added, removed or ordered by hand.
	for _, r := range [][2]string{{"POST", "/assets"}, {"DELETE", "/assets"}, {"PUT", "/assets/order"}} {
		if a := s.do(t, r[0], ruled+r[1], gaids(g[1])).want(t, 409); a.get("message") != "The collection fills itself by its rules." {
			t.Errorf("%s", a)
		}
	}

	// Rules may refer to manual collections, never to smart ones.
	over := s.collection(t, `{"name":"over","rules":`+collectionRule("not_in", "["+idOf(people)+"]")+`}`)
	count(over, 2)
	s.do(t, "DELETE", people+"/assets", gaids(g[0])).want(t, 200)
	count(over, 3)
	lonely := s.collection(t, `{"name":"lonely","rules":`+collectionRule("is_empty", "null")+`}`) // in no manual collection
	count(lonely, 3)
	s.do(t, "GET", assets+"/"+g[0], "").shows(t, "data.collections", "name", "lonely", "over")
	fillsItself := "The collection " + idOf(ruled) + " fills itself: rules cannot refer to it."
	const filled = "The collection has assets that people put there; remove them before it can fill itself."
	both := "[" + idOf(people) + "," + idOf(ruled) + "]"
	for name, tt := range map[string]struct{ method, path, body, want string }{
		"refers to rules":      {"POST", collections, `{"name":"x","rules":` + collectionRule("in", both) + `}`, fillsItself},
		"refers to itself":     {"PUT", ruled, `{"rules":` + collectionRule("in", "["+idOf(ruled)+"]") + `}`, fillsItself},
		"others refer to it":   {"PUT", people, `{"rules":` + rules + `}`, filled},
		"unknown":              {"PUT", ruled, `{"rules":` + collectionRule("in", "[99]") + `}`, "The selected collection 99 is invalid."},
		"no filter, no object": {"PUT", ruled, `{"rules":7}`, "rules must be"},
	} {
		if a := s.do(t, tt.method, tt.path, tt.body).want(t, 422); !strings.HasPrefix(fmt.Sprint(a.get("message")), tt.want) {
			t.Errorf("%s: %s", name, a)
		}
	}
	s.do(t, "DELETE", people+"/assets", gaids(g[1])).want(t, 200)
	const referredTo = "The rules of another collection refer to this one, so it cannot have rules."
	if a := s.do(t, "PUT", people, `{"rules":`+rules+`}`).want(t, 422); a.get("errors.rules.0") != referredTo {
		t.Errorf("%s", a)
	}
	s.do(t, "DELETE", over, "").want(t, 200)
	s.do(t, "PUT", people, `{"rules":`+rules+`}`).want(t, 200)
	count(people, 2)

	// New rules apply immediately; without rules, the collection becomes a manual one.
	if a := s.do(t, "PUT", ruled, `{"rules":`+fmt.Sprintf(titleRule, "ends_with", "4")+`}`).want(t, 200); a.get("data.assets_count") != 1.0 {
		t.Errorf("%s", a)
	}
	count(ruled, 1)
	s.do(t, "PUT", ruled, `{"rules":null}`).want(t, 200)
	count(ruled, 0)
	s.do(t, "POST", ruled+"/assets", gaids(g[0])).want(t, 200)
	count(ruled, 1)

	// Rules with searches and with long texts.
	words := s.collection(t, `{"name":"words","rules":{"type":"filter","field":"asset","operator":"hybrid_search","value":"harbour"}}`)
	count(words, 0)
	s.do(t, "PUT", assets+"/"+g[0], `{"title":"A harbour","ai_caption":"Boats in the evening"}`).want(t, 200)
	count(words, 1)
	caption := s.collection(t, `{"name":"caption","rules":`+rule("asset.ai_caption", "contains", `"evening"`)+`}`)
	count(caption, 1)
	mute := s.collection(t, `{"name":"mute","rules":{"type":"group","operator":"and","rules":[
		{"type":"filter","field":"asset.ai_caption","operator":"is_empty"},
		{"type":"filter","field":"asset.width","operator":"equals","value":16}
	]}}`)
	count(mute, 3)
	s.do(t, "GET", assets+"/"+g[0], "").shows(t, "data.collections", "name", "caption", "ruled", "words") // ruled is manual now
	s.do(t, "GET", assets+"/"+g[1], "").shows(t, "data.collections", "name", "lonely", "mute", "people")
}

// Upload batches and imports add assets to manual collections.
func TestCollectionsAreFilledByUploads(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	path := s.collection(t, `{"name":"Shoot"}`)
	batch := s.batch(t, `{"collection_ids":[`+idOf(path)+`]}`)
	s.push(t, batch, upload{"a.jpg", picture(1, 10, 10)}).want(t, 201)
	s.finish(t, batch)
	s.total(t, s.token, path+"/assets", 1)

	// A duplicate adds the existing asset, with one event and only if it was not there
	// before.
	other := s.collection(t, `{"name":"Other"}`)
	for range 2 {
		again := s.batch(t, `{"collection_ids":[`+idOf(other)+`]}`)
		s.push(t, again, upload{"a.jpg", picture(1, 10, 10)}).want(t, 201)
		if a := s.finish(t, again); a.get("data.counts.duplicate") != 1.0 {
			t.Errorf("%s", a)
		}
		s.total(t, s.token, other+"/assets", 1)
	}
	updated := 0
	for _, e := range s.collectionEvents(t) {
		if e.kind == "collection.updated" && e.subject == idOf(other) {
			updated++
		}
	}
	if updated != 1 {
		t.Errorf("%d events of a collection that was filled once", updated)
	}
	s.do(t, "DELETE", other, "").want(t, 200)

	late := s.batch(t, `{"collection_ids":[`+idOf(path)+`]}`)
	s.do(t, "DELETE", path, "").want(t, 200)
	s.push(t, late, upload{"b.jpg", picture(2, 10, 10)}).want(t, 201)
	if a := s.finish(t, late); a.get("data.status") != "completed" {
		t.Errorf("%s", a)
	}

	s.collection(t, `{"name":"Album","rules":`+fmt.Sprintf(titleRule, "equals", "x")+`}`)
	ada, ed := s.actor(t, 1), s.actor(t, s.userID(t, "ed@example.com", dam.RoleEditor))
	dir := t.TempDir()
	bring := func(who dam.Actor, name string, seed int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jpg", seed)), picture(seed, 10, 10), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.app.Importer.Import(t.Context(), who, dir, bulk.ImportOptions{Collection: name, Progress: func(bulk.ImportProgress) {},
			Problem: func(path, why string) { t.Errorf("%s: %s", path, why) }})
		if err != nil {
			t.Fatal(err)
		}
	}
	bring(ada, "Album", 11) // creates a collection beside the one with rules
	bring(ada, "Album", 12)
	s.do(t, "GET", collections, "").shows(t, "data", "name", "Album", "Album")
	s.do(t, "GET", collections, "").shows(t, "data", "assets_count", "0", "2")
	own := column(s.do(t, "GET", collections, ""), "data", "id")[1]
	s.do(t, "PUT", fmt.Sprintf("%s/%v", collections, own), `{"visibility":"restricted"}`).want(t, 200)
	bring(ed, "Album", 13)                                                          // ed cannot see the restricted one
	s.do(t, "GET", collections, "").shows(t, "data", "assets_count", "0", "2", "3") // including assets that existed before
	created := 0
	for _, e := range s.collectionEvents(t) {
		if e.kind == "collection.created" {
			created++
		}
	}
	if created != 5 {
		t.Errorf("%d collections created", created)
	}
}

// The number of rules with searches is limited, because they are evaluated after each
// change.
func TestSearchingRulesAreFew(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	search := `{"type":"group","operator":"or","rules":[{"type":"filter","field":"asset.title","operator":"exact_search","value":"dawn"}]}`
	first := s.collection(t, `{"name":"first","rules":`+search+`}`)
	for i := range dam.MaxSearchingRules - 1 {
		s.collection(t, fmt.Sprintf(`{"name":"%d","rules":{"type":"filter","field":"asset","operator":"hybrid_search","value":"dawn"}}`, i))
	}
	plain := s.collection(t, `{"name":"plain","rules":`+fmt.Sprintf(titleRule, "equals", "x")+`}`)
	const tooMany = "At most 50 collections can have rules with hybrid_search or exact_search."
	for _, r := range [][2]string{{"POST", collections}, {"PUT", plain}} {
		if a := s.do(t, r[0], r[1], `{"name":"more","rules":`+search+`}`).want(t, 422); a.get("errors.rules.0") != tooMany {
			t.Errorf("%s", a)
		}
	}
	s.do(t, "PUT", first, `{"rules":`+strings.Replace(search, "dawn", "dusk", 1)+`}`).want(t, 200)
	s.do(t, "PUT", first, `{"rules":null}`).want(t, 200)
	s.do(t, "PUT", plain, `{"rules":`+search+`}`).want(t, 200)
}

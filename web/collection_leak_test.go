package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// seen returns the answer that a token gets for a path: the status, the ETag and the body.
func (s *server) seen(t testing.TB, token, path string) string {
	t.Helper()
	a := s.as(t, token, "GET", path, "")
	return fmt.Sprint(a.StatusCode, " ", a.Header.Get("ETag"), " ", string(a.body))
}

// No answer to an outsider differs by a byte once restricted collections exist, regardless of
// their content and position.
func TestRestrictedCollectionsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	g := s.pictures(t, 4)
	creator := s.user(t, "creator@example.com", dam.RoleEditor)
	editor := s.user(t, "other@example.com", dam.RoleEditor)
	viewer := s.user(t, "viewer@example.com", dam.RoleViewer)
	open := s.collectionAs(t, creator, `{"name":"open"}`)
	below := s.collectionAs(t, creator, `{"name":"below","parent_id":`+idOf(open)+`}`)
	ruled := s.collectionAs(t, creator, `{"name":"ruled","rules":`+fmt.Sprintf(titleRule, "contains", "picture")+`}`)
	loose := s.collectionAs(t, creator, `{"name":"loose","rules":`+collectionRule("is_empty", "null")+`}`)
	s.as(t, creator, "POST", open+"/assets", gaids(g[0], g[1])).want(t, 200)
	s.as(t, creator, "PUT", open, `{"cover_gaid":"`+g[0]+`"}`).want(t, 200)
	saved := "/api/v1/saved-searches"
	notOpen := collectionRule("not_in", "["+idOf(open)+"]")
	search := s.as(t, editor, "POST", saved, `{"name":"mine","query":{"filters":`+notOpen+`}}`).want(t, 201).get("data.id")

	paths := []string{
		collections,
		collections + "?per_page=1&page=3",
		collections + "?parent_id=0",
		collections + "?is_active=true",
		collections + "?q=hush",
		collections + "?q=l",
		collections + "?collection_type_id=0",
		collections + "?collection_type_id=1",
		collections + "?parent_id=" + idOf(open),
		assets,
		assets + "?facets=collections",
		assets + "?q=picture&facets=collections",
		assets + "?q=hush",
		assets + "?q=" + g[2],
		filtered("is_empty", "null"),
		filtered("is_not_empty", "null"),
		filtered("equals", "["+idOf(open)+"]"),
		filtered("not_equals", "["+idOf(open)+"]"),
		filtered("in", "["+idOf(open)+"]"),
		filtered("not_in", "["+idOf(open)+"]"),
		"/api/v1/collection-types",
		"/api/v1/asset-classes",
		saved,
		"/api/v1/upload-batches",
	}
	for _, c := range []string{open, below, ruled, loose} {
		paths = append(paths, c, c+"/assets", c+"/assets?facets=collections", c+"/assets?q=picture")
	}
	for _, gaid := range g {
		paths = append(paths, assets+"/"+gaid, assets+"/"+gaid+"/similar")
	}
	for i := int64(5); i < 12; i++ { // the ids that the restricted collections will get
		id := fmt.Sprint(i)
		paths = append(paths,
			collections+"/"+id, collections+"/"+id+"/assets", collections+"?parent_id="+id,
			filtered("in", "["+id+"]"), filtered("not_in", "["+id+"]"), filtered("contains", id),
			filtered("equals", "["+id+"]"), filtered("not_equals", "["+id+","+idOf(open)+"]"))
	}
	outsiders := map[string]string{"an editor": editor, "a viewer": viewer}
	before := map[string]string{}
	look := func(yield func(key, now string)) {
		for who, token := range outsiders {
			all := paths
			if who == "an editor" {
				all = append(all[:len(all):len(all)], fmt.Sprint(saved, "/", search))
			}
			for _, path := range all {
				yield(who+" "+path, s.seen(t, token, path))
			}
		}
	}
	look(func(key, now string) { before[key] = now })

	secret := s.collectionAs(t, creator, `{
		"name": "hush",
		"visibility": "restricted",
		"collection_type_id": 1,
		"parent_id": `+idOf(open)+`,
		"cover_gaid": "`+g[2]+`"
	}`)
	s.as(t, creator, "POST", secret+"/assets", gaids(g...)).want(t, 200)
	s.as(t, creator, "PUT", secret+"/assets/order", gaids(g[3])).want(t, 200)
	s.as(t, creator, "DELETE", secret+"/assets", gaids(g[3])).want(t, 200)
	s.collectionAs(t, creator, `{"name":"hush below","visibility":"restricted","position":3,"parent_id":`+idOf(secret)+`}`)
	pictures := fmt.Sprintf(titleRule, "contains", "picture")
	either := collectionRule("in", "["+idOf(secret)+","+idOf(below)+"]")
	rules := s.collectionAs(t, creator, `{"name":"hush rules","visibility":"restricted","rules":`+pictures+`}`)
	s.collectionAs(t, creator, `{"name":"hush more rules","visibility":"restricted","rules":`+either+`}`)
	gone := s.collectionAs(t, creator, `{"name":"hush gone","visibility":"restricted"}`)
	s.as(t, creator, "DELETE", gone, "").want(t, 200)
	s.as(t, creator, "POST", "/api/v1/upload-batches", `{"collection_ids":[`+idOf(secret)+`]}`).want(t, 201)
	if idOf(secret) != "5" {
		t.Fatalf("the test looks for other ids than %s", secret)
	}
	look(func(key, now string) {
		if now != before[key] {
			t.Errorf("%s was\n%s, and is\n%s", key, before[key], now)
		}
	})

	for _, format := range []string{"csv", "json", "zip"} {
		op := s.operateAs(t, editor, `{"type":"export","selection":{"q":"picture"},"format":"`+format+`"}`)
		s.untilAs(t, editor, op, func(a answer) bool { return a.get("data.state") == "completed" })
		file := s.as(t, editor, "GET", op+"/download", "").want(t, 200)
		if strings.Contains(string(file.body), "hush") || format != "zip" && !strings.Contains(string(file.body), g[1]) {
			t.Errorf("exported as %s: %s", format, file.body)
		}
	}

	// Requests of an outsider are answered as if restricted collections did not exist.
	for what, r := range map[string][3]string{
		"change":            {"PUT", collections + "/%s", `{"name":"x"}`},
		"change nothing":    {"PUT", collections + "/%s", `{}`},
		"change wrongly":    {"PUT", collections + "/%s", `{"position":-1}`},
		"delete":            {"DELETE", collections + "/%s", ``},
		"put in":            {"POST", collections + "/%s/assets", gaids(g[0])},
		"take out":          {"DELETE", collections + "/%s/assets", gaids(g[0])},
		"order":             {"PUT", collections + "/%s/assets/order", gaids(g[0])},
		"list wrongly":      {"GET", collections + "/%s/assets?filters=x", ``},
		"as parent":         {"POST", collections, `{"name":"x","parent_id":%s}`},
		"as new parent":     {"PUT", open, `{"parent_id":%s}`},
		"in rules":          {"POST", collections, `{"name":"x","rules":` + collectionRule("in", "[%s]") + `}`},
		"in new rules":      {"PUT", loose, `{"rules":` + collectionRule("not_equals", "[%s,"+idOf(ruled)+"]") + `}`},
		"in a batch":        {"POST", "/api/v1/upload-batches", `{"collection_ids":[%s]}`},
		"in a saved search": {"POST", saved, `{"name":"","query":{"filters":` + collectionRule("in", "[%s]") + `}}`},
		"in an operation": {"POST", "/api/v1/operations?dry_run=true",
			`{"type":"bulk_delete","selection":{"filters":` + collectionRule("in", "[%s]") + `}}`},
	} {
		send := func(id string) string {
			a := s.as(t, editor, r[0], strings.ReplaceAll(r[1], "%s", id), strings.ReplaceAll(r[2], "%s", id), "Idempotency-Key", "k")
			return fmt.Sprint(a.StatusCode, " ", strings.ReplaceAll(string(a.body), id, "N"))
		}
		for _, id := range []string{idOf(secret), idOf(rules)} {
			if there, not := send(id), send("9999"); there != not {
				t.Errorf("%s: %s answers\n%s, one that is not there\n%s", what, id, there, not)
			}
		}
	}
	// Restricted collections do not block a change of rules either.
	s.as(t, editor, "PUT", below, `{"rules":`+fmt.Sprintf(titleRule, "equals", "x")+`}`).want(t, 200)
}

// A public collection can have a restricted parent, and its rules can name a restricted
// collection. Users without access to that one find no trace of it, cannot discover it by
// guessing, and do not remove the reference by sending back the masked values.
func TestWhatIsBehindACollection(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	g := s.pictures(t, 2)
	creator := s.user(t, "creator@example.com", dam.RoleEditor)
	other := s.user(t, "other@example.com", dam.RoleEditor)
	top := s.collectionAs(t, creator, `{"name":"top"}`)
	secret := s.collectionAs(t, creator, `{"name":"secret","visibility":"restricted","parent_id":`+idOf(top)+`}`)
	below := s.collectionAs(t, creator, `{"name":"below","parent_id":`+idOf(secret)+`}`)
	s.as(t, creator, "POST", secret+"/assets", gaids(g[0])).want(t, 200)
	document := func(id string) string {
		return `{"type":"group","operator":"or","rules":[` + collectionRule("in", "["+idOf(top)+","+id+"]") + `,` +
			`{"type":"filter","field":"asset.title","operator":"equals","value":"<x> & é"},` +
			`{"type":"filter","field":"asset.collectio\u006es","operator":"not_equals","value":` + id + `.0}]}`
	}
	ruled := s.collectionAs(t, creator, `{"name":"ruled","rules":`+document(idOf(secret))+`}`)
	shownTo := func(token string) string {
		t.Helper()
		a := s.as(t, token, "GET", ruled, "").want(t, 200)
		list := s.as(t, token, "GET", collections, "").want(t, 200)
		for i, id := range column(list, "data", "id") {
			if fmt.Sprint(id) == idOf(ruled) && fmt.Sprint(column(list, "data", "rules")[i]) != fmt.Sprint(a.get("data.rules")) {
				t.Errorf("listed %s, shown %s", list, a)
			}
		}
		_, rules, _ := strings.Cut(string(a.body), `"rules":`)
		rules, _, _ = strings.Cut(rules, `,"cover_gaid"`)
		return rules
	}
	if rules := shownTo(creator); rules != document(idOf(secret)) {
		t.Errorf("the creator reads %s", rules)
	}
	masked := shownTo(other)
	want := `{"type":"group","operator":"or","rules":[` +
		`{"type":"filter","field":"asset.collections","operator":"in","value":[` + idOf(top) + `,0]},` +
		`{"type":"filter","field":"asset.title","operator":"equals","value":"<x> & é"},` +
		`{"type":"filter","field":"asset.collections","operator":"not_equals","value":0}]}`
	if masked != want {
		t.Errorf("others read %s, want %s", masked, want)
	}
	// Sending back the masked values loses nothing.
	for _, sent := range [][2]string{
		{ruled, `{"name":"ruled","rules":` + masked + `}`},
		{ruled, `{"rules":` + masked + `,"description":"more"}`},
		{below, `{"parent_id":null}`},
		{below, `{"parent_id":0,"description":"more"}`},
	} {
		s.as(t, other, "PUT", sent[0], sent[1]).want(t, 200)
	}
	if rules := shownTo(creator); rules != document(idOf(secret)) {
		t.Errorf("the rules are %s now", rules)
	}
	if a := s.as(t, creator, "GET", below, ""); fmt.Sprint(a.get("data.parent_id")) != idOf(secret) || a.get("data.description") != "more" {
		t.Errorf("%s", a)
	}
	// A correct guess gets the same answer as a wrong one.
	for _, r := range [][2]string{{below, `{"parent_id":%s}`}, {ruled, `{"rules":` + document("%s") + `}`}} {
		guess := func(id string) string {
			a := s.as(t, other, "PUT", r[0], strings.ReplaceAll(r[1], "%s", id)).want(t, 422)
			return strings.ReplaceAll(string(a.body), "collection "+id+" ", "collection N ")
		}
		if right, wrong := guess(idOf(secret)), guess("77"); right != wrong {
			t.Errorf("%s, else %s", right, wrong)
		}
	}
	// The cycle from the top to the bottom runs through an invisible collection.
	const noParent = "The selected parent_id is invalid."
	underBelow := `{"parent_id":` + idOf(below) + `}`
	if a := s.as(t, other, "PUT", top, underBelow).want(t, 422); a.get("errors.parent_id.0") != noParent {
		t.Errorf("%s", a)
	}
	if a := s.as(t, creator, "PUT", top, underBelow).want(t, 422); a.get("errors.parent_id.0") == noParent {
		t.Errorf("%s", a)
	}
	// Others can still move it and replace its rules.
	s.as(t, other, "PUT", below, `{"parent_id":`+idOf(top)+`}`).want(t, 200)
	s.as(t, other, "PUT", below, `{"parent_id":null}`).want(t, 200)
	if a := s.as(t, creator, "GET", below, ""); a.get("data.parent_id") != nil {
		t.Errorf("%s", a)
	}
	s.as(t, other, "PUT", ruled, `{"rules":`+collectionRule("in", "["+idOf(top)+"]")+`}`).want(t, 200)
	s.as(t, other, "PUT", ruled, `{"rules":null}`).want(t, 200)
}

// A batch fills no collection that its user may no longer view.
func TestUploadsIntoARestrictedCollection(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	path := s.collection(t, `{"name":"x"}`)
	other := s.user(t, "other@example.com", dam.RoleEditor)
	batch := s.as(t, other, "POST", "/api/v1/upload-batches", `{"collection_ids":[`+idOf(path)+`]}`).want(t, 201).get("data.id")
	s.push(t, batch, upload{"a.jpg", picture(1, 10, 10)}).want(t, 201)
	s.until(t, path, func(a answer) bool { return a.get("data.assets_count") == 1.0 })
	changed := s.do(t, "PUT", path, `{"visibility":"restricted"}`).want(t, 200).get("data.updated_at")
	s.push(t, batch, upload{"b.jpg", picture(2, 10, 10)}).want(t, 201)
	s.finish(t, batch)
	if a := s.do(t, "GET", path, ""); a.get("data.assets_count") != 1.0 || a.get("data.updated_at") != changed {
		t.Errorf("%s", a)
	}
	s.total(t, s.token, assets, 2)
}

// Rules can become invalid when the records they refer to are deleted or changed. The collection is
// then empty, and can still be changed.
func TestBrokenRules(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	g := s.pictures(t, 1)
	const fields = "/api/v1/metadata/fields"
	s.do(t, "POST", fields, `{"key":"other","label":"Other","type":"text"}`).want(t, 201)
	field := func(kind string) {
		s.do(t, "POST", fields, `{"key":"price","label":"Price","type":"`+kind+`"}`).want(t, 201)
	}
	field("number")
	s.do(t, "PUT", assets+"/"+g[0]+"/metadata", `{"price":5}`).want(t, 200)
	rules := `{"type":"filter","field":"metadata.price","operator":"greater_than","value":3}`
	path := s.collection(t, `{"name":"dear","rules":`+rules+`}`)
	s.total(t, s.token, path+"/assets", 1)
	s.do(t, "DELETE", fields+"/price?force=true", "").want(t, 200)
	s.total(t, s.token, path+"/assets", 0)
	a := s.do(t, "PUT", path, `{"name":"cheap","description":"x"}`).want(t, 200)
	if a.get("data.assets_count") != 0.0 || a.get("data.name") != "cheap" {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", path, `{"position":2,"rules":`+rules+`}`).want(t, 200) // sent back unchanged
	s.do(t, "GET", assets+"/"+g[0], "").want(t, 200).shows(t, "data.collections", "name")
	s.do(t, "POST", collections, `{"name":"new","rules":`+rules+`}`).want(t, 422)
	s.do(t, "PUT", path, `{"rules":`+strings.Replace(rules, "3", "4", 1)+`}`).want(t, 422)
	field("text")
	s.do(t, "PUT", assets+"/"+g[0]+"/metadata", `{"price":"much"}`).want(t, 200)
	s.total(t, s.token, path+"/assets", 0)
	s.do(t, "DELETE", fields+"/price?force=true", "").want(t, 200)
	field("integer")
	s.do(t, "PUT", assets+"/"+g[0]+"/metadata", `{"price":7}`).want(t, 200)
	s.total(t, s.token, path+"/assets", 1) // the rules are valid again
	if n := s.do(t, "GET", path, "").get("data.assets_count"); n != 1.0 {
		t.Errorf("%v assets", n)
	}
	s.do(t, "DELETE", path, "").want(t, 200)
}

package web_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

const saves = "/api/v1/saved-searches"

// By any operation, filling collections requires collections:write, writing metadata
// requires metadata:write, and finding assets requires assets:read.
func TestRoadsNeedTheSameAbility(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	g := s.pictures(t, 2)
	c := s.collection(t, `{"name":"x"}`)
	editor := s.userID(t, "editor@example.com", dam.RoleEditor)
	all := s.tokenFor(t, editor, allBut()...)
	filling := s.as(t, all, "POST", "/api/v1/upload-batches", `{"collection_ids":[`+idOf(c)+`]}`).want(t, 201).get("data.id")
	writing := s.as(t, all, "POST", "/api/v1/upload-batches", `{"metadata":{"project":"Apollo"}}`).want(t, 201).get("data.id")
	sel := `"selection":` + gaids(g[0])
	named := `"selection":{"filters":` + collectionRule("in", "["+idOf(c)+"]") + `}`
	type road struct{ method, path, body string }
	for need, roads := range map[dam.Ability][]road{
		dam.CollectionsWrite: {
			{"POST", c + "/assets", gaids(g[0])},
			{"DELETE", c + "/assets", gaids(g[0])},
			{"PUT", c + "/assets/order", gaids(g[0])},
			{"POST", "/api/v1/upload-batches", `{"collection_ids":[` + idOf(c) + `]}`},
			{"push", fmt.Sprint(filling), ""},
			{"POST", operations, `{"type":"bulk_update",` + sel + `,"changes":{"add_collection_ids":[` + idOf(c) + `]}}`},
			{"POST", operations + "?dry_run=1", `{"type":"bulk_update",` + sel + `,"changes":{"remove_collection_ids":[` + idOf(c) + `]}}`},
		},
		dam.MetadataWrite: {
			{"PUT", assets + "/" + g[0] + "/metadata", `{"project":"Apollo"}`},
			{"PUT", assets + "/" + g[0], `{"title":"x","metadata":{"project":"Apollo"}}`},
			{"POST", "/api/v1/upload-batches", `{"metadata":{"project":"Apollo"}}`},
			{"push", fmt.Sprint(writing), ""},
			{"POST", operations, `{"type":"bulk_update",` + sel + `,"changes":{"metadata":{"project":"Apollo"}}}`},
			{"POST", operations + "?dry_run=1", `{"type":"bulk_update",` + sel + `,"changes":{"metadata":{"project":null}}}`},
		},
		dam.AssetsRead: {
			{"GET", assets, ""},
			{"GET", c + "/assets", ""},
			{"POST", operations, `{"type":"bulk_update","selection":{"q":"picture"},"changes":{"title":"x"}}`},
			{"POST", operations, `{"type":"bulk_delete","selection":{"filters":` + every + `}}`},
			{"POST", operations + "?dry_run=1", `{"type":"bulk_delete","force":true,"selection":{"filters":` + every + `}}`},
			{"POST", operations, `{"type":"export","format":"csv",` + sel + `}`},
			{"POST", collections, `{"name":"y","rules":` + fmt.Sprintf(titleRule, "starts_with", "p") + `}`},
			{"PUT", c, `{"rules":` + fmt.Sprintf(titleRule, "starts_with", "p") + `}`},
		},
		dam.AssetsDelete: {
			{"DELETE", assets + "/" + g[0], ""},
			{"DELETE", assets + "/" + g[0] + "?force=true", ""},
			{"POST", operations, `{"type":"bulk_delete",` + sel + `}`},
			{"POST", operations, `{"type":"bulk_delete","force":true,` + sel + `}`},
		},
		dam.AssetsWrite: {
			{"POST", operations, `{"type":"ai_analysis","tasks":["meaning"],` + sel + `}`},
			{"PUT", assets + "/" + g[0], `{"metadata":{"project":"x"}}`},
		},
		dam.AssetsDownload: {{"POST", operations, `{"type":"export","format":"zip",` + sel + `}`}},
		dam.CollectionsRead: {
			{"GET", filtered("in", "["+idOf(c)+"]"), ""},
			{"GET", filtered("is_empty", "null"), ""},
			{"GET", assets + "?facets=extension,collections", ""},
			{"GET", c + "/assets", ""},
			{"POST", saves, `{"name":"s","query":{"filters":` + collectionRule("not_in", "["+idOf(c)+"]") + `}}`},
			{"POST", operations, `{"type":"bulk_delete",` + named + `}`},
			{"POST", operations + "?dry_run=1", `{"type":"export","format":"zip",` + named + `}`},
			{"POST", collections, `{"name":"y","rules":` + collectionRule("in", "["+idOf(c)+"]") + `}`},
		},
	} {
		narrow := s.tokenFor(t, editor, allBut(need)...)
		for _, r := range roads {
			if r.method == "push" {
				admin := s.token
				s.token = narrow
				a := s.push(t, r.path, upload{"n.jpg", picture(90, 8, 8)})
				s.token = admin
				a.lacks(t, "push into batch "+r.path, need)
				continue
			}
			s.as(t, narrow, r.method, r.path, r.body, "Idempotency-Key", newKey()).lacks(t, r.method+" "+r.path+" "+r.body, need)
		}
	}
	// All missing abilities are reported together.
	update := `{"type":"bulk_update","selection":{"q":"picture"},"changes":{"add_collection_ids":[1],"metadata":{"a":"b"}}}`
	s.as(t, s.tokenFor(t, editor, dam.AssetsDelete), "POST", operations, update, "Idempotency-Key", newKey()).
		lacks(t, "a bulk_update", dam.AssetsWrite, dam.AssetsRead, dam.CollectionsWrite, dam.MetadataWrite)
	s.total(t, s.token, c+"/assets", 0)
	s.total(t, s.token, assets, 2)

	// Sending unchanged values changes nothing, so it requires no ability.
	s.do(t, "PUT", assets+"/"+g[0]+"/metadata", `{"project":"Apollo"}`).want(t, 200)
	same := `{"title":"new","metadata":{"project":"Apollo","none":null}}`
	s.as(t, s.tokenFor(t, editor, dam.AssetsWrite), "PUT", assets+"/"+g[0], same).want(t, 200)
	s.as(t, s.tokenFor(t, editor, dam.MetadataWrite), "PUT", assets+"/"+g[0]+"/metadata", `{"project":"Gemini"}`).want(t, 200)
	// Filling collections does not require reading them.
	filler := s.tokenFor(t, editor, dam.CollectionsWrite)
	s.as(t, filler, "POST", c+"/assets", gaids(g...)).want(t, 200)
	writer := s.tokenFor(t, editor, dam.CollectionsWrite, dam.AssetsWrite)
	empty := `{"type":"bulk_update",` + sel + `,"changes":{"remove_collection_ids":[` + idOf(c) + `]}}`
	preview := s.as(t, writer, "POST", operations+"?dry_run=1", empty, "Idempotency-Key", newKey()).want(t, 200)
	if preview.get("data.changed") != 1.0 {
		t.Errorf("%s", preview)
	}
}

// batchRule returns a rule about the upload batches of assets.
func batchRule(op, value string) string {
	return fmt.Sprintf(`{"type":"filter","field":"asset.ingestion_batch_id","operator":%q,"value":%s}`, op, value)
}

// Only administrators can find out which assets came with another user's upload batch.
func TestBatchesOfOthers(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	s := start(t, sends(t, noMeaning))
	theirs := s.pictures(t, 2) // in batch 1
	editor := s.userID(t, "editor@example.com", dam.RoleEditor)
	token := s.tokenFor(t, editor, allBut()...)
	admin := s.token
	s.token = token
	mine := s.one(t, "mine.jpg", picture(77, 20, 20)) // in batch 2
	s.token = admin
	narrow := s.tokenFor(t, 1, dam.AssetsRead)

	batchOf := func(a answer, path string) any { return a.get(path + "ingestion_batch_id") }
	for what, want := range map[string]struct {
		token        string
		their, ownIs any
	}{"an editor": {token, nil, 2.0}, "an admin": {admin, 1.0, 2.0}, "an admin's token to read assets": {narrow, 1.0, nil}} {
		for gaid, id := range map[string]any{theirs[0]: want.their, mine: want.ownIs} {
			if got := batchOf(s.as(t, want.token, "GET", assets+"/"+gaid, ""), "data."); got != id {
				t.Errorf("%s is shown batch %v of %s, not %v", what, got, gaid, id)
			}
			a := s.as(t, want.token, "GET", assets+"?sort_by=title", "").want(t, 200)
			if got := column(a, "data", "ingestion_batch_id")[slices.Index(column(a, "data", "gaid"), any(gaid))]; got != id {
				t.Errorf("%s lists batch %v of %s, not %v", what, got, gaid, id)
			}
		}
		known := 0
		for _, id := range []any{want.their, want.ownIs} {
			n := 0
			if id != nil {
				n = map[any]int{1.0: 2, 2.0: 1}[id]
			}
			known += n
		}
		one, two := 0, 0
		if want.their != nil {
			one = 2
		}
		if want.ownIs != nil {
			two = 1
		}
		for rule, n := range map[string]int{
			batchRule("equals", "1"):          one,
			batchRule("equals", "2"):          two,
			batchRule("not_equals", "1"):      3 - one,
			batchRule("in", "[1,2]"):          known,
			batchRule("not_in", "[1,2]"):      3 - known,
			batchRule("greater_than", "0"):    known,
			batchRule("less_than", "2"):       one,
			batchRule("between", "[0,9]"):     known,
			batchRule("is_empty", "null"):     3 - known,
			batchRule("is_not_empty", "null"): known,
		} {
			s.total(t, want.token, assets+"?filters="+url.QueryEscape(rule), n)
		}
		s.total(t, want.token, assets+"?ingestion_batch_id=1", one)
		s.total(t, want.token, assets+"?ingestion_batch_id=2", two)
		a := s.as(t, want.token, "GET", assets+"?facets=ingestion_batch_id", "").want(t, 200)
		var values []string
		if one > 0 {
			values = append(values, "1")
		}
		if two > 0 {
			values = append(values, "2")
		}
		if got := fmt.Sprint(column(a, "meta.facets.ingestion_batch_id", "value")); got != fmt.Sprint(values) {
			t.Errorf("%s counts the batches %s, not %v", what, got, values)
		}
	}
	for _, a := range []answer{
		s.as(t, token, "PUT", assets+"/"+theirs[0], `{"title":"new"}`), s.as(t, token, "PUT", assets+"/"+theirs[0]+"/metadata", `{"a":"b"}`),
		s.as(t, token, "GET", assets+"/"+mine+"/similar", ""),
	} {
		if strings.Contains(string(a.want(t, 200).body), `"ingestion_batch_id":1`) {
			t.Errorf("%s", a)
		}
	}
	first := `{"type":"bulk_delete","selection":{"filters":` + batchRule("equals", "1") + `}}`
	preview := s.as(t, token, "POST", operations+"?dry_run=1", first, "Idempotency-Key", newKey()).want(t, 200)
	if preview.get("data.total") != 0.0 {
		t.Errorf("%s", preview)
	}
	op := s.operateAs(t, token, `{"type":"export","format":"json","selection":{"filters":`+every+`}}`)
	s.untilAs(t, token, op, func(a answer) bool { return a.get("data.state") == "completed" })
	file := s.as(t, token, "GET", op+"/download", "").want(t, 200)
	text := string(file.body)
	if strings.Contains(text, `"ingestion_batch_id":1`) || !strings.Contains(text, `"ingestion_batch_id":2`) {
		t.Errorf("%s", file)
	}
	s.hookAs(t, token, r.URL, "asset.updated")
	s.retitle(t, theirs[1], "told")
	if got := r.wait(t, 1)[0].event.Data["ingestion_batch_id"]; got != nil {
		t.Errorf("a webhook is told of batch %v", got)
	}

	// Rules of collections may name batches that their author can see, and match for
	// everybody.
	for rule, field := range map[string]string{
		batchRule("equals", "1"):       "rules.value",
		batchRule("not_in", "[2,1]"):   "rules.value",
		batchRule("equals", "99"):      "rules.value",
		batchRule("greater_than", "1"): "rules.operator",
	} {
		a := s.as(t, token, "POST", collections, `{"name":"x","rules":`+rule+`}`).want(t, 422)
		if a.errorAt(field) == nil {
			t.Errorf("%s: %s", rule, a)
		}
	}
	s.total(t, token, s.collection(t, `{"name":"all","rules":`+batchRule("greater_than", "0")+`}`)+"/assets", 3)
	s.total(t, admin, s.collectionAs(t, token, `{"name":"own","rules":`+batchRule("in", "[2]")+`}`)+"/assets", 1)
}

// errorAt returns the error of an answer for a field.
func (a answer) errorAt(field string) any {
	var v struct{ Errors map[string][]string }
	if json.Unmarshal(a.body, &v) != nil || len(v.Errors[field]) == 0 {
		return nil
	}
	return v.Errors[field][0]
}

// Stored objects and background jobs have the abilities of their creator, and are shown
// according to those of the reader.
func TestAbilitiesTravel(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	s := start(t, sends(t, noMeaning))
	g := s.pictures(t, 1)
	c := s.collection(t, `{"name":"hush"}`)
	s.do(t, "POST", c+"/assets", gaids(g...)).want(t, 200)
	editor := s.userID(t, "editor@example.com", dam.RoleEditor)
	all := s.tokenFor(t, editor, allBut()...)
	narrow := s.tokenFor(t, editor, dam.AssetsRead, dam.AssetsDownload)

	// An export by a token that cannot read collections names none.
	export := func(token string) (path string, file answer) {
		path = s.operateAs(t, token, `{"type":"export","format":"json","selection":`+gaids(g...)+`}`)
		s.untilAs(t, token, path, func(a answer) bool { return a.get("data.state") == "completed" })
		return path, s.as(t, token, "GET", path+"/download", "").want(t, 200)
	}
	if _, file := export(narrow); strings.Contains(string(file.body), "hush") {
		t.Errorf("%s", file.body)
	}
	// An export that names them can be downloaded only with that ability, and not after the
	// collection is restricted.
	path, file := export(all)
	if !strings.Contains(string(file.body), "hush") {
		t.Errorf("%s", file.body)
	}
	s.as(t, narrow, "GET", path+"/download", "").lacks(t, "a narrow token", dam.CollectionsRead)
	s.as(t, s.tokenFor(t, editor, dam.AssetsDownload), "GET", path+"/download", "").lacks(t, "a narrower one", dam.AssetsRead)
	s.as(t, s.user(t, "other@example.com", dam.RoleEditor), "GET", path+"/download", "").want(t, 404)
	s.do(t, "PUT", c, `{"visibility":"restricted"}`).want(t, 200)
	refused := s.as(t, all, "GET", path+"/download", "").want(t, 403)
	if refused.get("message") != "The file names a collection that you may no longer view; start the export again." {
		t.Errorf("%s", refused)
	}
	if _, file := export(all); strings.Contains(string(file.body), "hush") {
		t.Errorf("%s", file.body)
	}
	s.do(t, "PUT", c, `{"visibility":"everyone"}`).want(t, 200)
	s.as(t, all, "GET", path+"/download", "").want(t, 200)
	s.do(t, "DELETE", c, "").want(t, 200) // deleted collections restrict nothing
	s.as(t, all, "GET", path+"/download", "").want(t, 200)
	c = s.collection(t, `{"name":"hush"}`)
	s.do(t, "POST", c+"/assets", gaids(g...)).want(t, 200)

	// A webhook gets only data that its creator may read or, after a change of its URL, the
	// user who changed it.
	hook, _ := s.hookAs(t, narrow, r.URL, "asset.updated")
	told := func(n int) string {
		s.retitle(t, g[0], fmt.Sprint("title ", n))
		return fmt.Sprint(r.wait(t, n)[n-1].event.Data["collections"])
	}
	if got := told(1); got != "[]" {
		t.Errorf("a webhook of a narrow token is told of %s", got)
	}
	s.as(t, all, "PUT", hook, `{"url":"`+r.URL+`/wide"}`).want(t, 200)
	if got := told(2); !strings.Contains(got, "hush") {
		t.Errorf("a webhook of a wide token is told of %s", got)
	}
	s.as(t, narrow, "PUT", hook, `{"description":"not told"}`).want(t, 200)
	s.as(t, narrow, "PUT", hook, `{"url":"`+r.URL+`/narrow"}`).want(t, 200)
	if got := told(3); got != "[]" {
		t.Errorf("a webhook that a narrow token redirected is told of %s", got)
	}

	// Saved filters and operations show 0 for each collection, and sending it back changes
	// nothing.
	whole := "[" + idOf(c) + "]"
	rule, masked := collectionRule("in", whole), collectionRule("in", "[0]")
	search := s.saveAs(t, all, "by collection", `{"filters":`+rule+`}`)
	s.as(t, narrow, "PUT", search, `{"query":{"q":"picture","filters":`+masked+`}}`).want(t, 200)
	op := s.operateAs(t, all, `{
		"type": "bulk_update",
		"selection": {"filters": `+rule+`},
		"changes": {"add_keywords": ["x"], "add_collection_ids": `+whole+`}
	}`)
	batch := s.as(t, all, "POST", "/api/v1/upload-batches", `{"collection_ids":`+whole+`}`).want(t, 201).get("data.id")
	batchPath := fmt.Sprint("/api/v1/upload-batches/", batch)
	uploader := s.tokenFor(t, editor, dam.UploadsManage)
	for _, x := range []struct{ token, path, field, want string }{
		{narrow, search, "data.query.filters.value", "[0]"},
		{all, search, "data.query.filters.value", whole},
		{all, search, "data.query.q", "picture"},
		{narrow, saves, "data.0.query.filters.value", "[0]"},
		{narrow, op, "data.spec.filters.value", "[0]"},
		{narrow, operations, "data.0.spec.filters.value", "[0]"},
		{narrow, op, "data.spec.changes.add_collection_ids", "[0]"},
		{narrow, op, "data.spec.changes.add_keywords", "[x]"},
		{all, op, "data.spec.filters.value", whole},
		{all, op, "data.spec.changes.add_collection_ids", whole},
		{uploader, batchPath, "data.collection_ids", "[]"},
		{uploader, "/api/v1/upload-batches", "data.0.collection_ids", "[]"},
		{all, batchPath, "data.collection_ids", whole},
	} {
		if got := fmt.Sprint(s.as(t, x.token, "GET", x.path, "").want(t, 200).get(x.field)); got != x.want {
			t.Errorf("%s of %s is %s, not %s", x.field, x.path, got, x.want)
		}
	}
	s.untilAs(t, all, op, func(a answer) bool { return a.get("data.finished_at") != nil })

	// If the role loses an ability, so do running operations.
	path, _ = export(all)
	s.role(t, "editor@example.com", dam.RoleViewer)
	s.as(t, all, "GET", path+"/download", "").want(t, 200) // viewers may export too
	s.set(t, "editor@example.com", disable)
	s.as(t, all, "GET", path+"/download", "").want(t, 401)
}

// Only its creator or an administrator decides who may view a collection; other users with
// write access can change everything else.
func TestWhoRestricts(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	maker := s.user(t, "maker@example.com", dam.RoleEditor)
	other := s.userID(t, "other@example.com", dam.RoleEditor)
	friend := s.tokenFor(t, other, allBut()...)
	open := s.collectionAs(t, maker, `{"name":"open"}`)
	closed := s.collectionAs(t, maker, fmt.Sprintf(`{"name":"closed","visibility":"restricted","viewer_ids":[%d]}`, other))
	const message = "Only the creator of the collection or an admin may change who may view it."
	for path, bodies := range map[string][]string{
		open: {
			`{"visibility":"restricted"}`,
			fmt.Sprintf(`{"viewer_ids":[%d]}`, other),
			`{"name":"x","visibility":"restricted"}`,
		},
		closed: {
			`{"visibility":"everyone"}`,
			`{"visibility":null}`,
			`{"viewer_ids":[]}`,
			`{"viewer_ids":null}`,
			fmt.Sprintf(`{"viewer_ids":[1,%d]}`, other),
		},
	} {
		for _, body := range bodies {
			a := s.as(t, friend, "PUT", path, body).want(t, 403)
			if a.get("message") != message || fmt.Sprint(a.get("required_abilities")) != "[]" {
				t.Errorf("%s: %s", body, a)
			}
		}
		a := s.as(t, friend, "GET", path, "").want(t, 200)
		same, err := json.Marshal(map[string]any{
			"name":       "new " + idOf(path),
			"visibility": a.get("data.visibility"),
			"viewer_ids": a.get("data.viewer_ids"),
			"position":   3,
		})
		if err != nil {
			t.Fatal(err)
		}
		s.as(t, friend, "PUT", path, string(same)).want(t, 200)
	}
	s.as(t, maker, "PUT", open, `{"visibility":"restricted"}`).want(t, 200)
	s.as(t, friend, "GET", open, "").want(t, 404)
	s.do(t, "PUT", closed, `{"visibility":"everyone","viewer_ids":[]}`).want(t, 200)
}

// Users who cannot see the levels above and below do not learn how many there are.
func TestHiddenDepth(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	editor := s.user(t, "editor@example.com", dam.RoleEditor)
	chain := func(n int, first, rest string) (top, bottom string) {
		top = s.collection(t, `{"name":"top",`+first+`}`)
		for bottom = top; n > 1; n-- {
			bottom = s.collection(t, `{"name":"x","parent_id":`+idOf(bottom)+`,`+rest+`}`)
		}
		return top, bottom
	}
	const open, closed = `"visibility":"everyone"`, `"visibility":"restricted"`
	deep, _ := chain(7, open, closed)
	seen, end := chain(4, open, open)
	_, hiddenTop := chain(9, closed, closed)
	low := s.collection(t, `{"name":"low","parent_id":`+idOf(hiddenTop)+`}`)
	for _, x := range [][3]string{
		{deep, idOf(end), "The selected parent_id is invalid."}, // 7 levels below 4, 6 of them hidden
		{seen, idOf(low), "The selected parent_id is invalid."}, // 4 levels below 10, 9 of them hidden
	} {
		if a := s.as(t, editor, "PUT", x[0], `{"parent_id":`+x[1]+`}`).want(t, 422); a.get("errors.parent_id.0") != x[2] {
			t.Errorf("%s", a)
		}
		a := s.do(t, "PUT", x[0], `{"parent_id":`+x[1]+`}`).want(t, 422)
		if a.get("errors.parent_id.0") != "Collections may not be nested more than 10 levels deep." {
			t.Errorf("%s", a)
		}
	}
}

// A webhook does not get the number of assets that a collection's rules match in another
// collection that its owner may not view.
func TestCountsOfRulesInEvents(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	s := start(t, sends(t, noMeaning))
	g := s.pictures(t, 3)
	secret := s.collection(t, `{"name":"hush","visibility":"restricted"}`)
	s.do(t, "POST", secret+"/assets", gaids(g...)).want(t, 200)
	s.hookAs(t, s.user(t, "editor@example.com", dam.RoleEditor), r.URL, "collection.created")
	s.collection(t, `{"name":"reads it","rules":`+collectionRule("in", "["+idOf(secret)+"]")+`}`)
	if e := r.wait(t, 1)[0].event; e.Data["assets_count"] != 0.0 {
		t.Errorf("%v", e.Data)
	}
}

// Queued events of a collection are not delivered once it is restricted.
func TestEventsOfACollectionRestrictedSince(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	s := start(t, sends(t, noMeaning))
	editor := s.user(t, "editor@example.com", dam.RoleEditor)
	hook, _ := s.hookAs(t, editor, r.URL, "collection.created")
	c := s.collection(t, `{"name":"hush"}`)
	r.wait(t, 1)
	delivery := s.as(t, editor, "GET", hook+"/deliveries", "").want(t, 200).get("data.0.id")
	s.do(t, "PUT", c, `{"visibility":"restricted"}`).want(t, 200)
	s.as(t, editor, "POST", fmt.Sprint(hook, "/deliveries/", delivery, "/redeliver"), "").want(t, 202)
	s.untilAs(t, editor, hook+"/deliveries", func(a answer) bool { return a.get("data.0.status") == "failed" })
	if all := r.wait(t, 1); len(all) != 1 {
		t.Errorf("told %d times", len(all))
	}
}

// A refusal names the abilities that the role lacks.
func TestViewersAreToldWhatTheyLack(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	g := s.pictures(t, 1)
	viewer := s.user(t, "viewer@example.com", dam.RoleViewer)
	update := `{"type":"bulk_update","selection":` + gaids(g[0])
	for _, x := range [][4]string{
		{"PUT", assets + "/" + g[0], `{"title":"x"}`, "Your role, viewer, lacks assets:write."},
		{"DELETE", assets + "/" + g[0], ``, "Your role, viewer, lacks assets:delete."},
		{
			"POST", operations, update + `,"changes":{"metadata":{"a":"b"}}}`,
			"Your role, viewer, lacks assets:write and metadata:write.",
		},
		{
			"POST", operations, update + `,"changes":{"metadata":{"a":"b"},"add_collection_ids":[1]}}`,
			"Your role, viewer, lacks assets:write, collections:write and metadata:write.",
		},
	} {
		a := s.as(t, viewer, x[0], x[1], x[2], "Idempotency-Key", newKey()).want(t, 403)
		if a.get("message") != x[3] || fmt.Sprint(a.get("required_abilities")) != "[]" {
			t.Errorf("%s %s: %s", x[0], x[1], a)
		}
	}
}

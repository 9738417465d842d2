package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// A bulk_update puts any number of assets in collections and takes them out of
// others, and says so once a collection and turn.
func TestBulkUpdateOfCollections(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	all := s.fill(t, 450)
	in, out, third := s.collection(t, `{"name":"in"}`), s.collection(t, `{"name":"out"}`), s.collection(t, `{"name":"third"}`)
	s.do(t, "POST", in+"/assets", gaids(all[3])).want(t, 200)
	s.do(t, "POST", out+"/assets", gaids(all[:5]...)).want(t, 200)
	s.do(t, "POST", third+"/assets", gaids(all[0])).want(t, 200)
	s.do(t, "DELETE", assets+"/"+all[4], "").want(t, 200)
	touched := s.do(t, "GET", third, "").get("data.updated_at")
	before := s.countEvents(t)
	changes := fmt.Sprintf(`{"add_collection_ids":[%s,%s],"remove_collection_ids":[%s]}`, idOf(in), idOf(in), idOf(out))
	body := `{"type":"bulk_update","selection":{"gaids":` + quoted(append(all, "nobody")) + `},"changes":` + changes + `}`

	a := s.do(t, "POST", operations+"?dry_run=true", body, "Idempotency-Key", newKey()).want(t, 200)
	if got := fmt.Sprint(a.get("data.total"), a.get("data.changed"), a.get("data.unchanged"), a.get("data.not_found_count"), a.get("data.invalid")); got != "451 449 0 2 0" {
		t.Errorf("the preview counts %s", got)
	}
	for i, want := range []string{fmt.Sprintf("from:[%s %s] to:[%s %s]", idOf(out), idOf(third), idOf(in), idOf(third)), fmt.Sprintf("from:[%s] to:[%s]", idOf(out), idOf(in)), "", fmt.Sprintf("from:[%s %s] to:[%s]", idOf(in), idOf(out), idOf(in)),
		"", fmt.Sprintf("from:<nil> to:[%s]", idOf(in))} {
		if got := fmt.Sprint(a.get(fmt.Sprintf("data.items.%d.changes", i))); want != "" && got != "map[collections:map["+want+"]]" {
			t.Errorf("item %d of the preview: %s, want %s", i, got, want)
		}
	}
	if n := s.do(t, "GET", in, "").get("data.assets_count"); n != 1.0 {
		t.Errorf("the preview put %v in", n)
	}

	path := s.operate(t, body)
	a = s.ended(t, path)
	if outcome(a) != "completed_with_errors 451 449 0 2 100" || fmt.Sprint(a.get("data.spec.changes.add_collection_ids")) != fmt.Sprintf("[%s %s]", idOf(in), idOf(in)) {
		t.Errorf("%s", a.body)
	}
	s.total(t, s.token, in+"/assets", 449)
	s.total(t, s.token, out+"/assets?trashed=with", 1) // what is in the trash stays as it is
	s.total(t, s.token, filtered("in", "["+idOf(in)+"]"), 449)
	s.do(t, "GET", in+"/assets?per_page=4", "").shows(t, "data", "gaid", all[3], all[0], all[1], all[2])
	s.do(t, "GET", assets+"/"+all[0], "").shows(t, "data.collections", "name", "in", "third")
	if a := s.do(t, "GET", third, ""); a.get("data.updated_at") != touched {
		t.Errorf("%s", a.body)
	}
	events := s.countEvents(t)
	for _, c := range []string{in, out} {
		if n := events["collection.updated "+idOf(c)] - before["collection.updated "+idOf(c)]; n < 1 || n > 50 {
			t.Errorf("%d events of collection %s", n, c)
		}
	}
	for _, gaid := range all {
		if events["asset.updated "+gaid] != before["asset.updated "+gaid] {
			t.Errorf("%s is said to have changed", gaid)
		}
	}
	if v := s.do(t, "GET", assets+"/"+all[0], "").get("data.version"); v != 1.0 {
		t.Errorf("version %v", v)
	}

	// Again, it changes nothing; with fields besides, it changes those.
	a = s.ended(t, s.operate(t, `{"type":"bulk_update","selection":{"filters":`+every+`},"changes":`+changes+`}`))
	if outcome(a) != "completed 449 449 449 0 100" {
		t.Errorf("%s", a.body)
	}
	a = s.ended(t, s.operate(t, `{"type":"bulk_update","selection":{"filters":`+collectionRule("in", "["+idOf(third)+"]")+`},"changes":{"creator":"Eve","remove_collection_ids":[`+idOf(third)+`]}}`))
	b := s.do(t, "GET", assets+"/"+all[0], "")
	if outcome(a) != "completed 1 1 0 0 100" || b.get("data.creator") != "Eve" || b.get("data.version") != 2.0 {
		t.Errorf("%s %s", a.body, b.body)
	}
	b.shows(t, "data.collections", "name", "in")
}

// What a bulk_update must not do to collections.
func TestBulkUpdateOfCollectionsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	gaid := s.fill(t, 1)[0]
	open := s.collection(t, `{"name":"open"}`)
	secret := s.collection(t, `{"name":"secret","visibility":"restricted"}`)
	ruled := s.collection(t, `{"name":"ruled","rules":`+every+`}`)
	hidden := s.collection(t, `{"name":"hidden","visibility":"restricted","rules":`+every+`}`)
	editor := s.user(t, "ed@example.com", dam.RoleEditor)
	many := strings.Repeat("1,", 50) + "1"
	send := func(token, changes string) answer {
		t.Helper()
		body := `{"type":"bulk_update","selection":{"gaids":["` + gaid + `"]},"changes":` + changes + `}`
		preview := s.as(t, token, "POST", operations+"?dry_run=true", body, "Idempotency-Key", newKey())
		a := s.as(t, token, "POST", operations, body, "Idempotency-Key", newKey())
		if a.StatusCode > 299 && string(preview.body) != string(a.body) {
			t.Errorf("%s: the preview says %s, it itself %s", changes, preview.body, a.body)
		}
		return a
	}
	for changes, want := range map[string]string{
		`{"add_collection_ids":[` + idOf(open) + `,` + idOf(secret) + `]}`:                            "changes.add_collection_ids.1 The selected collection " + idOf(secret) + " is invalid.",
		`{"remove_collection_ids":[` + idOf(secret) + `]}`:                                            "changes.remove_collection_ids.0 The selected collection " + idOf(secret) + " is invalid.",
		`{"add_collection_ids":[` + idOf(hidden) + `]}`:                                               "changes.add_collection_ids.0 The selected collection " + idOf(hidden) + " is invalid.",
		`{"add_collection_ids":[99]}`:                                                                 "changes.add_collection_ids.0 The selected collection 99 is invalid.",
		`{"add_collection_ids":[` + idOf(ruled) + `]}`:                                                "changes.add_collection_ids.0 The collection " + idOf(ruled) + " fills itself by its rules.",
		`{"remove_collection_ids":[` + idOf(ruled) + `]}`:                                             "changes.remove_collection_ids.0 The collection " + idOf(ruled) + " fills itself by its rules.",
		`{"add_collection_ids":[` + idOf(open) + `],"remove_collection_ids":[99,` + idOf(open) + `]}`: "changes.remove_collection_ids.1 The collection " + idOf(open) + " is in add_collection_ids too.",
		`{"add_collection_ids":[],"remove_collection_ids":[]}`:                                        "changes The changes field is required.",
		`{"add_collection_ids":[` + many + `]}`:                                                       "changes.add_collection_ids ",
		`{"creator":"x","add_collection_ids":"` + idOf(open) + `"}`:                                   "changes.add_collection_ids ",
	} {
		a := send(editor, changes).want(t, 422)
		field, text, _ := strings.Cut(want, " ")
		errs, _ := a.get("errors").(map[string]any)
		if list, _ := errs[field].([]any); len(list) == 0 || text != "" && list[0] != text {
			t.Errorf("%s: %s, want %s", changes, a.body, want)
		}
	}
	for need, ability := range map[string]dam.Ability{"collections:write": dam.AssetsWrite, "assets:write": dam.CollectionsWrite} {
		token := s.user(t, "with-"+strings.ReplaceAll(string(ability), ":", "-")+"@example.com", dam.RoleAdmin, ability, dam.AssetsRead)
		if a := send(token, `{"add_collection_ids":[`+idOf(open)+`]}`).want(t, 403); fmt.Sprint(a.get("required_abilities")) != "["+need+"]" {
			t.Errorf("%s: %s", need, a.body)
		}
	}
	send(editor, `{"add_collection_ids":[`+idOf(open)+`]}`).want(t, 202)
	send(s.token, `{"add_collection_ids":[`+idOf(secret)+`]}`).want(t, 202)
}

// A collection that becomes restricted, or goes, while assets are put in it
// takes no more of them.
func TestBulkUpdateOfAVanishingCollection(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	s.fill(t, 6000)
	path := s.collection(t, `{"name":"x"}`)
	editor := s.user(t, "ed@example.com", dam.RoleEditor)
	op := s.operateAs(t, editor, `{"type":"bulk_update","selection":{"filters":`+every+`},"changes":{"creator":"Eve","add_collection_ids":[`+idOf(path)+`]}}`)
	s.do(t, "PUT", path, `{"visibility":"restricted"}`).want(t, 200)
	n := s.do(t, "GET", path, "").get("data.assets_count")
	a := s.untilAs(t, editor, op, func(a answer) bool { return a.get("data.finished_at") != nil })
	if done := a.get("data.progress.done"); done != n || done == 6000.0 || n != s.do(t, "GET", path, "").get("data.assets_count") {
		t.Errorf("%s: %v assets", a.body, n)
	}
	items := s.as(t, editor, "GET", op+"/items?state=failed", "").want(t, 200)
	if items.get("data.0.error.code") != "invalid" || items.get("data.0.error.message") != "The selected collection "+idOf(path)+" is invalid." {
		t.Errorf("%s", items.body)
	}
	s.total(t, s.token, assets+"?filters=%7B%22type%22%3A%22filter%22%2C%22field%22%3A%22asset.creator%22%2C%22operator%22%3A%22equals%22%2C%22value%22%3A%22Eve%22%7D", int(n.(float64)))
}

package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/storage"
)

// A bulk_update adds any number of assets to collections and removes them from others, with
// one event per collection and batch.
func TestBulkUpdateOfCollections(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	all := s.fill(t, 60)
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
	if got := previewed(a); got != "61 59 0 2 0" {
		t.Errorf("the preview counts %s", got)
	}
	for i, want := range []string{
		fmt.Sprintf("from:[%s %s] to:[%s %s]", idOf(out), idOf(third), idOf(in), idOf(third)),
		fmt.Sprintf("from:[%s] to:[%s]", idOf(out), idOf(in)),
		"",
		fmt.Sprintf("from:[%s %s] to:[%s]", idOf(in), idOf(out), idOf(in)),
		"",
		fmt.Sprintf("from:<nil> to:[%s]", idOf(in)),
	} {
		if got := fmt.Sprint(a.get(fmt.Sprintf("data.items.%d.changes", i))); want != "" && got != "map[collections:map["+want+"]]" {
			t.Errorf("item %d of the preview: %s, want %s", i, got, want)
		}
	}
	if n := s.do(t, "GET", in, "").get("data.assets_count"); n != 1.0 {
		t.Errorf("the preview put %v in", n)
	}

	path := s.operate(t, body)
	a = s.ended(t, path)
	if outcome(a) != "completed_with_errors 61 59 0 2 100" {
		t.Errorf("%s", a)
	}
	if got := fmt.Sprint(a.get("data.spec.changes.add_collection_ids")); got != fmt.Sprintf("[%s %s]", idOf(in), idOf(in)) {
		t.Errorf("%s", a)
	}
	s.total(t, s.token, in+"/assets", 59)
	s.total(t, s.token, out+"/assets?trashed=with", 1) // trashed assets are not changed
	s.total(t, s.token, filtered("in", "["+idOf(in)+"]"), 59)
	s.do(t, "GET", in+"/assets?per_page=4", "").shows(t, "data", "gaid", all[3], all[0], all[1], all[2])
	s.do(t, "GET", assets+"/"+all[0], "").shows(t, "data.collections", "name", "in", "third")
	if a := s.do(t, "GET", third, ""); a.get("data.updated_at") != touched {
		t.Errorf("%s", a)
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

	// A second run changes nothing; with additional fields, it changes only those.
	a = s.ended(t, s.operate(t, `{"type":"bulk_update","selection":{"filters":`+every+`},"changes":`+changes+`}`))
	if outcome(a) != "completed 59 59 59 0 100" {
		t.Errorf("%s", a)
	}
	a = s.ended(t, s.operate(t, `{
		"type": "bulk_update",
		"selection": {"filters": `+collectionRule("in", "["+idOf(third)+"]")+`},
		"changes": {"creator": "Eve", "remove_collection_ids": [`+idOf(third)+`]}
	}`))
	b := s.do(t, "GET", assets+"/"+all[0], "")
	if outcome(a) != "completed 1 1 0 0 100" || b.get("data.creator") != "Eve" || b.get("data.version") != 2.0 {
		t.Errorf("%s %s", a, b)
	}
	b.shows(t, "data.collections", "name", "in")
}

// Changes to collections that a bulk_update must refuse.
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
			t.Errorf("%s: the preview says %s, it itself %s", changes, preview.body, a)
		}
		return a
	}
	const (
		adds     = "changes.add_collection_ids"
		removes  = "changes.remove_collection_ids"
		fills    = " fills itself by its rules."
		selected = "The selected collection "
	)
	for _, tt := range []struct{ changes, field, text string }{
		{`{"add_collection_ids":[` + idOf(open) + `,` + idOf(secret) + `]}`, adds + ".1", selected + idOf(secret) + " is invalid."},
		{`{"remove_collection_ids":[` + idOf(secret) + `]}`, removes + ".0", selected + idOf(secret) + " is invalid."},
		{`{"add_collection_ids":[` + idOf(hidden) + `]}`, adds + ".0", selected + idOf(hidden) + " is invalid."},
		{`{"add_collection_ids":[99]}`, adds + ".0", selected + "99 is invalid."},
		{`{"add_collection_ids":[` + idOf(ruled) + `]}`, adds + ".0", "The collection " + idOf(ruled) + fills},
		{`{"remove_collection_ids":[` + idOf(ruled) + `]}`, removes + ".0", "The collection " + idOf(ruled) + fills},
		{
			`{"add_collection_ids":[` + idOf(open) + `],"remove_collection_ids":[99,` + idOf(open) + `]}`,
			removes + ".1", "The collection " + idOf(open) + " is in add_collection_ids too.",
		},
		{`{"add_collection_ids":[],"remove_collection_ids":[]}`, "changes", "changes is required."},
		{`{"add_collection_ids":[` + many + `]}`, adds, ""},
		{`{"creator":"x","add_collection_ids":"` + idOf(open) + `"}`, adds, ""},
	} {
		a := send(editor, tt.changes).want(t, 422)
		errs, _ := a.get("errors").(map[string]any)
		if list, _ := errs[tt.field].([]any); len(list) == 0 || tt.text != "" && list[0] != tt.text {
			t.Errorf("%s: %s, want %s %s", tt.changes, a, tt.field, tt.text)
		}
	}
	for need, ability := range map[string]dam.Ability{"collections:write": dam.AssetsWrite, "assets:write": dam.CollectionsWrite} {
		token := s.user(t, "with-"+strings.ReplaceAll(string(ability), ":", "-")+"@example.com", dam.RoleAdmin, ability, dam.AssetsRead,
			dam.AssetsDownload)
		if a := send(token, `{"add_collection_ids":[`+idOf(open)+`]}`).want(t, 403); fmt.Sprint(a.get("required_abilities")) != "["+need+"]" {
			t.Errorf("%s: %s", need, a)
		}
	}
	send(editor, `{"add_collection_ids":[`+idOf(open)+`]}`).want(t, 202)
	send(s.token, `{"add_collection_ids":[`+idOf(secret)+`]}`).want(t, 202)
}

// A collection that becomes restricted or is deleted before the operation runs gets none of
// the assets. Nothing runs until the setup is complete.
func TestBulkUpdateOfAVanishingCollection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := app.DefaultConfig()
	cfg.OCR = analyze.OCROff
	cfg.DataDir, cfg.Embeddings, cfg.Log = dir, find.EmbeddingsOff, slog.New(slog.NewTextHandler(t.Output(), nil))
	a, err := app.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	unlock, err := a.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := a.OpenSearch(t.Context()); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	actor := func(email string, role dam.Role) dam.Actor {
		u := &dam.User{Name: "Test", Email: email, Role: role}
		must(a.Accounts.CreateUser(t.Context(), u, "correct horse battery"))
		return dam.Actor{User: u}
	}
	ada, ed := actor("ada@example.com", dam.RoleAdmin), actor("ed@example.com", dam.RoleEditor)
	store, err := storage.Open(t.Context(), filepath.Join(dir, "dal.db"), time.Now)
	must(err)
	defer store.Close()
	const gaid = "01TEST00000000000000000000"
	must(store.Update(t.Context(), func(tx *storage.Tx) error {
		sha := strings.Repeat("0", 64)
		if err := tx.InsertBlob(sha, 1); err != nil {
			return err
		}
		return tx.InsertAsset(&dam.Asset{
			GAID:             gaid,
			Title:            "x",
			OriginalFilename: "x.jpg",
			MIMEType:         "image/jpeg",
			FileCategory:     dam.CategoryImage,
			Extension:        "jpg",
			SHA256:           sha,
			WorkflowStatus:   dam.WorkflowDraft,
			ProcessingStatus: dam.ProcessingReady,
		})
	}))
	set := func(name string) dam.Opt[string] { return dam.Opt[string]{Sent: true, Value: name} }
	var ops [3]*dam.Operation
	var ids [3]int64
	for i, name := range []string{"stays", "becomes restricted", "goes"} {
		c, err := a.Collections.Create(t.Context(), ada, &dam.CollectionPatch{Name: set(name)})
		must(err)
		ids[i] = c.ID
		spec := &dam.OperationSpec{Type: dam.OperationUpdate, Selection: dam.Selection{GAIDs: []dam.GAID{gaid}},
			Changes: &dam.BulkChanges{AssetPatch: dam.AssetPatch{Creator: set(name)}, AddCollectionIDs: []int64{c.ID}}}
		ops[i], err = a.Operations.Start(t.Context(), ed, spec)
		must(err)
	}
	restricted := dam.Opt[dam.Visibility]{Sent: true, Value: dam.Restricted}
	_, err = a.Collections.Update(t.Context(), ada, ids[1], &dam.CollectionPatch{Visibility: restricted}, nil)
	must(err)
	must(a.Collections.Delete(t.Context(), ada, ids[2], nil))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	defer func() {
		stop()
		must(<-done)
	}()
	for i, op := range ops {
		for tick := time.Tick(10 * time.Millisecond); !op.State.Terminal(); <-tick {
			op, err = a.Operations.Get(t.Context(), ed, op.ID)
			must(err)
		}
		items, _, err := a.Operations.Items(t.Context(), ed, op.ID, "", dam.Page{Limit: 10})
		must(err)
		if i == 0 {
			if op.State != dam.OperationDone {
				t.Errorf("%+v", op)
			}
			continue
		}
		message := fmt.Sprintf("The selected collection %d is invalid.", ids[i])
		if e := items[0].Error; op.State != dam.OperationFailed || e.Code != dam.CodeInvalid || e.Message != message {
			t.Errorf("%+v: %+v", op, e)
		}
	}
	asset, err := a.Assets.Get(t.Context(), ada, gaid, false)
	must(err)
	if asset.Creator != "stays" || len(asset.Collections) != 1 {
		t.Errorf("%+v", asset.Asset)
	}
}

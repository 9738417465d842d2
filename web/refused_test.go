package web_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// TestEveryProblemInOneAnswer checks that unknown parameters and members are reported
// together with what else is wrong.
func TestEveryProblemInOneAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	asset := "/api/v1/assets/" + s.one(t, "a.jpg", picture(1, 8, 8))
	for _, tt := range []struct {
		name, method, path, body string
		fields                   string // in alphabetical order
	}{
		{"rules of the domain", "POST", "/api/v1/tokens",
			`{"name":" ","abilities":["assets:read"],"expires_at":"2001-01-01T00:00:00Z","extra":1}`, "expires_at extra name"},
		{"shape only", "POST", "/api/v1/tokens?a=1",
			`{"name":"","abilities":["assets:fly"],"expires_at":"2001","extra":1,"tags":"x"}`, "a abilities.0 expires_at extra name tags"},
		{"a missing member", "POST", "/api/v1/tokens", `{"extra":1,"expires_at":5}`, "abilities expires_at extra name"},
		{"a member twice", "POST", "/api/v1/collections?a=1", `{"name":" ","name":"b","x":1}`, "a name x"},
		{"found while writing", "POST", "/api/v1/collections?a=1", `{"name":"x","parent_id":99}`, "a parent_id"},
		{"of an asset", "PUT", asset + "?a=1", `{"owner_id":99,"b":1}`, "a b owner_id"},
		{"read-only members", "PUT", asset, `{"created_at":"2001-01-01T00:00:00Z","b":1}`, "b created_at"},
		{"members of an object", "POST", "/api/v1/saved-searches", `{"name":"n","query":{"sort":1,"filters":{"type":"x"}}}`,
			"query.filters.type query.sort"},
		{"parameters of a list", "GET", "/api/v1/assets?a=1&filters=x", "", "a filters"},
		{"no such resource", "PUT", "/api/v1/collections/99?a=1", `{"name":"x"}`, "a"},
		{"a number that is too large", "PUT", asset + "?a=1", `{"rating":1e999,"b":1}`, "a b body"},
		{"a public operation", "POST", "/api/v1/session?a=1", `{"email":"nobody@example.com","password":"x","b":1}`, "a b"},
		{"a file", "GET", asset + "/download?a=1", "", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := s.do(t, tt.method, tt.path, tt.body).want(t, 422)
			errs, _ := a.get("errors").(map[string]any)
			if got := strings.Join(slices.Sorted(maps.Keys(errs)), " "); got != tt.fields {
				t.Errorf("%s, want %s", got, tt.fields)
			}
		})
	}
}

// refusable is a request that changes something, with the operation's name in needs.
type refusable struct {
	name, path, body string
	absent           bool // the resource does not exist, so only the refusal is tested
}

// TestRefusedRequestsChangeNothing sends a valid request to every operation that changes
// something, first with an undeclared parameter or member. Such a request is refused and
// must leave the records and files unchanged, although its handler runs. Then the same
// request without it must succeed.
func TestRefusedRequestsChangeNothing(t *testing.T) {
	t.Parallel()
	s, r := start(t, sends(t, noMeaning)), newReceiver(t)
	g := s.pictures(t, 4)
	login := s.logIn(t, "ada@example.com", "correct horse battery", "").want(t, 201).Cookies()[0]
	cookie := []string{"Cookie", login.Name + "=" + login.Value}
	const v1 = "/api/v1"
	make := func(path, body string) string {
		return fmt.Sprintf("%s/%v", path, s.do(t, "POST", v1+path, body).want(t, 201).get("data.id"))
	}
	class, kind := make("/asset-classes", `{"name":"c"}`), make("/collection-types", `{"name":"t"}`)
	collection, preset := make("/collections", `{"name":"c"}`), make("/presets", `{"name":"p","width":100}`)
	vocabulary := make("/metadata/vocabularies", `{"key":"v","name":"V"}`)
	term, term2 := make(vocabulary+"/terms", `{"key":"a","label":"A"}`), make(vocabulary+"/terms", `{"key":"b","label":"B"}`)
	s.define(t, `{"key":"f","label":"F","type":"text"}`)
	s.define(t, `{"key":"h","label":"H","type":"text"}`)
	share := make("/shares", `{"name":"s","gaids":["`+g[0]+`"]}`)
	search := make("/saved-searches", `{"name":"s","query":{}}`)
	user := fmt.Sprintf("/users/%d", s.userID(t, "editor@example.com", dam.RoleEditor))
	token := make("/tokens", `{"name":"t","abilities":["assets:read"]}`)
	hook := make("/webhooks", hookBody(r.URL, "asset.deleted"))
	batch, batch2, batch3 := make("/upload-batches", `{}`), make("/upload-batches", `{}`), make("/upload-batches", `{}`)
	s.do(t, "POST", v1+collection+"/assets", gaids(g[:3]...)).want(t, 200)
	one := gaids(g[0])
	requests := []refusable{
		{"PUT /assets/{}", "/assets/" + g[0], `{"title":"new"}`, false},
		{"PUT /assets/{}/metadata", "/assets/" + g[0] + "/metadata", `{"f":"x"}`, false},
		{"POST /assets/{}/embed", "/assets/" + g[0] + "/embed", `{}`, true},
		{"DELETE /assets/{}/embed", "/assets/" + g[0] + "/embed", "", true},
		{"POST /metadata/fields", "/metadata/fields", `{"key":"k","label":"K","type":"text"}`, false},
		{"PUT /metadata/fields/{}", "/metadata/fields/f", `{"label":"new"}`, false},
		{"POST /metadata/fields/{}/move", "/metadata/fields/f/move", `{"after":"h"}`, false},
		{"DELETE /metadata/fields/{}", "/metadata/fields/h", "", false},
		{"POST /metadata/vocabularies", "/metadata/vocabularies", `{"key":"w","name":"W"}`, false},
		{"PUT /metadata/vocabularies/{}", vocabulary, `{"name":"new"}`, false},
		{"POST /metadata/vocabularies/{}/terms", vocabulary + "/terms", `{"key":"c","label":"C"}`, false},
		{"PUT /metadata/vocabularies/{}/terms/{}", term, `{"label":"new"}`, false},
		{"POST /metadata/vocabularies/{}/terms/{}/move", term + "/move", `{"after":` + idOf(term2) + `}`, false},
		{"DELETE /metadata/vocabularies/{}/terms/{}", term, "", false},
		{"DELETE /metadata/vocabularies/{}", vocabulary, "", false},
		{"POST /asset-classes", "/asset-classes", `{"name":"d"}`, false},
		{"PUT /asset-classes/{}", class, `{"name":"new"}`, false},
		{"DELETE /asset-classes/{}", class, "", false},
		{"POST /collections", "/collections", `{"name":"d"}`, false},
		{"PUT /collections/{}", collection, `{"name":"new"}`, false},
		{"PUT /collections/{}/assets/order", collection + "/assets/order", gaids(g[2], g[1], g[0]), false},
		{"POST /collections/{}/assets", collection + "/assets", gaids(g...), false},
		{"DELETE /collections/{}/assets", collection + "/assets", one, false},
		{"POST /collections/{}/assets/remove", collection + "/assets/remove", gaids(g[1]), false},
		{"POST /collections/{}/move", collection + "/move", `{"parent_id":null}`, false},
		{"DELETE /collections/{}", collection, "", false},
		{"POST /collection-types", "/collection-types", `{"name":"u"}`, false},
		{"PUT /collection-types/{}", kind, `{"name":"new"}`, false},
		{"DELETE /collection-types/{}", kind, "", false},
		{"POST /presets", "/presets", `{"name":"q","width":50}`, false},
		{"PUT /presets/{}", preset, `{"width":60}`, false},
		{"DELETE /presets/{}", preset, "", false},
		{"POST /shares", "/shares", `{"name":"t",` + one[1:], false},
		{"PUT /shares/{}", share, `{"name":"new"}`, false},
		{"DELETE /shares/{}", share, "", false},
		{"POST /saved-searches", "/saved-searches", `{"name":"t","query":{}}`, false},
		{"PUT /saved-searches/{}", search, `{"name":"new"}`, false},
		{"DELETE /saved-searches/{}", search, "", false},
		{"POST /users", "/users", `{"name":"N","email":"new@example.com","role":"viewer"}`, false},
		{"PUT /users/{}", user, `{"name":"new"}`, false},
		{"POST /users/{}/invitation", user + "/invitation", "", false},
		{"POST /tokens", "/tokens", `{"name":"u","abilities":["assets:read"]}`, false},
		{"PUT /tokens/{}", token, `{"rate_limit":100}`, false},
		{"DELETE /tokens/{}", token, "", false},
		{"POST /webhooks", "/webhooks", hookBody(r.URL, "asset.deleted"), false},
		{"PUT /webhooks/{}", hook, `{"description":"new"}`, false},
		{"POST /webhooks/{}/test", hook + "/test", "", false},
		{"POST /webhooks/{}/rotate-secret", hook + "/rotate-secret", "", false},
		{"POST /webhooks/{}/deliveries/{}/redeliver", hook + "/deliveries/1/redeliver", "", true},
		{"DELETE /webhooks/{}", hook, "", false},
		{"POST /upload-batches", "/upload-batches", `{}`, false},
		{"POST /upload-batches/{}/files/{}/retry", batch + "/files/1/retry", "", true},
		{"POST /upload-batches/{}/complete", batch3 + "/complete", "", false},
		{"POST /upload-batches/{}/cancel", batch2 + "/cancel", "", false},
		{"DELETE /upload-batches/{}/tus/{}", batch + "/tus/7c9e6679f3b14b0ea1d25a3b1c9d8e07", "", true},
		{"POST /operations", "/operations", `{"type":"bulk_update","selection":` + one + `,"changes":{"title":"x"}}`, false},
		{"POST /operations/{}/cancel", "/operations/1/cancel", "", true},
		{"POST /assets/{}/merge", "/assets/" + g[0] + "/merge", gaids(g[1]), false},
		{"POST /assets/{}/restore", "/assets/" + g[1] + "/restore", "", true},
		{"DELETE /assets/{}", "/assets/" + g[2], "", false},
		{"DELETE /assets/{}/poster", "/assets/" + g[0] + "/poster", "", true},
		{"DELETE /assets/{}/parts/{}", "/assets/" + g[0] + "/parts/1", "", true},
		{"POST /assets/{}/parts/{}/detach", "/assets/" + g[0] + "/parts/1/detach", "", true},
		{"POST /assets/{}/versions/{}/restore", "/assets/" + g[0] + "/versions/1/restore", "", true},
		{"DELETE /assets/{}/versions/{}", "/assets/" + g[0] + "/versions/1", "", true},
		{"DELETE /settings/logo", "/settings/logo", "", true},
		{"POST /roots/{}/scan", "/roots/1/scan", "", true},
		{"DELETE /roots/{}", "/roots/1", "", true},
		{"PUT /user", "/user", `{"name":"new"}`, false},
		{"POST /terms/accept", "/terms/accept", `{"id":1}`, true},
		{"DELETE /sessions/{}", "/sessions/99", "", true},
		{"DELETE /sessions", "/sessions", "", false},
	}

	// These have no handler that is tried: files, which are streamed, and public operations.
	known := map[string]bool{
		"POST /import-files": true, "PUT /settings/logo": true, "PUT /assets/{}/poster": true, "POST /assets/{}/versions": true,
		"POST /upload-batches/{}/files": true, "POST /upload-batches/{}/tus/": true, "PATCH /upload-batches/{}/tus/{}": true,
		// These change nothing.
		"POST /image-urls": true, "POST /iiif-urls": true, "POST /assets/facets": true, "POST /metadata/fields/{}/plan": true,
	}
	for _, r := range requests {
		known[r.name] = true
	}
	for name, need := range needs() {
		method, _, _ := strings.Cut(name, " ")
		reads := slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, method)
		if need != "public" && !reads && !known[name] {
			t.Errorf("%s is not in the list", name)
		}
	}

	ask := func(r refusable, more, body string) answer {
		method, _, _ := strings.Cut(r.name, " ")
		if needs()[r.name] == "session" {
			return s.as(t, "", method, v1+r.path+more, body, cookie...)
		}
		return s.do(t, method, v1+r.path+more, body, "Idempotency-Key", newKey())
	}
	s.idle(t)
	before := s.contents(t)
	for _, r := range requests {
		forms := [][2]string{{"?undeclared=1", r.body}}
		if r.body != "" && !strings.HasSuffix(r.name, "/metadata") { // in which every member is a field's key
			var members map[string]json.RawMessage
			must(t, json.Unmarshal([]byte(r.body), &members))
			members["undeclared"] = json.RawMessage("1")
			body, err := json.Marshal(members)
			must(t, err)
			forms = append(forms, [2]string{"", string(body)})
		}
		for _, form := range forms {
			a := ask(r, form[0], form[1])
			errs, _ := a.get("errors").(map[string]any)
			if a.StatusCode != 422 || errs["undeclared"] == nil || len(errs) != 1 && !r.absent {
				t.Errorf("%s%s %s: %d %s", r.name, form[0], form[1], a.StatusCode, a)
			}
		}
		after := s.contents(t)
		for what, sum := range after {
			if before[what] != sum {
				t.Errorf("%s changed %s", r.name, what)
			}
		}
		before = after
	}
	if got := r.wait(t, 0); len(got) != 0 {
		t.Errorf("a refused request sent %v", summary(got))
	}
	for _, r := range requests {
		if r.absent {
			continue
		}
		if a := ask(r, "", r.body); a.StatusCode >= 300 {
			t.Errorf("%s %s: %d %s", r.name, r.body, a.StatusCode, a)
		}
	}
}

// TestRefusedSearchIsNotCounted checks that a search that is refused does not count as usage.
func TestRefusedSearchIsNotCounted(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.do(t, "GET", assets+"?meaning=false&undeclared=1&q=lighthouse", "").want(t, 422)
	s.do(t, "GET", analytics+"/overview", "").want(t, 200).counts(t, map[string]float64{"data.totals.searches": 0})
	s.do(t, "GET", assets+"?meaning=false&q=lighthouse", "").want(t, 200)
	s.do(t, "GET", analytics+"/overview", "").want(t, 200).counts(t, map[string]float64{"data.totals.searches": 1})
}

// idle waits until no job is ready or running.
func (s *server) idle(t testing.TB) {
	t.Helper()
	s.until(t, "/api/v1/user", func(answer) bool {
		return s.count(t, `SELECT count(*) FROM jobs WHERE state <> 'dead'`) == 0
	})
}

// contents returns checksums of the tables, without the columns that any request changes,
// and the names of the files.
func (s *server) contents(t testing.TB) map[string]string {
	t.Helper()
	sums := map[string]string{}
	db := s.db(t)
	defer db.Close()
	names, err := db.QueryContext(t.Context(), `SELECT name, (SELECT group_concat(c.name, ',') FROM pragma_table_info(t.name) c
		WHERE c.name NOT IN ('last_used_at', 'used_at', 'seen_at')) FROM sqlite_schema t
		WHERE type = 'table' AND name NOT IN ('audit_logs', 'sqlite_sequence', 'library')`)
	must(t, err)
	defer names.Close()
	columns := map[string]string{}
	for names.Next() {
		var name, list string
		must(t, names.Scan(&name, &list))
		columns[name] = list
	}
	must(t, names.Err())
	for name, list := range columns {
		values := "hex(" + strings.ReplaceAll(list, ",", "), hex(") + ")"
		rows, err := db.QueryContext(t.Context(), `SELECT json_array(`+values+`) FROM `+name+` ORDER BY 1`) //nolint:gosec // our own names
		must(t, err)
		h := sha256.New()
		for rows.Next() {
			var row string
			must(t, rows.Scan(&row))
			fmt.Fprintln(h, row)
		}
		must(t, rows.Err())
		must(t, rows.Close())
		sums["the table "+name] = fmt.Sprintf("%x", h.Sum(nil))
	}
	must(t, filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), "dal.db") && !strings.Contains(path, "index") {
			sums["the file "+path] = d.Name()
		}
		return err
	}))
	return sums
}

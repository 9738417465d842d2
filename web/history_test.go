package web_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// told formats a history entry as one line.
func told(e map[string]any) string {
	changes, _ := json.Marshal(e["changes"])
	actor, _ := e["actor"].(map[string]any)
	return fmt.Sprintln(e["type"], e["version"], actor["name"], e["token_name"], e["operation_id"], string(changes))
}

// The history of an asset contains who changed which field, with old and new values, by
// hand and in operations, and its deletion and restoration.
func TestHistory(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	path := assets + "/" + gaid
	s.do(t, "PUT", path, `{"title":"Harbour","capture_date":"2026-01-31T06:00:00+01:00","location":{"place":"Rome"}}`).want(t, 200)
	s.do(t, "PUT", path, `{"title":"Harbour"}`).want(t, 200) // changes nothing
	s.do(t, "PUT", path, `{"title":"Dawn","keywords":["sea","boat"],"metadata":{"year":1969}}`).want(t, 200)
	session := s.as(t, "", "POST", "/api/v1/session", fmt.Sprintf(`{"email":"ada@example.com","password":%q}`, rightPassword)).want(t, 201)
	cookie := "dal_session=" + session.Cookies()[0].Value
	s.as(t, "", "PUT", path, `{"rating":0}`, "Cookie", cookie, "Sec-Fetch-Site", "same-origin").want(t, 200)
	operation := s.operate(t, fmt.Sprintf(`{"type":"bulk_update","selection":{"gaids":[%q]},"changes":{"add_keywords":["x"]}}`, gaid))
	s.ended(t, operation)
	s.do(t, "DELETE", path, "").want(t, 200)
	s.do(t, "POST", path+"/restore", "").want(t, 200)
	id := operation[strings.LastIndex(operation, "/")+1:]
	want := []string{
		`asset.restored 7 Test test <nil> []`,
		`asset.deleted 6 Test test <nil> []`,
		`asset.updated 5 Test <nil> ` + id + ` [{"field":"keywords","from":["sea","boat"],"is_shortened":false,"to":["sea","boat","x"]}]`,
		`asset.updated 4 Test <nil> <nil> [{"field":"rating","from":null,"is_shortened":false,"to":0}]`,
		`asset.updated 3 Test test <nil> [{"field":"title","from":"Harbour","is_shortened":false,"to":"Dawn"},` +
			`{"field":"keywords","from":null,"is_shortened":false,"to":["sea","boat"]},` +
			`{"field":"metadata.year","from":null,"is_shortened":false,"to":1969}]`,
		`asset.updated 2 Test test <nil> [{"field":"title","from":"a","is_shortened":false,"to":"Harbour"},` +
			`{"field":"capture_date","from":null,"is_shortened":false,"to":"2026-01-31T05:00:00.000Z"},` +
			`{"field":"capture_utc_offset","from":null,"is_shortened":false,"to":"+01:00"},` +
			`{"field":"capture_local_time","from":null,"is_shortened":false,"to":"2026-01-31T06:00:00"},` +
			`{"field":"location","from":null,"is_shortened":false,"to":{"latitude":null,"longitude":null,"place":"Rome"}}]`,
		`asset.created 1 Test <nil> <nil> []`,
	}
	for perPage, pages := range map[int]int{100: 1, 3: 3, 7: 1, 6: 2, 1: 7} {
		var got []string
		for page := 1; page <= pages+1; page++ {
			a := s.do(t, "GET", fmt.Sprintf("%s/history?per_page=%d&page=%d", path, perPage, page), "").want(t, 200)
			if a.get("meta.total") != 7.0 || a.get("meta.last_page") != float64(pages) {
				t.Errorf("%s", a)
			}
			items, _ := a.get("data").([]any)
			for _, item := range items {
				got = append(got, strings.TrimSpace(told(item.(map[string]any))))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d a page:\n%s\nwant\n%s", perPage, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	s.do(t, "DELETE", path+"?force=true", "").want(t, 200)
	s.do(t, "GET", path+"/history", "").want(t, 404)
}

// The recorded values of a change are limited in size and kept as long as the audit log.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	c := &clock{start: time.Now()}
	s := start(t, func(cfg *app.Config, _ *web.Options) { cfg.Now, cfg.AuditKeep = c.now, 48*time.Hour })
	path := assets + "/" + s.one(t, "a.jpg", picture(1, 40, 30))
	keywords, metadata := []string{}, map[string]any{}
	for i := range 200 {
		keywords = append(keywords, fmt.Sprint(strings.Repeat("ä", 250), i))
		metadata[fmt.Sprint("key", i)] = strings.Repeat("long ", 240)
	}
	body, err := json.Marshal(map[string]any{"description": strings.Repeat("é", 9000), "keywords": keywords, "metadata": metadata})
	if err != nil {
		t.Fatal(err)
	}
	s.do(t, "PUT", path, string(body)).want(t, 200)
	a := s.do(t, "GET", path+"/history", "").want(t, 200)
	n, shortened := len(fmt.Sprint(a.get("data.0.changes.1.to"))), a.get("data.0.changes.1.is_shortened")
	if n != 2000 || shortened != true || len(a.body) > 100_000 {
		t.Errorf("%d bytes of the description, %d of all", n, len(a.body))
	}
	if changes, _ := a.get("data.0.changes").([]any); len(changes) != 202 {
		t.Errorf("%d changes are told", len(changes))
	}
	s.do(t, "DELETE", path, "").want(t, 200)
	s.total(t, s.token, path+"/history", 3)
	c.pass(49 * time.Hour)
	s.token = s.user(t, "late@example.com", dam.RoleAdmin)
	if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.total(t, s.token, path+"/history", 1)
}

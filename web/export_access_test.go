package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// An export names the collections that its user may view, and no others.
func TestExportCollections(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.fill(t, 1)[0]
	for _, c := range []string{`"name":"=Open"`, `"name":"Secret","visibility":"restricted"`} {
		id := s.do(t, "POST", "/api/v1/collections", `{`+c+`}`).want(t, 201).get("data.id")
		s.do(t, "POST", fmt.Sprintf("/api/v1/collections/%v/assets", id), `{"gaids":["`+gaid+`"]}`).want(t, 200)
	}
	eve := s.user(t, "eve@example.com", dam.RoleEditor)
	for token, want := range map[string][2]string{
		s.token: {`[{"id":1,"name":"=Open"},{"id":2,"name":"Secret"}]`, "'=Open; Secret"},
		eve:     {`[{"id":1,"name":"=Open"}]`, "'=Open"},
	} {
		path := s.operateAs(t, token, `{"type":"export","format":"zip","selection":{"gaids":["`+gaid+`"]}}`)
		s.untilAs(t, token, path, func(a answer) bool { return a.get("data.state") == "completed" })
		files, _ := unzip(t, s.as(t, token, "GET", path+"/download", "").want(t, 200).body)
		var manifest struct {
			Assets []struct{ Collections json.RawMessage }
		}
		if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || len(manifest.Assets) != 1 || string(manifest.Assets[0].Collections) != want[0] {
			t.Errorf("%v %s, not %s", err, files["manifest.json"], want[0])
		}
		if rows := table(t, files["metadata.csv"]); rows[0]["collections"] != want[1] {
			t.Errorf("%q, not %s", rows[0]["collections"], want[1])
		}
	}
}

// An export stops when its user may not have it any more.
func TestExportOfDisabledUser(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.fill(t, 8000)
	eve := s.user(t, "eve@example.com", dam.RoleEditor)
	path := s.operateAs(t, eve, `{"type":"export","format":"zip","selection":{"filters":`+every+`}}`)
	s.untilAs(t, eve, path, func(a answer) bool { return a.get("data.progress.done") != 0.0 })
	err := s.app.UpdateUser(t.Context(), "eve@example.com", func(u *dam.User) error {
		now := time.Now()
		u.DisabledAt = &now
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// An admin's session sees what became of it.
	login := s.as(t, "", "POST", "/api/v1/session", `{"email":"ada@example.com","password":"correct horse battery"}`).want(t, 201)
	var a answer
	for a.Response == nil || a.get("data.finished_at") == nil {
		a = s.as(t, "", "GET", path, "", "Cookie", "dal_session="+login.Cookies()[0].Value).want(t, 200)
	}
	if a.get("data.state") != "failed" || a.get("data.error.code") != "denied" || a.get("data.progress.done") == 8000.0 || a.get("data.download") != nil {
		t.Errorf("%s", a.body)
	}
	next := s.operate(t, `{"type":"export","format":"json","selection":{"gaids":["01TEST00000000000000000000"]}}`)
	s.ended(t, next)
	if left := s.exportsLeft(t); !slices.Equal(left, []string{"2.json"}) {
		t.Errorf("left: %v", left)
	}
}

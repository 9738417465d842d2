package web_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// An export lists the collections that its user may view, and no others.
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
		err := json.Unmarshal(files["manifest.json"], &manifest)
		if err != nil || len(manifest.Assets) != 1 || string(manifest.Assets[0].Collections) != want[0] {
			t.Errorf("%v %s, not %s", err, files["manifest.json"], want[0])
		}
		if rows := table(t, files["metadata.csv"]); rows[0]["collections"] != want[1] {
			t.Errorf("%q, not %s", rows[0]["collections"], want[1])
		}
	}
}

// A download continues when the file expires meanwhile.
func TestExportExpiresWhileDownloaded(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now })
	gaid := s.one(t, "large.jpg", append(picture(1, 64, 48), make([]byte, 32<<20)...)) // exceeds the socket buffers
	path := s.operate(t, `{"type":"export","format":"zip","selection":{"gaids":["`+gaid+`"]}}`)
	a := s.ended(t, path)
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+path+"/download", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	hash := sha256.New()
	if _, err := io.CopyN(hash, res.Body, 1000); err != nil {
		t.Fatal(err)
	}
	c.ahead.Store(int64(25 * time.Hour))
	if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.do(t, "GET", path+"/download", "").want(t, 410)
	if _, err := io.Copy(hash, res.Body); err != nil {
		t.Fatal(err)
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != a.get("data.download.checksum_sha256") || len(s.exportsLeft(t)) > 0 {
		t.Errorf("%s, not %s; left: %v", sum, a, s.exportsLeft(t))
	}
}

// An export stops when its user loses access.
func TestExportOfDisabledUser(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.fill(t, 8000)
	eve := s.user(t, "eve@example.com", dam.RoleEditor)
	path := s.operateAs(t, eve, `{"type":"export","format":"zip","selection":{"filters":`+every+`}}`)
	s.untilAs(t, eve, path, func(a answer) bool { return a.get("data.progress.done") != 0.0 })
	err := s.app.Accounts.UpdateUser(t.Context(), "eve@example.com", func(u *dam.User) error {
		now := time.Now()
		u.DisabledAt = &now
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// An administrator's session sees the result.
	login := s.as(t, "", "POST", "/api/v1/session", `{"email":"ada@example.com","password":"correct horse battery"}`).want(t, 201)
	var a answer
	for a.Response == nil || a.get("data.finished_at") == nil {
		a = s.as(t, "", "GET", path, "", "Cookie", "dal_session="+login.Cookies()[0].Value).want(t, 200)
	}
	if a.get("data.state") != "failed" || a.get("data.error.code") != "denied" ||
		a.get("data.progress.done") == 8000.0 || a.get("data.download") != nil {
		t.Errorf("%s", a)
	}
	next := s.operate(t, `{"type":"export","format":"json","selection":{"gaids":["01TEST00000000000000000000"]}}`)
	s.ended(t, next)
	if left := s.exportsLeft(t); !slices.Equal(left, []string{"2.json"}) {
		t.Errorf("left: %v", left)
	}
}

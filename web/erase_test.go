package web_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// holding lists the files in a folder that contain text, ignoring case.
func holding(t testing.TB, dir, text string) (files []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(data), []byte(strings.ToLower(text))) {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// After a person is erased, their address occurs nowhere in the records, the database file
// or the files beside it, even while the server runs; the events themselves remain.
func TestErasePerson(t *testing.T) {
	t.Parallel()
	const bo, ed = "bo.ek@example.com", "ed@example.org"
	s := start(t, sends(t, noMeaning))
	r := newReceiver(t)
	s.hook(t, r.URL, "*")
	gaid := s.pictures(t, 1)[0]
	path, page := s.share(t, shareOf(`,"access":{"emails":["`+bo+`","eve@example.com"],"require_terms":true},"terms_text":"Be nice."`, gaid))
	alone, alonePage := s.share(t, shareOf(`,"access":{"emails":["BO.ek@example.com"]}`, gaid))
	agree := func(email string) *guest {
		t.Helper()
		g := s.guest(t)
		g.answers(t, page, "email", email).want(t, 303)
		g.answers(t, page, "name", "Bo Ek").want(t, 303)
		g.get(t, page).want(t, 200)
		return g
	}
	g := agree("Bo.Ek@Example.com")
	agree("eve@example.com")
	s.logIn(t, bo, "wrong", "").want(t, 422)
	s.do(t, "POST", "/api/v1/tokens", `{"name":"for `+bo+`","description":"Of <`+bo+`>.","abilities":["assets:read"]}`).want(t, 201)
	s.do(t, "POST", "/api/v1/upload-batches", `{"name":"`+bo+`, pictures"}`).want(t, 201)
	browser := s.signedIn(t, ed, dam.RoleEditor)
	s.setTerms(t, "Terms of use.")
	s.as(t, "", "POST", "/api/v1/terms/accept", `{"version":1}`, browser...).want(t, 200)
	var id int64
	s.set(t, ed, func(u *dam.User) { id = u.ID; u.Name = "Edith" })
	token := s.tokenFor(t, id, dam.AssetsRead)
	s.until(t, "/api/v1/audit-logs?account="+bo, func(a answer) bool { return a.get("meta.total") == 1.0 })

	plan, err := s.app.Maintenance.PlanErasure(t.Context(), "Bo.ek@EXAMPLE.com", false)
	must(t, err)
	counts := fmt.Sprint(plan.Erased)
	for _, want := range []string{"{consents 1}", "{share_access_logs 2}", "{share_visits 1}", "{share_email_lists 2}", "{audit_log 2}",
		"{events 2}", "{labels 2}"} {
		if !strings.Contains(counts, want) {
			t.Errorf("there is no %s among %s", want, counts)
		}
	}
	if files := holding(t, s.dir, bo); len(files) == 0 {
		t.Error("the address is not there to begin with")
	}
	done, err := s.app.Maintenance.ErasePerson(t.Context(), "Bo.ek@EXAMPLE.com", false, true)
	must(t, err)
	if got := fmt.Sprint(done.Erased); got != counts || done.Left != nil {
		t.Errorf("%s was erased, %s was planned; left is %v", got, counts, done.Left)
	}
	if files := holding(t, s.dir, bo); files != nil {
		t.Errorf("the address is still in %v", files)
	}

	// The facts remain, the guest's session no longer works, and other guests are not
	// affected.
	consents := s.do(t, "GET", "/api/v1/consents", "").want(t, 200)
	consents.shows(t, "data", "subject_name", "Signed In", "Bo Ek", "Erased person")
	consents.shows(t, "data", "subject_email", ed, "eve@example.com", "<nil>")
	consents.shows(t, "data", "ip", "127.0.0.1", "127.0.0.1", "")
	if text := s.do(t, "GET", "/api/v1/consents/1", "").want(t, 200).get("data.terms_text"); text != "Be nice." {
		t.Errorf("the text is %v", text)
	}
	log := s.do(t, "GET", path+"/access-logs", "").want(t, 200)
	log.shows(t, "data", "email", "eve@example.com", "eve@example.com", "<nil>", "<nil>")
	log.shows(t, "data", "ip", "127.0.0.1", "127.0.0.1", "", "")
	if a := g.get(t, page).want(t, 200); strings.Contains(string(a.body), gaid) {
		t.Error("the guest is still known")
	}
	if list := fmt.Sprint(s.do(t, "GET", path, "").get("data.access.emails")); list != "[eve@example.com]" {
		t.Errorf("the share is for %s", list)
	}
	if list := fmt.Sprint(s.do(t, "GET", alone, "").get("data.access.emails")); !strings.HasPrefix(list, "[erased-") {
		t.Errorf("the other share is for %s", list)
	}
	if a := s.guest(t).get(t, alonePage).want(t, 200); strings.Contains(string(a.body), gaid) {
		t.Error("the other share is open to everybody")
	}
	erased := s.do(t, "GET", "/api/v1/audit-logs?event=person.erased", "").want(t, 200)
	erased.shows(t, "data", "account", "<nil>")

	// A second erasure finds nothing.
	again, err := s.app.Maintenance.ErasePerson(t.Context(), bo, false, false)
	if must(t, err); again.Rows() != 0 {
		t.Errorf("%v was left to erase", again.Erased)
	}

	// An account is erased only if it is disabled and its erasure was requested.
	for _, account := range []bool{true, false} {
		if _, err := s.app.Maintenance.ErasePerson(t.Context(), ed, account, false); dam.KindOf(err) != dam.Conflict {
			t.Errorf("an account that is in use was erased: %v", err)
		}
	}
	s.set(t, ed, disable)
	if _, err := s.app.Maintenance.ErasePerson(t.Context(), ed, false, false); dam.KindOf(err) != dam.Conflict {
		t.Errorf("an account was erased that should be kept: %v", err)
	}
	_, err = s.app.Maintenance.ErasePerson(t.Context(), ed, true, true)
	must(t, err)
	s.as(t, token, "GET", "/api/v1/user", "").want(t, 401)
	s.as(t, "", "GET", "/api/v1/user", "", browser...).want(t, 401)
	for _, text := range []string{ed, "Edith"} {
		if files := holding(t, s.dir, text); files != nil {
			t.Errorf("%s is still in %v", text, files)
		}
	}
	user := s.do(t, "GET", fmt.Sprintf("/api/v1/users/%d", id), "").want(t, 200)
	if user.get("data.name") != dam.ErasedName || user.get("data.email") != fmt.Sprintf("erased-%d@invalid", id) {
		t.Errorf("%s", user)
	}
	s.do(t, "GET", "/api/v1/consents?subject=erased", "").want(t, 200).shows(t, "data", "user_id", fmt.Sprint(id), "<nil>")
}

// Content that people wrote is kept, and the plan lists it.
func TestErasurePlanNamesContent(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	gaid := s.pictures(t, 1)[0]
	s.do(t, "PUT", assets+"/"+gaid, `{"creator":"Bo <bo@example.com>"}`).want(t, 200)
	plan, err := s.app.Maintenance.PlanErasure(t.Context(), "bo@example.com", false)
	must(t, err)
	left := fmt.Sprint(plan.Left)
	if !strings.Contains(left, "{assets.creator 1}") || !strings.Contains(left, "{asset_history.changes 1}") {
		t.Errorf("left is %s", left)
	}
	if _, err := s.app.Maintenance.PlanErasure(t.Context(), "nonsense", false); dam.KindOf(err) != dam.Invalid {
		t.Errorf("%v", err)
	}
}

// The next erasure completes an interrupted one.
func TestErasureGoesOn(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	gaid := s.pictures(t, 1)[0]
	s.share(t, shareOf("", gaid))
	_, err := s.db(t).ExecContext(t.Context(), `INSERT INTO share_access (share_id, action, email, ip, user_agent, created_at)
		WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2001)
		SELECT 1, 'view', iif(i % 2, 'bo@example.com', 'eve@example.com'), '192.0.2.7', 'x', i FROM n`)
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	store := s.store(t)
	go func() {
		for s.count(t, `SELECT count(*) FROM share_access WHERE email = ''`) == 0 {
		}
		stop()
	}()
	_, err = store.Erase(ctx, storage.Person{Email: "bo@example.com"})
	t.Log("interrupted by", err)
	_, err = s.app.Maintenance.ErasePerson(t.Context(), "bo@example.com", false, false)
	must(t, err)
	if n := s.count(t, `SELECT count(*) FROM share_access WHERE email = '' AND ip = ''`); n != 1001 {
		t.Errorf("%d entries are without the person", n)
	}
	if n := s.count(t, `SELECT count(*) FROM share_access WHERE email = 'eve@example.com' AND ip <> ''`); n != 1000 {
		t.Errorf("%d entries of others are as they were", n)
	}
}

package web_test

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// signedIn creates a user with a browser session, and returns its cookie as a header.
func (s *server) signedIn(t testing.TB, email string, role dam.Role) (header []string) {
	t.Helper()
	u := &dam.User{Name: "Signed In", Email: email, Role: role}
	must(t, s.app.Accounts.CreateUser(t.Context(), u, "correct horse battery"))
	return s.signIn(t, email)
}

func (s *server) signIn(t testing.TB, email string) (header []string) {
	t.Helper()
	a := s.as(t, "", "POST", "/api/v1/session", fmt.Sprintf(`{"email":%q,"password":"correct horse battery"}`, email)).want(t, 201)
	c := a.Cookies()[0]
	return []string{"Cookie", c.Name + "=" + c.Value}
}

// setTerms sets the terms of use like dal terms set.
func (s *server) setTerms(t testing.TB, text string) int64 {
	t.Helper()
	terms, _, err := s.app.Shares.SetUseTerms(t.Context(), text)
	must(t, err)
	return terms.Version
}

// Before accepting the terms of use, users can read and accept them and sign out, and
// nothing else, starting with the first request after a change. Tokens are not affected.
func TestUseTerms(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	ed := s.signedIn(t, "ed@example.com", dam.RoleEditor)
	ask := func(method, path, body string) answer {
		t.Helper()
		return s.as(t, "", method, path, body, ed...)
	}
	ask("GET", "/api/v1/terms", "").want(t, 404)
	ask("POST", "/api/v1/terms/accept", `{"version":1}`).want(t, 404)
	ask("GET", assets, "").want(t, 200)
	if due := ask("GET", "/api/v1/session", "").want(t, 200).get("data.terms_due"); due != nil {
		t.Errorf("terms %v are due", due)
	}
	asked := func(version int64, text string) {
		t.Helper()
		for _, closed := range []string{
			"GET " + assets, "GET /api/v1/user", "PUT /api/v1/user", "GET /api/v1/sessions", "GET /api/v1/stream", "POST /api/v1/upload-batches",
			"POST /api/v1/tokens", "GET /api/v1/consents", "GET " + assets + "/01KB3J8Q5V7X9Z1B3D5F7H9K1M/download",
		} {
			method, path, _ := strings.Cut(closed, " ")
			a := ask(method, path, map[bool]string{true: "{}"}[method != "GET"])
			if a.StatusCode != 403 || a.get("code") != "terms_not_accepted" || fmt.Sprint(a.get("required_abilities")) != "[]" {
				t.Errorf("%s: %d %s", closed, a.StatusCode, a)
			}
		}
		if due := ask("GET", "/api/v1/session", "").want(t, 200).get("data.terms_due"); due != float64(version) {
			t.Errorf("terms %v are due, not %d", due, version)
		}
		a := ask("GET", "/api/v1/terms", "").want(t, 200)
		sum := sha256.Sum256([]byte(text))
		if a.get("data.text") != text || a.get("data.version") != float64(version) || a.get("data.accepted_at") != nil ||
			a.get("data.text_hash") != hex.EncodeToString(sum[:]) {
			t.Errorf("%s", a)
		}
	}
	first := s.setTerms(t, "\ufeffBe nice.\r\n\r\n# Really\r\n")
	asked(first, "Be nice.\n\n# Really")
	s.do(t, "GET", assets, "").want(t, 200) // with a token
	if s.do(t, "GET", "/api/v1/terms", "").want(t, 200).get("data.accepted_at") != nil {
		t.Error("somebody has accepted the terms already")
	}
	s.do(t, "POST", "/api/v1/terms/accept", `{"version":1}`).want(t, 403)
	s.as(t, "", "GET", "/api/v1/terms", "").want(t, 401)
	ask("POST", "/api/v1/terms/accept", `{"version":2}`).want(t, 409)
	ask("POST", "/api/v1/terms/accept", `{}`).want(t, 422)
	a := ask("POST", "/api/v1/terms/accept", `{"version":1}`).want(t, 200)
	for field, want := range map[string]any{
		"subject_name": "Signed In", "subject_email": "ed@example.com", "context": "user", "terms_version": 1.0, "share_id": nil,
		"ip": "127.0.0.1", "user_agent": "Go-http-client/1.1", "erased_at": nil,
	} {
		if got := a.get("data." + field); got != want {
			t.Errorf("the consent's %s is %v", field, got)
		}
	}
	if ask("GET", "/api/v1/terms", "").want(t, 200).get("data.accepted_at") == nil {
		t.Error("the terms are not accepted")
	}
	ask("GET", assets, "").want(t, 200)

	// New terms must be accepted in the same session; the same text again need not be.
	if s.setTerms(t, "Be nice.\n\n# Really"); ask("GET", assets, "").StatusCode != 200 {
		t.Error("the same text is asked again")
	}
	second := s.setTerms(t, "Be very nice.")
	asked(second, "Be very nice.")
	ask("POST", "/api/v1/terms/accept", `{"version":1}`).want(t, 409)
	admin := s.signIn(t, "ada@example.com")
	if a := s.as(t, "", "GET", "/api/v1/users", "", admin...); a.get("code") != "terms_not_accepted" {
		t.Errorf("an admin is not asked: %s", a)
	}
	ask("DELETE", "/api/v1/session", "").want(t, 200)
	ed = s.signIn(t, "ed@example.com") // signing in works, and the terms are required again
	asked(second, "Be very nice.")
	if _, err := s.app.Shares.ClearUseTerms(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask("GET", assets, "").want(t, 200)
	ask("GET", "/api/v1/terms", "").want(t, 404)
	if third := s.setTerms(t, "Be nice.\n\n# Really"); third != 3 {
		t.Errorf("it is version %d", third)
	}
	asked(3, "Be nice.\n\n# Really")
}

// Concurrent acceptance creates one consent.
func TestAcceptTermsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	ed := s.signedIn(t, "ed@example.com", dam.RoleViewer)
	s.setTerms(t, "Be nice.")
	var all sync.WaitGroup
	ids := make([]any, 200)
	for i := range ids {
		all.Go(func() {
			a := s.as(t, "", "POST", "/api/v1/terms/accept", `{"version":1}`, ed...)
			if ids[i] = a.get("data.id"); a.StatusCode != http.StatusOK {
				t.Errorf("%d %s", a.StatusCode, a)
			}
		})
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("there are several consents: %v", ids)
		}
	}
	s.total(t, s.token, "/api/v1/consents", 1)
	if n := s.do(t, "GET", "/api/v1/audit-logs?event=terms.accepted", "").get("meta.total"); n != 1.0 {
		t.Errorf("%v entries in the audit log", n)
	}
}

// Consents can be filtered and exported as CSV with formulas escaped; each contains the
// accepted text, even after the text was changed.
func TestConsents(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, noMeaning)
	gaid := s.pictures(t, 1)[0]
	path, page := s.share(t, shareOf(`,"access":{"require_email":true,"require_terms":true},"terms_text":"Be nice."`, gaid))
	agree := func(name, email string) {
		t.Helper()
		g := s.guest(t)
		g.answers(t, page, "email", email).want(t, 303)
		g.answers(t, page, "name", name).want(t, 303)
	}
	agree("=HYPERLINK(0)", "bo@example.com")
	s.do(t, "PUT", path, `{"terms_text":"Be very nice."}`).want(t, 200)
	clock.pass(time.Hour)
	agree("Bo Ek", "Bo@Example.com")
	s.setTerms(t, "Terms of use.")
	s.as(t, "", "POST", "/api/v1/terms/accept", `{"version":1}`, s.signedIn(t, "ed@example.com", dam.RoleViewer)...).want(t, 200)

	const consents = "/api/v1/consents"
	hour := clock.now().UTC().Format(time.RFC3339)
	for query, want := range map[string]string{
		"":                    "3 2 1",
		"?context=user":       "3",
		"?context=share":      "2 1",
		"?share_id=1":         "2 1",
		"?terms_version=1":    "3 1",
		"?subject=BO@example": "2 1",
		"?subject=bo+ek":      "2",
		"?from=" + hour:       "3 2",
		"?to=" + hour:         "1",
		"?subject=nobody":     "",
	} {
		a := s.do(t, "GET", consents+query, "").want(t, 200)
		var ids []string
		for _, id := range column(a, "data", "id") {
			ids = append(ids, fmt.Sprint(id))
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		table := s.do(t, "GET", consents+"/download"+query, "").want(t, 200)
		rows, err := csv.NewReader(strings.NewReader(string(table.body))).ReadAll()
		must(t, err)
		if len(rows) != 1+len(ids) {
			t.Errorf("%s: the table has %d lines", query, len(rows))
		}
	}
	for id, want := range []string{"Be nice.", "Be very nice.", "Terms of use."} {
		if a := s.do(t, "GET", fmt.Sprintf("%s/%d", consents, id+1), "").want(t, 200); a.get("data.terms_text") != want {
			t.Errorf("%s", a)
		}
	}
	table := s.do(t, "GET", consents+"/download", "").want(t, 200)
	if kind := table.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8" {
		t.Errorf("it is %s", kind)
	}
	if !strings.Contains(string(table.body), ",'=HYPERLINK(0),bo@example.com,false,1,") || strings.Contains(string(table.body), ",=") {
		t.Errorf("%s", table.body)
	}
	s.do(t, "GET", consents+"/9", "").want(t, 404)
	s.do(t, "GET", consents+"/download?from=x", "").want(t, 422)
	editor := s.user(t, "edith@example.com", dam.RoleEditor)
	s.as(t, editor, "GET", consents+"/download", "").want(t, 403)

	// Consents and texts cannot be changed, not even with SQL.
	for _, change := range []string{
		`UPDATE consents SET subject_name = 'Eve' WHERE id = 1`,
		`UPDATE consents SET terms_version = 2, erased_at = 1, subject_name = 'Erased person', subject_email = '', ip = '', user_agent = ''`,
		`DELETE FROM consents`,
		`UPDATE terms_texts SET text = 'x'`,
		`DELETE FROM terms_texts`,
	} {
		if _, err := s.db(t).ExecContext(t.Context(), change); err == nil {
			t.Errorf("%s was done", change)
		}
	}
}

// The CSV of many consents is written in batches, with each consent once.
func TestManyConsents(t *testing.T) {
	t.Parallel()
	s := start(t, noMeaning)
	_, err := s.db(t).ExecContext(t.Context(), `INSERT INTO consents (subject_name, subject_email, terms_version, terms_text_hash, context,
		ip, user_agent, accepted_at) WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1201)
		SELECT 'Guest ' || i, '', 1, hex(zeroblob(32)), 'share', '', '', i FROM n`)
	must(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(s.do(t, "GET", "/api/v1/consents/download", "").want(t, 200).body))).ReadAll()
	must(t, err)
	if len(rows) != 1202 || rows[1][1] != "Guest 1201" || rows[1201][1] != "Guest 1" {
		t.Errorf("%d lines, %v to %v", len(rows), rows[1], rows[len(rows)-1])
	}
}

package web_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// The audit log records logins and account changes, with the account.
func TestAuditOfAccounts(t *testing.T) {
	t.Parallel()
	s, _ := standing(t, behindProxy)
	s.user(t, "Ed@example.com", dam.RoleEditor)
	s.logIn(t, "nobody\u202e\n@example.com", rightPassword, "192.0.2.1").want(t, 422)
	s.logIn(t, "ED@example.com", "wrong horse", "192.0.2.1").want(t, 422)
	session := s.logIn(t, "ED@example.com", rightPassword, "192.0.2.1").want(t, 201)
	cookie := "dal_session=" + session.Cookies()[0].Value
	caller := []string{"Cookie", cookie, "X-Forwarded-For", "192.0.2.1"}
	made := s.as(t, "", "POST", "/api/v1/tokens", `{"name":"mine","abilities":["assets:read"]}`, caller...).want(t, 201)
	s.as(t, "", "DELETE", fmt.Sprintf("/api/v1/tokens/%v", made.get("data.id")), "", "Cookie", cookie).want(t, 200)
	s.as(t, "", "DELETE", "/api/v1/session", "", "Cookie", cookie).want(t, 200)
	s.set(t, "ed@example.com", func(u *dam.User) { u.Role = dam.RoleViewer })
	s.set(t, "ed@example.com", disable)
	if err := s.app.Accounts.SetPassword(t.Context(), "ed@example.com", "another horse", false); err != nil {
		t.Fatal(err)
	}

	const logs = "/api/v1/audit-logs?account=eD@example.com&per_page=100"
	all := s.until(t, logs, func(a answer) bool { return a.get("meta.total").(float64) >= 9 })
	var got []string
	for i := len(all.get("data").([]any)) - 1; i >= 0; i-- {
		e := all.get("data").([]any)[i].(map[string]any)
		got = append(got, fmt.Sprint(e["event"], " ", e["user_id"], " ", e["account"], " ", e["target"], " ", e["method"], " ", e["ip"]))
	}
	want := []string{
		"user.created <nil> ed@example.com user 2: editor  <nil>",
		"token.created 2 ed@example.com token 2: test  <nil>", // created by the test
		"login.succeeded 2 ed@example.com <nil> POST 192.0.2.1",
		"token.created 2 ed@example.com token 3: mine POST 192.0.2.1",
		"token.revoked 2 ed@example.com token 3: mine DELETE 127.0.0.1",
		"logout 2 ed@example.com <nil> DELETE 127.0.0.1",
		"user.role_changed <nil> ed@example.com user 2: editor to viewer  <nil>",
		"user.disabled <nil> ed@example.com user 2  <nil>",
		"user.password_changed <nil> ed@example.com user 2  <nil>",
	}
	failed := "login.failed <nil> ed@example.com <nil> POST 192.0.2.1" // written slightly later
	var others []string
	for _, g := range got {
		if g != failed {
			others = append(others, g)
		}
	}
	want[1] = strings.Replace(want[1], "created 2", "created <nil>", 1)
	if strings.Join(others, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(others, "\n"), strings.Join(want, "\n"))
	}
	a := s.until(t, "/api/v1/audit-logs?event=login.failed", func(a answer) bool { return a.get("meta.total") == 2.0 })
	if a.get("data.1.account") != `nobody\u{202e}\u{a}@example.com` ||
		a.get("data.0.account") != "ed@example.com" || a.get("data.0.status") != nil {
		t.Errorf("%s", a)
	}
	if id := made.Header.Get("X-Request-Id"); s.do(t, "GET", "/api/v1/audit-logs?event=token.created", "").get("data.0.request_id") != id {
		t.Errorf("no entry has the request id %s", id)
	}
	s.do(t, "GET", "/api/v1/audit-logs?event=nonsense", "").want(t, 422)
}

// The audit log omits read-only requests if configured to.
func TestAuditOfChanges(t *testing.T) {
	t.Parallel()
	s, _ := standing(t, behindProxy)
	token := s.user(t, "reader@example.com", dam.RoleEditor)
	path := fmt.Sprintf("/api/v1/audit-logs?per_page=100&user_id=%d", s.lastUser(t))
	s.as(t, token, "GET", "/api/v1/assets", "").want(t, 200)
	s.as(t, token, "POST", "/api/v1/collections", `{"name":"Harbours"}`).want(t, 201)
	s.until(t, path, func(a answer) bool { return a.get("meta.total") == 2.0 })
	changes := s.do(t, "GET", path+"&changes=true", "").want(t, 200)
	if changes.get("meta.total") != 1.0 || changes.get("data.0.method") != "POST" {
		t.Error(changes)
	}
	if all := s.do(t, "GET", path+"&changes=false", "").want(t, 200); all.get("meta.total") != 2.0 {
		t.Error(all)
	}
}

// Rejected login attempts are summarized, so that nobody can flood the audit log.
func TestAuditOfFloods(t *testing.T) {
	t.Parallel()
	s, _ := standing(t, behindProxy)
	for i := range 40 {
		s.logIn(t, "Ada@example.com", wrong, "192.0.2.1")
		s.logIn(t, fmt.Sprintf("nobody%d@example.com", i%2), wrong, "192.0.2.2")
	}
	if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := s.until(t, "/api/v1/audit-logs?event=login.limited", func(a answer) bool { return a.get("meta.total") == 3.0 })
	sum := 0.0
	for _, e := range a.get("data").([]any) {
		sum += e.(map[string]any)["count"].(float64)
	}
	if sum != 50 { // 10 passwords of each account were checked
		t.Errorf("%v attempts: %s", sum, a)
	}
	s.until(t, "/api/v1/audit-logs?event=login.failed", func(a answer) bool { return a.get("meta.total") == 30.0 })
}

// Requests with invalid tokens are counted by address, and by account if the token is real.
func TestAuditOfRefusedTokens(t *testing.T) {
	t.Parallel()
	s, c := standing(t, behindProxy)
	end := c.now().Add(time.Hour).UTC().Format(time.RFC3339)
	expired, id := s.mint(t, s.token, `{"name":"nightly import","abilities":["assets:read"],"expires_at":"`+end+`"}`)
	other := s.user(t, "ed@example.com", dam.RoleEditor)
	s.set(t, "ed@example.com", disable)
	c.ahead.Store(int64(2 * time.Hour))
	forged := s.token[:len(s.token)-4] + "AAAA"
	for range 3 {
		for token, ip := range map[string]string{expired: "192.0.2.1", other: "192.0.2.1", forged: "192.0.2.1", "nonsense": "192.0.2.1",
			"dal_999_" + strings.Repeat("x", 43): "192.0.2.2"} {
			s.as(t, token, "GET", "/api/v1/assets", "", "X-Forwarded-For", ip).want(t, 401)
		}
	}
	s.as(t, "", "GET", "/api/v1/assets", "").want(t, 401) // without a token: not counted
	if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	s.until(t, "/api/v1/audit-logs?event=token.refused&per_page=100", func(a answer) bool {
		clear(got)
		sum := 0.0
		for _, v := range a.get("data").([]any) {
			e := v.(map[string]any)
			n := e["count"].(float64)
			got[fmt.Sprint(e["account"], " ", e["target"], " ", e["method"], " ", e["path"], " ", e["ip"])] += n
			sum += n
		}
		return sum == 15
	})
	const request = " GET /api/v1/assets 192.0.2."
	want := map[string]float64{
		"<nil> <nil>" + request + "1":                                      6, // forged and malformed tokens
		"<nil> <nil>" + request + "2":                                      3,
		"ada@example.com token " + id + ": nightly import" + request + "1": 3,
		"ed@example.com token 3: test" + request + "1":                     3,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Invalid tokens from ever more addresses do not flood the audit log.
func TestRefusedTokensAreBounded(t *testing.T) {
	t.Parallel()
	s, _ := standing(t, behindProxy)
	const addresses = 1500
	for i := range addresses {
		s.as(t, "nonsense", "GET", "/api/v1/assets", "", "X-Forwarded-For", fmt.Sprintf("10.0.%d.%d", i/256, i%256)).want(t, 401)
	}
	if err := s.app.Maintenance.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.until(t, "/api/v1/audit-logs?event=token.refused&per_page=1", func(answer) bool {
		return s.count(t, `SELECT coalesce(sum(count), 0) FROM audit_logs WHERE event = 'token.refused'`) == addresses
	})
	// The first maintenance run may have written a few already.
	if n := s.count(t, `SELECT count(*) FROM audit_logs WHERE event = 'token.refused'`); n < 1001 || n > 1200 {
		t.Errorf("%d entries", n)
	}
}

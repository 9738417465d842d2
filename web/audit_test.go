package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Log-ins and what is done to accounts are in the audit trail, with the account.
func TestAuditOfAccounts(t *testing.T) {
	t.Parallel()
	s, _ := standing(t, behindProxy)
	s.user(t, "Ed@example.com", dam.RoleEditor)
	s.logIn(t, "nobody\u202e\n@example.com", rightPassword, "192.0.2.1").want(t, 422)
	s.logIn(t, "ED@example.com", "wrong horse", "192.0.2.1").want(t, 422)
	session := s.logIn(t, "ED@example.com", rightPassword, "192.0.2.1").want(t, 201)
	cookie := "dal_session=" + session.Cookies()[0].Value
	made := s.as(t, "", "POST", "/api/v1/tokens", `{"name":"mine","abilities":["assets:read"]}`, "Cookie", cookie, "X-Forwarded-For", "192.0.2.1").want(t, 201)
	s.as(t, "", "DELETE", fmt.Sprintf("/api/v1/tokens/%v", made.get("data.id")), "", "Cookie", cookie).want(t, 200)
	s.as(t, "", "DELETE", "/api/v1/session", "", "Cookie", cookie).want(t, 200)
	s.set(t, "ed@example.com", func(u *dam.User) { u.Role = dam.RoleViewer })
	s.set(t, "ed@example.com", disable)
	if err := s.app.SetPassword(t.Context(), "ed@example.com", "another horse"); err != nil {
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
		"token.created 2 ed@example.com token 2: test  <nil>", // by the test itself
		"login.succeeded 2 ed@example.com <nil> POST 192.0.2.1",
		"token.created 2 ed@example.com token 3: mine POST 192.0.2.1",
		"token.revoked 2 ed@example.com token 3: mine DELETE 127.0.0.1",
		"logout 2 ed@example.com <nil> DELETE 127.0.0.1",
		"user.role_changed <nil> ed@example.com user 2: editor to viewer  <nil>",
		"user.disabled <nil> ed@example.com user 2  <nil>",
		"user.password_changed <nil> ed@example.com user 2  <nil>",
	}
	failed := "login.failed <nil> ed@example.com <nil> POST 192.0.2.1" // written a moment later
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
	if a.get("data.1.account") != `nobody\u{202e}\u{a}@example.com` || a.get("data.0.account") != "ed@example.com" || a.get("data.0.status") != nil {
		t.Errorf("%s", a)
	}
	if id := made.Header.Get("X-Request-Id"); s.do(t, "GET", "/api/v1/audit-logs?event=token.created", "").get("data.0.request_id") != id {
		t.Errorf("no entry is of request %s", id)
	}
	s.do(t, "GET", "/api/v1/audit-logs?event=nonsense", "").want(t, 422)
}

// Attempts that were turned away are summed, so that nobody fills the trail.
func TestAuditOfFloods(t *testing.T) {
	t.Parallel()
	s, _ := standing(t, behindProxy)
	for i := range 40 {
		s.logIn(t, "Ada@example.com", wrong, "192.0.2.1")
		s.logIn(t, fmt.Sprintf("nobody%d@example.com", i%2), wrong, "192.0.2.2")
	}
	if err := s.app.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := s.until(t, "/api/v1/audit-logs?event=login.limited", func(a answer) bool { return a.get("meta.total") == 3.0 })
	sum := 0.0
	for _, e := range a.get("data").([]any) {
		sum += e.(map[string]any)["count"].(float64)
	}
	if sum != 50 { // 10 of each account were looked at
		t.Errorf("%v attempts: %s", sum, a)
	}
	s.until(t, "/api/v1/audit-logs?event=login.failed", func(a answer) bool { return a.get("meta.total") == 30.0 })
}

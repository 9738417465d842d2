package web_test

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// browser logs a user in and returns the headers of the browser's requests.
func (s *server) browser(t testing.TB, email, password string) []string {
	t.Helper()
	return cookieOf(s.as(t, "", "POST", "/api/v1/session", fmt.Sprintf(`{"email":%q,"password":%q}`, email, password)).want(t, 201))
}

// cookieOf returns the headers of a browser that received an answer.
func cookieOf(a answer) []string {
	c := a.Cookies()[0]
	return []string{"Cookie", c.Name + "=" + c.Value, "User-Agent", "Test/1.0"}
}

// openSetup creates the setup link of an empty library and returns a function for the body
// that uses it.
func (s *server) openSetup(t testing.TB) (body func(email, password string) string) {
	t.Helper()
	secret, err := s.app.Accounts.OpenSetup(t.Context())
	if err != nil || len(secret) != 43 {
		t.Fatal(secret, err)
	}
	return func(email, password string) string {
		return fmt.Sprintf(`{"token":%q,"name":"Ada","email":%q,"password":%q}`, secret, email, password)
	}
}

// invite creates a user and returns the paths of the user and of the invitation.
func (s *server) invite(t testing.TB, email string, role dam.Role) (user, invitation string) {
	t.Helper()
	a := s.do(t, "POST", "/api/v1/users", fmt.Sprintf(`{"name":"Ed","email":%q,"role":%q}`, email, role)).want(t, 201)
	return fmt.Sprintf("/api/v1/users/%v", a.get("data.id")), invitationPath(a.get("data.invitation.url"))
}

func invitationPath(url any) string { return "/api/v1/invitations/" + path.Base(url.(string)) }

func TestSetup(t *testing.T) {
	t.Parallel()
	s := run(t, func(_ *app.Config, o *web.Options) { o.SiteName = "Harbour Museum" })
	a := s.as(t, "", "GET", "/api/v1/setup", "").want(t, 200)
	if a.get("data.is_needed") != true || a.get("data.site_name") != "Harbour Museum" {
		t.Errorf("%s", a)
	}
	old := s.openSetup(t)
	body := s.openSetup(t)
	for name, sent := range map[string]string{
		"an older link": old("ada@example.com", rightPassword),
		"a wrong link":  `{"token":"nonsense","name":"Ada","email":"ada@example.com","password":"correct horse battery"}`,
		"no link":       `{"token":"","name":"Ada","email":"ada@example.com","password":"correct horse battery"}`,
	} {
		if a := s.as(t, "", "POST", "/api/v1/setup", sent).want(t, 422); !strings.Contains(a.told("token"), "no longer valid") {
			t.Errorf("%s: %s", name, a)
		}
	}
	s.as(t, "", "POST", "/api/v1/setup", body("ada@example.com", rightPassword), "Origin", "https://evil.example").want(t, 403)
	if a := s.as(t, "", "POST", "/api/v1/setup", body("ada@example.com", "short")).want(t, 422); a.told("password") == "" {
		t.Errorf("%s", a)
	}
	if a := s.as(t, "", "POST", "/api/v1/setup", body("nonsense", rightPassword)).want(t, 422); a.told("email") == "" {
		t.Errorf("%s", a)
	}
	// Invalid forms do not use up the link.
	browser := cookieOf(s.as(t, "", "POST", "/api/v1/setup", body(" ada@example.com ", rightPassword)).want(t, 201))
	a = s.as(t, "", "GET", "/api/v1/session", "", browser...).want(t, 200)
	if a.get("data.user.email") != "ada@example.com" || a.get("data.user.role") != "admin" || len(a.get("data.abilities").([]any)) != 14 ||
		a.get("data.site_name") != "Harbour Museum" || a.get("data.session.is_current") != true {
		t.Errorf("%s", a)
	}
	s.as(t, "", "POST", "/api/v1/setup", body("eve@example.com", rightPassword)).want(t, 409)
	if a := s.as(t, "", "GET", "/api/v1/setup", ""); a.get("data.is_needed") != false {
		t.Errorf("%s", a)
	}
	if secret, err := s.app.Accounts.OpenSetup(t.Context()); secret != "" || err != nil {
		t.Errorf("a library with users has the link %q, %v", secret, err)
	}
}

// A setup link expires when the first user is created, by any means.
func TestSetupEndsWithTheFirstUser(t *testing.T) {
	t.Parallel()
	s := run(t, nil)
	body := s.openSetup(t)
	s.user(t, "ada@example.com", dam.RoleViewer)
	s.as(t, "", "POST", "/api/v1/setup", body("eve@example.com", rightPassword)).want(t, 409)
}

// If the link is used concurrently, one user becomes the administrator.
func TestSetupAtOnce(t *testing.T) {
	t.Parallel()
	s := run(t, nil)
	body := s.openSetup(t)
	var wg sync.WaitGroup
	statuses := make([]int, 5)
	for i := range statuses {
		wg.Go(func() {
			sent := strings.NewReader(body(fmt.Sprintf("u%d@example.com", i), rightPassword))
			res, err := http.Post(s.URL+"/api/v1/setup", "application/json", sent)
			if err != nil {
				t.Error(err)
				return
			}
			res.Body.Close()
			statuses[i] = res.StatusCode
		})
	}
	wg.Wait()
	made := 0
	for _, status := range statuses {
		switch status {
		case 201:
			made++
		case 409, 422: // a user exists, or the link has just expired
		default:
			t.Errorf("%v", statuses)
		}
	}
	if users, err := s.app.Accounts.Users(t.Context()); made != 1 || len(users) != 1 || err != nil {
		t.Errorf("%v: %d users, %v", statuses, len(users), err)
	}
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	s, c := standing(t, nil)
	user, invitation := s.invite(t, "ed@example.com", dam.RoleEditor)
	if a := s.do(t, "GET", user, "").want(t, 200); a.get("data.state") != "invited" || a.get("data.last_seen_at") != nil ||
		a.get("data.invitation_expires_at") == nil {
		t.Errorf("%s", a)
	}
	s.as(t, "", "POST", "/api/v1/session", `{"email":"ed@example.com","password":""}`).want(t, 422)
	if a := s.as(t, "", "GET", invitation, "").want(t, 200); a.get("data.name") != "Ed" || a.get("data.email") != "ed@example.com" {
		t.Errorf("%s", a)
	}
	s.as(t, "", "POST", invitation, `{"password":"short"}`).want(t, 422)
	s.as(t, "", "POST", invitation, `{"password":"another horse"}`, "Sec-Fetch-Site", "cross-site").want(t, 403)
	browser := cookieOf(s.as(t, "", "POST", invitation, `{"password":"another horse"}`).want(t, 201))
	s.as(t, "", "GET", "/api/v1/session", "", browser...).want(t, 200)
	// The link works only once.
	s.as(t, "", "GET", invitation, "").want(t, 404)
	s.as(t, "", "POST", invitation, `{"password":"another horse"}`).want(t, 404)
	s.until(t, user, func(a answer) bool { return a.get("data.state") == "active" && a.get("data.last_seen_at") != nil })
	if a := s.do(t, "GET", user, ""); a.get("data.invitation_expires_at") != nil {
		t.Errorf("%s", a)
	}

	// Another invitation resets the password; the current one works until then.
	first := invitationPath(s.do(t, "POST", user+"/invitation", "").want(t, 201).get("data.url"))
	reset := invitationPath(s.do(t, "POST", user+"/invitation", "").want(t, 201).get("data.url"))
	s.as(t, "", "GET", first, "").want(t, 404)
	s.as(t, "", "GET", "/api/v1/session", "", browser...).want(t, 200)
	mine := s.browser(t, "ada@example.com", rightPassword)
	next := s.as(t, "", "POST", reset, `{"password":"the third horse"}`, mine...).want(t, 201)
	s.as(t, "", "GET", "/api/v1/session", "", browser...).want(t, 401)
	if a := s.as(t, "", "GET", "/api/v1/session", "", cookieOf(next)...).want(t, 200); a.get("data.user.email") != "ed@example.com" {
		t.Errorf("%s", a)
	}
	s.as(t, "", "GET", "/api/v1/session", "", mine...).want(t, 200) // a session of another user

	late := invitationPath(s.do(t, "POST", user+"/invitation", "").want(t, 201).get("data.url"))
	c.pass(account.InvitationLife)
	s.as(t, "", "GET", late, "").want(t, 404)
	s.as(t, "", "POST", late, `{"password":"another horse"}`).want(t, 404)
}

// Changes that make an invitation obsolete revoke it.
func TestInvitationEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s *server, user string){
		"disabled":    func(s *server, user string) { s.do(t, "PUT", user, `{"is_disabled":true}`).want(t, 200) },
		"other email": func(s *server, user string) { s.do(t, "PUT", user, `{"email":"eddy@example.com"}`).want(t, 200) },
		"new password": func(s *server, _ string) {
			must(t, s.app.Accounts.SetPassword(t.Context(), "ed@example.com", "another horse", false))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, nil)
			user, invitation := s.invite(t, "ed@example.com", dam.RoleEditor)
			end(s, user)
			s.as(t, "", "POST", invitation, `{"password":"the third horse"}`).want(t, 404)
			if name == "disabled" { // permanently, and no new invitation is possible
				s.do(t, "POST", user+"/invitation", "").want(t, 409)
				s.do(t, "PUT", user, `{"is_disabled":false}`).want(t, 200)
				s.as(t, "", "GET", invitation, "").want(t, 404)
			}
		})
	}
}

// Guessing links is rate limited, and counted in the audit log.
func TestLinksAreLimited(t *testing.T) {
	t.Parallel()
	s, c := standing(t, nil)
	for range 100 {
		s.as(t, "", "GET", "/api/v1/invitations/"+strings.Repeat("x", 43), "").want(t, 404)
	}
	if a := s.as(t, "", "GET", "/api/v1/invitations/x", "").want(t, 429); a.Header.Get("Retry-After") == "" {
		t.Errorf("%v", a.Header)
	}
	s.as(t, "", "POST", "/api/v1/invitations/x", `{"password":"another horse"}`).want(t, 429)
	s.as(t, "", "POST", "/api/v1/setup", `{"token":"x","name":"Eve","email":"eve@example.com","password":"another horse"}`).want(t, 429)
	c.pass(time.Minute)
	s.as(t, "", "GET", "/api/v1/invitations/x", "").want(t, 404)
	must(t, s.app.Maintenance.Tidy(t.Context()))
	s.until(t, "/api/v1/audit-logs?event=link.refused", func(a answer) bool {
		return a.get("meta.total") == 1.0 && a.get("data.0.count") == 101.0
	})
}

// The secret of a link appears in no log, no audit log, and no Referer.
func TestLinksStaySecret(t *testing.T) {
	t.Parallel()
	j := &journal{}
	s := start(t, func(cfg *app.Config, o *web.Options) { j.into(cfg); o.Log = cfg.Log })
	_, invitation := s.invite(t, "ed@example.com", dam.RoleEditor)
	secret := path.Base(invitation)
	for _, p := range []string{"/invitation/" + secret, "/setup/" + secret, "/Setup/" + secret, invitation, invitation + "/x",
		"/invitation%2F" + secret, "/invitation/" + secret + "/"} {
		a := s.do(t, "GET", p, "") // authenticated, so that the audit log records it
		if a.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", p, a.Header)
		}
	}
	for _, p := range []string{"/i/G/" + secret + "/w=9", "/i/G/" + secret, "/iiif/G~" + secret + "/info.json",
		"/iiif/G~" + secret + "~m600~p2/full/max/0/default.jpg", "/iiif/G~" + secret, "/iiif/~" + secret + "~",
	} {
		s.do(t, "GET", p, "")
	}
	for _, p := range []string{"/i/G/{signature}/w=9", "/iiif/G~{signature}~m600~p2/full"} {
		if j.count(p) == 0 {
			t.Errorf("the log does not have %s", p)
		}
	}
	s.as(t, "", "POST", invitation, `{"password":"another horse"}`).want(t, 201)
	s.until(t, "/api/v1/audit-logs?event=invitation.accepted", func(a answer) bool { return a.get("meta.total") == 1.0 })
	a := s.until(t, "/api/v1/audit-logs?event=request&per_page=100", func(a answer) bool {
		return strings.Contains(string(a.body), `"/api/v1/invitations/{token}"`)
	})
	if strings.Contains(string(a.body), secret) || j.count(secret) > 0 {
		t.Errorf("the secret is in the log %d times, or in %s", j.count(secret), a)
	}
	if j.count("/api/v1/invitations/{token}") == 0 || j.count("/setup/{token}") == 0 {
		t.Error("the log does not have the requests")
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	user, _ := s.invite(t, "ed@example.com", dam.RoleEditor)
	if a := s.do(t, "POST", "/api/v1/users", `{"name":"Ed","email":"ED@example.com","role":"viewer"}`).want(t, 422); a.told("email") !=
		"The email has already been taken." {
		t.Errorf("%s", a)
	}
	s.do(t, "POST", "/api/v1/users", `{"name":"Öz","email":"oz@example.com","role":"king"}`).want(t, 422)
	s.do(t, "POST", "/api/v1/users", `{"name":"Öz","email":"oz@example.com","role":"viewer"}`).want(t, 201)
	s.total(t, s.token, "/api/v1/users", 3)
	s.total(t, s.token, "/api/v1/users?q=%C3%96Z", 1)
	s.total(t, s.token, "/api/v1/users?q=EXAMPLE.com", 3)
	if got := names(s.do(t, "GET", "/api/v1/users?per_page=2&page=2", ""), "name"); got != "Öz" {
		t.Errorf("the second page has %s", got)
	}
	a := s.do(t, "PUT", user, `{"name":" Eddy ","email":"eddy@example.com","role":"viewer"}`).want(t, 200)
	if a.get("data.name") != "Eddy" || a.get("data.email") != "eddy@example.com" || a.get("data.role") != "viewer" {
		t.Errorf("%s", a)
	}
	if a := s.do(t, "PUT", user, `{"email":"ADA@example.com"}`).want(t, 422); a.told("email") != "The email has already been taken." {
		t.Errorf("%s", a)
	}
	s.do(t, "PUT", user, `{"id":99}`).want(t, 422)
	s.do(t, "PUT", user, string(s.do(t, "GET", user, "").body)).want(t, 422) // with the envelope
	s.do(t, "GET", "/api/v1/users/99", "").want(t, 404)
	s.do(t, "PUT", "/api/v1/users/99", `{"name":"x"}`).want(t, 404)
	for _, event := range []string{"user.invited", "user.renamed", "user.email_changed", "user.role_changed"} {
		s.until(t, "/api/v1/audit-logs?event="+event, func(a answer) bool { return a.get("meta.total").(float64) >= 1 })
	}
}

// Changing a user's role or disabling a user revokes the affected access.
func TestUsersEnd(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	token := s.user(t, "ed@example.com", dam.RoleEditor)
	user := fmt.Sprintf("/api/v1/users/%d", s.lastUser(t))
	browser := s.browser(t, "ed@example.com", rightPassword)
	s.do(t, "PUT", user, `{"name":"Eddy"}`).want(t, 200)
	s.as(t, "", "GET", "/api/v1/session", "", browser...).want(t, 200)
	s.do(t, "PUT", user, `{"role":"viewer"}`).want(t, 200)
	s.as(t, "", "GET", "/api/v1/session", "", browser...).want(t, 401)
	s.as(t, token, "POST", "/api/v1/collections", `{"name":"x"}`).want(t, 403)
	browser = s.browser(t, "ed@example.com", rightPassword)
	s.do(t, "PUT", user, `{"is_disabled":true}`).want(t, 200)
	s.as(t, "", "GET", "/api/v1/session", "", browser...).want(t, 401)
	s.as(t, token, "GET", "/api/v1/user", "").want(t, 401)
	s.as(t, "", "POST", "/api/v1/session", `{"email":"ed@example.com","password":"correct horse battery"}`).want(t, 422)
	s.do(t, "PUT", user, `{"is_disabled":false}`).want(t, 200)
	s.as(t, "", "GET", "/api/v1/session", "", browser...).want(t, 401)
	s.as(t, token, "GET", "/api/v1/user", "").want(t, 200)
}

// The last administrator able to log in cannot be demoted or disabled.
func TestLastAdminOverHTTP(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.invite(t, "invited@example.com", dam.RoleAdmin) // cannot log in yet
	for _, body := range []string{`{"role":"editor"}`, `{"is_disabled":true}`} {
		a := s.do(t, "PUT", "/api/v1/users/1", body).want(t, 409)
		if a.get("message") != "ada@example.com is the last admin; make another one first." {
			t.Errorf("%s", a)
		}
	}
	s.user(t, "eve@example.com", dam.RoleAdmin)
	s.do(t, "PUT", "/api/v1/users/1", `{"role":"editor"}`).want(t, 200)
	s.do(t, "GET", "/api/v1/users", "").want(t, 403)
}

// Access to an open browser is not sufficient to take over an account.
func TestOwnPassword(t *testing.T) {
	t.Parallel()
	s, _ := standing(t, nil)
	browser, other := s.browser(t, "ada@example.com", rightPassword), s.browser(t, "ada@example.com", rightPassword)
	s.as(t, "", "POST", "/api/v1/users/1/invitation", "", browser...).want(t, 409)
	if a := s.as(t, "", "PUT", "/api/v1/user", `{"password":"another horse"}`, browser...).want(t, 422); a.told("current_password") == "" {
		t.Errorf("%s", a)
	}
	body := `{"password":"another horse","current_password":"correct horse battery"}`
	short := strings.Replace(body, "another horse", "short", 1)
	if a := s.as(t, "", "PUT", "/api/v1/user", short, browser...).want(t, 422); a.told("password") == "" {
		t.Errorf("%s", a)
	}
	s.as(t, "", "PUT", "/api/v1/user", body, append(browser, "Origin", "https://evil.example")...).want(t, 403)
	s.as(t, "", "PUT", "/api/v1/user", body, browser...).want(t, 200)
	s.as(t, "", "GET", "/api/v1/session", "", browser...).want(t, 200)
	s.as(t, "", "GET", "/api/v1/session", "", other...).want(t, 401)
	s.do(t, "GET", "/api/v1/user", "").want(t, 200) // tokens remain valid
	s.as(t, "", "POST", "/api/v1/session", `{"email":"ada@example.com","password":"correct horse battery"}`).want(t, 422)
	// Guessing the current password is limited as at login.
	var last answer
	for range 10 {
		last = s.as(t, "", "PUT", "/api/v1/user", `{"password":"the third horse","current_password":"guess"}`, browser...)
	}
	last.want(t, 429)
}

// A new password, or a link for one, revokes the tokens of the user with all that they made, if that is asked for.
func TestRevokeTokensWithPassword(t *testing.T) {
	t.Parallel()
	const own = `{"password":"another horse","current_password":"correct horse battery"%s}`
	for name, c := range map[string]struct {
		revokes bool
		do      func(t *testing.T, s *server)
	}{
		"own": {false, func(t *testing.T, s *server) {
			s.as(t, "", "PUT", "/api/v1/user", fmt.Sprintf(own, ""), s.browser(t, "ed@example.com", rightPassword)...).want(t, 200)
		}},
		"own, revoking": {true, func(t *testing.T, s *server) {
			body := fmt.Sprintf(own, `,"revoke_tokens":true`)
			s.as(t, "", "PUT", "/api/v1/user", body, s.browser(t, "ed@example.com", rightPassword)...).want(t, 200)
		}},
		"own, a wrong password": {false, func(t *testing.T, s *server) {
			body := strings.Replace(fmt.Sprintf(own, `,"revoke_tokens":true`), "battery", "x", 1)
			s.as(t, "", "PUT", "/api/v1/user", body, s.browser(t, "ed@example.com", rightPassword)...).want(t, 422)
		}},
		"own, no password": {false, func(t *testing.T, s *server) {
			browser := s.browser(t, "ed@example.com", rightPassword)
			a := s.as(t, "", "PUT", "/api/v1/user", `{"name":"Ed","revoke_tokens":true}`, browser...).want(t, 422)
			if a.told("revoke_tokens") == "" {
				t.Errorf("%s", a)
			}
		}},
		"link":        {false, func(t *testing.T, s *server) { s.do(t, "POST", "/api/v1/users/2/invitation", "").want(t, 201) }},
		"link, empty": {false, func(t *testing.T, s *server) { s.do(t, "POST", "/api/v1/users/2/invitation", `{}`).want(t, 201) }},
		"link, revoking": {true, func(t *testing.T, s *server) {
			s.do(t, "POST", "/api/v1/users/2/invitation", `{"revoke_tokens":true}`).want(t, 201)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, nil)
			token := s.user(t, "ed@example.com", dam.RoleEditor)
			child, _ := s.mint(t, token, `{"name":"child","abilities":["assets:read"]}`)
			s.hookAs(t, child, "https://example.com/hook", "asset.created")
			c.do(t, s)
			status, disabled, trail := 200, 0, 0.0
			if c.revokes {
				status, disabled, trail = 401, 1, 1
			}
			for _, token := range []string{token, child} {
				s.as(t, token, "GET", "/api/v1/user", "").want(t, status)
			}
			s.do(t, "GET", "/api/v1/user", "").want(t, 200) // of another user
			if n := s.count(t, `SELECT count(*) FROM webhooks WHERE status = 'disabled'`); n != disabled {
				t.Errorf("%d webhooks are disabled", n)
			}
			a := s.do(t, "GET", "/api/v1/audit-logs?event=token.revoked", "").want(t, 200)
			if a.get("meta.total") != trail || trail > 0 && a.get("data.0.target") != "user 2: all tokens (2)" {
				t.Errorf("%s", a)
			}
		})
	}
}

func TestOwnAccount(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	browser := s.browser(t, "ada@example.com", rightPassword)
	a := s.as(t, "", "PUT", "/api/v1/user", `{"name":" Ada Lovelace ","language":"de"}`, browser...).want(t, 200)
	if a.get("data.name") != "Ada Lovelace" || a.get("data.language") != "de" {
		t.Errorf("%s", a)
	}
	s.as(t, "", "PUT", "/api/v1/user", `{"language":"tlh"}`, browser...).want(t, 422)
	s.as(t, "", "PUT", "/api/v1/user", `{"role":"viewer"}`, browser...).want(t, 422)
	s.as(t, "", "PUT", "/api/v1/user", `{"email":"eve@example.com"}`, browser...).want(t, 422)
	if a := s.as(t, "", "PUT", "/api/v1/user", `{"language":null}`, browser...).want(t, 200); a.get("data.language") != nil ||
		a.get("data.name") != "Ada Lovelace" {
		t.Errorf("%s", a)
	}
}

func TestOwnSessions(t *testing.T) {
	t.Parallel()
	s, c := standing(t, behindProxy)
	s.user(t, "ed@example.com", dam.RoleEditor)
	of := func(ip string) []string {
		return append(cookieOf(s.logIn(t, "ed@example.com", rightPassword, ip).want(t, 201)), "X-Forwarded-For", ip)
	}
	first := of("192.0.2.1")
	c.pass(time.Minute)
	second, third := of("192.0.2.2"), of("192.0.2.3")
	s.browser(t, "ada@example.com", rightPassword) // another user's
	c.pass(2 * time.Minute)
	var a answer
	a = s.as(t, "", "GET", "/api/v1/sessions", "", second...).want(t, 200)
	if a.get("meta.total") != 3.0 {
		t.Errorf("%s", a)
	}
	a = s.untilFrom(t, second, "/api/v1/sessions", func(a answer) bool { return a.get("data.0.is_current") == true }) // most recently used
	if a.get("data.0.ip") != "192.0.2.2" || a.get("data.1.is_current") != false ||
		a.get("data.0.last_used_at") == a.get("data.0.created_at") {
		t.Errorf("%s", a)
	}
	ended := fmt.Sprintf("/api/v1/sessions/%v", a.get("data.2.id"))
	s.as(t, "", "DELETE", ended, "", second...).want(t, 200)
	s.as(t, "", "DELETE", ended, "", second...).want(t, 404)
	s.as(t, "", "GET", "/api/v1/session", "", first...).want(t, 401)
	s.as(t, "", "DELETE", ended, "", s.browser(t, "ada@example.com", rightPassword)...).want(t, 404)
	s.as(t, "", "DELETE", "/api/v1/sessions", "", second...).want(t, 200)
	s.as(t, "", "GET", "/api/v1/session", "", third...).want(t, 401)
	s.as(t, "", "GET", "/api/v1/session", "", second...).want(t, 200)
	s.as(t, "", "DELETE", "/api/v1/sessions", "", second...).want(t, 200)
	s.until(t, "/api/v1/audit-logs?event=session.ended", func(a answer) bool { return a.get("meta.total") == 2.0 })
	// Sessions of other users look like nonexistent ones.
	theirs := fmt.Sprintf("/api/v1/sessions/%v", a.get("data.0.id"))
	s.as(t, "", "DELETE", theirs, "", s.browser(t, "ada@example.com", rightPassword)...).want(t, 404)
	c.pass(account.SessionLife)
	s.as(t, "", "GET", "/api/v1/session", "", second...).want(t, 401)
}

// The composed and the decomposed form of a password are the same, for accounts and for
// shares.
func TestPasswordsAreComposed(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const composed, decomposed, bell = "M\u00fcller im Caf\u00e9", "Mu\u0308ller im Cafe\u0301", `"Caf\u00e9 with a bell\u0007"`
	s.user(t, "ed@example.com", dam.RoleEditor)
	if err := s.app.Accounts.SetPassword(t.Context(), "ed@example.com", composed, false); err != nil {
		t.Fatal(err)
	}
	browser := s.browser(t, "ed@example.com", decomposed)
	body := fmt.Sprintf(`{"password":%q,"current_password":%q}`, "another "+decomposed, decomposed)
	s.as(t, "", "PUT", "/api/v1/user", body, browser...).want(t, 200)
	s.browser(t, "ed@example.com", "another "+composed)
	body = fmt.Sprintf(`{"password":%s,"current_password":%q}`, bell, "another "+composed)
	if a := s.as(t, "", "PUT", "/api/v1/user", body, browser...).want(t, 422); !strings.Contains(a.told("password"), "leave it out") {
		t.Errorf("%s", a)
	}
	s.as(t, "", "POST", "/api/v1/session", `{"email":"ed@example.com","password":`+bell+`}`).want(t, 422)
	_, invitation := s.invite(t, "flo@example.com", dam.RoleViewer)
	if a := s.as(t, "", "POST", invitation, `{"password":`+bell+`}`).want(t, 422); !strings.Contains(a.told("password"), "leave it out") {
		t.Errorf("%s", a)
	}
	s.as(t, "", "POST", invitation, fmt.Sprintf(`{"password":%q}`, decomposed)).want(t, 201)
	s.browser(t, "flo@example.com", composed)

	gaid := s.pictures(t, 1)[0]
	_, page := s.share(t, shareOf(fmt.Sprintf(`,"password":%q`, composed), gaid))
	g := s.guest(t)
	g.answers(t, page, "password", "Cafe").want(t, 422)
	g.answers(t, page, "password", decomposed).want(t, 303)
	if a := s.do(t, "POST", "/api/v1/shares", shareOf(`,"password":`+bell, gaid)).want(t, 422); a.told("password") == "" {
		t.Errorf("%s", a)
	}
}

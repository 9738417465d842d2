package web_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// Creating more tokens does not raise a user's limit: all tokens of a user share ten times
// the rate of one.
func TestTokensShareARate(t *testing.T) {
	t.Parallel()
	s, c := standing(t, func(_ *app.Config, o *web.Options) { o.RateLimit = 3 })
	eds := s.user(t, "ed@example.com", dam.RoleEditor)
	users, err := s.app.Accounts.Users(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var last answer
	served := 0
	for i := range 12 { // 36 requests; 30 are allowed
		token := &dam.Token{Name: fmt.Sprint(i), Abilities: []dam.Ability{dam.AssetsRead}}
		plain, err := s.app.Accounts.CreateToken(t.Context(), dam.Actor{User: users[0]}, token)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if last = s.as(t, plain, "GET", "/api/v1/user", ""); last.StatusCode == 200 {
				served++
			}
		}
	}
	if served != 30 || last.StatusCode != 429 || last.Header.Get("Retry-After") != "2" || last.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("%d served, then %d %v", served, last.StatusCode, last.Header)
	}
	s.as(t, eds, "GET", "/api/v1/user", "").want(t, 200) // other users are unaffected
	c.ahead.Store(int64(2 * time.Second))
	s.do(t, "GET", "/api/v1/user", "").want(t, 200)
}

func TestTokensAreBounded(t *testing.T) {
	t.Parallel()
	s, c := standing(t, nil)
	body := func() string { // for a token that expires in an hour
		end := c.now().Add(time.Hour).Format(time.RFC3339)
		return fmt.Sprintf(`{"name":"short","abilities":["assets:read"],"expires_at":%q}`, end)
	}
	for range account.MaxTokens - 1 {
		s.mint(t, s.token, body())
	}
	const tooMany = "A user can have at most 50 tokens that have not expired; revoke one first."
	if a := s.do(t, "POST", "/api/v1/tokens", body()).want(t, 422); a.get("errors.body.0") != tooMany {
		t.Errorf("%s", a)
	}
	s.user(t, "ed@example.com", dam.RoleEditor)
	// Expired tokens do not count towards the limit; the most recent ones are listed.
	c.ahead.Store(int64(2 * time.Hour))
	for range 2 {
		for range account.MaxTokens - 1 {
			s.mint(t, s.token, body())
		}
		c.ahead.Add(int64(2 * time.Hour))
	}
	s.mint(t, s.token, `{"name":"one more","abilities":["assets:read"]}`)
	if n := s.do(t, "GET", "/api/v1/tokens", "").want(t, 200).get("meta.total"); n != 52.0 {
		t.Errorf("%v tokens", n)
	}
}

// A token expires no later than its parent.
func TestChildTokens(t *testing.T) {
	t.Parallel()
	s, c := standing(t, nil)
	at := func(d time.Duration) string { return c.start.Add(d).UTC().Format(time.RFC3339) }
	body := func(name, abilities string, life time.Duration) string {
		return fmt.Sprintf(`{"name":%q,"abilities":[%s],"expires_at":%q}`, name, abilities, at(life))
	}
	parent, parentID := s.mint(t, s.token, body("parent", `"assets:read","assets:write"`, time.Hour))
	late := s.as(t, parent, "POST", "/api/v1/tokens", body("late", `"assets:read"`, 2*time.Hour)).want(t, 422)
	tooLate := "expires_at must not be later than the end of the calling token, " + at(time.Hour) + "."
	if late.get("errors.expires_at.0") != tooLate {
		t.Errorf("%s", late)
	}
	child, _ := s.mint(t, parent, `{"name":"child","abilities":["assets:read"]}`)
	grandchild, grandchildID := s.mint(t, child, body("grandchild", `"assets:read"`, time.Minute))
	a := s.do(t, "GET", "/api/v1/tokens", "").want(t, 200)
	end := c.start.Add(time.Hour).UTC().Truncate(time.Second).Format("2006-01-02T15:04:05.000Z")
	if got := fmt.Sprint(a.get("data.1.name"), a.get("data.1.expires_at")); got != "child"+end {
		t.Errorf("%s: %s", got, a)
	}
	// A token can revoke itself and tokens with no more abilities than its own.
	refused := s.as(t, child, "DELETE", "/api/v1/tokens/"+parentID, "").want(t, 403)
	if fmt.Sprint(refused.get("required_abilities")) != "[assets:write]" {
		t.Errorf("%s", refused)
	}
	s.as(t, grandchild, "DELETE", "/api/v1/tokens/"+grandchildID, "").want(t, 200)
	s.as(t, grandchild, "GET", "/api/v1/user", "").want(t, 401)
	s.as(t, child, "GET", "/api/v1/user", "").want(t, 200)
	// Revoking a token revokes its children.
	grandchild, _ = s.mint(t, child, `{"name":"grandchild","abilities":["assets:read"]}`)
	s.do(t, "DELETE", "/api/v1/tokens/"+parentID, "").want(t, 200)
	for name, plain := range map[string]string{"parent": parent, "child": child, "grandchild": grandchild} {
		if a := s.as(t, plain, "GET", "/api/v1/user", ""); a.StatusCode != 401 {
			t.Errorf("%s: %d", name, a.StatusCode)
		}
	}
	if n := s.do(t, "GET", "/api/v1/tokens", "").get("meta.total"); n != 1.0 {
		t.Errorf("%v tokens are left", n)
	}
}

// A webhook is deactivated when the token that created it or last changed its URL is
// revoked or expires.
func TestWebhooksEndWithTheirToken(t *testing.T) {
	t.Parallel()
	s, c := standing(t, sends(t, nil))
	r := newReceiver(t)
	gaid := s.one(t, "p.jpg", picture(1, 64, 48))
	can := `"abilities":["assets:read","assets:write"]`
	revoked, revokedID := s.mint(t, s.token, `{"name":"revoked",`+can+`}`)
	child, _ := s.mint(t, revoked, `{"name":"child",`+can+`}`)
	expires, _ := s.mint(t, s.token, fmt.Sprintf(`{"name":"expires",%s,"expires_at":%q}`, can, c.now().Add(time.Hour).Format(time.RFC3339)))
	stays, _ := s.mint(t, s.token, `{"name":"stays",`+can+`}`)
	session := s.do(t, "POST", "/api/v1/session", `{"email":"ada@example.com","password":"correct horse battery"}`).want(t, 201).Cookies()[0]
	cookie := []string{"Cookie", session.Name + "=" + session.Value}
	hooks := map[string]string{}
	for name, plain := range map[string]string{"revoked": revoked, "child": child, "expires": expires, "stays": stays} {
		hooks[name], _ = s.hookAs(t, plain, r.URL+"/"+name, "asset.updated")
	}
	made := s.as(t, "", "POST", webhooks, hookBody(r.URL+"/session", "asset.updated"), cookie...).want(t, 201)
	hooks["session"] = fmt.Sprintf("%s/%v", webhooks, made.get("data.id"))
	made = s.as(t, "", "POST", webhooks, hookBody(r.URL+"/old", "asset.updated"), cookie...).want(t, 201)
	hooks["taken"] = fmt.Sprintf("%s/%v", webhooks, made.get("data.id"))
	s.as(t, revoked, "PUT", hooks["taken"], fmt.Sprintf(`{"url":%q}`, r.URL+"/taken")).want(t, 200)
	s.retitle(t, gaid, "all are told")
	r.wait(t, 6)

	s.do(t, "DELETE", "/api/v1/tokens/"+revokedID, "").want(t, 200)
	for _, name := range []string{"revoked", "child", "taken"} {
		a := s.do(t, "GET", hooks[name], "").want(t, 200)
		if a.get("data.status") != "disabled" || a.get("data.is_active") != false || a.get("data.disabled_reason") != dam.WebhookTokenRevoked {
			t.Errorf("%s: %s", name, a)
		}
		s.do(t, "POST", hooks[name]+"/test", "").want(t, 409)
	}
	c.ahead.Store(int64(2 * time.Hour))
	s.do(t, "POST", hooks["expires"]+"/test", "").want(t, 409)
	s.until(t, hooks["expires"], func(a answer) bool { return a.get("data.disabled_reason") == dam.WebhookTokenExpired })
	s.retitle(t, gaid, "two are told")
	for _, m := range r.wait(t, 8)[6:] {
		if m.path != "/stays" && m.path != "/session" {
			t.Errorf("%s was told: %s", m.path, m.body)
		}
	}
	// A user who reactivates a webhook becomes its owner.
	s.as(t, stays, "PUT", hooks["expires"], `{"is_active":true}`).want(t, 200)
	s.retitle(t, gaid, "three are told")
	var told []string
	for _, m := range r.wait(t, 11)[8:] {
		told = append(told, m.path)
	}
	if slices.Sort(told); strings.Join(told, " ") != "/expires /session /stays" {
		t.Errorf("told: %v", told)
	}
}

// If a user loses access during an upload, nothing is stored.
func TestEndsInMidUpload(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a client with a deadline of its own: the race detector, which .ci/run uses with -short, would test its speed")
	}
	for _, test := range []struct {
		name string
		end  func(t *testing.T, s *server, c *clock, id string)
		want int
	}{
		{"nothing", func(*testing.T, *server, *clock, string) {}, 201},
		{"revoked", func(t *testing.T, s *server, _ *clock, id string) {
			s.do(t, "DELETE", "/api/v1/tokens/"+id, "").want(t, 200)
		}, 401},
		{"parent revoked", func(t *testing.T, s *server, _ *clock, id string) {
			var n int
			fmt.Sscan(id, &n)
			s.do(t, "DELETE", fmt.Sprintf("/api/v1/tokens/%d", n-1), "").want(t, 200)
		}, 401},
		{"expired", func(_ *testing.T, _ *server, c *clock, _ string) { c.ahead.Store(int64(2 * time.Hour)) }, 401},
		{"disabled", func(t *testing.T, s *server, _ *clock, _ string) { s.set(t, "ed@example.com", disable) }, 401},
		{"demoted", func(t *testing.T, s *server, _ *clock, _ string) {
			s.set(t, "ed@example.com", func(u *dam.User) { u.Role = dam.RoleViewer })
		}, 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, c := standing(t, nil)
			ed := s.user(t, "ed@example.com", dam.RoleEditor)
			admin := s.token
			end := c.now().Add(time.Hour).Format(time.RFC3339)
			parent, _ := s.mint(t, ed, fmt.Sprintf(`{"name":"parent","abilities":["uploads:manage"],"expires_at":%q}`, end))
			plain, id := s.mint(t, parent, `{"name":"child","abilities":["uploads:manage"]}`)
			s.token = plain
			batch := s.batch(t, `{}`)
			s.token = ed
			if test.name == "disabled" || test.name == "demoted" {
				s.token = admin
			}
			pr, pw := io.Pipe()
			form := multipart.NewWriter(pw)
			req, err := http.NewRequestWithContext(t.Context(), "POST", fmt.Sprintf("%s/api/v1/upload-batches/%v/files", s.URL, batch), pr)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", form.FormDataContentType())
			req.Header.Set("Authorization", "Bearer "+plain)
			wrote := make(chan error, 1)
			go func() {
				data := bytes.Repeat(picture(1, 64, 48), 4000) // exceeds the socket buffers
				part, err := form.CreateFormFile("file", "p.jpg")
				if err == nil {
					_, err = part.Write(data)
				}
				test.end(t, s, c, id)
				if err == nil {
					_, err = part.Write(data)
				}
				form.Close()
				pw.Close()
				wrote <- err
			}()
			s.send(t, req).want(t, test.want)
			if err := <-wrote; err != nil {
				t.Error(err)
			}
			want := 0
			if test.want == 201 {
				want = 1
			}
			if n := s.count(t, `SELECT count(*) FROM batch_files`); n != want {
				t.Errorf("%d files", n)
			}
		})
	}
}

// A download is aborted when its user loses access.
func TestEndsInMidDownload(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a client with a deadline of its own: the race detector, which .ci/run uses with -short, would test its speed")
	}
	s, c := standing(t, nil)
	data := append(picture(1, 64, 48), bytes.Repeat([]byte("filling"), 8<<20)...)
	gaid := s.one(t, "p.jpg", data)
	plain, id := s.mint(t, s.token, `{"name":"short","abilities":["assets:download"]}`)
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/v1/assets/"+gaid+"/download", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+plain)
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadFull(res.Body, make([]byte, 1000)); err != nil || res.ContentLength != int64(len(data)) {
		t.Fatal(res.Status, res.ContentLength, err)
	}
	s.do(t, "DELETE", "/api/v1/tokens/"+id, "").want(t, 200)
	c.ahead.Store(int64(time.Minute))
	if n, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Errorf("the whole file came, the last %d bytes after the token was revoked", n)
	}
}

// When a user's role changes, their sessions lose the abilities of the former role.
func TestSessionEndsWithTheRole(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.user(t, "ed@example.com", dam.RoleEditor)
	const login = `{"email":"ed@example.com","password":"correct horse battery"}`
	session := s.as(t, "", "POST", "/api/v1/session", login).want(t, 201).Cookies()[0]
	cookie := []string{"Cookie", session.Name + "=" + session.Value}
	s.as(t, "", "POST", "/api/v1/upload-batches", `{}`, cookie...).want(t, 201)
	s.set(t, "ed@example.com", func(u *dam.User) { u.Role = dam.RoleViewer })
	s.as(t, "", "POST", "/api/v1/upload-batches", `{}`, cookie...).want(t, 401)
}

// Logging out twice is not an error.
func TestLogoutTwice(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const login = `{"email":"ada@example.com","password":"correct horse battery"}`
	cookie := s.do(t, "POST", "/api/v1/session", login).want(t, 201).Cookies()[0].Value
	actor, err := s.app.Accounts.SessionActor(t.Context(), cookie)
	if err != nil {
		t.Fatal(err)
	}
	ctx := access.CalledBy(t.Context(), access.Caller{Actor: actor})
	for range 2 {
		if err := s.app.Accounts.Logout(ctx, cookie); err != nil {
			t.Error(err)
		}
	}
	// The same request has no further access.
	_, err = s.app.Accounts.CreateToken(ctx, actor, &dam.Token{Name: "x", Abilities: dam.Values[dam.Ability]()})
	if dam.KindOf(err) != dam.Unauthenticated {
		t.Error(err)
	}
}

// The last admin can be neither demoted nor disabled.
func TestLastAdmin(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	demote := func(u *dam.User) { u.Role = dam.RoleEditor }
	for name, change := range map[string]func(*dam.User){"disable": disable, "demote": demote} {
		err := s.app.Accounts.UpdateUser(t.Context(), "ada@example.com", func(u *dam.User) error { change(u); return nil })
		if dam.KindOf(err) != dam.Conflict || err.Error() != "ada@example.com is the last admin; make another one first." {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.user(t, "ed@example.com", dam.RoleAdmin)
	s.set(t, "ed@example.com", disable) // a disabled admin does not count
	err := s.app.Accounts.UpdateUser(t.Context(), "ada@example.com", func(u *dam.User) error { demote(u); return nil })
	if dam.KindOf(err) != dam.Conflict {
		t.Error(err)
	}
	s.set(t, "ed@example.com", func(u *dam.User) { u.DisabledAt = nil })
	s.set(t, "ada@example.com", demote)
}

func TestNamesAreVisible(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for name, text := range map[string]string{
		"null":           "a\x00b",
		"escape":         "\x1b[31mred",
		"bidi":           "a\u202eb",
		"isolate":        "a\u2066b",
		"zero width":     "a\u200bb",
		"mark":           "\ufeffa",
		"line separator": "a\u2028b",
		"filler":         "\u3164",
		"tag":            "a\U000e0041",
	} {
		body := fmt.Sprintf(`{"name":%s,"abilities":["assets:read"]}`, jsonString(text))
		if a := s.do(t, "POST", "/api/v1/tokens", body).want(t, 422); a.get("errors.name.0") == nil {
			t.Errorf("%s: %s", name, a)
		}
		body = fmt.Sprintf(`{"name":"x","description":%s,"abilities":["assets:read"]}`, jsonString(text))
		s.do(t, "POST", "/api/v1/tokens", body).want(t, 422)
		for field, u := range map[string]*dam.User{
			"name":  {Name: text, Email: "x@example.com"},
			"email": {Name: "x", Email: text + "@example.com"},
		} {
			u.Role = dam.RoleViewer
			if err := s.app.Accounts.CreateUser(t.Context(), u, ""); dam.KindOf(err) != dam.Invalid || !strings.Contains(err.Error(), field) {
				t.Errorf("%s as the %s of a user: %v", name, field, err)
			}
		}
	}
	s.do(t, "POST", "/api/v1/tokens", `{"name":"Zoë’s 写真 📷","description":"two\nlines","abilities":["assets:read"]}`).want(t, 201)
}

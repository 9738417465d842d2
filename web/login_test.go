package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
)

// wrong exceeds the maximum password length, so it is rejected without hashing.
var wrong = strings.Repeat("x", account.MaxPassword+1)

// Login attempts are limited per address, or per IPv6 /64, across all accounts.
func TestLoginLimitOfAddress(t *testing.T) {
	t.Parallel()
	s, c := standing(t, behindProxy)
	for name, address := range map[string]func(i int) string{
		"IPv4": func(int) string { return "192.0.2.7" },
		"IPv6": func(i int) string { return fmt.Sprintf("2001:db8:1:2:%x::%x", i, i*7) },
	} {
		for i := range 100 {
			if a := s.logIn(t, fmt.Sprintf("nobody%d@example.com", i), wrong, address(i)); a.StatusCode != 422 {
				t.Fatalf("%s: attempt %d = %d %s", name, i, a.StatusCode, a)
			}
		}
		a := s.logIn(t, "ada@example.com", rightPassword, address(101)).want(t, 429)
		if a.Header.Get("Retry-After") != "2" {
			t.Errorf("%s: Retry-After %s", name, a.Header.Get("Retry-After"))
		}
	}
	s.logIn(t, "ada@example.com", rightPassword, "2001:db8:1:3::1").want(t, 201) // another network
	s.logIn(t, "ada@example.com", rightPassword, "192.0.2.8").want(t, 201)
	c.ahead.Store(int64(2 * time.Second))
	s.logIn(t, "ada@example.com", rightPassword, "192.0.2.7").want(t, 201)
}

// Guessing from many addresses is also limited, without locking out the owner if they have
// logged in from the same address before.
func TestLoginLimitOfAccount(t *testing.T) {
	t.Parallel()
	s, c := standing(t, behindProxy)
	s.logIn(t, "ada@example.com", rightPassword, "198.51.100.1").want(t, 201)
	for _, email := range []string{"ada@example.com", "nobody@example.com"} { // existing and unknown accounts must be indistinguishable
		served := 0
		for i := range 150 {
			a := s.logIn(t, email, wrong, fmt.Sprintf("203.0.113.%d", i))
			if a.StatusCode == 422 {
				served++
			} else if a.want(t, 429); a.Header.Get("Retry-After") != "60" {
				t.Fatalf("Retry-After %s", a.Header.Get("Retry-After"))
			}
		}
		if want := 100; served != want && served != want-1 { // ada's first login took one
			t.Errorf("%s: %d passwords were checked", email, served)
		}
	}
	s.logIn(t, "ada@example.com", rightPassword, "203.0.113.200").want(t, 429)
	for range 3 {
		s.logIn(t, "ADA@example.com ", rightPassword, "198.51.100.1").want(t, 201)
	}
	c.ahead.Store(int64(time.Minute))
	s.logIn(t, "ada@example.com", rightPassword, "203.0.113.200").want(t, 201)
}

// Only the most recently used networks are remembered.
func TestKnownNetworksAreBounded(t *testing.T) {
	t.Parallel()
	s, c := standing(t, behindProxy)
	for i := range 25 {
		s.logIn(t, "ada@example.com", rightPassword, fmt.Sprintf("198.51.100.%d", i)).want(t, 201)
		c.ahead.Add(int64(time.Second))
	}
	if n := s.count(t, `SELECT count(*) FROM known_networks`); n != 20 {
		t.Errorf("%d networks", n)
	}
	if n := s.count(t, `SELECT count(*) FROM known_networks WHERE used_at < (SELECT max(used_at) FROM known_networks) - 19000`); n != 0 {
		t.Errorf("%d of them are not among the latest", n)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	s, c := standing(t, behindProxy)
	first := s.logIn(t, "ada@example.com", rightPassword, "192.0.2.1").want(t, 201).Cookies()[0]
	cookie := []string{"Cookie", first.Name + "=" + first.Value}
	s.as(t, "", "GET", "/api/v1/user", "", cookie...).want(t, 200)
	db := s.db(t)
	if _, err := db.ExecContext(t.Context(), `
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
		INSERT INTO sessions (hash, user_id, created_at, used_at, expires_at)
		SELECT randomblob(32), 1, created_at + i, used_at + i, expires_at FROM sessions, n`); err != nil {
		t.Fatal(err)
	}
	s.as(t, "", "GET", "/api/v1/user", "", cookie...).want(t, 200)
	c.ahead.Store(int64(time.Minute))
	s.logIn(t, "ada@example.com", rightPassword, "192.0.2.1").want(t, 201)
	if n := s.count(t, `SELECT count(*) FROM sessions`); n != account.MaxSessions {
		t.Errorf("%d sessions", n)
	}
	s.as(t, "", "GET", "/api/v1/user", "", cookie...).want(t, 401)
}

// With many concurrent logins, few passwords are hashed at a time, and clients that would
// wait too long are refused.
func TestManyLogins(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a client with a deadline of its own: the race detector, which .ci/run uses with -short, would test its speed")
	}
	s := start(t, behindProxy)
	var mu sync.Mutex
	answers := map[int]int{}
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			body := strings.NewReader(`{"email":"ada@example.com","password":"wrong horse battery"}`)
			req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/v1/session", body)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i))
			res, err := s.Client().Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			res.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			answers[res.StatusCode]++
			if res.StatusCode == 503 && res.Header.Get("Retry-After") != "2" {
				t.Errorf("503 with %v", res.Header)
			}
		})
	}
	wg.Wait()
	if answers[422] < 17 || answers[422]+answers[503] != 60 || answers[503] == 0 {
		t.Errorf("answers: %v", answers)
	}
	s.logIn(t, "ada@example.com", rightPassword, "192.0.2.200").want(t, 201)
}

// Email addresses are compared regardless of case and Unicode composition.
func TestEmailsHaveOneForm(t *testing.T) {
	t.Parallel()
	s := start(t, behindProxy)
	n := 0
	for made, forms := range map[string][]string{
		"\u00e4da@example.com":    {"\u00c4da@example.com", "a\u0308da@example.com", "A\u0308DA@EXAMPLE.COM", " \u00e4da@example.com\t"},
		"kim@example.com":         {"\u212aim@example.com", "KIM@Example.Com"},
		"\u0130pek@example.com":   {"I\u0307pek@example.com", "i\u0307pek@example.com"},
		"eva@b\u00fccher.example": {"EVA@B\u00dcCHER.example", "eva@bu\u0308cher.EXAMPLE"},
		"\u03c3as@example.com":    {"\u03a3AS@example.com", "\u03c2as@example.com"},
	} {
		s.user(t, made, dam.RoleViewer)
		for _, form := range forms {
			u := &dam.User{Name: "x", Email: form, Role: dam.RoleViewer}
			if err := s.app.Accounts.CreateUser(t.Context(), u, ""); dam.KindOf(err) != dam.Conflict {
				t.Errorf("%+q beside %+q: %v", form, made, err)
			}
			n++
			a := s.logIn(t, form, rightPassword, fmt.Sprintf("192.0.2.%d", n)).want(t, 201)
			if a.get("data.email") != made {
				t.Errorf("%+q is %s", form, a)
			}
		}
	}
	a := s.do(t, "GET", "/api/v1/audit-logs?event=login.succeeded&account=K%C4%B0M@example.com", "").want(t, 200)
	if n := a.get("meta.total"); n != 0.0 {
		t.Errorf("%v entries of another account", n)
	}
}

// Old passwords still work: their hashes are in the PHC string format of Argon2's own tool.
func TestOldPasswords(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	db := s.db(t)
	const hash = "$argon2id$v=19$m=65536,t=3,p=2$c2l4dGVlbiBieXRlIHNhbA$xUSyfuTVhAzt0ouh0i4NkgDy9MScKs5sdhRpr0fuVhw"
	if _, err := db.ExecContext(t.Context(), `UPDATE users SET password_hash = ?`, hash); err != nil {
		t.Fatal(err)
	}
	s.logIn(t, "ada@example.com", "wrong horse battery", "").want(t, 422)
	s.logIn(t, "ada@example.com", rightPassword, "").want(t, 201)
}

// Disabled users and users without a password cannot log in.
func TestLoginOfDisabled(t *testing.T) {
	t.Parallel()
	s := start(t, behindProxy)
	s.user(t, "ed@example.com", dam.RoleEditor)
	s.set(t, "ed@example.com", disable)
	s.logIn(t, "ed@example.com", rightPassword, "192.0.2.1").want(t, 422)
	if err := s.app.Accounts.CreateUser(t.Context(), &dam.User{Name: "x", Email: "bot@example.com", Role: dam.RoleViewer}, ""); err != nil {
		t.Fatal(err)
	}
	s.logIn(t, "bot@example.com", "", "192.0.2.1").want(t, 422)
}

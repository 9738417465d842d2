package web_test

import (
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now = c.now, c.now })
	a := s.do(t, "POST", "/api/v1/tokens", fmt.Sprintf(`{
		"name": "short",
		"abilities": ["assets:read","assets:write"],
		"description": "for a test",
		"expires_at": %q
	}`, time.Now().Add(time.Hour).Format(time.RFC3339))).want(t, 201)
	plain := a.get("data.plain_text_token").(string)
	id := a.get("data.id").(string)
	if !strings.HasPrefix(plain, "dal_"+id+"_") || len(plain) != len("dal__")+len(id)+43 ||
		a.get("data.abilities") != "assets:read,assets:write" {
		t.Errorf("%s", a)
	}
	if a.get("data.last_used_at") != nil || a.get("data.last_used_ip") != "" {
		t.Errorf("used before its first use: %s", a)
	}
	s.as(t, plain, "GET", "/api/v1/assets", "").want(t, 200)
	a = s.until(t, "/api/v1/tokens", func(a answer) bool { return a.get("data.0.last_used_at") != nil })
	if a.get("data.0.last_used_ip") != "127.0.0.1" || strings.Contains(string(a.body), plain[10:]) {
		t.Errorf("%s", a)
	}
	c.ahead.Store(int64(2 * time.Hour))
	s.as(t, plain, "GET", "/api/v1/assets", "").want(t, 401)
	c.ahead.Store(0)
	s.as(t, plain, "GET", "/api/v1/assets", "").want(t, 200)
	// Other users cannot revoke it.
	other := s.user(t, "ed@example.com", dam.RoleEditor)
	s.as(t, other, "DELETE", "/api/v1/tokens/"+id, "").want(t, 404)
	if a = s.do(t, "DELETE", "/api/v1/tokens/"+id, "").want(t, 200); a.get("message") != "Token revoked." {
		t.Errorf("%s", a)
	}
	s.as(t, plain, "GET", "/api/v1/assets", "").want(t, 401)
	// A disabled user's tokens stop working immediately.
	if err := s.app.Accounts.UpdateUser(t.Context(), "ed@example.com", func(u *dam.User) error {
		now := time.Now()
		u.DisabledAt = &now
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	s.as(t, other, "GET", "/api/v1/user", "").want(t, 401)
}

func TestSession(t *testing.T) {
	t.Parallel()
	s, _ := standing(t, nil)
	a := s.as(t, "", "POST", "/api/v1/session", `{"email":"ADA@example.com","password":"wrong password"}`).want(t, 422)
	if a.get("errors.email.0") != "These credentials do not match our records." {
		t.Errorf("%s", a)
	}
	s.as(t, "", "POST", "/api/v1/session", `{"email":"nobody@example.com","password":"correct horse battery"}`).want(t, 422)
	a = s.as(t, "", "POST", "/api/v1/session", `{"email":"ADA@example.com","password":"correct horse battery"}`).want(t, 201)
	cookie := a.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Secure {
		t.Errorf("cookie: %v", cookie)
	}
	jar := "dal_session=" + cookie.Value
	if a = s.as(t, "", "GET", "/api/v1/user", "", "Cookie", jar).want(t, 200); a.Header.Get("X-RateLimit-Limit") != "6000" {
		t.Errorf("limit %s", a.Header.Get("X-RateLimit-Limit"))
	}
	// Cross-site requests cannot use the cookie.
	crossSite := []string{"Cookie", jar, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}
	s.as(t, "", "POST", "/api/v1/upload-batches", `{}`, crossSite...).want(t, 403)
	s.as(t, "", "POST", "/api/v1/upload-batches", `{}`, "Cookie", jar, "Sec-Fetch-Site", "same-origin").want(t, 201)
	// With a session, an administrator sees the tokens of all users.
	s.user(t, "ed@example.com", dam.RoleEditor)
	if a = s.as(t, "", "GET", "/api/v1/tokens", "", "Cookie", jar).want(t, 200); a.get("meta.total") != 2.0 {
		t.Errorf("%s", a)
	}
	if a = s.as(t, "", "GET", "/api/v1/tokens?own=true", "", "Cookie", jar).want(t, 200); a.get("meta.total") != 1.0 {
		t.Errorf("%s", a)
	}
	if a = s.do(t, "GET", "/api/v1/tokens", "").want(t, 200); a.get("meta.total") != 1.0 {
		t.Errorf("%s", a)
	}
	s.as(t, "", "DELETE", "/api/v1/session", "", "Cookie", jar).want(t, 200)
	s.as(t, "", "GET", "/api/v1/user", "", "Cookie", jar).want(t, 401)
	// Password guessing is rate limited.
	var last answer
	for range 12 {
		last = s.as(t, "", "POST", "/api/v1/session", `{"email":"ada@example.com","password":"guess"}`)
	}
	if last.StatusCode != 429 || last.Header.Get("Retry-After") == "" {
		t.Errorf("the twelfth guess = %d %s", last.StatusCode, last.body)
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, func(cfg *app.Config, o *web.Options) { cfg.Now, o.Now, o.RateLimit = c.now, c.now, 60 })
	other := s.user(t, "ed@example.com", dam.RoleEditor)
	rate := func(a answer, left, wait int) {
		t.Helper()
		for name, want := range map[string]string{
			"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": fmt.Sprint(left),
			"X-RateLimit-Reset": fmt.Sprint(int64(math.Ceil(float64(c.now().UnixMilli())/1000)) + int64(wait)),
			"RateLimit-Policy":  `"requests";q=60;w=60`, "RateLimit": fmt.Sprintf(`"requests";r=%d;t=%d`, left, wait),
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%d: %s is %s, want %s", a.StatusCode, name, got, want)
			}
		}
	}
	rate(s.as(t, "", "GET", "/api/v1/user", "").want(t, 401), 60, 0)
	rate(s.as(t, "nonsense", "GET", "/api/v1/user", "").want(t, 401), 60, 0)
	for i := range 60 {
		a := s.do(t, "GET", "/api/v1/user", "").want(t, 200)
		if a.Header.Get("X-RateLimit-Limit") != "60" || i == 0 && a.Header.Get("X-RateLimit-Remaining") != "59" {
			t.Fatalf("request %d: %v", i, a.Header)
		}
		rate(a, 59-i, i+1)
	}
	a := s.do(t, "GET", "/api/v1/user", "").want(t, 429)
	if a.get("message") != "Too Many Attempts." || a.Header.Get("Retry-After") != "1" ||
		a.Header.Get("X-RateLimit-Reset") == "" || a.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("%v %s", a.Header, a)
	}
	rate(a, 0, 1)
	s.as(t, other, "GET", "/api/v1/user", "").want(t, 200) // has its own rate limit
	c.ahead.Store(int64(2 * time.Second))
	s.do(t, "GET", "/api/v1/user", "").want(t, 200)
}

func TestAuditTrail(t *testing.T) {
	t.Parallel()
	s := start(t, func(_ *app.Config, o *web.Options) {
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	})
	refused := s.do(t, "DELETE", "/api/v1/assets/nope?force=1", "", "X-Forwarded-For", "6.6.6.6, 192.0.2.7, 10.1.2.3").want(t, 404)
	id := refused.Header.Get("X-Request-Id")
	s.as(t, "", "GET", "/api/v1/assets", "").want(t, 401)
	a := s.until(t, "/api/v1/audit-logs?method=DELETE&status=404", func(a answer) bool { return a.get("meta.total") == 1.0 })
	for path, want := range map[string]any{
		"request_id": id,
		"path":       "/api/v1/assets/nope",
		"ip":         "192.0.2.7",
		"user_id":    1.0,
		"token_id":   1.0,
		"method":     "DELETE",
	} {
		if got := a.get("data.0." + path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	// Some proxies add the port.
	s.do(t, "PUT", "/api/v1/assets/nope", `{}`, "X-Forwarded-For", "6.6.6.6, 192.0.2.8:4711, 10.1.2.3:80").want(t, 404)
	s.do(t, "PUT", "/api/v1/assets/nope", `{}`, "X-Forwarded-For", "[2001:db8::7]:4711, [::ffff:10.1.2.3]").want(t, 404)
	a = s.until(t, "/api/v1/audit-logs?method=PUT", func(a answer) bool { return a.get("meta.total") == 2.0 })
	if a.get("data.0.ip") != "2001:db8::7" || a.get("data.1.ip") != "192.0.2.8" {
		t.Errorf("behind proxies that write ports: %s", a)
	}
	if n := s.do(t, "GET", "/api/v1/audit-logs?status=401", "").get("meta.total"); n != 0.0 {
		t.Errorf("%v requests without a user are in the trail", n)
	}
	a = s.do(t, "GET", "/api/v1/assets", "", "X-Forwarded-Proto", "https")
	if p, _ := a.get("meta.path").(string); !strings.HasPrefix(p, "https://") {
		t.Errorf("path %q behind a trusted proxy", p)
	}
}

// Forwarding headers of untrusted clients are ignored.
func TestForgedAddress(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.do(t, "GET", "/api/v1/user", "", "X-Forwarded-For", "6.6.6.6", "X-Forwarded-Proto", "https")
	a := s.until(t, "/api/v1/audit-logs?event=request", func(a answer) bool { return a.get("meta.total").(float64) > 0 })
	if ip := a.get("data.0.ip"); ip != "127.0.0.1" {
		t.Errorf("ip %v", ip)
	}
}

package web_test

import (
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/web"
)

// A token can have a separate rate limit, set by an administrator: it does not count
// towards the limit shared by the user's other tokens.
func TestTokenWithRate(t *testing.T) {
	t.Parallel()
	s := start(t, func(_ *app.Config, o *web.Options) { o.RateLimit = 2 })
	admin := s.browser(t, "ada@example.com", "correct horse battery")
	eve := s.user(t, "eve@example.com", dam.RoleEditor)
	session := s.browser(t, "eve@example.com", "correct horse battery")
	plain := s.as(t, "", "POST", "/api/v1/tokens", `{"name":"agent","abilities":["assets:read"]}`, session...).want(t, 201)
	token, path := plain.get("data.plain_text_token").(string), "/api/v1/tokens/"+plain.get("data.id").(string)
	if plain.get("data.rate_limit") != nil {
		t.Errorf("%s", plain)
	}
	s.as(t, "", "POST", "/api/v1/tokens", `{"name":"x","abilities":["assets:read"],"rate_limit":9}`, session...).want(t, 403)
	s.as(t, "", "PUT", path, `{"rate_limit":9}`, session...).want(t, 403)
	s.as(t, "", "PUT", path, `{"rate_limit":0}`, admin...).want(t, 422)
	if a := s.as(t, "", "PUT", path, `{"rate_limit":25}`, admin...).want(t, 200); a.get("data.rate_limit") != 25.0 {
		t.Errorf("%s", a)
	}
	for range 25 { // more than ten times 2, the limit of the user's other tokens
		if a := s.as(t, token, "GET", "/api/v1/user", "").want(t, 200); a.Header.Get("X-RateLimit-Limit") != "25" {
			t.Fatalf("%v", a.Header)
		}
	}
	s.as(t, token, "GET", "/api/v1/user", "").want(t, 429)
	s.as(t, eve, "GET", "/api/v1/user", "").want(t, 200)
	s.as(t, "", "PUT", path, `{"rate_limit":null}`, admin...).want(t, 200)
	if a := s.as(t, token, "GET", "/api/v1/user", "").want(t, 200); a.Header.Get("X-RateLimit-Limit") != "2" {
		t.Errorf("%v", a.Header)
	}
	made := s.as(t, "", "POST", "/api/v1/tokens", `{"name":"x","abilities":["assets:read"],"rate_limit":9}`, admin...).want(t, 201)
	if made.get("data.rate_limit") != 9.0 {
		t.Errorf("%s", made)
	}
}

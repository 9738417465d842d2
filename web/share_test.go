package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const shares = "/api/v1/shares"

// share creates a share as the administrator and returns the paths of its API resource and
// of its page.
func (s *server) share(t testing.TB, body string) (path, page string) {
	t.Helper()
	a := s.do(t, "POST", shares, body).want(t, 201)
	_, token, ok := strings.Cut(a.get("data.url").(string), "/s/")
	if !ok || len(token) < 22 {
		t.Fatalf("the URL is %v", a.get("data.url"))
	}
	return fmt.Sprintf("%s/%v", shares, a.get("data.id")), "/s/" + token
}

// shareOf returns the body that shares assets.
func shareOf(more string, gaids ...string) string {
	return `{"name":"Press","gaids":["` + strings.Join(gaids, `","`) + `"]` + more + `}`
}

// Users see and change their own shares, administrators all; answers never contain a
// password.
func TestShares(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	gaids := s.pictures(t, 3)
	soon := clock.now().UTC().Add(time.Hour).Format(time.RFC3339)
	path, _ := s.share(t, shareOf(`,"password":"harbour","expires_at":"`+soon+`","watermark":{"text":"© Museum"},"max_resolution":900,
		"access":{"emails":["bo@example.com"],"ip_ranges":["127.0.0.0/8"],"max_views":3},"terms_text":"Be nice."`, gaids[1], gaids[0], gaids[1]))
	a := s.do(t, "GET", path, "").want(t, 200)
	for field, want := range map[string]any{
		"type": "assets", "has_password": true, "allow_download": true, "allow_original": false, "include_metadata": false,
		"watermark.opacity": 40.0, "max_resolution": 900.0, "access.max_views": 3.0, "access.max_downloads": nil, "gaids.0": gaids[1],
		"gaids.1": gaids[0], "gaids.2": nil, "collection_id": nil, "view_count": 0.0, "revoked_at": nil, "created_by.email": "ada@example.com",
		"access.emails.0": "bo@example.com", "terms_text": "Be nice.",
	} {
		if got := a.get("data." + field); got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	if strings.Contains(string(a.body), "argon") || strings.Contains(string(a.body), "harbour") {
		t.Errorf("the answer has the password: %s", a.body)
	}
	s.do(t, "PUT", path, string(a.body[len(`{"data":`):len(strings.TrimSpace(string(a.body)))-1])).want(t, 200) // sent back unchanged

	editor := s.user(t, "ed@example.com", dam.RoleEditor)
	s.as(t, editor, "GET", path, "").want(t, 404)
	s.as(t, editor, "PUT", path, `{"name":"Mine"}`).want(t, 404)
	s.as(t, editor, "DELETE", path, "").want(t, 404)
	s.as(t, editor, "GET", path+"/access-logs", "").want(t, 404)
	s.total(t, editor, shares, 0)
	theirs := s.as(t, editor, "POST", shares, shareOf("", gaids[2])).want(t, 201)
	s.total(t, editor, shares, 1)
	s.total(t, s.token, shares, 2)
	s.do(t, "PUT", fmt.Sprintf("%s/%v", shares, theirs.get("data.id")), `{"name":"Seen"}`).want(t, 200)
	viewer := s.user(t, "vi@example.com", dam.RoleViewer)
	s.total(t, viewer, shares, 0)
	s.as(t, viewer, "POST", shares, shareOf("", gaids[2])).want(t, 403)
	for _, abilities := range []string{`"shares:manage"`, `"shares:manage","assets:read"`, `"shares:manage","assets:download"`} {
		plain, _ := s.mint(t, s.token, `{"name":"part","abilities":[`+abilities+`]}`)
		s.as(t, plain, "POST", shares, shareOf("", gaids[2])).want(t, 403)
		s.as(t, plain, "PUT", path, `{"allow_original":true}`).want(t, 403)
	}
	reading, _ := s.mint(t, editor, `{"name":"part","abilities":["shares:read"]}`)
	if a := s.as(t, reading, "GET", shares, "").want(t, 200); fmt.Sprint(a.get("data.0.gaids")) != "[]" {
		t.Errorf("a token that reads no assets is told which there are: %s", a)
	}

	s.do(t, "DELETE", path, "").want(t, 200)
	if a := s.do(t, "DELETE", path, "").want(t, 200); a.get("message") != "Share revoked." {
		t.Error(a)
	}
	s.do(t, "PUT", path, `{"name":"Again"}`).want(t, 409)
	if s.do(t, "GET", path, "").want(t, 200).get("data.revoked_at") == nil {
		t.Error("it does not say that it was revoked")
	}
	if got := s.shareEvents(t); fmt.Sprint(got) != "[share.created 1 share.created 2 share.revoked 1]" {
		t.Errorf("the events are %v", got)
	}
}

func (s *server) shareEvents(t *testing.T) (list []string) {
	t.Helper()
	s.eachEvent(t, func(e *dam.Event) {
		if e.Type.Noun() == "share" {
			list = append(list, string(e.Type)+" "+e.Subject)
		}
	})
	return list
}

// Errors of a share are reported by field.
func TestShareFields(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.pictures(t, 2)
	s.do(t, "DELETE", assets+"/"+gaids[1], "").want(t, 200)
	for body, field := range map[string]string{
		`{"name":"x"}`: "gaids", `{"name":"x","gaids":[]}`: "gaids", `{"gaids":["` + gaids[0] + `"]}`: "name",
		shareOf("", "01KB3J8Q5V7X9Z1B3D5F7H9K1M"):                            "gaids.0",
		shareOf("", gaids[0], gaids[1]):                                      "gaids.1",
		`{"name":"x","collection_id":99}`:                                    "collection_id",
		shareOf(`,"collection_id":1`, gaids[0]):                              "gaids",
		shareOf(`,"type":"upload"`, gaids[0]):                                "gaids",
		shareOf(`,"type":"collection"`, gaids[0]):                            "collection_id",
		shareOf(`,"password":"12345"`, gaids[0]):                             "password",
		shareOf(`,"max_resolution":15`, gaids[0]):                            "max_resolution",
		shareOf(`,"watermark":{"text":" "}`, gaids[0]):                       "watermark.text",
		shareOf(`,"watermark":{"text":"漢"}`, gaids[0]):                       "watermark.text",
		shareOf(`,"watermark":{"text":"x","opacity":9}`, gaids[0]):           "watermark.opacity",
		shareOf(`,"watermark":{"text":"x"},"allow_original":true`, gaids[0]): "allow_original",
		shareOf(`,"expires_at":"2020-01-01T00:00:00Z"`, gaids[0]):            "expires_at",
		shareOf(`,"access":{"emails":["nobody"]}`, gaids[0]):                 "access.emails.0",
		shareOf(`,"access":{"email_domains":["@example.com"]}`, gaids[0]):    "access.email_domains.0",
		shareOf(`,"access":{"email_domains":["*.example.com"]}`, gaids[0]):   "access.email_domains.0",
		shareOf(`,"access":{"email_domains":["example.com/x"]}`, gaids[0]):   "access.email_domains.0",
		shareOf(`,"access":{"ip_ranges":["10.0.0.1"]}`, gaids[0]):            "access.ip_ranges.0",
		shareOf(`,"access":{"ip_ranges":["::ffff:10.0.0.0/104"]}`, gaids[0]): "access.ip_ranges.0",
		shareOf(`,"access":null`, gaids[0]):                                  "access",
		shareOf(`,"allow_download":null`, gaids[0]):                          "allow_download",
		shareOf(`,"allow_original":null`, gaids[0]):                          "allow_original",
		shareOf(`,"allow_preview_card":null`, gaids[0]):                      "allow_preview_card",
		shareOf(`,"include_metadata":null`, gaids[0]):                        "include_metadata",
		shareOf(`,"type":null`, gaids[0]):                                    "type",
		shareOf(`,"access":{"max_views":0}`, gaids[0]):                       "access.max_views",
		shareOf(`,"access":{"require_terms":true}`, gaids[0]):                "terms_text",
		shareOf(`,"access":{"password":"x"}`, gaids[0]):                      "access.password",
	} {
		a := s.do(t, "POST", shares, body).want(t, 422)
		if a.get("errors").(map[string]any)[field] == nil {
			t.Errorf("%s: %s", body, a)
		}
	}
}

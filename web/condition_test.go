package web_test

import (
	"fmt"
	"strings"
	"testing"
)

// Changes follow RFC 9110 for conditions: lists, *, and weak tags, which never match.
func TestConditionsOfChanges(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	asset := "/api/v1/assets/" + gaid
	id := s.do(t, "POST", "/api/v1/collections", `{"name":"Harbours"}`).want(t, 201).get("data.id")
	collection := fmt.Sprintf("/api/v1/collections/%v", id)
	n := 0
	body := func(member string) string { n++; return fmt.Sprintf(`{%q:"name %d"}`, member, n) }
	for path, member := range map[string]string{asset: "title", collection: "name"} {
		for _, tt := range []struct {
			name, header, value string // TAG is replaced with the current tag
			status              int
		}{
			{"the tag", "If-Match", `TAG`, 200},
			{"another", "If-Match", `"v999"`, 412},
			{"no quotes", "If-Match", `v1`, 412},
			{"a list with it", "If-Match", `"x,y" , "z", TAG`, 200},
			{"a list without it", "If-Match", `"x", "y"`, 412},
			{"any", "If-Match", `*`, 200},
			{"weak", "If-Match", `W/TAG`, 412},
			{"compressed", "If-Match", `TAG-gzip`, 200},
			{"nothing", "If-Match", ` `, 412},
			{"none of others", "If-None-Match", `"x", W/"y"`, 200},
			{"none of it", "If-None-Match", `TAG`, 412},
			{"none of it, weakly", "If-None-Match", `W/TAG`, 412},
			{"none at all", "If-None-Match", `*`, 412},
		} {
			tag := s.do(t, "GET", path, "").want(t, 200).Header.Get("ETag")
			value := strings.ReplaceAll(tt.value, "TAG-gzip", strings.TrimSuffix(strings.TrimSuffix(tag, `"`), "-gzip")+`-gzip"`)
			value = strings.ReplaceAll(value, "TAG", tag)
			a := s.do(t, "PUT", path, body(member), tt.header, value)
			if a.StatusCode != tt.status {
				t.Errorf("%s, %s: %s with %s is %d: %s", path, tt.name, tt.header, value, a.StatusCode, a)
			}
			plain := strings.Replace(s.do(t, "GET", path, "").Header.Get("ETag"), "-gzip", "", 1)
			if a.StatusCode == 200 && a.Header.Get("ETag") != plain {
				t.Errorf("%s, %s: the answers to PUT and GET differ in their ETags", path, tt.name)
			}
		}
	}

	// The whole tag is compared: it changes when an asset is added to a collection.
	tag := s.do(t, "GET", asset, "").Header.Get("ETag")
	s.do(t, "POST", collection+"/assets", `{"gaids":["`+gaid+`"]}`).want(t, 200)
	for _, c := range [][3]string{
		{"PUT", asset, `{"title":"x"}`},
		{"PUT", asset + "/metadata", `{"a":"x"}`},
		{"DELETE", asset, ""},
		{"DELETE", asset + "?force=true", ""},
	} {
		if a := s.do(t, c[0], c[1], c[2], "If-Match", tag); a.StatusCode != 412 {
			t.Errorf("%s %s with the tag from before the collection: %d", c[0], c[1], a.StatusCode)
		}
	}
	s.do(t, "DELETE", collection, "", "If-Match", `"x"`).want(t, 412)
	s.do(t, "DELETE", collection, "", "If-Match", s.do(t, "GET", collection, "").Header.Get("ETag")).want(t, 200)
	s.do(t, "DELETE", asset, "", "If-Match", s.do(t, "GET", asset, "").Header.Get("ETag")).want(t, 200)
	s.do(t, "POST", asset+"/restore", "", "If-Match", tag).want(t, 412)
	tag = s.do(t, "GET", asset+"?trashed=with", "").want(t, 200).Header.Get("ETag")
	s.do(t, "POST", asset+"/restore", "", "If-Match", tag).want(t, 200)
}

// A collection that the client already has is not sent again, whichever form of its tag the
// client sends.
func TestCollectionIsSentOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	id := s.do(t, "POST", "/api/v1/collections", `{"name":"Harbours"}`).want(t, 201).get("data.id")
	path := fmt.Sprintf("/api/v1/collections/%v", id)
	tag := s.do(t, "GET", path, "").Header.Get("ETag")
	for _, v := range []string{tag, "W/" + tag, `"a", ` + tag, "*", strings.TrimSuffix(tag, `"`) + `-gzip"`} {
		if a := s.do(t, "GET", path, "", "If-None-Match", v); a.StatusCode != 304 || len(a.body) > 0 {
			t.Errorf("If-None-Match %s: %d %s", v, a.StatusCode, a)
		}
	}
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	s.do(t, "POST", path+"/assets", `{"gaids":["`+gaid+`"]}`).want(t, 200)
	s.do(t, "GET", path, "", "If-None-Match", tag).want(t, 200)
}

package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Terms of use that are set while a server runs apply to the next request, and a person who
// is erased disappears from the files that the server has open.
func TestTermsAndErasureWhileServed(t *testing.T) {
	t.Parallel()
	data, token := library(t)
	dal(t, "correct horse battery\n", "user", "create", "--data", data, "--password-stdin", "--email", "bo@example.com",
		"--name", "Bo Ek", "--role", "viewer")
	p := serve(t, data)
	t.Cleanup(p.kill)
	jar, err := cookiejar.New(nil)
	noErr(t, err)
	browser := &http.Client{Jar: jar}
	ask := func(method, path, body string) (status int, code string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, p.url+"/api/v1"+path, strings.NewReader(body))
		noErr(t, err)
		req.Header.Set("Content-Type", "application/json")
		res, err := browser.Do(req)
		noErr(t, err)
		defer res.Body.Close()
		var a struct{ Code string }
		noErr(t, json.NewDecoder(res.Body).Decode(&a))
		return res.StatusCode, a.Code
	}
	want := func(method, path, body string, status int, code string) {
		t.Helper()
		if s, c := ask(method, path, body); s != status || c != code {
			t.Fatalf("%s %s: %d %s, want %d %s", method, path, s, c, status, code)
		}
	}
	want("POST", "/session", `{"email":"bo@example.com","password":"correct horse battery"}`, 201, "")
	want("GET", "/assets", "", 200, "")
	dal(t, "Be nice.\n", "terms", "set", "-", "--data", data)
	want("GET", "/assets", "", 403, "terms_not_accepted")
	want("POST", "/terms/accept", `{"version":1}`, 200, "")
	want("GET", "/assets", "", 200, "")
	dal(t, "Be very nice.\n", "terms", "set", "-", "--data", data)
	want("GET", "/assets", "", 403, "terms_not_accepted")
	dal(t, "", "terms", "clear", "--data", data)
	want("GET", "/assets", "", 200, "")

	dal(t, "", "user", "disable", "bo@example.com", "--data", data)
	want("GET", "/assets", "", 401, "unauthenticated")
	dal(t, "", "erase-person", "bo@example.com", "--account", "--yes", "--data", data)
	for _, name := range []string{"dal.db", "dal.db-wal"} {
		b, err := os.ReadFile(filepath.Join(data, name))
		noErr(t, err)
		if bytes.Contains(bytes.ToLower(b), []byte("bo@example.com")) || bytes.Contains(b, []byte("Bo Ek")) {
			t.Errorf("the person is still in %s", name)
		}
	}
	consents := p.get(t, token, "/consents")["data"].([]any)
	if len(consents) != 1 || consents[0].(map[string]any)["subject_name"] != "Erased person" {
		t.Errorf("%v", consents)
	}
}

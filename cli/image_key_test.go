package cli_test

import (
	"net/http"
	"strings"
	"testing"
)

// Keys are rotated while a server runs, which applies them immediately: older signatures
// remain valid during the overlap, and become invalid immediately without one.
func TestImageKeyBesideServer(t *testing.T) {
	t.Parallel()
	data, token := library(t)
	growLibrary(t, data, 0, 1)
	p := serve(t, data, "--embeddings", "off")
	defer p.kill()
	gaid := assetsOf(t, data)[0].GAID
	sign := func() string {
		t.Helper()
		var signed struct {
			Data []struct{ URL string } `json:"data"`
		}
		body := `{"images":[{"gaid":"` + string(gaid) + `","width":20}]}`
		noErr(t, p.call(token, "POST", "/image-urls", "application/json", strings.NewReader(body), &signed))
		return signed.Data[0].URL[strings.Index(signed.Data[0].URL, "/i/"):]
	}
	fetch := func(path string) int {
		t.Helper()
		res, err := http.Get(p.url + path)
		noErr(t, err)
		res.Body.Close()
		return res.StatusCode
	}
	first := sign()
	if code := fetch(first); code != 200 {
		t.Fatalf("%s: %d", first, code)
	}
	dal(t, "", "image-key", "rotate", "--data", data, "--overlap", "1h")
	second := sign()
	if first == second || fetch(first) != 200 || fetch(second) != 200 {
		t.Errorf("after the first rotation: %s, %s", first, second)
	}
	dal(t, "", "image-key", "rotate", "--data", data, "--overlap", "0")
	if a, b := fetch(first), fetch(second); a != 404 || b != 404 {
		t.Errorf("after the end of all keys: %d, %d", a, b)
	}
	if third := sign(); fetch(third) != 200 {
		t.Errorf("what is signed now does not work: %s", third)
	}
}

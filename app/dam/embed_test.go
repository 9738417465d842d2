package dam_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Every accepted origin is valid, and cannot end a CSP source, a directive or a header.
func FuzzOrigin(f *testing.F) {
	for _, s := range []string{
		"https://www.example.com", "HTTPS://A.example:8443", "http://localhost:3000", "http://127.0.0.1", "https://a.example;script-src *",
		"https://a.example\r\nX: y", "https://*.example", "https://a.example:65536", "https://xn--4ca.example", "https://[::1]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		origin, ok := dam.Origin(s)
		if !ok {
			return
		}
		u, err := url.Parse(origin)
		if err != nil || u.Scheme+"://"+u.Host != origin || u.Hostname() == "" || origin != strings.ToLower(s) {
			t.Errorf("%q is no origin: %+v, %v", origin, u, err)
		}
		if strings.ContainsFunc(origin, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`;,*'"<>&\`, r) }) {
			t.Errorf("%q has characters that mean something", origin)
		}
		if again, ok := dam.Origin(origin); !ok || again != origin {
			t.Errorf("%q is not an origin when it is read again", origin)
		}
	})
}

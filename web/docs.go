package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"github.com/klauspost/compress/gzhttp"
)

//go:embed docs/index.html docs/redoc.standalone.js
var docsFiles embed.FS

// docsCSP lets the page run its own script, which styles itself.
const docsCSP = "default-src 'none'; script-src 'self'; worker-src blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// docsRoutes serves the description of the interface: for machines, and as a
// page that needs nothing from elsewhere.
func (s *Server) docsRoutes() error {
	if err := s.finishSpec(); err != nil {
		return err
	}
	serve := func(path, mimeType string, data []byte) {
		sum := sha256.Sum256(data)
		tag := hex.EncodeToString(sum[:8])
		// Anybody may ask, so it is compressed once.
		small := sync.OnceValue(func() []byte { return packed(data) })
		s.router.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Content-Type", mimeType)
			h.Set("Content-Security-Policy", docsCSP)
			h.Set("Cache-Control", "no-cache")
			if plain := `"` + tag + `"`; !holds(r.Header, ifNoneMatch, plain) {
				h.Set("ETag", plain)
				w.WriteHeader(http.StatusNotModified)
				return
			}
			body, suffix := data, ""
			if acceptsGzip(r) && len(data) > gzhttp.DefaultMinSize && r.Header.Get("Range") == "" {
				body, suffix = small(), gzipTag
				h.Set("Content-Encoding", "gzip")
			}
			h.Set("ETag", `"`+tag+suffix+`"`)
			serveContent(w, requestOf(r.Context()).raw, time.Time{}, bytes.NewReader(body))
		}).Methods(http.MethodGet)
	}
	serve("/docs/api.json", "application/json", s.spec)
	for path, f := range map[string][2]string{
		"/docs":                     {"docs/index.html", "text/html; charset=utf-8"},
		"/docs/redoc.standalone.js": {"docs/redoc.standalone.js", "text/javascript; charset=utf-8"},
	} {
		data, err := docsFiles.ReadFile(f[0])
		if err != nil {
			return err
		}
		serve(path, f[1], data)
	}
	return nil
}

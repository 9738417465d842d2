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

//go:embed docs/*.html docs/*.css docs/*.js docs/*.js.gz docs/guide
var docsFiles embed.FS

const (
	// referenceCSP allows the reference's own scripts, and inline styles, which Redoc needs.
	referenceCSP = "default-src 'none'; script-src 'self'; worker-src blob:; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
	// guideCSP is for pages without scripts.
	guideCSP = "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)

// docsRoutes serves the API description, for programs and for people, and the guide. None
// of them loads anything from other servers.
func (s *Server) docsRoutes() error {
	if err := s.finishSpec(); err != nil {
		return err
	}
	s.servePage("/docs/api.json", "application/json", referenceCSP, s.spec)
	for _, f := range []struct{ path, file, mimeType, csp string }{
		{"/docs", "docs/index.html", "text/html; charset=utf-8", referenceCSP},
		{"/docs/reference.js", "docs/reference.js", "text/javascript; charset=utf-8", referenceCSP},
		{"/docs/reference.css", "docs/reference.css", "text/css; charset=utf-8", referenceCSP},
		{"/docs/guide.css", "docs/guide.css", "text/css; charset=utf-8", guideCSP},
		{guideRoot + "/first-run.svg", "docs/guide/first-run.svg", "image/svg+xml", guideCSP},
	} {
		data, err := docsFiles.ReadFile(f.file)
		if err != nil {
			return err
		}
		s.servePage(f.path, f.mimeType, f.csp, s.linked(data))
	}
	redoc, err := docsFiles.ReadFile("docs/redoc.standalone.js.gz")
	if err != nil {
		return err
	}
	s.serveCodings("/docs/redoc.standalone.js", "text/javascript; charset=utf-8", referenceCSP, codings{
		tag:   tagOfBytes(redoc),
		plain: sync.OnceValues(func() ([]byte, error) { return unpacked(redoc) }),
		small: func() []byte { return redoc },
	})
	pages, err := guide()
	if err != nil {
		return err
	}
	for _, p := range pages {
		s.servePage(p.Path, "text/html; charset=utf-8", guideCSP, s.linked(p.html))
	}
	return nil
}

// servePage publicly serves bytes that do not change while the process runs.
func (s *Server) servePage(path, mimeType, csp string, data []byte) {
	f := codings{tag: tagOfBytes(data), plain: func() ([]byte, error) { return data, nil }}
	if len(data) > gzhttp.DefaultMinSize {
		f.small = sync.OnceValue(func() []byte { return packed(data) }) // compressed only once
	}
	s.serveCodings(path, mimeType, csp, f)
}

// codings provides the plain bytes of a page and, unless small is nil, the gzip-compressed
// ones.
type codings struct {
	tag   string
	plain func() ([]byte, error)
	small func() []byte
}

// tagOfBytes returns a checksum of data for an entity tag.
func tagOfBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// serveCodings is servePage for data that is already compressed, or that is compressed on
// demand.
func (s *Server) serveCodings(path, mimeType, csp string, f codings) {
	s.router.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", mimeType)
		h.Set("Content-Security-Policy", csp)
		h.Set("Cache-Control", "no-cache")
		if plain := `"` + f.tag + `"`; !holds(r.Header, ifNoneMatch, plain) {
			h.Set("ETag", plain)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if f.small != nil && takesGzip(r) {
			h.Set("ETag", `"`+f.tag+gzipTag+`"`)
			h.Set("Content-Encoding", "gzip")
			serveContent(w, r, time.Time{}, bytes.NewReader(f.small()))
			return
		}
		body, err := f.plain()
		if err != nil {
			writeError(w, toAPI(r.Context(), s.log, err))
			return
		}
		h.Set("ETag", `"`+f.tag+`"`)
		serveContent(w, r, time.Time{}, bytes.NewReader(body))
	}).Methods(http.MethodGet)
}

package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/rs/cors"
)

// corsAge is how long a browser may cache the answer to a preflight request, in seconds.
const corsAge = 600

// exposedHeaders are the response headers that pages of other origins may read, in addition
// to the CORS-safelisted ones.
var exposedHeaders = []string{"Accept-Ranges", "Content-Disposition", "Content-Range", "ETag", "Idempotency-Replayed", "Location",
	"RateLimit", "RateLimit-Policy", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id",
	"DAL-File", "DAL-Usage", "Tus-Checksum-Algorithm", "Tus-Extension", "Tus-Max-Size", "Tus-Resumable", "Tus-Version",
	"Upload-Expires", "Upload-Length", "Upload-Metadata", "Upload-Offset"}

// shareOrigins lets pages of Options.CORSOrigins use the API with bearer tokens. Cookies
// are not accepted across origins.
func (s *Server) shareOrigins(next http.Handler) http.Handler {
	if len(s.opt.CORSOrigins) == 0 {
		return next
	}
	return cors.New(cors.Options{
		AllowedOrigins: s.opt.CORSOrigins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"Accept", "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range", "Range",
			methodOverride, "Tus-Resumable", "Upload-Checksum", "Upload-Length", "Upload-Metadata", "Upload-Offset", "X-Requested-With"},
		ExposedHeaders: exposedHeaders,
		MaxAge:         corsAge,
	}).Handler(next)
}

// fromSharedOrigin reports whether the request comes from a page of Options.CORSOrigins.
// Such requests are authenticated by their token only.
func (s *Server) fromSharedOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return origin != "" && (slices.Contains(s.opt.CORSOrigins, origin) || slices.Contains(s.opt.CORSOrigins, "*"))
}

// CheckOrigin validates an allowed origin: a scheme, a host and an optional port, spelled
// as browsers do, or * for all.
func CheckOrigin(origin string) error {
	if origin == "*" {
		return nil
	}
	u, err := url.Parse(origin)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.Scheme+"://"+u.Host == origin &&
		!strings.Contains(origin, "*") {
		return nil
	}
	return fmt.Errorf("%q is not an origin such as https://app.example.com", origin)
}

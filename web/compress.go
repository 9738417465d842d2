package web

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// compressedTag is what the ETag of a compressed answer ends with: its bytes
// are not those of the plain one (RFC 9110 section 8.8.3).
const compressedTag = "-c"

// compress has answers to GET compressed for clients that take it. Others are
// not: they may have a secret, and are small.
func compress(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.ContentTypes([]string{"application/json", "text/csv", "text/html", "text/javascript"}),
		gzhttp.SuffixETag(compressedTag), gzhttp.EnableZstd(true), gzhttp.PreferZstd(true))
	if err != nil {
		return nil, err
	}
	compressed := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tagged := false
		for _, h := range []string{"If-None-Match", "If-Match", "If-Range"} {
			if v := r.Header.Get(h); strings.Contains(v, compressedTag+`"`) {
				r.Header.Set(h, strings.ReplaceAll(v, compressedTag+`"`, `"`))
				tagged = tagged || h == "If-None-Match"
			}
		}
		if tagged {
			w = &tagWriter{w}
		}
		if r.Method != http.MethodGet || r.Header.Get("Range") != "" || isOriginal(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		compressed.ServeHTTP(w, r)
	}), nil
}

// isOriginal reports whether a path is that of a user's file, whose bytes go
// out as they are and can be fetched from where a transfer broke off.
func isOriginal(path string) bool {
	return strings.HasPrefix(path, apiRoot+"/assets/") && strings.HasSuffix(path, "/download")
}

// tagWriter tells who asked by the tag of a compressed answer that it is still
// that one.
type tagWriter struct{ http.ResponseWriter }

func (w *tagWriter) WriteHeader(code int) {
	h := w.Header()
	if tag := h.Get("ETag"); code == http.StatusNotModified && strings.HasSuffix(tag, `"`) {
		h.Set("ETag", strings.TrimSuffix(tag, `"`)+compressedTag+`"`)
	}
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *tagWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

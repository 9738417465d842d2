package web

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// untag removes the suffix that the library or a proxy adds to the tags of compressed
// answers, because their bytes differ (RFC 9110 section 8.8.3).
var untag = strings.NewReplacer(gzipTag+`"`, `"`, zstdTag+`"`, `"`, brotliTag+`"`, `"`)

const gzipTag, zstdTag, brotliTag = "-gzip", "-zstd", "-br"

// compress compresses answers to GET for clients that accept it. Other answers are not
// compressed: they are small and may contain a secret.
func compress(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.ContentTypes([]string{"application/json", "text/csv", "text/html", "text/javascript"}),
		gzhttp.SuffixETag(gzipTag), gzhttp.CompressionLevel(gzip.BestSpeed))
	if err != nil {
		return nil, err
	}
	compressed := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Not for If-Range: a range of the plain bytes is not a range of the compressed ones.
		for _, h := range []string{"If-None-Match", "If-Match"} {
			lines := r.Header.Values(h)
			if suffix := tagOf(strings.Join(lines, ",")); h == "If-None-Match" && suffix != "" {
				w = &tagWriter{w, suffix}
			}
			for i := range lines {
				lines[i] = untag.Replace(lines[i])
			}
		}
		isGet := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !isGet || r.Header.Get("Range") != "" || isFile(r.URL.Path) || r.URL.Path == streamPath {
			next.ServeHTTP(w, r)
			return
		}
		compressed.ServeHTTP(w, headAsGet(r))
	}), nil
}

type headKey struct{}

// headAsGet returns a HEAD request as a GET: the library does not compress answers to HEAD,
// but their headers must match those of GET. Resumable uploads define their own HEAD.
func headAsGet(r *http.Request) *http.Request {
	if r.Method != http.MethodHead || isTus(r.URL.Path) {
		return r
	}
	r = r.WithContext(context.WithValue(r.Context(), headKey{}, true))
	r.Method = http.MethodGet
	return r
}

// asSent undoes headAsGet.
func asSent(r *http.Request) *http.Request {
	if r.Context().Value(headKey{}) == nil {
		return r
	}
	r = r.WithContext(r.Context())
	r.Method = http.MethodHead
	return r
}

// isFile reports whether a path is that of a user's file or a picture. These are sent
// uncompressed, so that an interrupted transfer can resume and the operating system can
// copy the file.
func isFile(path string) bool {
	if strings.HasPrefix(path, imageRoot) {
		return true
	}
	if strings.HasPrefix(path, guestRoot) {
		return strings.HasSuffix(path, "/download") || strings.HasSuffix(path, "/play")
	}
	return strings.HasPrefix(path, apiRoot+"/assets/") && strings.HasSuffix(path, "/download")
}

// tagOf returns the first compression suffix that occurs in a list of tags.
func tagOf(tags string) string {
	for _, t := range []string{gzipTag, zstdTag} {
		if strings.Contains(tags, t+`"`) {
			return t
		}
	}
	return ""
}

// tagWriter sends 304 with the tag of the compressed answer, as sent by the client.
type tagWriter struct {
	http.ResponseWriter
	suffix string
}

func (w *tagWriter) WriteHeader(code int) {
	h := w.Header()
	if tag, ok := strings.CutSuffix(h.Get("ETag"), `"`); ok && code == http.StatusNotModified {
		h.Set("ETag", tag+w.suffix+`"`)
	}
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *tagWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// packed compresses data that never changes.
func packed(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data) // writing to a buffer cannot fail
	_ = w.Close()
	return b.Bytes()
}

// unpacked decompresses the result of packed.
func unpacked(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// takesGzip reports whether a client gets the whole file, compressed.
func takesGzip(r *http.Request) bool { return acceptsGzip(r) && r.Header.Get("Range") == "" }

// acceptsGzip reports whether a client accepts gzip (RFC 9110 section 12.5.3).
func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q, weighed := strings.CutPrefix(strings.TrimSpace(weight), "q=")
			n, err := strconv.ParseFloat(q, 64)
			return !weighed || err == nil && n > 0
		}
	}
	return false
}

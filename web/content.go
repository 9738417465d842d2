package web

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxRanges is the maximum number of ranges in a request. Beyond that, the answer is the
// whole file, as RFC 9110 section 14.2 allows.
const maxRanges = 32

// serveContent answers a request for a file whose headers are set: with the whole file,
// with ranges, or as its conditions require.
func serveContent(w http.ResponseWriter, r *http.Request, modTime time.Time, content io.ReadSeeker) {
	if header := r.Header.Get("Range"); header != "" {
		size, err := content.Seek(0, io.SeekEnd)
		if err != nil {
			size = 0 // ServeContent runs into the same error and reports it
		}
		r = r.Clone(r.Context())
		if use := usableRange(header, size); use != "" {
			r.Header.Set("Range", use)
		} else {
			r.Header.Del("Range")
		}
	}
	http.ServeContent(&contentWriter{ResponseWriter: w, ranges: w.Header().Get("Accept-Ranges")}, r, "", modTime, content)
}

// usableRange converts a Range header to one that net/http understands (RFC 9110 section
// 14.1). It returns "" for a header to ignore, because its unit is not bytes or its ranges
// overlap or are too many, and a range beyond the end if the file contains none of it.
func usableRange(header string, size int64) string {
	unit, set, _ := strings.Cut(header, "=")
	if !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		return ""
	}
	none := "bytes=" + itoa(size) + "-"
	var spans [][2]int64 // first and last byte of each
	n := 0
	for spec := range strings.SplitSeq(set, ",") {
		if spec = strings.Trim(spec, " \t"); spec == "" {
			continue
		}
		if n++; n > maxRanges {
			return ""
		}
		first, last, ok := parseSpan(spec, size)
		if !ok {
			return none
		}
		if first < size && first <= last {
			spans = append(spans, [2]int64{first, last})
		}
	}
	if len(spans) == 0 {
		return none
	}
	ordered := slices.SortedFunc(slices.Values(spans), func(a, b [2]int64) int { return int(min(max(a[0]-b[0], -1), 1)) })
	specs := make([]string, len(spans))
	for i := range spans {
		if i > 0 && ordered[i][0] <= ordered[i-1][1] {
			return ""
		}
		specs[i] = itoa(spans[i][0]) + "-" + itoa(spans[i][1])
	}
	return "bytes=" + strings.Join(specs, ",")
}

// parseSpan parses "first-last", "first-" or "-length" for a file of size bytes. A span
// outside of the file is returned beyond its end, or empty.
func parseSpan(spec string, size int64) (first, last int64, ok bool) {
	from, to, dash := strings.Cut(spec, "-")
	if !dash {
		return 0, 0, false
	}
	number := func(s string) int64 {
		n, err := strconv.ParseUint(s, 10, 63)
		if err != nil && !(n > 0 && isDigits(s)) {
			ok = false
		}
		return int64(min(n, 1<<62)) // larger than any file
	}
	ok = true
	switch {
	case from == "":
		length := number(to)
		return size - min(length, size), size - 1, ok
	case to == "":
		first = number(from)
		return first, size - 1, ok
	}
	first, last = number(from), number(to)
	return first, min(last, size-1), ok && first <= last
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// contentWriter replaces net/http's error answers with those of the API.
type contentWriter struct {
	http.ResponseWriter
	ranges string // value for Accept-Ranges, which net/http overwrites; "" to keep net/http's
	failed bool
}

func (w *contentWriter) WriteHeader(code int) {
	if w.ranges != "" {
		w.Header().Set("Accept-Ranges", w.ranges)
	}
	e := &apiError{status: code}
	switch {
	case code == http.StatusRequestedRangeNotSatisfiable:
		e.Message = "The range is not satisfiable."
	case code == http.StatusPreconditionFailed:
		e.Message = "The file does not have this ETag."
	case code >= 500:
		e.Message = "Server Error"
	default:
		w.ResponseWriter.WriteHeader(code)
		return
	}
	w.failed = true
	w.Header().Del("Content-Disposition")
	writeError(w.ResponseWriter, e)
}

func (w *contentWriter) Write(b []byte) (int, error) {
	if w.failed {
		return len(b), nil // the error was already written
	}
	return w.ResponseWriter.Write(b)
}

// ReadFrom lets the operating system copy the file where possible.
func (w *contentWriter) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(w.ResponseWriter, r)
}

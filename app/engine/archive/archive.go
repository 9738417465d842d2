// Package archive lists the contents of archives: ZIP, 7z, RAR, tar and compressed files.
// It decompresses only as much as the list needs, keeps no content, and follows no paths.
package archive

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/document"
)

// Engine lists archives.
type Engine struct{ cards *document.Cards }

// New returns an engine.
func New() (*Engine, error) {
	c, err := document.NewCards()
	return &Engine{c}, err
}

// Size returns the approximate memory use of the engine in bytes.
func (*Engine) Size() int64 { return 0 }

// Close does nothing.
func (*Engine) Close(context.Context) error { return nil }

// kinds are the formats by their names in jobs.
var kinds = map[string]struct {
	label string // text on cards
	list  func(l *listing, r io.ReaderAt, size int64) error
}{
	"zip": {"ZIP archive", listZIP}, "7z": {"7z archive", list7z}, "rar": {"RAR archive", listRAR},
	"tar": {"tar archive", func(l *listing, r io.ReaderAt, size int64) error { return listTAR(l, io.NewSectionReader(r, 0, size)) }},
	"gz":  {"gzip", unpacked(fromGzip)}, "bz2": {"bzip2", unpacked(fromBzip2)}, "xz": {"xz", unpacked(fromXZ)},
	"zst": {"Zstandard", unpacked(fromZstd)},
}

// Look lists an archive. It reads only parts of it.
func (e *Engine) Look(_ context.Context, j engine.Job, file io.Reader) (*engine.Look, error) {
	k, ok := kinds[j.Format]
	r, ok2 := file.(io.ReaderAt)
	if !ok || !ok2 {
		return nil, fmt.Errorf("a job for %q, by ranges: %v", j.Format, ok2)
	}
	l := newListing(j.Format)
	err := k.list(l, &window{r: r, size: j.Bytes}, j.Bytes)
	switch {
	case errors.Is(err, errLocked):
		l.encrypted = true
		return &engine.Look{Facts: l.facts(), Note: "the list of its files is protected by a password"}, nil
	case err != nil && !errors.Is(err, errEnough) && !isSpent(file):
		return nil, err
	case err != nil:
		l.truncated = true
	}
	return l.look(k.label, func(label, title, body string) *image.NRGBA { return e.cards.Draw(j.Side, label, title, body) }), nil
}

// isSpent reports whether the read limit of a file has been reached.
func isSpent(file io.Reader) bool {
	r, ok := file.(*engine.Ranges)
	return ok && r.Spent()
}

var (
	errEnough = errors.New("enough of the archive has been read")
	errLocked = errors.New("the list is encrypted")
)

// windowSize is the minimum number of bytes per request: headers are small and close
// together.
const windowSize = 16 << 10

// window is a file with a buffered part.
type window struct {
	r    io.ReaderAt
	size int64
	at   int64
	buf  []byte
}

func (w *window) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= w.size || len(p) >= windowSize {
		return w.r.ReadAt(p, off)
	}
	if off < w.at || off+int64(len(p)) > w.at+int64(len(w.buf)) {
		n := min(windowSize, w.size-off)
		w.at, w.buf = off, append(w.buf[:0], make([]byte, n)...)
		if got, err := w.r.ReadAt(w.buf, off); int64(got) < n {
			w.buf = w.buf[:got]
			return copy(p, w.buf), err
		}
	}
	n := copy(p, w.buf[off-w.at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

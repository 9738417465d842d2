// Package archive lists what is in archives: ZIP, 7z, RAR, tar and compressed files. It
// unpacks nothing but what the list itself is in, keeps no content, and follows no paths.
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

// Size is how many bytes the engine keeps, about.
func (*Engine) Size() int64 { return 0 }

// Close does nothing.
func (*Engine) Close(context.Context) error { return nil }

// kinds are the formats, as jobs name them.
var kinds = map[string]struct {
	label string // on cards
	list  func(l *listing, file io.Reader, size int64) error
}{
	"zip": {"ZIP archive", whole(listZIP)}, "7z": {"7z archive", whole(list7z)}, "rar": {"RAR archive", whole(listRAR)},
	"tar": {"tar archive", listTAR},
	"gz":  {"gzip", unpacked(fromGzip)}, "bz2": {"bzip2", unpacked(fromBzip2)}, "xz": {"xz", unpacked(fromXZ)},
	"zst": {"Zstandard", unpacked(fromZstd)},
}

// MaxStream is how many bytes of a file that is read from its beginning are looked at.
const MaxStream = 512 << 20

// Look lists an archive.
func (e *Engine) Look(_ context.Context, j engine.Job, file io.Reader) (*engine.Look, error) {
	k, ok := kinds[j.Format]
	if !ok {
		return nil, fmt.Errorf("there is no format %q", j.Format)
	}
	l := newListing(j.Format)
	err := k.list(l, file, j.Bytes)
	switch {
	case errors.Is(err, errEnough), errors.Is(err, io.ErrUnexpectedEOF) && j.Bytes >= MaxStream && l.files+l.folders > 0:
		l.truncated = true
	case errors.Is(err, errLocked):
		l.encrypted = true
		return &engine.Look{Facts: l.facts(), Note: "the list of its files is protected by a password"}, nil
	case err != nil:
		return nil, err
	}
	return l.look(k.label, func(label, title, body string) *image.NRGBA { return e.cards.Draw(j.Side, label, title, body) }), nil
}

var (
	errEnough = errors.New("enough of the archive has been read")
	errLocked = errors.New("the list is encrypted")
)

// whole is for archives whose list is not at the beginning.
func whole(list func(l *listing, r io.ReaderAt, size int64) error) func(*listing, io.Reader, int64) error {
	return func(l *listing, file io.Reader, size int64) error {
		if r, ok := file.(io.ReaderAt); ok {
			return list(l, r, size)
		}
		r, err := inMemory(file, size)
		if err != nil {
			return err
		}
		return list(l, r, size)
	}
}

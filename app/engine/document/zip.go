package document

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/engine"
)

// The limits of a container.
const (
	maxDirectory = 4 << 20   // bytes of the directory
	maxPart      = 64 << 20  // uncompressed bytes read from one part
	maxUnpacked  = 192 << 20 // for all parts
	maxPicture   = 8 << 20   // bytes of a thumbnail
)

// container is a ZIP archive whose parts make up a document.
type container struct {
	parts map[string]*zip.File // by lower-case name
	left  int64                // uncompressed bytes that may still be read
}

// open opens a container. Encrypted Microsoft Office documents are compound files
// (MS-OFFCRYPTO, section 2.3).
func open(data []byte) (*container, error) {
	if bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) {
		return nil, protected()
	}
	r := &budgeted{data: data, left: maxDirectory}
	z, err := zip.NewReader(r, int64(len(data)))
	if err != nil {
		return nil, err
	}
	r.left = 1 << 62
	c := &container{parts: map[string]*zip.File{}, left: maxUnpacked}
	for _, f := range z.File {
		if name := strings.ToLower(f.Name); c.parts[name] == nil {
			c.parts[name] = f
		}
	}
	return c, nil
}

// budgeted is a file with a limit on the number of bytes read.
type budgeted struct {
	data []byte
	left int
}

func (b *budgeted) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, &engine.Fault{Reason: engine.Exceeded, Text: fmt.Sprintf("the list of its parts is larger than %d MB", maxDirectory>>20)}
	}
	return bytes.NewReader(b.data).ReadAt(p, off)
}

// has reports whether a part exists.
func (c *container) has(name string) bool { return c.parts[strings.ToLower(name)] != nil }

// names returns the sorted lower-case names of the parts with a prefix and a suffix.
func (c *container) names(prefix, suffix string) []string {
	var list []string
	for name := range c.parts {
		if strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// part returns a reader of a part, an empty one for a missing part. Reads count against the
// limits.
func (c *container) part(name string) (io.ReadCloser, error) {
	f := c.parts[strings.ToLower(name)]
	if f == nil {
		return io.NopCloser(strings.NewReader("")), nil
	}
	if f.Flags&1 != 0 {
		return nil, protected()
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &part{r, c, maxPart}, nil
}

func protected() error {
	return &engine.Fault{Reason: engine.Protected, Text: "the document is encrypted"}
}

// errUnpacked stops reading a part at a limit of uncompressed bytes.
var errUnpacked = errors.New("it unpacks to more than is read of a document")

type part struct {
	io.ReadCloser
	c    *container
	left int64
}

func (p *part) Read(b []byte) (int, error) {
	room := min(p.left, p.c.left)
	if room <= 0 {
		return 0, errUnpacked
	}
	n, err := p.ReadCloser.Read(b[:min(int64(len(b)), room)])
	p.left -= int64(n)
	p.c.left -= int64(n)
	return n, err
}

// picture returns the first of the named parts that exists and is not too large, nil for
// none.
func (c *container) picture(names ...string) []byte {
	for _, name := range names {
		f := c.parts[strings.ToLower(name)]
		if f == nil || f.UncompressedSize64 > maxPicture {
			continue
		}
		r, err := c.part(name)
		if err != nil {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(r, maxPicture))
		if r.Close(); err == nil {
			return data
		}
	}
	return nil
}

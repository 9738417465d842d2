// Package embed makes copies of files with different metadata: with given properties as XMP, or
// without the file's own metadata. The files themselves are not modified: a copy is assembled
// from parts of its file while it is read.
package embed

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// ErrTooLong is returned for metadata that does not fit into a format.
var ErrTooLong = errors.New("the metadata is too long for the format")

// ErrDamaged is returned for a file whose structure is invalid.
var ErrDamaged = errors.New("the file is not built as it should be")

// The limits of the data read from a file, excluding pictures.
const (
	maxPacket = 4 << 20 // bytes of an XMP packet
	maxParts  = 1 << 20 // chunks, segments or entries
)

// writers maps MIME types to the functions for their format.
var writers = map[string]func(r io.ReaderAt, size int64, list []Property) (*Copy, error){
	"image/jpeg":      jpeg,
	"image/png":       png,
	"image/webp":      webp,
	"image/tiff":      tiff,
	"application/pdf": pdf,
}

// Takes reports whether metadata can be embedded into copies of files of a MIME type.
func Takes(mime string) bool { return writers[mime] != nil }

// Types lists the MIME types into which metadata can be embedded.
func Types() []string {
	var list []string
	for mime := range writers {
		list = append(list, mime)
	}
	slices.Sort(list)
	return list
}

// New returns a copy of a file with the given XMP properties instead of the previous ones;
// other metadata is preserved. Reading the copy reads the file. The error may be ErrTooLong
// or ErrDamaged.
func New(mime string, r io.ReaderAt, size int64, list []Property) (*Copy, error) {
	write := writers[mime]
	if write == nil {
		return nil, errors.New("no metadata is written into " + mime)
	}
	return write(r, size, list)
}

// Copy is a copy of a file that supports random access.
type Copy struct {
	file  io.ReaderAt // source of the parts without their own
	parts []part
	size  int64
	at    int64
}

// part is a piece of a copy.
type part struct {
	from  io.ReaderAt // nil for the file
	at, n int64
	start int64 // offset in the copy
}

// Size returns the size of a copy in bytes.
func (c *Copy) Size() int64 { return c.size }

func (c *Copy) add(from io.ReaderAt, at, n int64) {
	if n <= 0 {
		return
	}
	if last := len(c.parts) - 1; last >= 0 && c.parts[last].from == from && c.parts[last].at+c.parts[last].n == at {
		c.parts[last].n += n
	} else {
		c.parts = append(c.parts, part{from, at, n, c.size})
	}
	c.size += n
}

// text adds bytes that are not in the file.
func (c *Copy) text(b []byte) { c.add(bytes.NewReader(b), 0, int64(len(b))) }

// piece adds a segment or chunk of a file, or the bytes that replace it, by offset.
func (c *Copy) piece(r io.ReaderAt, s span, instead map[int64][]byte) {
	if b := instead[s.at]; b != nil {
		c.text(b)
		return
	}
	c.add(r, s.at, s.n)
}

// ReadAt implements io.ReaderAt.
func (c *Copy) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("a negative offset")
	}
	i, _ := slices.BinarySearchFunc(c.parts, off, func(p part, off int64) int {
		switch {
		case p.start+p.n <= off:
			return -1
		case p.start > off:
			return 1
		}
		return 0
	})
	for ; i < len(c.parts) && n < len(p); i++ {
		part := c.parts[i]
		skip := off + int64(n) - part.start
		want := min(part.n-skip, int64(len(p)-n))
		from := part.from
		if from == nil {
			from = c.file
		}
		got, err := from.ReadAt(p[n:n+int(want)], part.at+skip)
		n += got
		if int64(got) < want {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Read implements io.Reader.
func (c *Copy) Read(p []byte) (int, error) {
	if c.at >= c.size {
		return 0, io.EOF
	}
	n, err := c.ReadAt(p[:min(int64(len(p)), c.size-c.at)], c.at)
	c.at += int64(n)
	return n, err
}

// Seek implements io.Seeker.
func (c *Copy) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.at
	case io.SeekEnd:
		offset += c.size
	}
	if offset < 0 {
		return 0, errors.New("a negative offset")
	}
	c.at = offset
	return offset, nil
}

// all reads n bytes of a file, or returns ErrDamaged if it ends before.
func all(r io.ReaderAt, at, n int64) ([]byte, error) {
	b := make([]byte, n)
	got, err := r.ReadAt(b, at)
	if int64(got) == n {
		return b, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = ErrDamaged
	}
	return nil, err
}

package archive

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"golang.org/x/text/encoding/charmap"
)

// The limits of a compressed stream, which must be decompressed to list its contents.
const (
	maxUnpacked = 512 << 20        // bytes
	maxTime     = 30 * time.Second // for the list of one archive
	maxWindow   = 128 << 20        // bytes of memory for decompression
)

func (l *listing) late() bool { return time.Since(l.started) > maxTime }

// stream is the content of a compressed file.
type stream struct {
	io.Reader
	name     string // name of the contained file, if stored
	modified string
}

func fromGzip(r io.Reader) (stream, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return stream{}, err
	}
	return stream{z, byPage(z.Name, charmap.Windows1252), utc(z.ModTime)}, nil
}

func fromBzip2(r io.Reader) (stream, error) { return stream{Reader: bzip2.NewReader(r)}, nil }

func fromXZ(r io.Reader) (stream, error) {
	z, err := xz.NewReader(bufio.NewReader(r))
	return stream{Reader: z}, err
}

func fromZstd(r io.Reader) (stream, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return stream{}, err
	}
	return stream{Reader: z}, nil // a decoder without concurrency needs no Close
}

// unpacked lists a compressed tar archive, or a single compressed file.
func unpacked(open func(io.Reader) (stream, error)) func(*listing, io.ReaderAt, int64) error {
	return func(l *listing, file io.ReaderAt, size int64) error {
		s, err := open(bufio.NewReaderSize(io.NewSectionReader(file, 0, size), 256<<10))
		if err != nil {
			return err
		}
		r := bufio.NewReaderSize(&measured{r: s, l: l}, 64<<10)
		head, err := r.Peek(512)
		if isTAR(head) {
			l.kind = "tar." + l.kind
			return listTAR(l, r)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		n, err := io.Copy(io.Discard, r)
		if errors.Is(err, errEnough) {
			n, l.truncated = -1, true
		} else if err != nil {
			return err
		}
		return l.add(s.name, n, s.modified)
	}
}

// measured limits a decompressed stream.
type measured struct {
	r io.Reader
	l *listing
	n int64
}

func (m *measured) Read(p []byte) (int, error) {
	if m.n > maxUnpacked || m.l.late() {
		return 0, errEnough
	}
	n, err := m.r.Read(p)
	m.n += int64(n)
	return n, err
}

// isTAR reports whether a block is the first of a tar archive, by its checksum. Source:
// POSIX.1-2017, pax, "ustar Interchange Format".
func isTAR(block []byte) bool {
	if len(block) < 512 {
		return false
	}
	want, err := strconv.ParseInt(strings.Trim(string(block[148:156]), " \x00"), 8, 32)
	sum := int64(8 * ' ')
	for i, c := range block[:512] {
		if i < 148 || i >= 156 {
			sum += int64(c)
		}
	}
	return err == nil && want == sum && block[0] != 0
}

package media

import (
	"encoding/binary"
	"errors"
	"image"

	"github.com/bep/imagemeta"
	"github.com/h2non/filetype"
	"golang.org/x/image/tiff"

	"github.com/digital-asset-library/dal/app/dam"
)

var tiffFormat = format{
	Type: Type{
		MIME: "image/tiff", Name: "TIFF", Phrase: "a TIFF picture",
		Extensions: []string{"tif", "tiff"}, Category: dam.CategoryImage,
	},
	is:       func(s source, head []byte) bool { return filetype.Is(head, "tif") && !isCameraRaw(s) },
	header:   tiffHeader,
	metadata: embeddedTags(imagemeta.TIFF),
	memory:   tiffMemory,
	decode:   func(s source) (image.Image, error) { return tiff.Decode(s.section()) },
	profile:  tiffProfile,
	beyond: func(err error) bool {
		_, ok := errors.AsType[tiff.UnsupportedError](err)
		return ok
	},
}

func tiffHeader(s source) (header, error) {
	c, err := tiff.DecodeConfig(s.section())
	if err != nil {
		return header{}, err
	}
	pages, err := countPages(s, s.limits.MaxFrames)
	return header{width: c.Width, height: c.Height, frames: pages, pages: pages}, err
}

// isCameraRaw reports a TIFF that holds a camera's raw picture: its first
// directory has a DNG version, a colour filter array, or only a reduced picture
// beside sub-directories. Source: TIFF 6.0, the DNG specification.
func isCameraRaw(s source) bool {
	d, err := readIFD(s)
	if err != nil {
		return false // broken rather than raw: decoding will say how
	}
	return d.has(tagDNGVersion) || d.value(tagPhotometric) == photometricCFA ||
		d.has(tagSubIFDs) && d.value(tagNewSubfileType)&1 == 1
}

// Tags of TIFF 6.0 and its extensions.
const (
	tagNewSubfileType  = 0x00fe
	tagBitsPerSample   = 0x0102
	tagCompression     = 0x0103
	tagPhotometric     = 0x0106
	tagStripOffsets    = 0x0111
	tagOrientation     = 0x0112
	tagRowsPerStrip    = 0x0116
	tagStripByteCounts = 0x0117
	tagTileWidth       = 0x0142
	tagTileLength      = 0x0143
	tagTileOffsets     = 0x0144
	tagTileByteCounts  = 0x0145
	tagSubIFDs         = 0x014a
	tagICC             = 0x8773
	tagDNGVersion      = 0xc612

	photometricRGB = 2
	photometricCFA = 32803
)

// maxIFDEntries bounds one image file directory.
const maxIFDEntries = 4096

// ifd is an image file directory of a TIFF.
type ifd struct {
	order   binary.ByteOrder
	entries []ifdEntry
	next    int64 // offset of the next one, 0 at the end
}

type ifdEntry struct {
	tag, kind uint16
	count     uint32
	raw       [4]byte // the value if it fits, else its offset
}

func (d *ifd) find(tag uint16) (ifdEntry, bool) {
	for _, e := range d.entries {
		if e.tag == tag {
			return e, true
		}
	}
	return ifdEntry{}, false
}

func (d *ifd) has(tag uint16) bool {
	_, ok := d.find(tag)
	return ok
}

// value returns the first number of a SHORT or LONG tag, 0 without it.
func (d *ifd) value(tag uint16) uint32 {
	e, ok := d.find(tag)
	switch {
	case ok && e.kind == 3:
		return uint32(d.order.Uint16(e.raw[:]))
	case ok && e.kind == 4:
		return d.order.Uint32(e.raw[:])
	}
	return 0
}

// readIFD reads the first directory of a TIFF.
func readIFD(s source) (*ifd, error) {
	var head [8]byte
	if _, err := s.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	return readIFDAt(s, order, int64(order.Uint32(head[4:])))
}

func readIFDAt(s source, order binary.ByteOrder, at int64) (*ifd, error) {
	if at < 8 {
		return nil, errors.New("a directory lies in the header")
	}
	var n [2]byte
	if _, err := s.ReadAt(n[:], at); err != nil {
		return nil, err
	}
	count := int(order.Uint16(n[:]))
	if count > maxIFDEntries {
		return nil, errors.New("a directory has too many entries")
	}
	buf := make([]byte, 12*count+4)
	if _, err := s.ReadAt(buf, at+2); err != nil {
		return nil, err
	}
	d := &ifd{order: order, next: int64(order.Uint32(buf[12*count:]))}
	for i := range count {
		b := buf[12*i:]
		d.entries = append(d.entries, ifdEntry{order.Uint16(b), order.Uint16(b[2:]), order.Uint32(b[4:]), [4]byte(b[8:12])})
	}
	return d, nil
}

// countPages follows the directories of a TIFF, up to one more than limit. A
// chain that leads back to where it was is an error.
func countPages(s source, limit int) (int, error) {
	d, err := readIFD(s)
	if err != nil {
		return 0, err
	}
	seen := map[int64]bool{}
	n := 1
	for d.next != 0 && n <= limit {
		if seen[d.next] {
			return 0, errors.New("the pages form a loop")
		}
		seen[d.next] = true
		if d, err = readIFDAt(s, d.order, d.next); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// tiffProfile returns the profile of a TIFF (ICC.1:2022, annex B.3).
func tiffProfile(s source) ([]byte, error) {
	d, err := readIFD(s)
	if err != nil {
		return nil, err
	}
	e, ok := d.find(tagICC)
	at := int64(d.order.Uint32(e.raw[:]))
	if !ok || e.count <= 4 || e.count > maxProfile || at+int64(e.count) > s.size {
		return nil, nil
	}
	data := make([]byte, e.count)
	_, err = s.ReadAt(data, at)
	return data, err
}

package media

import (
	"encoding/binary"
	"errors"
	"io"
)

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
func readIFD(r io.ReaderAt, size int64) (*ifd, error) {
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	return readIFDAt(r, size, order, int64(order.Uint32(head[4:])))
}

func readIFDAt(r io.ReaderAt, size int64, order binary.ByteOrder, at int64) (*ifd, error) {
	var n [2]byte
	if at < 8 || at >= size {
		return nil, errors.New("a directory lies outside the file")
	}
	if _, err := r.ReadAt(n[:], at); err != nil {
		return nil, err
	}
	count := int(order.Uint16(n[:]))
	if count > maxIFDEntries {
		return nil, errors.New("a directory has too many entries")
	}
	buf := make([]byte, 12*count+4)
	if _, err := r.ReadAt(buf, at+2); err != nil {
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
// chain that comes back to where it was is an error.
func countPages(r io.ReaderAt, size int64, limit int) (int, error) {
	d, err := readIFD(r, size)
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
		if d, err = readIFDAt(r, size, d.order, d.next); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

package embed

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
)

// The XMP tag of a TIFF (XMP part 3, section 3.5), and its type: bytes.
const (
	tagXMP   = 700
	typeByte = 1
)

// tiff appends the packet and a copy of the first directory that references it. Everything
// else remains in place.
func tiff(r io.ReaderAt, size int64, list []Property) (*Copy, error) {
	t, err := openTIFF(r, size)
	if err != nil {
		return nil, err
	}
	entries, old, err := t.directory(r, size)
	if err != nil {
		return nil, err
	}
	text := packet(old, list)
	start := size + size&1
	tail := make([]byte, start-size)
	tail = append(tail, text...)
	if len(text)&1 == 1 {
		tail = append(tail, 0)
	}
	tail = append(tail, t.withZone(zoneOf(list), r, size, entries, uint64(size)+uint64(len(tail)))...)
	at := uint64(size) + uint64(len(tail)) // offset of the directory
	if !t.big && at+uint64(len(entries))+64 > 0xffffffff {
		return nil, ErrTooLong
	}
	tail = t.appendDirectory(tail, entries, uint64(len(text)), uint64(start))
	head := slices.Clone(t.head)
	t.putOffset(head[len(head)-t.word():], at)
	c := &Copy{}
	c.add(bytes.NewReader(head), 0, int64(len(head)))
	c.add(r, int64(len(head)), size-int64(len(head)))
	c.add(bytes.NewReader(tail), 0, int64(len(tail)))
	return c, nil
}

// tiffFile is a TIFF, or a BigTIFF, whose offsets and counts have eight bytes.
type tiffFile struct {
	order binary.ByteOrder
	big   bool
	head  []byte // up to and including the offset of the first directory
	next  []byte // raw offset of the next directory
}

func (t *tiffFile) word() int {
	if t.big {
		return 8
	}
	return 4
}

func (t *tiffFile) offset(b []byte) uint64 {
	if t.big {
		return t.order.Uint64(b)
	}
	return uint64(t.order.Uint32(b))
}

func (t *tiffFile) putOffset(b []byte, v uint64) {
	if t.big {
		t.order.PutUint64(b, v)
	} else {
		t.order.PutUint32(b, uint32(v))
	}
}

func openTIFF(r io.ReaderAt, size int64) (*tiffFile, error) {
	head, err := all(r, 0, min(size, 16))
	if err != nil || len(head) < 8 {
		return nil, ErrDamaged
	}
	t := &tiffFile{}
	switch string(head[:2]) {
	case "II":
		t.order = binary.LittleEndian
	case "MM":
		t.order = binary.BigEndian
	default:
		return nil, ErrDamaged
	}
	switch v := t.order.Uint16(head[2:]); {
	case v == 42:
		t.head = head[:8]
	case v == 43 && len(head) == 16 && t.order.Uint16(head[4:]) == 8:
		t.big, t.head = true, head
	default:
		return nil, ErrDamaged
	}
	return t, nil
}

// directory returns the entries of the first directory except that of XMP, and the XMP.
func (t *tiffFile) directory(r io.ReaderAt, size int64) (entries, old []byte, err error) {
	word := t.word()
	list, next, err := t.entriesAt(r, size, t.offset(t.head[len(t.head)-word:]))
	if err != nil {
		return nil, nil, err
	}
	t.next = next
	for e := range slices.Chunk(list, 4+2*word) {
		if t.order.Uint16(e) != tagXMP {
			entries = append(entries, e...)
			continue
		}
		length, where := t.offset(e[4:]), t.offset(e[4+word:])
		if length > uint64(word) && length <= maxPacket && where <= uint64(size) {
			if old, err = all(r, int64(where), int64(length)); err != nil {
				return nil, nil, err
			}
		}
	}
	return entries, old, nil
}

// entriesAt returns the entries of a directory, and the raw offset of the next one.
func (t *tiffFile) entriesAt(r io.ReaderAt, size int64, at uint64) (entries, next []byte, err error) {
	if at > uint64(size) {
		return nil, nil, ErrDamaged
	}
	word := int64(t.word())
	lenCount, lenEntry := int64(2), 4+2*word
	if t.big {
		lenCount = 8
	}
	head, err := all(r, int64(at), lenCount)
	if err != nil {
		return nil, nil, err
	}
	n := uint64(t.order.Uint16(head))
	if t.big {
		n = t.order.Uint64(head)
	}
	if n > 0xffff {
		return nil, nil, ErrDamaged
	}
	list, err := all(r, int64(at)+lenCount, int64(n)*lenEntry+word)
	if err != nil {
		return nil, nil, err
	}
	return list[:int64(n)*lenEntry], list[int64(n)*lenEntry:], nil
}

// appendDirectory appends a directory with the entries and, in sorted order, one for the
// XMP.
func (t *tiffFile) appendDirectory(b, entries []byte, length, at uint64) []byte {
	word := t.word()
	lenEntry := 4 + 2*word
	own := make([]byte, lenEntry)
	t.order.PutUint16(own, tagXMP)
	t.order.PutUint16(own[2:], typeByte)
	t.putOffset(own[4:], length)
	t.putOffset(own[4+word:], at)
	n := len(entries)/lenEntry + 1
	count := make([]byte, 2)
	if t.big {
		count = make([]byte, 8)
		t.order.PutUint64(count, uint64(n))
	} else {
		t.order.PutUint16(count, uint16(n))
	}
	b = append(b, count...)
	placed := false
	for e := range slices.Chunk(entries, lenEntry) {
		if !placed && t.order.Uint16(e) > tagXMP {
			b, placed = append(b, own...), true
		}
		b = append(b, e...)
	}
	if !placed {
		b = append(b, own...)
	}
	return append(b, t.next...)
}

// Package tiff reads TIFF: its directories, and pictures of the kinds that scanners,
// cameras and programs write. It follows TIFF 6.0, its technical notes 1 and 2, and
// BigTIFF. The memory that it allocates is known in advance: see Need.
package tiff

import (
	"encoding/binary"
	"errors"
	"io"
)

// maxEntries limits the entries of a directory.
const maxEntries = 4096

// File is a TIFF whose directories can be read.
type File struct {
	Order Order
	First int64 // offset of the first directory

	r    io.ReaderAt
	size int64
	big  bool // BigTIFF: offsets have eight bytes
}

// Order is the byte order of numbers.
type Order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// Directory is an image file directory.
type Directory struct {
	Entries []Entry
	Next    int64 // offset of the next directory; 0 at the end
}

// Entry is an entry of a directory.
type Entry struct {
	Tag, Kind uint16
	Count     uint64

	raw [8]byte // the value if it fits, otherwise its offset
}

// The types of values.
const (
	Byte      = 1
	ASCII     = 2
	Short     = 3
	Long      = 4
	Rational  = 5
	Undefined = 7
	IFD       = 13
)

// sizes are the sizes in bytes of the value types; 0 for unknown ones.
var sizes = [...]uint64{
	Byte: 1, ASCII: 1, Short: 2, Long: 4, Rational: 8, 6: 1, Undefined: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, IFD: 4, 16: 8, 17: 8, 18: 8,
}

// Open reads the header of a TIFF.
func Open(r io.ReaderAt, size int64) (*File, error) {
	var b [16]byte
	n, err := r.ReadAt(b[:], 0)
	if n < 8 {
		return nil, endless(err)
	}
	f := &File{r: r, size: size}
	switch string(b[:2]) {
	case "II":
		f.Order = binary.LittleEndian
	case "MM":
		f.Order = binary.BigEndian
	default:
		return nil, FormatError("the byte order is unknown")
	}
	switch f.Order.Uint16(b[2:]) {
	case 43:
		if n < 16 {
			return nil, endless(err)
		}
		f.big = true
		f.First = int64(f.Order.Uint64(b[8:]))
	default: // 42; EXIF of some cameras has other numbers
		f.First = int64(f.Order.Uint32(b[4:]))
	}
	return f, nil
}

// endless returns the error of a read that came up short.
func endless(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Directory reads the directory at an offset. In case of an error, it also returns the
// entries that were readable.
func (f *File) Directory(at int64) (*Directory, error) {
	head, entry, next := int64(2), int64(12), int64(4)
	if f.big {
		head, entry, next = 8, 20, 8
	}
	d := &Directory{}
	if at < 8 {
		return d, FormatError("a directory lies in the header")
	}
	if at > f.size-head {
		return d, io.ErrUnexpectedEOF
	}
	b := make([]byte, head, 64)
	if _, err := f.r.ReadAt(b, at); err != nil {
		return d, endless(err)
	}
	count := uint64(f.Order.Uint16(b))
	if f.big {
		count = f.Order.Uint64(b)
	}
	if count > maxEntries {
		return d, FormatError("a directory has too many entries")
	}
	b = make([]byte, entry*int64(count)+next)
	n, err := f.r.ReadAt(b, at+head)
	for i := int64(0); i < int64(count) && (i+1)*entry <= int64(n); i++ {
		d.Entries = append(d.Entries, f.entry(b[i*entry:]))
	}
	if n < len(b) {
		return d, endless(err)
	}
	if d.Next = f.offset(b[entry*int64(count):]); d.Next < 0 {
		return d, FormatError("the next directory lies nowhere")
	}
	return d, nil
}

func (f *File) entry(b []byte) Entry {
	e := Entry{Tag: f.Order.Uint16(b), Kind: f.Order.Uint16(b[2:])}
	if f.big {
		e.Count = f.Order.Uint64(b[4:])
		copy(e.raw[:], b[12:20])
	} else {
		e.Count = uint64(f.Order.Uint32(b[4:]))
		copy(e.raw[:], b[8:12])
	}
	return e
}

func (f *File) offset(b []byte) int64 {
	if f.big {
		return int64(f.Order.Uint64(b))
	}
	return int64(f.Order.Uint32(b))
}

// inline returns the maximum size of a value that is stored in its entry, in bytes.
func (f *File) inline() uint64 {
	if f.big {
		return 8
	}
	return 4
}

// Find returns the first entry of a tag.
func (d *Directory) Find(tag uint16) (Entry, bool) {
	for _, e := range d.Entries {
		if e.Tag == tag {
			return e, true
		}
	}
	return Entry{}, false
}

// Has reports whether the directory has a tag.
func (d *Directory) Has(tag uint16) bool {
	_, ok := d.Find(tag)
	return ok
}

// Size returns the size of an entry's value in bytes; false for an unknown type.
func (e Entry) Size() (uint64, bool) {
	if int(e.Kind) >= len(sizes) || sizes[e.Kind] == 0 || e.Count > 1<<56 {
		return 0, false
	}
	return e.Count * sizes[e.Kind], true
}

// Bytes returns the value of an entry, truncated to most bytes.
func (f *File) Bytes(e Entry, most int64) ([]byte, error) {
	size, ok := e.Size()
	if !ok {
		return nil, FormatError("a value has an unknown kind")
	}
	n := int64(min(size, uint64(most)))
	if size <= f.inline() {
		return append([]byte(nil), e.raw[:n]...), nil
	}
	at := f.offset(e.raw[:])
	if at < 0 || at > f.size || n > f.size-at {
		return nil, io.ErrUnexpectedEOF
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, at); err != nil {
		return nil, endless(err)
	}
	return b, nil
}

// At returns the offset and the size of an entry's value; false for a value stored in the
// entry itself or beyond the end of the file.
func (f *File) At(e Entry) (at, size int64, ok bool) {
	n, known := e.Size()
	at = f.offset(e.raw[:])
	if !known || n <= f.inline() || at < 0 || at > f.size || n > uint64(f.size-at) {
		return 0, 0, false
	}
	return at, int64(n), true
}

// Numbers returns the first most values of an integer entry, and no values for other types.
func (f *File) Numbers(e Entry, most int64) ([]int64, error) {
	var width int64
	switch e.Kind {
	case Byte, Short, Long, IFD, 16, 18:
		width = int64(sizes[e.Kind])
	default:
		return nil, nil
	}
	b, err := f.Bytes(e, width*most)
	if err != nil {
		return nil, err
	}
	list := make([]int64, int64(len(b))/width)
	for i := range list {
		switch v := b[int64(i)*width:]; width {
		case 1:
			list[i] = int64(v[0])
		case 2:
			list[i] = int64(f.Order.Uint16(v))
		case 4:
			list[i] = int64(f.Order.Uint32(v))
		case 8:
			list[i] = int64(f.Order.Uint64(v))
		}
	}
	return list, nil
}

// Number returns the first integer of a tag, or otherwise if the tag is missing.
func (f *File) Number(d *Directory, tag uint16, otherwise int64) int64 {
	if e, ok := d.Find(tag); ok {
		if list, err := f.Numbers(e, 1); err == nil && len(list) == 1 {
			return list[0]
		}
	}
	return otherwise
}

// Pages counts the chained directories, up to one more than limit. A loop in the chain is
// an error.
func (f *File) Pages(limit int) (int, error) {
	seen := map[int64]bool{}
	n := 0
	for at := f.First; at != 0 && n <= limit; n++ {
		if seen[at] {
			return 0, FormatError("the pages form a loop")
		}
		seen[at] = true
		d, err := f.Directory(at)
		if err != nil {
			return 0, err
		}
		at = d.Next
	}
	return n, nil
}

// Page returns the directory offset of a page, starting at 1, as Pages counts them; 0 if
// there are fewer. The chain must not contain a loop, which Pages checks.
func (f *File) Page(n int) (at int64, err error) {
	at = f.First
	for ; n > 1 && at != 0; n-- {
		d, err := f.Directory(at)
		if err != nil {
			return 0, err
		}
		at = d.Next
	}
	return at, nil
}

// FormatError reports that a file is not a valid TIFF.
type FormatError string

func (e FormatError) Error() string { return "tiff: " + string(e) }

// UnsupportedError reports that a TIFF uses a feature this package does not support.
type UnsupportedError string

func (e UnsupportedError) Error() string { return "tiff: unsupported: " + string(e) }

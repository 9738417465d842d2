package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/bep/imagemeta"
	"golang.org/x/text/encoding/charmap"

	"github.com/digital-asset-library/dal/app/media/tiff"
)

// Tags of EXIF 3.0 and TIFF that need special handling.
const (
	tagXMP         = 0x02bc
	tagCopyright   = 0x8298
	tagIPTC        = 0x83bb
	tagPhotoshop   = 0x8649
	tagEXIF        = 0x8769
	tagICCProfile  = 0x8773
	tagGPS         = 0x8825
	tagMakerNote   = 0x927c
	tagUserComment = 0x9286
	tagSubSec      = 0x9290 // SubSecTime; the last of the series is tagSubSecLast
	tagSubSecLast  = 0x9292
	tagXPTitle     = 0x9c9b // Windows tags; the last of the series is tagXPSubject
	tagXPSubject   = 0x9c9f
	tagInterop     = 0xa005

	kindUTF8   = 129
	signedLong = 9
)

// maxEXIFBlock limits how much EXIF is processed, in bytes.
const maxEXIFBlock = 512 << 10

// readEXIF reads the EXIF of a TIFF or of an EXIF block, which is a TIFF too. An error in
// one tag does not prevent reading the others. It returns embedded IPTC and XMP without
// reading them.
func (c *collector) readEXIF(r io.ReaderAt, size int64) (iptc, xmp []byte, err error) {
	return c.readEXIFBeside(r, size, nil)
}

// readEXIFBeside reads EXIF of which some directories are in separate files, keyed by the
// tag that would point to them.
func (c *collector) readEXIFBeside(r io.ReaderAt, size int64, beside map[uint16]*tiff.File) (iptc, xmp []byte, err error) {
	f, err := tiff.Open(r, size)
	if err != nil {
		return nil, nil, fmt.Errorf("EXIF: %w", err)
	}
	x := &exifCopy{file: f, beside: beside, out: []byte("II*\x00\x00\x00\x00\x00")}
	if f.Order == tiff.Order(binary.BigEndian) {
		x.out = []byte("MM\x00*\x00\x00\x00\x00")
	}
	first, err := x.directory(f.First, true)
	if first != 0 {
		f.Order.PutUint32(x.out[4:], first)
		bad, failed := c.decodeEXIF(x.out)
		c.keepSubSec(x.subSec)
		x.bad += bad
		err = errors.Join(err, failed)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("EXIF: %w", err)
	case x.bad == 1:
		err = errors.New("EXIF: 1 tag cannot be read")
	case x.bad > 1:
		err = fmt.Errorf("EXIF: %d tags cannot be read", x.bad)
	}
	return x.iptc, x.xmp, err
}

// decodeEXIF reads a sanitized EXIF block. It skips tags whose value makes imagemeta fail;
// bad is their number.
func (c *collector) decodeEXIF(block []byte) (bad int, err error) {
	skip := map[string]bool{}
	for ; bad < 20; bad++ {
		last := ""
		_, err = imagemeta.Decode(imagemeta.Options{
			R: bytes.NewReader(block), ImageFormat: imagemeta.TIFF, Sources: imagemeta.EXIF, HandleTag: c.add,
			ShouldHandleTag: func(t imagemeta.TagInfo) bool {
				last = t.Namespace + "/" + t.Tag
				return wanted(t) && !skip[last]
			},
			LimitNumTags: maxTagsRead, LimitTagSize: 2 * maxTagLength,
		})
		if err == nil || skip[last] {
			return bad, err
		}
		skip[last] = true
	}
	return bad, err
}

// keepSubSec stores fractions of seconds as written, instead of the numbers that imagemeta
// parses them into: those lose leading zeros, as in "05".
func (c *collector) keepSubSec(subSec map[uint16]string) {
	names := [...]string{"SubSecTime", "SubSecTimeOriginal", "SubSecTimeDigitized"}
	for i, name := range names {
		digits, ok := subSec[tagSubSec+uint16(i)]
		if _, kept := c.exif[name].(string); ok && !kept && c.exif[name] != nil {
			c.keep(c.exif, name, digits)
		}
	}
}

// exifCopy is a small TIFF built from another file: the EXIF directories with their valid
// entries, and every text in UTF-8.
type exifCopy struct {
	file      *tiff.File
	beside    map[uint16]*tiff.File // directories in separate files; see readEXIFBeside
	out       []byte
	bad       int // number of unreadable tags
	iptc, xmp []byte
	subSec    map[uint16]string // fractions of seconds, as written
}

// exifTag is a directory entry of the copy.
type exifTag struct {
	id, kind uint16
	count    uint32
	data     []byte
}

// directory copies a directory and, if it is the first, those it points to. It returns the
// offset of the copy, or 0 if nothing was copied.
func (x *exifCopy) directory(at int64, isFirst bool) (uint32, error) {
	d, err := x.file.Directory(at)
	if len(d.Entries) == 0 {
		return 0, err
	}
	var tags []exifTag
	for _, e := range d.Entries {
		switch {
		case e.Tag == 0 && e.Kind == 0: // reserved space
		case isFirst && e.Tag < tagNewSubfileType: // a camera's private tag, which means something else in EXIF
		case isFirst && (e.Tag == tagEXIF || e.Tag == tagGPS):
			if e.Kind == signedLong {
				e.Kind = tiff.Long
			}
			list, failed := x.file.Numbers(e, 1)
			if failed != nil || len(list) == 0 {
				x.bad++
				continue
			}
			to, failed := x.directory(list[0], false)
			err = errors.Join(err, failed)
			if to != 0 {
				tags = append(tags, exifTag{e.Tag, tiff.Long, 1, x.file.Order.AppendUint32(nil, to)})
			}
		case !x.isOther(e):
			if t, ok := x.tag(e); ok {
				tags = append(tags, t)
			}
		}
	}
	if isFirst {
		tags = append(tags, x.fromBeside()...)
	}
	return x.write(tags), err
}

// fromBeside copies the directories that are in separate files.
func (x *exifCopy) fromBeside() (tags []exifTag) {
	file := x.file
	defer func() { x.file = file }()
	for _, tag := range []uint16{tagEXIF, tagGPS} {
		f := x.beside[tag]
		if f == nil || f.Order != file.Order {
			continue
		}
		x.file = f
		to, _ := x.directory(f.First, false) // an unreadable directory counts as missing
		if to != 0 {
			tags = append(tags, exifTag{tag, tiff.Long, 1, file.Order.AppendUint32(nil, to)})
		}
	}
	return tags
}

// isOther reports whether an entry does not belong in the EXIF copy, and extracts IPTC and
// XMP.
func (x *exifCopy) isOther(e tiff.Entry) bool {
	switch e.Tag {
	case tagEXIF, tagGPS, tagSubIFDs, tagInterop, tagMakerNote, tagICCProfile:
	case tagXMP:
		if data, err := x.file.Bytes(e, maxXMP); err == nil && x.xmp == nil {
			x.xmp = data
		}
	case tagIPTC:
		if data, err := x.file.Bytes(e, maxXMP); err == nil && len(data) > 0 {
			x.iptc = data
		}
	case tagPhotoshop:
		if data, err := x.file.Bytes(e, maxXMP); err == nil && x.iptc == nil {
			x.iptc = iptcOfPhotoshop(data)
		}
	default:
		return false
	}
	return true
}

// tag copies an entry, unless it is too long or unreadable.
func (x *exifCopy) tag(e tiff.Entry) (exifTag, bool) {
	t := exifTag{id: e.Tag, kind: e.Kind, count: uint32(e.Count)}
	if e.Kind == kindUTF8 {
		e.Kind = tiff.ASCII
	}
	size, known := e.Size()
	switch {
	case !known:
		x.bad++
		return t, false
	case size > maxTagLength || size == 0:
		return t, false
	}
	var err error
	if t.data, err = x.file.Bytes(e, maxTagLength); err != nil {
		x.bad++
		return t, false
	}
	switch {
	case e.Tag == tagCopyright && e.Kind == tiff.ASCII:
		t.text(copyrightText(t.data))
	case e.Tag >= tagXPTitle && e.Tag <= tagXPSubject:
		t.text(utf16Text(t.data, binary.LittleEndian))
	case e.Tag == tagUserComment && e.Kind != tiff.ASCII:
		t.text(userComment(t.data, x.file.Order))
	case e.Tag >= tagSubSec && e.Tag <= tagSubSecLast && e.Kind == tiff.ASCII:
		s := strings.TrimSpace(anyText(t.data))
		if x.subSec == nil {
			x.subSec = map[uint16]string{}
		}
		if x.subSec[e.Tag] == "" {
			x.subSec[e.Tag] = s
		}
		t.text(s)
	case e.Kind == tiff.ASCII:
		t.text(anyText(t.data))
	case e.Kind == tiff.IFD:
		t.kind = tiff.Long
	case e.Kind > 12: // BigTIFF types
		list, _ := x.file.Numbers(e, 1)
		if len(list) == 0 {
			return t, false
		}
		t.kind, t.count, t.data = tiff.Long, 1, x.file.Order.AppendUint32(nil, uint32(list[0]))
	}
	return t, t.count > 0
}

// text sets the value to a text.
func (t *exifTag) text(s string) {
	t.kind, t.data = tiff.ASCII, append([]byte(s), 0)
	t.count = uint32(len(t.data))
}

// write appends a directory preceded by its values. It returns the directory's offset, or 0
// if the copy is full.
func (x *exifCopy) write(tags []exifTag) uint32 {
	order := x.file.Order
	dir := order.AppendUint16(nil, uint16(len(tags)))
	for _, t := range tags {
		if len(x.out)+len(t.data) > maxEXIFBlock {
			return 0
		}
		value := append(bytes.Clone(t.data), 0, 0, 0, 0)[:4]
		if len(t.data) > 4 {
			x.out = append(x.out, make([]byte, len(x.out)%2)...)
			value = order.AppendUint32(nil, uint32(len(x.out)))
			x.out = append(x.out, t.data...)
		}
		dir = order.AppendUint16(order.AppendUint16(dir, t.id), t.kind)
		dir = append(order.AppendUint32(dir, t.count), value...)
	}
	x.out = append(x.out, make([]byte, len(x.out)%2)...)
	at := len(x.out)
	x.out = append(append(x.out, dir...), 0, 0, 0, 0)
	return uint32(at)
}

// anyText returns a text up to its first NUL, decoded as UTF-8 if valid and otherwise as
// Windows-1252.
func anyText(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	if utf8.Valid(b) {
		return string(b)
	}
	s, _ := charmap.Windows1252.NewDecoder().Bytes(b) // cannot fail: every byte is valid
	return string(s)
}

// copyrightText joins the two texts of the copyright tag: the photographer's and the
// editor's.
func copyrightText(b []byte) string {
	first, second, _ := bytes.Cut(b, []byte{0})
	photographer, editor := string(bytes.TrimSpace([]byte(anyText(first)))), string(bytes.TrimSpace([]byte(anyText(second))))
	if photographer != "" && editor != "" {
		return photographer + ", " + editor
	}
	return photographer + editor
}

// utf16Text returns a UTF-16 text up to its first NUL.
func utf16Text(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		u := order.Uint16(b)
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}

// userComment returns a text that is prefixed by the name of its encoding (EXIF 3.0,
// section 4.6.6).
func userComment(b []byte, order binary.ByteOrder) string {
	if len(b) < 8 {
		return ""
	}
	switch name, text := string(b[:8]), b[8:]; name {
	case "ASCII\x00\x00\x00", "\x00\x00\x00\x00\x00\x00\x00\x00":
		return anyText(text)
	case "UNICODE\x00":
		if len(text) >= 2 && text[0] == 0xff && text[1] == 0xfe {
			return utf16Text(text[2:], binary.LittleEndian)
		}
		if len(text) >= 2 && text[0] == 0xfe && text[1] == 0xff {
			return utf16Text(text[2:], binary.BigEndian)
		}
		return utf16Text(text, order)
	}
	return ""
}

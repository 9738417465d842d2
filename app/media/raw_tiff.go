package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/digital-asset-library/dal/app/media/tiff"
)

// The limits of the search for a picture in a raw file.
const (
	maxRawDirectories = 40
	maxRawScan        = 8 << 20 // bytes at the beginning
	smallPreview      = 500     // pixels on the longest side; smaller previews trigger a further search
)

// Tags of TIFF 6.0, EXIF and the makers.
const (
	tagImageWidth   = 0x0100
	tagImageLength  = 0x0101
	tagCompression  = 0x0103
	tagStrips       = 0x0111
	tagStripCounts  = 0x0117
	tagJPEGAt       = 0x0201
	tagJPEGLength   = 0x0202
	tagPixelX       = 0xa002
	tagPixelY       = 0xa003
	tagPanasonicTop = 0x0004 // followed by left, bottom and right
	tagPanasonicJPG = 0x002e
)

// findInTIFF walks the directories of a TIFF-based raw file.
func findInTIFF(s source) (r inRaw, err error) {
	f, err := tiff.Open(s, s.size)
	if err != nil {
		return r, err
	}
	w := rawWalk{s: s, f: f, seen: map[int64]bool{}}
	if err := w.directories(f.First, 0); err != nil {
		return r, err
	}
	if w.found.isSmall() {
		if err := w.scan(); err != nil {
			return r, err
		}
	}
	r = w.found
	if fitsSensor(w.exifWidth, r.width) && fitsSensor(w.exifHeight, r.height) { // excludes the borders of the sensor
		r.width, r.height = w.exifWidth, w.exifHeight
	}
	return r, nil
}

// isSmall reports whether the file may contain a larger picture than the one found.
func (r *inRaw) isSmall() bool {
	if r.jpeg.size == 0 {
		return true
	}
	h, err := jpegHeader(r.jpeg)
	return err != nil || max(h.width, h.height) < smallPreview
}

// rawWalk walks the directories of a TIFF.
type rawWalk struct {
	s                     source
	f                     *tiff.File
	seen                  map[int64]bool
	found                 inRaw
	exifWidth, exifHeight int
}

// fitsSensor reports whether a side is plausible for a picture cropped to within the
// borders of a sensor.
func fitsSensor(side, sensor int) bool {
	return side > 0 && (sensor == 0 || side <= sensor && 10*side >= 9*sensor)
}

func (w *rawWalk) directories(at int64, depth int) error {
	for at != 0 && depth < 4 && !w.seen[at] && len(w.seen) < maxRawDirectories {
		w.seen[at] = true
		d, err := w.f.Directory(at)
		if _, isRead := errors.AsType[*readError](err); isRead || err != nil && len(w.seen) == 1 {
			return err
		}
		if err := w.directory(d, depth); err != nil {
			return err
		}
		at = d.Next
	}
	return nil
}

// directory reads a directory and those it points to.
func (w *rawWalk) directory(d *tiff.Directory, depth int) error {
	number := func(tag uint16) int64 { return w.f.Number(d, tag, 0) }
	w.found.offer(w.s, number(tagJPEGAt), number(tagJPEGLength))
	if c := number(tagCompression); c == 6 || c == 7 {
		if e, ok := d.Find(tagStrips); ok && e.Count == 1 {
			w.found.offer(w.s, number(tagStrips), number(tagStripCounts))
		}
	}
	if e, ok := d.Find(tagPanasonicJPG); ok && e.Kind == tiff.Undefined {
		if at, size, ok := w.f.At(e); ok {
			w.found.offer(w.s, at, size)
		}
	}
	width, height := int(number(tagImageWidth)), int(number(tagImageLength))
	if right := number(tagPanasonicTop + 3); right > 0 && width == 0 {
		width, height = int(right-number(tagPanasonicTop+1)), int(number(tagPanasonicTop+2)-number(tagPanasonicTop))
	}
	isReduced := number(tagCompression) == 6 || number(tagNewSubfileType)&1 == 1
	if !isReduced && width > 0 && height > 0 && width < 1<<20 && height < 1<<20 && width*height > w.found.width*w.found.height {
		w.found.width, w.found.height = width, height
	}
	if d.Has(tagPixelX) {
		w.exifWidth, w.exifHeight = int(number(tagPixelX)), int(number(tagPixelY))
	}
	for _, tag := range []uint16{tagSubIFDs, tagEXIF} {
		e, ok := d.Find(tag)
		if !ok {
			continue
		}
		list, err := w.f.Numbers(e, 10)
		if _, isRead := errors.AsType[*readError](err); isRead {
			return err
		}
		for _, at := range list {
			if err := w.directories(at, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// scan searches the beginning of the file for JPEGs: some cameras record their offsets only
// in maker notes.
func (w *rawWalk) scan() error {
	head := make([]byte, min(w.s.size, maxRawScan))
	n, err := w.s.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	head = head[:n]
	for at, tries := 0, 0; tries < 50; tries++ {
		i := bytes.Index(head[at:], []byte("\xff\xd8\xff"))
		if i < 0 {
			break
		}
		at += i
		w.found.offer(w.s, int64(at), w.s.size-int64(at))
		at += 3
	}
	return nil
}

// findRAF reads the header of a Fujifilm raw file, and the tag list after the JPEG.
func findRAF(s source) (r inRaw, err error) {
	var head [100]byte
	if n, err := s.ReadAt(head[:], 0); n < len(head) {
		return r, endless(err)
	}
	number := func(at int) int64 { return int64(binary.BigEndian.Uint32(head[at:])) }
	r.offer(s, number(84), number(88))
	at := number(92)
	var b [8]byte
	if n, err := s.ReadAt(b[:4], at); n < 4 {
		_, isRead := errors.AsType[*readError](err)
		if isRead {
			return r, err
		}
		return r, nil
	}
	count := min(binary.BigEndian.Uint32(b[:]), 200)
	at += 4
	for range count {
		if n, err := s.ReadAt(b[:], at); n < len(b) {
			if _, isRead := errors.AsType[*readError](err); isRead {
				return r, err
			}
			break
		}
		tag, size := binary.BigEndian.Uint16(b[:]), int64(binary.BigEndian.Uint16(b[2:]))
		if height, width := int(binary.BigEndian.Uint16(b[4:])), int(binary.BigEndian.Uint16(b[6:])); size == 4 &&
			(tag == 0x0111 || tag == 0x0100 && r.width == 0) {
			r.width, r.height = width, height
		}
		at += 4 + size
	}
	return r, nil
}

// findX3F reads the directory at the end of a Sigma raw file.
func findX3F(s source) (r inRaw, err error) {
	var b [28]byte
	if n, err := s.ReadAt(b[:4], s.size-4); n < 4 {
		return r, endless(err)
	}
	dir := int64(binary.LittleEndian.Uint32(b[:]))
	if n, err := s.ReadAt(b[:12], dir); n < 12 || string(b[:4]) != "SECd" {
		return r, endless(err)
	}
	count := min(binary.LittleEndian.Uint32(b[8:]), 100)
	for i := range int64(count) {
		if n, err := s.ReadAt(b[:12], dir+12+12*i); n < 12 {
			return r, endless(err)
		}
		at, size, kind := int64(binary.LittleEndian.Uint32(b[:])), int64(binary.LittleEndian.Uint32(b[4:])), string(b[8:12])
		if kind != "IMAG" && kind != "IMA2" {
			continue
		}
		if n, err := s.ReadAt(b[:], at); n < len(b) {
			return r, endless(err)
		}
		width, height := int(binary.LittleEndian.Uint32(b[16:])), int(binary.LittleEndian.Uint32(b[20:]))
		if binary.LittleEndian.Uint32(b[12:]) == 18 {
			r.offer(s, at+28, size-28)
		}
		if width < 1<<20 && height < 1<<20 && width*height > r.width*r.height {
			r.width, r.height = width, height
		}
	}
	return r, nil
}

// endless returns the error of a read that came up short.
func endless(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

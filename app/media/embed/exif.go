package embed

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"time"
)

// The EXIF tags that are read or written (EXIF 3.0, section 4.6). Each offset applies to one
// date.
const (
	tagDateTime            = 0x0132
	tagEXIF                = 0x8769
	tagDateTimeOriginal    = 0x9003
	tagDateTimeDigitized   = 0x9004
	tagOffsetTime          = 0x9010
	tagOffsetTimeOriginal  = 0x9011
	tagOffsetTimeDigitized = 0x9012
)

// zone is the UTC offset of the clock in EXIF dates.
type zone struct{ clock, offset string } // "2006:01:02 15:04:05", "+02:00"

// zoneOf returns the offset in a new exif:DateTimeOriginal, or nil.
func zoneOf(list []Property) *zone {
	for _, p := range list {
		if p.Path != "exif:DateTimeOriginal" || len(p.Texts) != 1 {
			continue
		}
		if t, err := time.Parse("2006-01-02T15:04:05-07:00", p.Texts[0]); err == nil {
			return &zone{t.Format("2006:01:02 15:04:05"), t.Format("-07:00")}
		}
	}
	return nil
}

// block returns a segment or chunk with EXIF, without its header, to which the offset is
// added; nil if the EXIF is damaged, has another date, or already has the offset.
func (z *zone) block(data []byte) []byte {
	if z == nil {
		return nil
	}
	prefix, exif := data[:0], data
	if rest, ok := bytes.CutPrefix(data, []byte(headEXIF)); ok {
		prefix, exif = data[:len(headEXIF)], rest
	}
	r, size := bytes.NewReader(exif), int64(len(exif))
	t, err := openTIFF(r, size)
	if err != nil || t.big {
		return nil
	}
	at := int64(t.offset(t.head[4:]))
	entries, _, err := t.entriesAt(r, size, uint64(at))
	if err != nil {
		return nil
	}
	added := t.withZone(z, r, size, entries, uint64(size+size&1))
	if added == nil {
		return nil
	}
	out := slices.Concat(prefix, exif, make([]byte, size&1), added)
	copy(out[int64(len(prefix))+at+2:], entries)
	return out
}

// withZone returns a copy of the EXIF directory, with the offset of its date, that is to be
// placed at an offset of the file, and changes entries, the first directory, to refer to it.
// Everything else stays where it is: maker notes refer to themselves by offsets. It returns
// nil if nothing is to be changed.
func (t *tiffFile) withZone(z *zone, r io.ReaderAt, size int64, entries []byte, to uint64) []byte {
	const lenEntry = 12
	pointer := t.entry(entries, tagEXIF)
	if z == nil || t.big || pointer == nil {
		return nil
	}
	list, next, err := t.entriesAt(r, size, t.offset(pointer[8:]))
	if err != nil {
		return nil
	}
	has := func(in []byte, tag uint16, text string) bool {
		e := t.entry(in, tag)
		if e == nil || t.order.Uint32(e[4:]) < uint32(len(text)) {
			return false
		}
		have, err := all(r, int64(t.offset(e[8:])), int64(len(text)))
		return err == nil && string(have) == text
	}
	if !has(list, tagDateTimeOriginal, z.clock) || has(list, tagOffsetTimeOriginal, z.offset) {
		return nil
	}
	changed := map[uint16]bool{
		tagOffsetTimeOriginal:  true,
		tagOffsetTime:          t.entry(list, tagOffsetTime) != nil && has(entries, tagDateTime, z.clock),
		tagOffsetTimeDigitized: t.entry(list, tagOffsetTimeDigitized) != nil && has(list, tagDateTimeDigitized, z.clock),
	}
	kept := slices.DeleteFunc(slices.Collect(slices.Chunk(list, lenEntry)), func(e []byte) bool { return changed[t.order.Uint16(e)] })
	var own [][]byte
	for tag, on := range changed {
		if on {
			e := make([]byte, lenEntry)
			t.order.PutUint16(e, tag)
			t.order.PutUint16(e[2:], typeASCII)
			t.order.PutUint32(e[4:], uint32(len(z.offset)+1))
			own = append(own, e)
		}
	}
	out := slices.Concat(kept, own)
	slices.SortStableFunc(out, func(a, b []byte) int { return cmp.Compare(t.order.Uint16(a), t.order.Uint16(b)) })
	if len(out) > 0xffff {
		return nil
	}
	for _, e := range own {
		t.order.PutUint32(e[8:], uint32(to)+2+uint32(len(out))*lenEntry+4) // behind the directory
	}
	count := make([]byte, 2)
	t.order.PutUint16(count, uint16(len(out)))
	t.order.PutUint32(pointer[8:], uint32(to))
	return slices.Concat(count, slices.Concat(out...), next, []byte(z.offset), []byte{0, 0})
}

// entry returns the first entry of a tag in a directory, or nil.
func (t *tiffFile) entry(entries []byte, tag uint16) []byte {
	for e := range slices.Chunk(entries, 4+2*t.word()) {
		if t.order.Uint16(e) == tag {
			return e
		}
	}
	return nil
}

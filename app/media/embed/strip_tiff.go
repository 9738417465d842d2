package embed

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	dir "github.com/digital-asset-library/dal/app/media/tiff"
)

// The TIFF tags that are read or written (TIFF 6.0, section 8; XMP part 3, section 1.1.4).
const (
	tagSubfile      = 254
	tagCompression  = 259
	tagPhotometric  = 262
	tagStrips       = 273
	tagStripCounts  = 279
	tagArtist       = 315
	tagTiles        = 324
	tagTileCounts   = 325
	tagTablesOfJPEG = 347
	tagCopyright    = 33432
	tagProfile      = 34675

	typeASCII  = 2
	typeLong   = 4
	typeLong8  = 16
	packedJPEG = 7
)

// shownTIFF are the tags that are copied unchanged: the compression and meaning of samples, the
// print resolution, the orientation, the colour profile (TIFF 6.0 and its technical notes;
// ICC.1, annex B.3; the last ones are from libtiff).
var shownTIFF = []uint16{
	tagSubfile, 255, 256, 257, 258, tagCompression, tagPhotometric, 263, 266, 274, 277, 278, 280, 281, 282, 283, 284, 290, 291, 292,
	293, 296, 297, 301, 317, 318, 319, 320, 321, 322, 323, 332, 334, 336, 338, 339, 340, 341, tagTablesOfJPEG, 529, 530, 531, 532,
	tagProfile, 32995, 32996, 32997,
}

// isShownTIFF reports whether an entry is copied unchanged. None of its tags is a text.
func isShownTIFF(e dir.Entry) bool {
	isOpaque := e.Kind == dir.Undefined && e.Tag != tagTablesOfJPEG && e.Tag != tagProfile
	return slices.Contains(shownTIFF, e.Tag) && e.Kind != dir.ASCII && !isOpaque
}

// pointersTIFF are the tags that refer to directories: SubIFDs, EXIF, GPS, interoperability.
var pointersTIFF = []uint16{330, tagEXIF, 34853, 40965}

// packedTIFF are the supported compressions. It excludes those whose strips are files that may
// contain metadata, except for JPEG, whose strips are checked.
var packedTIFF = []int64{1, 2, 3, 4, 5, packedJPEG, 8, 32771, 32773, 32946, 34925, 50000}

// The limits of the data read from a TIFF.
const (
	maxPages      = 1 << 14
	maxIndexTIFF  = 64 << 20 // bytes of directories and values
	maxStripsTIFF = maxParts
)

// pageTIFF is a page of the copy.
type pageTIFF struct {
	entries []entryTIFF
	strips  []span
}

type entryTIFF struct {
	tag, kind uint16
	count     uint64
	value     []byte
}

// pagesTIFF is a TIFF whose directories are rewritten.
type pagesTIFF struct {
	*stripping
	*tiffFile
	in     *dir.File
	pages  []*pageTIFF
	index  int64 // bytes kept of directories
	strips int
	data   int64  // bytes of the strips
	values []span // of kept entries
	other  []span // directories, and values that are not kept
}

// stripTIFF keeps the pages, except reduced versions of others: the tags that affect
// rendering, and the strips or tiles. The directories come first.
func stripTIFF(s *stripping) error {
	out, err := openTIFF(s.r, s.size)
	if err != nil {
		return err
	}
	in, err := dir.Open(s.r, s.size)
	if err != nil {
		return err
	}
	t := &pagesTIFF{stripping: s, tiffFile: out, in: in}
	if err := t.read(); err != nil {
		if _, ok := errors.AsType[dir.FormatError](err); ok {
			err = ErrDamaged
		}
		return err
	}
	if len(t.pages) == 0 {
		return ErrNotTaken
	}
	kept := t.values
	for _, p := range t.pages {
		kept = append(kept, p.strips...)
	}
	if overlap(kept, t.other) {
		return ErrDamaged
	}
	t.credit(t.pages[0])
	return t.finish()
}

func (t *pagesTIFF) read() error {
	seen := map[int64]bool{}
	for at := t.in.First; at != 0; {
		if seen[at] || len(seen) == maxPages {
			return ErrDamaged
		}
		seen[at] = true
		d, err := t.in.Directory(at)
		if err != nil {
			return err
		}
		keeps := t.in.Number(d, tagSubfile, 0)&1 == 0 // not a reduced version
		if keeps {
			if err := t.page(d); err != nil {
				return err
			}
		}
		if err := t.note(at, d, keeps, 0); err != nil {
			return err
		}
		at = d.Next
	}
	return nil
}

// maxLevelsTIFF is the maximum nesting of directories: EXIF, and those that it refers to.
const maxLevelsTIFF = 3

// note records where a directory, its values and those of the directories to which it refers
// are. The values of a page that are kept are recorded separately.
func (t *pagesTIFF) note(at int64, d *dir.Directory, keeps bool, level int) error {
	t.other = append(t.other, span{at: at, n: int64(len(d.Entries)) * int64(4+2*t.word())})
	for _, e := range d.Entries {
		where, n, ok := t.in.At(e)
		shown := isShownTIFF(e)
		switch {
		case !ok:
		case keeps && shown:
			t.values = append(t.values, span{at: where, n: n})
		case !shown:
			t.other = append(t.other, span{at: where, n: n})
		}
		if len(t.other)+len(t.values) > maxParts {
			return ErrNotTaken
		}
		if !slices.Contains(pointersTIFF, e.Tag) || level == maxLevelsTIFF {
			continue
		}
		list, err := t.in.Numbers(e, maxPages)
		if err != nil {
			continue // an unreadable directory counts as missing
		}
		for _, at := range list {
			sub, err := t.in.Directory(at)
			if err != nil {
				continue
			}
			if err := t.note(at, sub, false, level+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// page reads a page.
func (t *pagesTIFF) page(d *dir.Directory) error {
	packed := t.in.Number(d, tagCompression, 1)
	if !slices.Contains(packedTIFF, packed) || t.in.Number(d, tagPhotometric, 0) >= 32803 { // raw sensor data
		return ErrNotTaken
	}
	p := &pageTIFF{}
	for _, e := range d.Entries {
		if !isShownTIFF(e) || slices.ContainsFunc(p.entries, func(k entryTIFF) bool { return k.tag == e.Tag }) {
			continue
		}
		n, ok := e.Size()
		if !ok || n > maxElement {
			return ErrNotTaken
		}
		value, err := t.in.Bytes(e, maxElement)
		if err != nil {
			return err
		}
		if e.Tag == tagTablesOfJPEG {
			if err := quietJPEG(bytes.NewReader(value), 0, int64(len(value))); err != nil {
				return err
			}
		}
		p.entries = append(p.entries, entryTIFF{e.Tag, e.Kind, e.Count, value})
		if t.index += 32 + int64(len(value)); t.index > maxIndexTIFF {
			return ErrNotTaken
		}
	}
	if err := t.findStrips(d, p); err != nil {
		return err
	}
	if packed == packedJPEG {
		for _, c := range p.strips {
			if err := quietJPEG(t.r, c.at, c.n); err != nil {
				return err
			}
		}
	}
	t.pages = append(t.pages, p)
	return nil
}

// findStrips reads the locations of a page's strips or tiles.
func (t *pagesTIFF) findStrips(d *dir.Directory, p *pageTIFF) error {
	where, counts := uint16(tagStrips), uint16(tagStripCounts)
	if d.Has(tagTiles) {
		where, counts = tagTiles, tagTileCounts
	}
	var lists [2][]int64
	for i, tag := range []uint16{where, counts} {
		e, ok := d.Find(tag)
		if !ok || e.Count > maxStripsTIFF {
			return ErrNotTaken
		}
		var err error
		if lists[i], err = t.in.Numbers(e, maxStripsTIFF); err != nil {
			return err
		}
	}
	n := len(lists[0])
	if t.strips += n; n == 0 || n != len(lists[1]) || t.strips > maxStripsTIFF {
		return ErrDamaged
	}
	for i, at := range lists[0] {
		c := span{at: at, n: lists[1][i]}
		if c.at < 0 || c.n < 0 || c.n > t.size || c.at > t.size-c.n {
			return ErrDamaged
		}
		if t.data += c.n; t.data > t.size { // overlapping strips
			return ErrDamaged
		}
		p.strips = append(p.strips, c)
	}
	kind := uint16(typeLong)
	if t.big {
		kind = typeLong8
	}
	length := make([]byte, n*t.word())
	for i, c := range p.strips {
		t.putOffset(length[i*t.word():], uint64(c.n))
	}
	p.entries = append(p.entries,
		entryTIFF{where, kind, uint64(n), make([]byte, n*t.word())}, entryTIFF{counts, kind, uint64(n), length})
	return nil
}

// credit adds the metadata of the copy to a page.
func (t *pagesTIFF) credit(p *pageTIFF) {
	for tag, text := range map[uint16]string{tagArtist: t.said("dc:creator"), tagCopyright: t.said("dc:rights")} {
		if text != "" {
			p.entries = append(p.entries, entryTIFF{tag, typeASCII, uint64(len(text) + 1), append([]byte(text), 0)})
		}
	}
	if text := t.packet(); text != nil {
		p.entries = append(p.entries, entryTIFF{tagXMP, typeByte, uint64(len(text)), text})
	}
}

// lengths returns the size in bytes of a page's directory, and of the values outside of it.
func (t *pagesTIFF) lengths(p *pageTIFF) (directory, values int64) {
	word := int64(t.word())
	directory = 2 + int64(len(p.entries))*(4+2*word) + word
	if t.big {
		directory += 6
	}
	for _, e := range p.entries {
		if n := int64(len(e.value)); n > word {
			values += n + n&1
		}
	}
	return directory, values
}

// finish writes the copy.
func (t *pagesTIFF) finish() error {
	at := int64(len(t.head))
	starts := make([]int64, len(t.pages)+1) // offsets of the directories, then of the strips
	for i, p := range t.pages {
		slices.SortFunc(p.entries, func(a, b entryTIFF) int { return cmp.Compare(a.tag, b.tag) })
		starts[i] = at
		directory, values := t.lengths(p)
		at += directory + values
	}
	starts[len(t.pages)] = at
	if !t.big && at+t.data > math.MaxUint32 {
		return ErrTooLong
	}
	head := slices.Clone(t.head)
	t.putOffset(head[len(head)-t.word():], uint64(starts[0]))
	t.write(head)
	for i, p := range t.pages {
		for _, e := range p.entries {
			if e.tag != tagStrips && e.tag != tagTiles {
				continue
			}
			for j, c := range p.strips {
				t.putOffset(e.value[j*t.word():], uint64(at))
				at += c.n
			}
		}
		next := starts[i+1]
		if i == len(t.pages)-1 {
			next = 0
		}
		t.write(t.directoryOf(p, starts[i], next))
	}
	for _, p := range t.pages {
		for _, c := range p.strips {
			t.keep(c.at, c.n)
		}
	}
	return nil
}

// directoryOf returns the directory of a page at the given offset, followed by its values.
func (t *pagesTIFF) directoryOf(p *pageTIFF, at, next int64) []byte {
	word := t.word()
	length, _ := t.lengths(p)
	var b, values []byte
	if t.big {
		b = make([]byte, 8)
		t.order.PutUint64(b, uint64(len(p.entries)))
	} else {
		b = make([]byte, 2)
		t.order.PutUint16(b, uint16(len(p.entries)))
	}
	for _, e := range p.entries {
		entry := make([]byte, 4+2*word)
		t.order.PutUint16(entry, e.tag)
		t.order.PutUint16(entry[2:], e.kind)
		t.putOffset(entry[4:], e.count)
		if len(e.value) <= word {
			copy(entry[4+word:], e.value)
		} else {
			t.putOffset(entry[4+word:], uint64(at+length+int64(len(values))))
			if values = append(values, e.value...); len(values)&1 == 1 {
				values = append(values, 0)
			}
		}
		b = append(b, entry...)
	}
	last := make([]byte, word)
	t.putOffset(last, uint64(next))
	return slices.Concat(b, last, values)
}

// quietJPEG rejects a JPEG, with or without tables and pictures, that contains metadata
// before its picture.
func quietJPEG(r io.ReaderAt, at, n int64) error {
	in := &scanner{bufio.NewReaderSize(io.NewSectionReader(r, at, n), 4<<10), 0} // there may be many
	if n == 0 {
		return nil
	}
	if start, err := in.take(2); err != nil || start[0] != 0xff || start[1] != 0xd8 {
		return either(ignoreEOF(err), ErrDamaged)
	}
	for {
		marker, err := nextMarker(in)
		if err != nil || marker == 0xd9 || marker == 0xda {
			return err
		}
		if marker < 0xc0 || marker >= 0xd0 && marker <= 0xd8 {
			continue
		}
		size, err := in.take(2)
		if err != nil {
			return err
		}
		data, err := in.take(max(int(binary.BigEndian.Uint16(size))-2, 0))
		if err != nil {
			return err
		}
		if marker >= 0xe0 && string(keptJPEG(marker, data)) != string(data) || marker < 0xe0 && !isPlainJPEG(marker, data) {
			return ErrNotTaken
		}
	}
}

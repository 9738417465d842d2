package media

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/digital-asset-library/dal/app/media/tiff"
)

// maxBoxes limits the boxes that are read from one file.
const maxBoxes = 2000

// Canon's container boxes.
const (
	canonMetadata = "\x85\xc0\xb6\x87\x82\x0f\x11\xe0\x81\x11\xf4\xce\x46\x2b\x6a\x48"
	canonPreview  = "\xea\xf4\x2b\x5e\x1c\x98\x4b\x88\xb9\xfb\xb7\xdc\x40\x6e\x4d\x16"
)

// boxes collects the boxes that matter in a CR3, a file in the ISO base media format.
type boxes struct {
	s     source
	left  int
	found inRaw
	cmt   map[string]source // EXIF blocks by name

	size, at int64 // first sample of a track
}

// findCR3 finds the pictures of a CR3: the preview, the thumbnail and a track with a
// full-size one.
func findCR3(s source) (inRaw, error) {
	b, err := boxesOf(s)
	if err != nil {
		return inRaw{}, err
	}
	if first, ok := b.cmt["CMT1"]; ok {
		if f, err := tiff.Open(first, first.size); err == nil {
			d, _ := f.Directory(f.First) // unreadable counts as unknown
			b.found.width, b.found.height = int(f.Number(d, tagImageWidth, 0)), int(f.Number(d, tagImageLength, 0))
		}
	}
	return b.found, nil
}

func boxesOf(s source) (*boxes, error) {
	b := &boxes{s: s, left: maxBoxes, cmt: map[string]source{}}
	return b, b.walk(0, s.size, 0)
}

// walk reads the boxes between two offsets.
func (b *boxes) walk(at, end int64, depth int) error {
	for at+8 <= end && b.left > 0 && depth < 8 {
		b.left--
		var head [32]byte
		n, err := b.s.ReadAt(head[:min(int64(len(head)), end-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		size, skip := int64(binary.BigEndian.Uint32(head[:])), int64(8)
		if size == 1 && n >= 16 {
			size, skip = int64(binary.BigEndian.Uint64(head[8:])), 16
		}
		if size == 0 {
			size = end - at
		}
		if size < skip || size > end-at {
			return nil // truncated: keep the results so far
		}
		kind := string(head[4:8])
		if kind == "uuid" && size >= skip+16 {
			kind = string(head[skip : skip+16])
			skip += 16
		}
		if err := b.box(kind, at+skip, at+size, depth); err != nil {
			return err
		}
		at += size
	}
	return nil
}

// box reads the content of a box.
func (b *boxes) box(kind string, at, end int64, depth int) error {
	switch kind {
	case "moov", canonMetadata, "mdia", "minf", "stbl":
		return b.walk(at, end, depth+1)
	case canonPreview:
		return b.walk(at+8, end, depth+1)
	case "trak":
		b.size, b.at = 0, 0
		err := b.walk(at, end, depth+1)
		b.found.offer(b.s, b.at, b.size)
		return err
	case "PRVW", "THMB":
		return b.preview(kind, at, end)
	case "CMT1", "CMT2", "CMT4":
		block := b.s
		block.file, block.size = io.NewSectionReader(b.s, at, end-at), end-at
		b.cmt[kind] = block
	case "stsz", "co64":
		var v [16]byte
		if n, err := b.s.ReadAt(v[:min(16, end-at)], at); n < 16 {
			_, isRead := errors.AsType[*readError](err)
			if isRead {
				return err
			}
			return nil
		}
		if kind == "co64" {
			b.at = int64(binary.BigEndian.Uint64(v[8:]))
		} else if b.size = int64(binary.BigEndian.Uint32(v[4:])); b.size == 0 {
			b.size = int64(binary.BigEndian.Uint32(v[12:]))
		}
	}
	return nil
}

// preview offers the JPEG of a preview or a thumbnail, which follows some numbers.
func (b *boxes) preview(kind string, at, end int64) error {
	var v [16]byte
	if n, err := b.s.ReadAt(v[:min(16, end-at)], at); n < 16 {
		if _, isRead := errors.AsType[*readError](err); isRead {
			return err
		}
		return nil
	}
	size := int64(binary.BigEndian.Uint32(v[12:]))
	if kind == "THMB" {
		size = int64(binary.BigEndian.Uint32(v[8:]))
	}
	b.found.offer(b.s, at+16, min(size, end-at-16))
	return nil
}

// metadataOfCR3 reads the EXIF blocks, one per directory.
func metadataOfCR3(s source) (*collector, error) {
	c := newCollector()
	b, err := boxesOf(s)
	first, ok := b.cmt["CMT1"]
	if err != nil || !ok {
		return c, err
	}
	beside := map[uint16]*tiff.File{}
	for tag, name := range map[uint16]string{tagEXIF: "CMT2", tagGPS: "CMT4"} {
		if block, ok := b.cmt[name]; ok {
			if f, err := tiff.Open(block, block.size); err == nil {
				beside[tag] = f
			}
		}
	}
	_, _, err = c.readEXIFBeside(first, first.size, beside)
	return c, err
}

package media

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"

	"golang.org/x/image/tiff/lzw"
)

// tiffMemory goes by the first directory (TIFF 6.0). The decoder makes a picture
// of one, two, four or eight bytes a pixel, by the number and the depth of the
// samples, keeps where the strips or tiles are, and has the bytes of one of those
// at a time. An uncompressed one is read as a whole, a compressed one into a
// buffer that doubles, up to eight bytes a pixel, whatever the depth: so those
// that could become large are measured.
func tiffMemory(s source, h header) (int64, error) {
	most := s.limits.MemoryBudget
	d, err := readIFD(s)
	if err != nil {
		return 0, err
	}
	values := map[uint16]int64{}
	for _, tag := range []uint16{tagPhotometric, tagBitsPerSample, tagCompression, tagRowsPerStrip, tagTileWidth, tagTileLength} {
		list, err := d.numbers(s, tag, 1)
		if err != nil {
			return 0, err
		}
		if len(list) > 0 {
			values[tag] = list[0]
		}
	}
	b := blocksOf(h, values)
	n := b.across * b.down
	total := pixelBytes(values)*h.area() + 40*n // and two lists, of offsets and lengths, with their bytes
	if total > most {
		return total, nil
	}
	offsets, err := d.numbers(s, b.offsets, n)
	if err != nil {
		return 0, err
	}
	counts, err := d.numbers(s, b.counts, n)
	if err != nil {
		return 0, err
	}
	var worst int64
	for i := range min(len(offsets), len(counts)) {
		need, err := b.unpacked(s, offsets[i], counts[i], most-total)
		if err != nil {
			return 0, err
		}
		if worst = max(worst, need); total+worst > most {
			break
		}
	}
	return total + worst, nil
}

// numbers returns the first most values of a tag, none without it. Like the
// decoder it takes bytes, too.
func (d *ifd) numbers(s source, tag uint16, most int64) ([]int64, error) {
	e, ok := d.find(tag)
	width, known := map[uint16]int64{1: 1, 3: 2, 4: 4}[e.kind]
	if !ok || !known {
		return nil, nil
	}
	raw := e.raw[:]
	n := min(int64(e.count), most)
	if width*int64(e.count) > int64(len(raw)) {
		at := int64(d.order.Uint32(raw))
		if at+width*n > s.size {
			return nil, io.ErrUnexpectedEOF
		}
		raw = make([]byte, width*n)
		if _, err := s.ReadAt(raw, at); err != nil {
			return nil, err
		}
	}
	list := make([]int64, n)
	for i := range list {
		switch b := raw[int64(i)*width:]; width {
		case 1:
			list[i] = int64(b[0])
		case 2:
			list[i] = int64(d.order.Uint16(b))
		case 4:
			list[i] = int64(d.order.Uint32(b))
		}
	}
	return list, nil
}

// pixelBytes is how many bytes of a decoded picture a pixel takes.
func pixelBytes(values map[uint16]int64) int64 {
	n := int64(1) // grey or of a palette
	if values[tagPhotometric] == photometricRGB {
		n = 4
	}
	if values[tagBitsPerSample] > 8 {
		n *= 2
	}
	return n
}

// blocks are the strips or tiles of a TIFF.
type blocks struct {
	width, height, across, down int64 // pixels; how many
	compression                 int64
	offsets, counts             uint16 // the tags
}

func blocksOf(h header, values map[uint16]int64) blocks {
	w, hh := int64(h.width), int64(h.height)
	b := blocks{w, hh, 1, 1, values[tagCompression], tagStripOffsets, tagStripByteCounts}
	if tile := values[tagTileWidth]; tile != 0 {
		b.offsets, b.counts = tagTileOffsets, tagTileByteCounts
		b.width = min(tile, max(1024, w+16)) // the decoder refuses larger ones, and smaller than 8
		b.height = max(8, min(values[tagTileLength], max(1024, hh+16)))
		b.width = max(8, b.width)
		b.across = (w + b.width - 1) / b.width
	} else if rows := values[tagRowsPerStrip]; rows > 0 && rows < hh {
		b.height = rows
	}
	b.down = (hh + b.height - 1) / b.height
	return b
}

// The compressions of a TIFF that can make a block larger than it looks.
const (
	compressedG3         = 3
	compressedG4         = 4
	compressedLZW        = 5
	compressedDeflate    = 8
	compressedDeflateOld = 32946
	compressedPackBits   = 32773
)

// measured is from which size on a block is unpacked to see how large it is.
const measured = 4 << 20

// unpacked returns how many bytes it takes to have one block unpacked, or more
// than most.
func (b blocks) unpacked(s source, offset, count, most int64) (int64, error) {
	count = min(count, max(0, s.size-offset))
	limit := 8 * b.width * b.height
	block := io.NewSectionReader(s, offset, count)
	var ratio int64 // the most that a byte can become
	switch b.compression {
	case compressedG3, compressedG4: // never more than the rows that there are
		return doubled((b.width + 7) / 8 * b.height), nil
	case compressedLZW:
		ratio = 4096 // a code of nine bits and more for a word of as many bytes at most
	case compressedDeflate, compressedDeflateOld:
		ratio = 1032 // https://zlib.net/zlib_tech.html
	case compressedPackBits:
		return 3 * min(limit+128, 64*count), nil
	default:
		switch {
		case count >= 10<<20: // read in pieces of as much, which are put together
			return 3*count + 10<<20, nil
		case b.across*b.down > 1: // the one before may still be there
			return 2 * count, nil
		}
		return count, nil
	}
	if limit = min(limit, ratio*count+512); limit <= measured {
		return doubled(limit), nil
	}
	var unpacker io.ReadCloser
	if ratio == 1032 {
		var err error
		if unpacker, err = zlib.NewReader(block); err != nil {
			return 0, err
		}
	} else {
		unpacker = lzw.NewReader(block, lzw.MSB, 8)
	}
	defer unpacker.Close()
	for limit > measured && doubled(limit/2) > most { // no need to see more than that it is too much
		limit /= 2
	}
	n, err := io.Copy(io.Discard, io.LimitReader(unpacker, limit))
	if _, isRead := errors.AsType[*readError](err); isRead {
		return 0, err
	}
	return doubled(n), nil // another fault is for the decoder to find
}

// doubled is how many bytes a bytes.Buffer that grows to n bytes has allocated.
func doubled(n int64) (total int64) {
	for c := int64(bytes.MinRead); ; c *= 2 {
		if total += c; c >= n+bytes.MinRead {
			return total
		}
	}
}

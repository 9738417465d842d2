package media

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"slices"
)

const badChecksum = "A checksum is wrong, of a part that the picture does not need."

// mendPNG returns the visible part of a PNG that is truncated or whose ancillary chunks are
// damaged: without those chunks, and with missing pixels grey or transparent. A PNG with
// damaged pixels is not recovered.
func mendPNG(s source, _ header) (image.Image, string, error) {
	p, err := readPNGParts(s)
	if err != nil {
		return nil, "", err
	}
	img, err := png.Decode(bufio.NewReaderSize(p.whole(s), 64<<10))
	switch {
	case err == nil && p.ends:
		return img, badChecksum, nil
	case err == nil:
		return img, endMissing, nil
	case p.ends:
		return nil, "", err
	}
	filled, err := p.filled(s)
	if err != nil {
		return nil, "", err
	}
	img, err = png.Decode(bufio.NewReaderSize(filled, 64<<10))
	return img, partMissing, err
}

// pngPart is the content of a chunk.
type pngPart struct{ at, n int64 }

// pngParts are the chunks of a PNG that are needed for the picture.
type pngParts struct {
	header, palette, clear pngPart
	pixels                 []pngPart
	ends                   bool // the end chunk is present
}

// readPNGParts finds the chunks of a PNG and checks those needed for the picture.
func readPNGParts(s source) (p pngParts, err error) {
	at := int64(8)
	var b [8]byte
	for range maxChunks {
		if _, err := s.ReadAt(b[:], at); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return p, err
		}
		part := pngPart{at + 8, int64(binary.BigEndian.Uint32(b[:]))}
		at = part.at + part.n + 4
		kind := string(b[4:])
		isCut := at > s.size
		if isCut {
			part.n = max(0, min(part.n, s.size-part.at))
		}
		to := map[string]*pngPart{"IHDR": &p.header, "PLTE": &p.palette, "tRNS": &p.clear}[kind]
		if p.ends = kind == "IEND"; p.ends {
			break
		}
		if to == nil && kind != "IDAT" {
			continue
		}
		if isCut {
			if kind == "IDAT" {
				p.pixels = append(p.pixels, part)
			}
			break
		}
		good, err := checkPart(s, kind, part)
		switch {
		case err != nil:
			return p, err
		case !good && kind != "tRNS":
			return p, errors.New("a chunk that the picture needs is damaged")
		case to != nil && good:
			*to = part
		case good:
			p.pixels = append(p.pixels, part)
		}
	}
	if p.header.n != 13 || len(p.pixels) == 0 {
		return p, errors.New("there are no pixels")
	}
	return p, nil
}

// checkPart reports whether the checksum of a chunk is correct.
func checkPart(s source, kind string, p pngPart) (bool, error) {
	sum := crc32.NewIEEE()
	sum.Write([]byte(kind))
	if _, err := io.Copy(sum, io.NewSectionReader(s, p.at, p.n)); err != nil {
		return false, err
	}
	var b [4]byte
	if _, err := s.ReadAt(b[:], p.at+p.n); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return binary.BigEndian.Uint32(b[:]) == sum.Sum32(), nil
}

// begin returns the PNG up to the pixels.
func (p pngParts) begin(s source) []io.Reader {
	list := []io.Reader{bytes.NewReader([]byte("\x89PNG\r\n\x1a\n"))}
	for _, c := range []struct {
		kind string
		part pngPart
	}{{"IHDR", p.header}, {"PLTE", p.palette}, {"tRNS", p.clear}} {
		if c.part.n > 0 {
			list = append(list, &pngChunks{s: s, kind: c.kind, parts: []pngPart{c.part}})
		}
	}
	return list
}

// whole returns the PNG with only the necessary chunks, and an end.
func (p pngParts) whole(s source) io.Reader {
	return io.MultiReader(append(p.begin(s), &pngChunks{s: s, kind: "IDAT", parts: slices.Clone(p.pixels)}, bytes.NewReader(pngEnd))...)
}

var pngEnd = []byte("\x00\x00\x00\x00IEND\xae\x42\x60\x82")

// pngChunks reads parts of a file as PNG chunks of one kind, split into pieces.
type pngChunks struct {
	s     source
	kind  string
	parts []pngPart
	out   []byte
}

const pngPiece = 32 << 10

func (c *pngChunks) Read(b []byte) (int, error) {
	if len(c.out) == 0 {
		for len(c.parts) > 0 && c.parts[0].n == 0 {
			c.parts = c.parts[1:]
		}
		if len(c.parts) == 0 {
			return 0, io.EOF
		}
		part := &c.parts[0]
		data := make([]byte, min(part.n, pngPiece))
		if _, err := c.s.ReadAt(data, part.at); err != nil {
			return 0, err
		}
		part.at, part.n = part.at+int64(len(data)), part.n-int64(len(data))
		c.out = pngChunk(c.kind, data)
	}
	n := copy(b, c.out)
	c.out = c.out[n:]
	return n, nil
}

// pngChunk encodes a PNG chunk.
func pngChunk(kind string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// filled returns the PNG with its pixels decompressed as far as possible and the missing
// ones filled in.
func (p pngParts) filled(s source) (io.Reader, error) {
	var head [13]byte
	if _, err := s.ReadAt(head[:], p.header.at); err != nil {
		return nil, err
	}
	stored := make([]io.Reader, len(p.pixels))
	for i, part := range p.pixels {
		stored[i] = io.NewSectionReader(s, part.at, part.n)
	}
	z, err := zlib.NewReader(bufio.NewReaderSize(io.MultiReader(stored...), 32<<10))
	if err != nil {
		return nil, err
	}
	total, row := pngBytes(head)
	buf := make([]byte, 1+row)
	if _, err := io.ReadFull(z, buf); err != nil {
		return nil, endOr(nil) // not even one row
	}
	f := &pngFiller{z: io.MultiReader(bytes.NewReader(buf), z), total: total, sum: adler32.New()}
	if kind := head[9]; (kind == 0 || kind == 2) && head[12] == 0 {
		f.row, f.fill = 1+row, 0x80 // grey; pixels with alpha become transparent
	}
	return io.MultiReader(append(p.begin(s), f, bytes.NewReader(pngEnd))...), nil
}

// pngBytes returns the total number of bytes of a PNG's filtered pixels, and the number of
// bytes in a full row without its filter byte.
func pngBytes(head [13]byte) (total, row int64) {
	w, h := int64(binary.BigEndian.Uint32(head[:])), int64(binary.BigEndian.Uint32(head[4:]))
	bits := int64(head[8]) * map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[head[9]]
	bytesOf := func(w int64) int64 { return (w*bits + 7) / 8 }
	if head[12] == 0 {
		return h * (1 + bytesOf(w)), bytesOf(w)
	}
	for _, p := range [7][4]int64{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		pw, ph := (w-p[0]+p[2]-1)/p[2], (h-p[1]+p[3]-1)/p[3]
		if pw > 0 && ph > 0 {
			total += ph * (1 + bytesOf(pw))
			row = max(row, bytesOf(pw))
		}
	}
	return total, min(row, bytesOf((w+7)/8))
}

// pngFiller reads IDAT chunks of stored (uncompressed) pixels, up to total bytes, filled up
// when z ends.
type pngFiller struct {
	z           io.Reader
	total, done int64
	row         int64 // bytes per row including its filter byte; 0 to fill all bytes alike
	fill        byte
	begun, over bool
	sum         interface {
		io.Writer
		Sum32() uint32
	}
	out []byte
}

func (f *pngFiller) Read(b []byte) (int, error) {
	if len(f.out) == 0 {
		if f.over {
			return 0, io.EOF
		}
		f.next()
	}
	n := copy(b, f.out)
	f.out = f.out[n:]
	return n, nil
}

// next encodes a chunk with one stored block (RFC 1951, section 3.2.4) or with the end of
// the stream.
func (f *pngFiller) next() {
	var data []byte
	if !f.begun {
		data, f.begun = []byte{0x78, 0x01}, true
	}
	if f.done == f.total {
		data = append(data, 1, 0, 0, 0xff, 0xff)
		f.out, f.over = pngChunk("IDAT", binary.BigEndian.AppendUint32(data, f.sum.Sum32())), true
		return
	}
	block := make([]byte, min(f.total-f.done, pngPiece))
	n := 0
	if f.z != nil {
		var err error
		if n, err = io.ReadFull(f.z, block); err != nil {
			f.z = nil // any error ends the pixels
		}
	}
	for i := n; i < len(block); i++ {
		if f.row == 0 || (f.done+int64(i))%f.row != 0 {
			block[i] = f.fill
		}
	}
	f.done += int64(len(block))
	f.sum.Write(block)
	data = append(data, 0, byte(len(block)), byte(len(block)>>8), ^byte(len(block)), ^byte(len(block)>>8))
	f.out = pngChunk("IDAT", append(data, block...))
}

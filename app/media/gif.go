package media

import (
	"bytes"
	"cmp"
	"compress/lzw"
	"errors"
	"image"
	"image/color"
	"io"

	"github.com/digital-asset-library/dal/app/dam"
)

var gifFormat = format{
	Type: Type{
		MIME: "image/gif", Name: "GIF", Phrase: "a GIF picture",
		Extensions: []string{"gif"}, Category: dam.CategoryImage, Showable: true,
	},
	is: func(_ source, head []byte) bool {
		return bytes.HasPrefix(head, []byte("GIF87a")) || bytes.HasPrefix(head, []byte("GIF89a"))
	},
	says:     "XMP",
	header:   gifHeader,
	metadata: gifMetadata,
	memory:   gifMemory,
	decode: func(s source) (image.Image, error) {
		img, missing, err := decodeGIF(s)
		if err == nil && missing > 0 {
			err = io.ErrUnexpectedEOF
		}
		return img, err
	},
	mend: mendGIF,
}

func gifHeader(s source) (header, error) {
	g, err := readGIF(s, s.limits.MaxFrames)
	h := header{width: g.width, height: g.height, frames: g.frames, plays: g.plays, seconds: float64(g.delays) / 100}
	if g.frames > 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		h.warning, err = "The file ends too early.", nil
	}
	return h, err
}

// gifMemory counts one byte per pixel, or four if the first frame leaves part of the canvas
// transparent and its palette has no free entry for that.
func gifMemory(s source, h header) (int64, error) {
	g, err := readGIF(s, 1)
	if g.frames == 0 {
		return 0, cmp.Or(err, errors.New("there is no frame"))
	}
	if _, ok := g.first.clearIndex(); !ok && !g.first.covers(g) {
		return 4*h.area() + 1<<16, nil
	}
	return h.area() + 1<<16, nil
}

// mendGIF returns the available part of the first frame.
func mendGIF(s source, _ header) (image.Image, string, error) {
	img, missing, err := decodeGIF(s)
	if err == nil && missing >= img.Bounds().Dy() {
		err = io.ErrUnexpectedEOF
	}
	return img, partMissing, err
}

// gifFile is the parsed structure of a GIF.
type gifFile struct {
	width, height int
	frames        int
	delays        int64 // of all frames, in hundredths of a second
	plays         int   // number of times it plays; 0 loops forever
	colors        color.Palette
	first         gifFrame
	xmpAt, xmpEnd int64 // range of the XMP, including its length bytes and the trailer
}

// gifFrame is a frame: its position on the canvas, and the offset of its pixels in the
// file.
type gifFrame struct {
	rect       image.Rectangle
	colors     color.Palette
	clear      int // index of the transparent colour, or -1
	interlaced bool
	codeSize   int
	at         int64
}

// covers reports whether a frame covers the entire canvas.
func (f gifFrame) covers(g gifFile) bool {
	return image.Rect(0, 0, g.width, g.height).In(f.rect)
}

// clearIndex returns the index of a transparent colour, and whether there is one.
func (f gifFrame) clearIndex() (int, bool) {
	if f.clear >= 0 {
		return f.clear, true
	}
	return len(f.colors), len(f.colors) < 256
}

// palette returns the frame's palette, padded with transparent colours to 256 entries.
func (f gifFrame) palette() color.Palette {
	list := make(color.Palette, 256)
	for i := range list {
		list[i] = color.RGBA{}
		if i < len(f.colors) && i != f.clear {
			list[i] = f.colors[i]
		}
	}
	return list
}

// decodeGIF returns the canvas with its first frame, transparent outside of it, and the
// number of its rows that are missing from the file.
func decodeGIF(s source) (img image.Image, missing int, err error) {
	g, err := readGIF(s, 1)
	if g.frames == 0 {
		return nil, 0, endOr(err)
	}
	f := g.first
	if len(f.colors) == 0 {
		return nil, 0, errors.New("there are no colours")
	}
	canvas := image.NewPaletted(image.Rect(0, 0, g.width, g.height), f.palette())
	set := func(x, y int, row []byte) { copy(canvas.Pix[y*canvas.Stride+x:], row) }
	img = canvas
	if index, ok := f.clearIndex(); ok {
		for i := range canvas.Pix {
			canvas.Pix[i] = byte(index)
		}
	} else if !f.covers(g) {
		wide := image.NewNRGBA(canvas.Rect)
		img, canvas.Pix = wide, nil
		set = func(x, y int, row []byte) {
			for i, v := range row {
				wide.Set(x+i, y, canvas.Palette[v])
			}
		}
	}
	missing, err = f.rows(s, func(y int, row []byte) {
		y += f.rect.Min.Y
		if visible := min(len(row), g.width-f.rect.Min.X); y < g.height && visible > 0 {
			set(f.rect.Min.X, y, row[:visible])
		}
	})
	return img, missing, err
}

// endOr returns err, or io.ErrUnexpectedEOF if err is nil.
func endOr(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

// rows calls fn with each row of a frame as long as there are pixels, and returns the
// number of missing rows.
func (f gifFrame) rows(s source, fn func(y int, row []byte)) (missing int, err error) {
	if f.codeSize < 2 || f.codeSize > 8 {
		return 0, errors.New("the codes have an impossible size")
	}
	r := lzw.NewReader(&gifBlocks{c: newCounted(s, f.at)}, lzw.LSB, f.codeSize)
	defer r.Close()
	row := make([]byte, f.rect.Dx())
	height := f.rect.Dy()
	starts, steps := []int{0}, []int{1}
	if f.interlaced {
		starts, steps = []int{0, 4, 2, 1}, []int{8, 8, 4, 2}
	}
	done := 0
	for pass, y := range starts {
		for ; y < height; y += steps[pass] {
			n, err := io.ReadFull(r, row)
			if isEnd := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); err != nil && !isEnd {
				return 0, err
			}
			if n > 0 {
				fn(y, row[:n])
			}
			if err != nil {
				return height - done, nil
			}
			done++
		}
	}
	return 0, nil
}

// gifMetadata reads the XMP of a GIF (XMP part 3, section 1.1.2). The packet is not split
// into sub-blocks; a trailer leads block readers out of it.
func gifMetadata(s source) (*collector, error) {
	g, _ := readGIF(s, s.limits.MaxFrames) // its errors are reported elsewhere
	n := g.xmpEnd - g.xmpAt
	if n <= 0 || n > maxXMP {
		return newCollector(), nil
	}
	data := make([]byte, n)
	if _, err := s.ReadAt(data, g.xmpAt); err != nil {
		return newCollector(), err
	}
	packet, _, _ := bytes.Cut(data, []byte{1, 0xff, 0xfe})
	return embedded{xmp: packet}.collect(nil)
}

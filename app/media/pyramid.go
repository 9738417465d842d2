package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/baseline"
	"github.com/digital-asset-library/dal/app/media/planar"
)

// A Pyramid is a picture in several sizes, each in half the size of the one before, in tiles
// that are JPEGs. The last size is one tile.
//
// Its file has the tiles, from the largest size to the smallest, each from the top left row
// by row; then where each tile ends, in eight bytes; then width, height and the number of
// tiles in four bytes each, and a mark.
type Pyramid struct {
	Width, Height int
	Levels        []Level

	file io.ReaderAt
	ends []int64
}

// A Level is one size of a pyramid.
type Level struct {
	Width, Height int
	first         int // of its tiles
}

func (l Level) across() int { return (l.Width + dam.IIIFTile - 1) / dam.IIIFTile }
func (l Level) down() int   { return (l.Height + dam.IIIFTile - 1) / dam.IIIFTile }

const (
	pyramidMark    = "dalpyr\x00\x01"
	pyramidTrailer = 12 + len(pyramidMark)
	// PyramidQuality is that of the JPEGs of pyramids, and of what is made of them.
	PyramidQuality = 90
)

// levelsOf returns the sizes of the pyramid of a picture, and how many tiles they have.
func levelsOf(width, height int) (levels []Level, tiles int) {
	for w, h := width, height; ; w, h = (w+1)/2, (h+1)/2 {
		l := Level{w, h, tiles}
		levels = append(levels, l)
		tiles += l.across() * l.down()
		if max(w, h) <= dam.IIIFTile {
			return levels, tiles
		}
	}
}

// pyramidSides are the longest sides that a pyramid is tried in, the first only of pictures
// that are decoded in planes, or taken to planes in strips. A picture that takes more memory
// than there is gets a smaller pyramid. Drawings, whose size is anybody's choice, begin at drawnSide.
var pyramidSides = []int{65535, 65535, 32768, 16384, 12288, 8192, 6144, drawnSide, 3200, 1600}

const drawnSide = 4096

// wholeFormats are those that can have a pyramid of their full size in little memory.
func wholeFormats() []string { return []string{jpegFormat.MIME, pngFormat.MIME, tiffFormat.MIME} }

// errNotPlanar is returned when only a picture in planes is wanted, and this one is not.
var errNotPlanar = errors.New("the picture is not in planes")

// Pyramid writes the pyramid of a picture, or of a page of a file that has some; 0 is for
// others. The error may be ErrNoPage, ErrNoEngine or ErrNoPicture.
func (p *Processor) Pyramid(ctx context.Context, r io.ReaderAt, size int64, filename string, page int, w io.Writer) error {
	var err error
	for i, side := range pyramidSides {
		s := source{ctx: ctx, file: r, size: size, name: filename, longest: side, page: page, planes: i == 0}
		if err = p.pyramid(s, w); !isTooMuch(err) {
			break
		}
	}
	return err
}

// isTooMuch reports whether a smaller pyramid may succeed; what took too long once would again.
func isTooMuch(err error) bool {
	fault, ok := errors.AsType[*dam.FileError](err)
	return errors.Is(err, errNotPlanar) || ok && fault.Code == dam.CodeLimitsExceeded && !fault.Retryable && !errors.Is(err, errTimeout)
}

func (p *Processor) pyramid(s source, w io.Writer) error {
	return p.read(s, func(s source, f format, h header) error {
		switch {
		case s.planes && (h.deep || !slices.Contains(wholeFormats(), f.MIME)), f.scales && s.longest > drawnSide:
			return &readError{errNotPlanar}
		case s.page > 0 && (!f.paged || f.engine == nil && s.page > max(h.pages, 1)):
			return &readError{ErrNoPage}
		case s.page == 0 && f.paged && f.engine != nil:
			s.page = 1 // without what the whole file says
		}
		pic, _, err := p.picture(s, f, h)
		if err != nil {
			return err
		}
		return writePyramid(s.ctx, w, pic.planes)
	})
}

// pyramidMemory is how many bytes it takes to write the pyramid of a picture in its full
// size, of which decoded are for decoding it. It takes more to turn its planes, to take them
// to sRGB and to halve them; pixels in RGB are gone by then.
func pyramidMemory(f format, h header, decoded int64) int64 {
	beside := 7 * h.area() / 2
	if f.MIME == jpegFormat.MIME {
		return decoded + beside
	}
	return max(decoded+3*h.area()/2+stripPixel*(stripRows+2*stripMargin)*int64(h.width), beside)
}

// Pictures in RGB are taken to planes by strips of stripRows. Colours, which are scaled, go
// by stripMargin rows above and below as well. stripPixel is how many bytes a pixel takes.
const stripRows, stripMargin, stripPixel = 32, 4, 16

// inStrips takes a picture in RGB to planes in sRGB, so that there is little beside the two.
func inStrips(img image.Image, profile colors) (*planar.Picture, bool) {
	whole, ok := img.(interface {
		SubImage(r image.Rectangle) image.Image
	})
	b := img.Bounds()
	out := planar.New(b.Dx(), b.Dy(), false)
	for y := 0; ok && y < b.Dy(); y += stripRows {
		strip := image.Rect(0, y-stripMargin, b.Dx(), y+stripRows+stripMargin).Add(b.Min).Intersect(b)
		size := max(strip.Dx(), strip.Dy())
		pixels := reduce(whole.SubImage(strip), size)
		profile.toSRGB(pixels)
		top := b.Min.Y + y - strip.Min.Y
		ok = out.Put(0, y, planar.OfRGBA(pixels).Fit(size, 0).Crop(image.Rect(0, top, b.Dx(), top+stripRows)))
	}
	return out, ok
}

func writePyramid(ctx context.Context, w io.Writer, planes *planar.Picture) error {
	planes = planes.Fit(65535, 0) // in 4:2:0
	width, height := planes.Y.W, planes.Y.H
	levels, tiles := levelsOf(width, height)
	at, index := int64(0), make([]byte, 0, 8*tiles+pyramidTrailer)
	for i, l := range levels {
		if i > 0 {
			planes = planes.Halve()
		}
		for y := range l.down() {
			for x := range l.across() {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				tile := planes.Crop(tileRect(x, y)).Encode(PyramidQuality)
				if _, err := w.Write(tile); err != nil {
					return &readError{err}
				}
				at += int64(len(tile))
				index = binary.BigEndian.AppendUint64(index, uint64(at))
			}
		}
	}
	for _, n := range []int{width, height, tiles} {
		index = binary.BigEndian.AppendUint32(index, uint32(n))
	}
	if _, err := w.Write(append(index, pyramidMark...)); err != nil {
		return &readError{err}
	}
	return nil
}

func tileRect(x, y int) image.Rectangle {
	return image.Rect(x*dam.IIIFTile, y*dam.IIIFTile, (x+1)*dam.IIIFTile, (y+1)*dam.IIIFTile)
}

var errNoPyramid = errors.New("the file is no pyramid, or not whole")

// OpenPyramid reads where the tiles of a pyramid are, in a file of a size.
func OpenPyramid(file io.ReaderAt, size int64) (*Pyramid, error) {
	trailer := make([]byte, pyramidTrailer)
	if size < int64(len(trailer)) {
		return nil, errNoPyramid
	}
	if _, err := file.ReadAt(trailer, size-int64(len(trailer))); err != nil {
		return nil, err
	}
	number := func(i int) int { return int(binary.BigEndian.Uint32(trailer[4*i:])) }
	p := &Pyramid{Width: number(0), Height: number(1), file: file}
	if string(trailer[12:]) != pyramidMark || min(p.Width, p.Height) < 1 || max(p.Width, p.Height) > 65535 {
		return nil, errNoPyramid
	}
	levels, tiles := levelsOf(p.Width, p.Height)
	at := size - int64(len(trailer)) - 8*int64(tiles)
	if tiles != number(2) || at < 0 {
		return nil, errNoPyramid
	}
	index := make([]byte, 8*tiles)
	if _, err := file.ReadAt(index, at); err != nil {
		return nil, err
	}
	p.Levels, p.ends = levels, make([]int64, tiles)
	before := int64(0)
	for i := range p.ends {
		p.ends[i] = int64(binary.BigEndian.Uint64(index[8*i:]))
		if p.ends[i] <= before || p.ends[i] > at {
			return nil, errNoPyramid
		}
		before = p.ends[i]
	}
	if before != at {
		return nil, errNoPyramid
	}
	return p, nil
}

// tile returns the JPEG of a tile of a level.
func (p *Pyramid) tile(l Level, x, y int) *io.SectionReader {
	i := l.first + y*l.across() + x
	from := int64(0)
	if i > 0 {
		from = p.ends[i-1]
	}
	return io.NewSectionReader(p.file, from, p.ends[i]-from)
}

// Tile returns the tile that is all that a request asks for, as a JPEG; nil if there is none.
func (p *Pyramid) Tile(r dam.IIIFRequest, c dam.IIIFCut) *io.SectionReader {
	if r.Format != dam.PictureJPEG || r.Orientation() != 1 || r.Quality != dam.IIIFDefault && r.Quality != dam.IIIFColor {
		return nil
	}
	for i, l := range p.Levels {
		step := dam.IIIFTile << i
		x, y := c.X/step, c.Y/step
		within := tileRect(x, y).Intersect(image.Rect(0, 0, l.Width, l.Height))
		whole := image.Rect(x*step, y*step, min((x+1)*step, p.Width), min((y+1)*step, p.Height))
		if whole == image.Rect(c.X, c.Y, c.X+c.W, c.Y+c.H) && within.Dx() == c.ToW && within.Dy() == c.ToH {
			return p.tile(l, x, y)
		}
	}
	return nil
}

// Cut makes what a request asks for out of a pyramid.
func (p *Processor) Cut(ctx context.Context, from *Pyramid, r dam.IIIFRequest, c dam.IIIFCut) ([]byte, error) {
	at := 0
	for at+1 < len(from.Levels) && c.W >= c.ToW<<(at+1) && c.H >= c.ToH<<(at+1) {
		at++
	}
	l := from.Levels[at]
	unit := 1 << at
	// The part in pixels of the level; one that the region begins or ends within counts.
	part := image.Rect(c.X/unit, c.Y/unit, (c.X+c.W+unit-1)/unit, (c.Y+c.H+unit-1)/unit).Intersect(image.Rect(0, 0, l.Width, l.Height))
	need := cutMemory(part, c)
	if need > p.limits.MemoryBudget {
		return nil, exceeded("Making the picture takes more memory than the server allows.")
	}
	if err := p.budget.Acquire(ctx, need); err != nil {
		return nil, err
	}
	defer p.budget.Release(need)
	planes, origin, err := from.canvas(ctx, l, part)
	if err != nil {
		return nil, err
	}
	planes = planes.Part(part.Sub(origin), c.ToW, c.ToH).Fit(65535, r.Orientation())
	switch r.Quality {
	case dam.IIIFGray:
		planes = planes.Grey()
	case dam.IIIFBitonal:
		planes = planes.Bitonal()
	}
	if r.Format == dam.PicturePNG {
		return quickPNG(planes)
	}
	s := source{ctx: ctx, limits: p.limits}
	return p.encode(s, planes, dam.Transform{Format: r.Format, Quality: PyramidQuality})
}

// quickPNG writes a picture that is made each time that it is asked for: larger, but sooner.
func quickPNG(p *planar.Picture) ([]byte, error) {
	var out bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	err := e.Encode(&out, p.Image())
	return out.Bytes(), err
}

// cutMemory is how many bytes Cut takes: the tiles that a part touches, that scaled one way
// and then the other, turned, in RGB, and as a file.
func cutMemory(part image.Rectangle, c dam.IIIFCut) int64 {
	const tile = dam.IIIFTile
	area := int64(part.Dx()+2*tile) * int64(part.Dy()+2*tile)
	to := int64(c.ToW) * int64(c.ToH)
	return 3*area + 10*to + 1<<20
}

// canvas returns the tiles of a level that a part touches, in one picture, and where that
// begins.
func (p *Pyramid) canvas(ctx context.Context, l Level, part image.Rectangle) (*planar.Picture, image.Point, error) {
	const tile = dam.IIIFTile
	x0, y0 := part.Min.X/tile, part.Min.Y/tile
	x1, y1 := (part.Max.X+tile-1)/tile, (part.Max.Y+tile-1)/tile
	origin := image.Pt(x0*tile, y0*tile)
	size := image.Pt(min(x1*tile, l.Width), min(y1*tile, l.Height)).Sub(origin)
	var out *planar.Picture
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			if ctx.Err() != nil {
				return nil, origin, ctx.Err()
			}
			one, err := decodeTile(p.tile(l, x, y))
			if err != nil {
				return nil, origin, err
			}
			if out == nil {
				out = planar.New(size.X, size.Y, one.IsGrey())
			}
			if !out.Put((x-x0)*tile, (y-y0)*tile, one) {
				return nil, origin, errNoPyramid
			}
		}
	}
	return out, origin, nil
}

func decodeTile(r *io.SectionReader) (*planar.Picture, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	img, ok := baseline.Decode(bytes.NewReader(data))
	if !ok {
		if img, err = jpeg.Decode(bytes.NewReader(data)); err != nil {
			return nil, fmt.Errorf("%w: %w", errNoPyramid, err)
		}
	}
	planes, ok := planar.Of(img)
	if !ok {
		return nil, errNoPyramid
	}
	return planes, nil
}

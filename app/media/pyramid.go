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

// A Pyramid is a picture in several sizes, each half the size of the previous one, cut into
// JPEG tiles. The last size is a single tile.
//
// Its file contains the tiles, from the largest size to the smallest, each row by row from
// the top left; then the end offset of each tile, in eight bytes; then the width, the height
// and the number of tiles, in four bytes each, and a magic number.
type Pyramid struct {
	Width, Height int
	Levels        []Level

	file io.ReaderAt
	ends []int64
}

// A Level is one size of a pyramid.
type Level struct {
	Width, Height int
	first         int // index of its first tile
}

func (l Level) across() int { return (l.Width + dam.IIIFTile - 1) / dam.IIIFTile }
func (l Level) down() int   { return (l.Height + dam.IIIFTile - 1) / dam.IIIFTile }

const (
	pyramidMark    = "dalpyr\x00\x01"
	pyramidTrailer = 12 + len(pyramidMark)
	// PyramidQuality is the JPEG quality of pyramids and of pictures cut from them.
	PyramidQuality = 90
)

// levelsOf returns the levels of a picture's pyramid, and their total number of tiles.
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

// pyramidSides are the longest sides to try for a pyramid; the first applies only to pictures that
// are decoded as planes or converted to planes in strips. A picture that exceeds the available memory
// gets a smaller pyramid. Vector graphics, whose size is arbitrary, start at drawnSide.
var pyramidSides = []int{65535, 65535, 32768, 16384, 12288, 8192, 6144, drawnSide, 3200, 1600}

const drawnSide = 4096

// wholeFormats returns the formats that can have a full-size pyramid in little memory.
func wholeFormats() []string { return []string{jpegFormat.MIME, pngFormat.MIME, tiffFormat.MIME} }

// errNotPlanar is returned if only a planar picture is wanted, and this one is not planar.
var errNotPlanar = errors.New("the picture is not in planes")

// Pyramid writes the pyramid of a picture, or of a page of a file with pages; page is 0 for
// files without. The error may be ErrNoPage, ErrNoEngine or ErrNoPicture.
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

// isTooMuch reports whether a smaller pyramid may succeed. A timeout would only happen
// again.
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
			s.page = 1 // without metadata of the whole file
		}
		pic, _, err := p.picture(s, f, h)
		if err != nil {
			return err
		}
		return writePyramid(s.ctx, w, pic.planes)
	})
}

// pyramidMemory returns how many bytes it takes to write the full-size pyramid of a picture,
// of which decoded are for decoding it. Rotating the planes, converting them to sRGB and
// halving them takes additional memory; RGB pixels have been released by then.
func pyramidMemory(f format, h header, decoded int64) int64 {
	beside := 7 * h.area() / 2
	if f.MIME == jpegFormat.MIME {
		return decoded + beside
	}
	return max(decoded+3*h.area()/2+stripPixel*(stripRows+2*stripMargin)*int64(h.width), beside)
}

// RGB pictures are converted to planes in strips of stripRows. Chroma, which is scaled,
// also reads stripMargin rows above and below. stripPixel is the number of bytes per pixel.
const stripRows, stripMargin, stripPixel = 32, 4, 16

// inStrips converts an RGB picture to sRGB planes strip by strip, so that it needs
// little memory apart from the two pictures. It reports whether that is possible.
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
	planes = planes.Fit(65535, 0) // to 4:2:0
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

// OpenPyramid reads the tile offsets of a pyramid file with the given size.
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

// Tile returns the tile that exactly matches a request, as a JPEG; nil if none does.
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

// Cut renders the requested part of a pyramid.
func (p *Processor) Cut(ctx context.Context, from *Pyramid, r dam.IIIFRequest, c dam.IIIFCut) ([]byte, error) {
	at := 0
	for at+1 < len(from.Levels) && c.W >= c.ToW<<(at+1) && c.H >= c.ToH<<(at+1) {
		at++
	}
	l := from.Levels[at]
	unit := 1 << at
	// The part in pixels of the level, including pixels that the region covers partially.
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

// quickPNG encodes a picture that is generated on every request: faster, but larger.
func quickPNG(p *planar.Picture) ([]byte, error) {
	var out bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	err := e.Encode(&out, p.Image())
	return out.Bytes(), err
}

// cutMemory returns how many bytes Cut takes: the tiles that intersect the part, scaled in
// one direction and then in the other, rotated, in RGB, and as a file.
func cutMemory(part image.Rectangle, c dam.IIIFCut) int64 {
	const tile = dam.IIIFTile
	area := int64(part.Dx()+2*tile) * int64(part.Dy()+2*tile)
	to := int64(c.ToW) * int64(c.ToH)
	return 3*area + 10*to + 1<<20
}

// canvas joins the tiles of a level that intersect a part into one picture, and returns its
// origin.
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

package tiff

import (
	"bytes"
	"image/color"
	"io"
)

// Tags of TIFF 6.0.
const (
	tagWidth           = 0x0100
	tagLength          = 0x0101
	tagBitsPerSample   = 0x0102
	tagCompression     = 0x0103
	tagPhotometric     = 0x0106
	tagFillOrder       = 0x010a
	tagStripOffsets    = 0x0111
	tagSamplesPerPixel = 0x0115
	tagRowsPerStrip    = 0x0116
	tagStripByteCounts = 0x0117
	tagPlanar          = 0x011c
	tagT4Options       = 0x0124
	tagPredictor       = 0x013d
	tagColorMap        = 0x0140
	tagTileWidth       = 0x0142
	tagTileLength      = 0x0143
	tagTileOffsets     = 0x0144
	tagTileByteCounts  = 0x0145
	tagInkSet          = 0x014c
	tagExtraSamples    = 0x0152
	tagSampleFormat    = 0x0153
	tagJPEGTables      = 0x015b
	tagSubsampling     = 0x0212
)

// The supported photometric interpretations.
const (
	whiteIsZero = 0
	blackIsZero = 1
	rgb         = 2
	paletted    = 3
	separated   = 5 // CMYK
	yCbCr       = 6
)

// The supported compressions.
const (
	none       = 1
	group3     = 3
	group4     = 4
	lzwCodes   = 5
	jpegBlocks = 7
	deflate    = 8
	deflateOld = 32946
	packBits   = 32773
)

// maxSide limits a side of a picture, in pixels, so that the product of two sides and a few
// bytes does not overflow.
const maxSide = 1 << 28

// Picture describes a picture in a TIFF and can decode it.
type Picture struct {
	Width, Height int

	f                        *File
	bits, samples            int
	photometric, compression int
	alpha                    int // 0 none, 1 premultiplied, 2 straight
	predictor, fill          int
	separate                 bool // each sample has separate planes
	twoDimensional           bool // Group 3
	across, down             int  // number of blocks, which are strips or tiles
	blockW, blockH           int
	tiled                    bool
	offsets, counts          Entry
	palette                  color.Palette
	tables                   []byte // shared JPEG tables
	subX, subY               int    // pixels per chroma sample
}

// Picture reads the description of the picture in the directory at an offset, and returns
// an error if it cannot be decoded.
func (f *File) Picture(at int64) (*Picture, error) {
	d, err := f.Directory(at)
	if err != nil {
		return nil, err
	}
	w, h := f.Number(d, tagWidth, 0), f.Number(d, tagLength, 0)
	if w <= 0 || h <= 0 || w > maxSide || h > maxSide {
		return nil, FormatError("the picture has no size")
	}
	p := &Picture{
		f: f, Width: int(w), Height: int(h), compression: int(f.Number(d, tagCompression, none)),
		photometric: int(f.Number(d, tagPhotometric, blackIsZero)), fill: int(f.Number(d, tagFillOrder, 1)),
		predictor: int(f.Number(d, tagPredictor, 1)), separate: f.Number(d, tagPlanar, 1) == 2,
		twoDimensional: f.Number(d, tagT4Options, 0)&1 != 0,
	}
	if p.compression == 0 {
		p.compression = none // some programs write 0
	}
	for _, read := range []func(*Directory) error{p.readSamples, p.readColors, p.readBlocks} {
		if err := read(d); err != nil {
			return nil, err
		}
	}
	return p, p.supported(d)
}

// readSamples reads the number of samples per pixel and their bits.
func (p *Picture) readSamples(d *Directory) error {
	bits := []int64{1}
	if e, ok := d.Find(tagBitsPerSample); ok {
		list, err := p.f.Numbers(e, 16)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			bits = list
		}
	}
	for _, b := range bits {
		if b != bits[0] {
			return UnsupportedError("samples of different depths")
		}
	}
	samples := p.f.Number(d, tagSamplesPerPixel, int64(len(bits)))
	if samples < 1 || samples > 16 || bits[0] < 1 || bits[0] > 32 || bits[0] > 16 && bits[0] != 32 {
		return UnsupportedError("this many samples or bits")
	}
	p.bits, p.samples = int(bits[0]), int(samples)
	p.separate = p.separate && p.samples > 1
	least := map[int]int{rgb: 3, separated: 4, yCbCr: 3}[p.photometric]
	if p.samples < max(1, least) {
		return FormatError("the pixels have too few samples")
	}
	if extra := p.f.Number(d, tagExtraSamples, 0); p.samples > max(1, least) && (p.photometric == rgb || p.photometric <= blackIsZero) {
		p.alpha = int(extra)
		if extra != 1 && extra != 2 {
			p.alpha = 0
		}
	}
	return nil
}

// readColors reads the palette and the chroma subsampling.
func (p *Picture) readColors(d *Directory) error {
	p.subX, p.subY = 1, 1
	switch p.photometric {
	case paletted:
		return p.readPalette(d)
	case yCbCr:
		p.subX, p.subY = 2, 2
		if e, ok := d.Find(tagSubsampling); ok {
			list, err := p.f.Numbers(e, 2)
			if err != nil || len(list) < 2 {
				return FormatError("the sampling of colours cannot be read")
			}
			p.subX, p.subY = int(list[0]), int(list[1])
		}
		for _, s := range []int{p.subX, p.subY} {
			if s != 1 && s != 2 && s != 4 {
				return FormatError("the sampling of colours is impossible")
			}
		}
	}
	return nil
}

func (p *Picture) readPalette(d *Directory) error {
	e, ok := d.Find(tagColorMap)
	if !ok || p.bits > 8 || p.samples != 1 {
		return UnsupportedError("such a palette")
	}
	n := 1 << p.bits
	list, err := p.f.Numbers(e, int64(3*n))
	if err != nil {
		return err
	}
	if len(list) < 3*n {
		return FormatError("the palette is too short")
	}
	shift := 0 // for programs that write 8-bit values
	for _, v := range list {
		if v > 255 {
			shift = 8
		}
	}
	for i := range n {
		p.palette = append(p.palette, color.RGBA{byte(list[i] >> shift), byte(list[n+i] >> shift), byte(list[2*n+i] >> shift), 255})
	}
	return nil
}

// readBlocks reads how the picture is divided, and the locations of its blocks.
func (p *Picture) readBlocks(d *Directory) error {
	p.blockW, p.blockH = p.Width, p.Height
	offsets, counts := uint16(tagStripOffsets), uint16(tagStripByteCounts)
	if d.Has(tagTileWidth) {
		w, h := p.f.Number(d, tagTileWidth, 0), p.f.Number(d, tagTileLength, 0)
		if w < 8 || h < 8 || w > maxSide || h > maxSide {
			return FormatError("the tiles have an impossible size")
		}
		p.tiled, p.blockW, p.blockH = true, int(w), int(h)
		if d.Has(tagTileOffsets) { // some programs use the tags for strips
			offsets, counts = tagTileOffsets, tagTileByteCounts
		}
	} else if rows := p.f.Number(d, tagRowsPerStrip, int64(p.Height)); rows > 0 {
		p.blockH = int(min(rows, int64(p.Height)))
	}
	p.across, p.down = (p.Width+p.blockW-1)/p.blockW, (p.Height+p.blockH-1)/p.blockH
	var ok bool
	if p.offsets, ok = d.Find(offsets); !ok {
		return FormatError("there are no pixels")
	}
	if p.counts, ok = d.Find(counts); !ok && p.blocks() > 1 && p.compression != none {
		return FormatError("the pixels have no lengths")
	}
	if e, ok := d.Find(tagJPEGTables); ok && p.compression == jpegBlocks {
		if n, _ := e.Size(); n > 64<<10 {
			return FormatError("the tables are too long")
		}
		var err error
		if p.tables, err = p.f.Bytes(e, 64<<10); bytes.Contains(p.tables, []byte{0xff, 0xda}) {
			return FormatError("there are pixels among the tables")
		}
		return err
	}
	return nil
}

// blocks returns the number of blocks in all planes.
func (p *Picture) blocks() int64 {
	n := int64(p.across) * int64(p.down)
	if p.separate {
		n *= int64(p.samples)
	}
	return n
}

// supported returns an error for a picture that Decode does not support.
func (p *Picture) supported(d *Directory) error {
	switch p.photometric {
	case whiteIsZero, blackIsZero, rgb, paletted:
	case separated:
		if p.f.Number(d, tagInkSet, 1) != 1 {
			return UnsupportedError("inks other than CMYK")
		}
	case yCbCr:
		if p.compression != jpegBlocks && (p.bits != 8 || p.separate || p.samples != 3) {
			return UnsupportedError("such Y'CbCr")
		}
	default:
		return UnsupportedError("the kind of colours")
	}
	if format := p.f.Number(d, tagSampleFormat, 1); format != 1 && format != 4 {
		return UnsupportedError("samples that are no natural numbers")
	}
	switch p.compression {
	case none, lzwCodes, deflate, deflateOld, packBits:
	case group3, group4:
		if p.bits != 1 || p.samples != 1 || p.twoDimensional && p.compression == group3 {
			return UnsupportedError("such a fax")
		}
	case jpegBlocks:
		if p.bits != 8 || p.separate && p.photometric == yCbCr || p.photometric == paletted {
			return UnsupportedError("such a JPEG inside")
		}
	default:
		return UnsupportedError("the compression")
	}
	if p.predictor > 2 || p.predictor == 2 && p.bits < 8 {
		return UnsupportedError("the predictor")
	}
	return nil
}

// Need returns the peak number of bytes that Decode allocates, or some number above most if
// it is more than that.
func (p *Picture) Need(most int64) int64 {
	area := int64(p.Width) * int64(p.Height)
	n := area * p.pixelBytes()
	n += 80 * p.blocks() // offsets and counts, their stored form, and a reader per block
	n += 8 * p.rowBytes()
	if p.compression != jpegBlocks || n > most {
		return n
	}
	w, h := int64(p.blockW+31)&^31, int64(p.blockH+31)&^31
	return n + 8*w*h // planes, and the merging of four of them
}

// IsDeep reports whether Decode returns CMYK or 16-bit samples.
func (p *Picture) IsDeep() bool { return p.bits > 8 || p.photometric == separated }

// pixelBytes returns the bytes per pixel of the picture that Decode returns.
func (p *Picture) pixelBytes() int64 {
	n := int64(1)
	switch {
	case p.photometric == rgb, p.photometric == separated, p.photometric == yCbCr, p.alpha != 0:
		n = 4
	}
	if p.bits > 8 && p.photometric != separated {
		n *= 2
	}
	return n
}

// planeSamples returns the number of samples per pixel in a block.
func (p *Picture) planeSamples() int {
	if p.separate {
		return 1
	}
	return p.samples
}

// rowBytes returns the size in bytes of a row of a block; for subsampled Y'CbCr, of the
// rows that share colours.
func (p *Picture) rowBytes() int64 {
	if p.isUnits() {
		return int64((p.blockW+p.subX-1)/p.subX) * int64(p.subX*p.subY+2)
	}
	return (int64(p.blockW)*int64(p.planeSamples())*int64(p.bits) + 7) / 8
}

// isUnits reports whether blocks are stored as units of luma and chroma.
func (p *Picture) isUnits() bool { return p.photometric == yCbCr && p.compression != jpegBlocks }

// places returns the offsets and sizes of the blocks.
func (p *Picture) places() (offsets, counts []int64, err error) {
	n := p.blocks()
	if offsets, err = p.f.Numbers(p.offsets, n); err != nil {
		return nil, nil, err
	}
	if counts, err = p.f.Numbers(p.counts, n); err != nil {
		return nil, nil, err
	}
	if int64(len(offsets)) < n {
		return nil, nil, FormatError("pixels are missing")
	}
	for i := int64(len(counts)); i < n; i++ { // if the tag is missing, up to the end
		counts = append(counts, max(0, p.f.size-offsets[i]))
	}
	for i, at := range offsets {
		if at < 0 || counts[i] < 0 {
			return nil, nil, FormatError("pixels lie nowhere")
		}
	}
	return offsets, counts, nil
}

// section returns a reader of a stored block.
func (p *Picture) section(at, n int64) *io.SectionReader { return io.NewSectionReader(p.f.r, at, n) }

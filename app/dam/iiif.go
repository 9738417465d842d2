package dam

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The limits of the IIIF Image API: https://iiif.io/api/image/3.0/
const (
	MaxIIIFSide  = 8192       // pixels
	MaxIIIFArea  = 16_000_000 // pixels
	IIIFTile     = 512        // pixels of each side of a tile
	MaxIIIFPages = 2000       // in one manifest
	MaxIIIFItems = 1000       // in one collection
	maxIIIFText  = 100        // characters of each part of a path
)

// ErrIIIFUnsupported is returned for features of the Image API that this server does not
// support.
var ErrIIIFUnsupported = errors.New("the server does not make pictures larger than they are")

func badIIIF(format string, args ...any) error { return Errorf(Malformed, format, args...) }

// An IIIFID is the parsed identifier of a picture or a manifest. It has the form
// "GAID~signature" or "s~token~GAID". Optional suffixes are "~m" with the longest side that
// a signature allows, and "~p" with a page. A whole share is "s~token".
type IIIFID struct {
	GAID      GAID
	Token     string // of a share, instead of a signature
	Signature string
	Max       int // longest side allowed by the signature, in pixels; 0 for any
	Page      int // 0 for none
}

// ParseIIIFID parses an identifier. It accepts only the canonical form of String.
func ParseIIIFID(text string) (IIIFID, bool) {
	var id IIIFID
	parts := strings.Split(text, "~")
	shared := parts[0] == "s"
	if shared {
		parts = parts[1:]
	}
	if len(text) > 2*maxIIIFText || len(parts) > 4 || len(parts) < 2 && !shared || len(parts) == 0 {
		return id, false
	}
	rest := parts[1:]
	if shared {
		id.Token = parts[0]
		if len(rest) > 0 {
			id.GAID, rest = GAID(rest[0]), rest[1:]
		}
	} else {
		id.GAID, id.Signature, rest = GAID(parts[0]), parts[1], parts[2:]
	}
	for _, part := range rest {
		n, _ := strconv.Atoi(part[min(1, len(part)):])
		switch {
		case strings.HasPrefix(part, "m"):
			id.Max = n
		case strings.HasPrefix(part, "p"):
			id.Page = n
		}
	}
	return id, id.String() == text && (shared && id.Token != "" || id.Signature != "")
}

// String returns the canonical form of an identifier.
func (id IIIFID) String() string {
	parts := []string{string(id.GAID), id.Signature}
	if id.Token != "" {
		parts = []string{"s", id.Token}
		if id.GAID != "" {
			parts = append(parts, string(id.GAID))
		}
	} else if id.Max > 0 {
		parts = append(parts, "m"+itoa(id.Max))
	}
	if id.Page > 0 {
		parts = append(parts, "p"+itoa(id.Page))
	}
	return strings.Join(parts, "~")
}

// OfPage returns the identifier of a page of the same asset.
func (id IIIFID) OfPage(page int) IIIFID {
	id.Page = page
	return id
}

// OfAsset returns the identifier of an asset in the same share.
func (id IIIFID) OfAsset(gaid GAID) IIIFID { return IIIFID{Token: id.Token, GAID: gaid} }

// IIIFRegion is the requested part of a picture.
type IIIFRegion struct {
	Kind       string  // "full", "square", "" for pixels, or "pct"
	X, Y, W, H float64 // pixels or percent
}

// IIIFSize is the requested size.
type IIIFSize struct {
	Kind string  // "max", "pct", "" for exact sides, or "!" for maximum sides
	W, H int     // 0 to keep the aspect ratio
	Pct  float64 // percent
	Up   bool    // upscaling allowed
}

// IIIFRequest is a request for a picture in the Image API.
type IIIFRequest struct {
	Region  IIIFRegion
	Size    IIIFSize
	Mirror  bool
	Turn    int    // degrees, clockwise: 0, 90, 180 or 270
	Quality string // see IIIFQualities
	Format  PictureFormat
}

// The qualities of the Image API.
const (
	IIIFDefault = "default"
	IIIFColor   = "color"
	IIIFGray    = "gray"
	IIIFBitonal = "bitonal"
)

// IIIFQualities lists the qualities.
func IIIFQualities() []string { return []string{IIIFDefault, IIIFColor, IIIFGray, IIIFBitonal} }

// ParseIIIF parses the four path segments after the identifier. Errors are Malformed.
func ParseIIIF(region, size, rotation, file string) (r IIIFRequest, err error) {
	if max(len(region), len(size), len(rotation), len(file)) > maxIIIFText {
		return r, badIIIF("A part of the path has more than %d characters.", maxIIIFText)
	}
	if r.Region, err = parseIIIFRegion(region); err != nil {
		return r, err
	}
	if r.Size, err = parseIIIFSize(size); err != nil {
		return r, err
	}
	turn, mirrored := strings.CutPrefix(rotation, "!")
	degrees, ok := iiifNumber(turn)
	if !ok || degrees > 360 || math.Mod(degrees, 90) != 0 {
		return r, badIIIF("The rotation has to be 0, 90, 180 or 270, with an exclamation mark before it to mirror.")
	}
	r.Mirror, r.Turn = mirrored, int(degrees)%360
	quality, format, _ := strings.Cut(file, ".")
	if r.Quality = quality; !slices.Contains(IIIFQualities(), quality) {
		return r, badIIIF("The quality has to be one of %s.", strings.Join(IIIFQualities(), ", "))
	}
	switch format {
	case "jpg":
		r.Format = PictureJPEG
	case "png":
		r.Format = PicturePNG
	case "webp":
		r.Format = PictureWebP
	default:
		return r, badIIIF("The format has to be jpg, png or webp.")
	}
	return r, nil
}

// iiifNumber parses a number of the Image API: digits with an optional decimal point.
func iiifNumber(text string) (float64, bool) {
	whole, part, _ := strings.Cut(text, ".")
	if text == "" || len(text) > 20 || whole+part == "" || strings.Trim(whole+part, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// iiifPixels parses a whole number.
func iiifPixels(text string) (int, bool) {
	if text == "" || len(text) > 9 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

func parseIIIFRegion(text string) (r IIIFRegion, err error) {
	if text == "full" || text == "square" {
		return IIIFRegion{Kind: text}, nil
	}
	list, pct := strings.CutPrefix(text, "pct:")
	numbers := strings.Split(list, ",")
	wrong := badIIIF("The region has to be full, square, x,y,w,h or pct:x,y,w,h.")
	if len(numbers) != 4 {
		return r, wrong
	}
	var v [4]float64
	for i, n := range numbers {
		ok := false
		if pct {
			v[i], ok = iiifNumber(n)
		} else {
			var whole int
			whole, ok = iiifPixels(n)
			v[i] = float64(whole)
		}
		if !ok {
			return r, wrong
		}
	}
	r = IIIFRegion{"", v[0], v[1], v[2], v[3]}
	if pct {
		r.Kind = "pct"
	}
	if r.W == 0 || r.H == 0 {
		return r, badIIIF("The region has no pixels.")
	}
	return r, nil
}

func parseIIIFSize(text string) (s IIIFSize, err error) {
	text, s.Up = strings.CutPrefix(text, "^")
	wrong := badIIIF("The size has to be max, w,, ,h, pct:n, w,h or !w,h.")
	within, confined := strings.CutPrefix(text, "!")
	percent, pct := strings.CutPrefix(text, "pct:")
	switch {
	case text == "max":
		s.Kind = text
	case pct:
		var ok bool
		if s.Pct, ok = iiifNumber(percent); !ok || s.Pct == 0 {
			return s, wrong
		}
		if s.Kind = "pct"; s.Pct > 100 && !s.Up {
			return s, badIIIF("The size is larger than the region.")
		}
	default:
		w, h, comma := strings.Cut(within, ",")
		okW, okH := w == "", h == ""
		if !okW {
			s.W, okW = iiifPixels(w)
		}
		if !okH {
			s.H, okH = iiifPixels(h)
		}
		if !comma || !okW || !okH || w == "" && h == "" || confined && (w == "" || h == "") {
			return s, wrong
		}
		if w != "" && s.W == 0 || h != "" && s.H == 0 {
			return s, badIIIF("The size has no pixels.")
		}
		if confined {
			s.Kind = "!"
		}
	}
	return s, nil
}

// IIIFCut is an IIIF region and size applied to a picture.
type IIIFCut struct {
	X, Y, W, H int // the region, in pixels
	ToW, ToH   int // scaled size before the rotation
	Canonical  string
	full       bool
}

// Full reports whether the region is the whole picture.
func (c IIIFCut) Full() bool { return c.full }

// Cut applies a request to a picture of the given size. Errors are Malformed, or
// ErrIIIFUnsupported for upscaling.
func (r IIIFRequest) Cut(width, height int) (c IIIFCut, err error) {
	if c.X, c.Y, c.W, c.H, err = r.Region.within(width, height); err != nil {
		return c, err
	}
	c.full = c.W == width && c.H == height
	if err = r.Size.of(&c); err != nil {
		return c, err
	}
	mw, mh := IIIFMost(c.W, c.H)
	region, size := "full", "max"
	if !c.full {
		region = strings.Join([]string{itoa(c.X), itoa(c.Y), itoa(c.W), itoa(c.H)}, ",")
	}
	if c.ToW != mw || c.ToH != mh {
		size = itoa(c.ToW) + "," + itoa(c.ToH)
	}
	turn := itoa(r.Turn)
	if r.Mirror {
		turn = "!" + turn
	}
	quality := r.Quality
	if quality == IIIFColor { // pictures of this server are in color by default
		quality = IIIFDefault
	}
	c.Canonical = region + "/" + size + "/" + turn + "/" + quality + "." + r.Format.Extension()
	return c, nil
}

// within returns the region in pixels.
func (r IIIFRegion) within(width, height int) (x, y, w, h int, err error) {
	switch r.Kind {
	case "full":
		return 0, 0, width, height, nil
	case "square":
		side := min(width, height)
		return (width - side) / 2, (height - side) / 2, side, side, nil
	}
	fx, fy, fw, fh := r.X, r.Y, r.W, r.H
	if r.Kind == "pct" {
		fx, fw = fx*float64(width)/100, fw*float64(width)/100
		fy, fh = fy*float64(height)/100, fh*float64(height)/100
	}
	pixel := func(v float64, most int) int { return int(math.Round(min(v, float64(most)))) }
	x, y = pixel(fx, width), pixel(fy, height)
	w, h = min(pixel(fw, width), width-x), min(pixel(fh, height), height-y)
	if w < 1 || h < 1 {
		return 0, 0, 0, 0, badIIIF("The region has no pixels of the picture, which has %d × %d.", width, height)
	}
	return x, y, w, h, nil
}

// of sets the size to which a region is scaled.
func (s IIIFSize) of(c *IIIFCut) error {
	w, h := float64(c.W), float64(c.H)
	scaled := func(x, y float64) (int, int) { return iiifRound(w * x), iiifRound(h * y) }
	most := iiifScale(c.W, c.H)
	switch {
	case s.Kind == "max":
		c.ToW, c.ToH = IIIFMost(c.W, c.H)
		if s.Up && (int(w*most) > c.W || int(h*most) > c.H) {
			return ErrIIIFUnsupported
		}
		return nil
	case s.Kind == "!":
		mw, mh := IIIFMost(c.W, c.H)
		scale := min(1, float64(min(s.W, mw))/w, float64(min(s.H, mh))/h)
		c.ToW, c.ToH = scaled(scale, scale)
		c.ToW, c.ToH = max(1, c.ToW), max(1, c.ToH)
		if up := min(float64(s.W)/w, float64(s.H)/h, most); s.Up && up > 1 {
			c.ToW, c.ToH = scaled(up, up)
		}
	case s.Kind == "pct":
		c.ToW, c.ToH = scaled(s.Pct/100, s.Pct/100)
	case s.H == 0:
		c.ToW, c.ToH = s.W, iiifRound(h*float64(s.W)/w)
	case s.W == 0:
		c.ToW, c.ToH = iiifRound(w*float64(s.H)/h), s.H
	default:
		c.ToW, c.ToH = s.W, s.H
	}
	larger := c.ToW > c.W || c.ToH > c.H
	switch {
	case larger && s.Up:
		return ErrIIIFUnsupported
	case c.ToW < 1 || c.ToH < 1:
		return badIIIF("The size has no pixels.")
	case larger:
		return badIIIF("The size is larger than the region, which has %d × %d pixels.", c.W, c.H)
	case c.ToW > MaxIIIFSide || c.ToH > MaxIIIFSide || c.ToW*c.ToH > MaxIIIFArea:
		return badIIIF("A picture may have up to %d pixels a side and %d million in all.", MaxIIIFSide, MaxIIIFArea/1_000_000)
	}
	return nil
}

// iiifRound rounds a number of pixels and limits it to the int32 range.
func iiifRound(v float64) int { return int(math.Round(min(v, math.MaxInt32))) }

// iiifScale returns the maximum scale factor of a region.
func iiifScale(w, h int) float64 {
	return min(MaxIIIFSide/float64(max(w, h)), math.Sqrt(MaxIIIFArea/(float64(w)*float64(h))))
}

// IIIFMost returns the largest size in which a region is sent.
func IIIFMost(w, h int) (int, int) {
	scale := iiifScale(w, h)
	if scale >= 1 {
		return w, h
	}
	return max(1, int(float64(w)*scale)), max(1, int(float64(h)*scale))
}

// Orientation returns the EXIF orientation of the requested rotation and mirroring.
func (r IIIFRequest) Orientation() int {
	if r.Mirror {
		return map[int]int{0: 2, 90: 7, 180: 4, 270: 5}[r.Turn]
	}
	return map[int]int{0: 1, 90: 6, 180: 3, 270: 8}[r.Turn]
}

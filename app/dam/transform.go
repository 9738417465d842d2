package dam

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Fit is the way in which a picture is fitted to a size.
type Fit string

// The ways to fit.
const (
	FitContain Fit = "contain" // whole picture, at most this size
	FitCover   Fit = "cover"   // proportions of the size; the excess is cropped
)

// Values lists the ways to fit.
func (Fit) Values() []Fit { return []Fit{FitContain, FitCover} }

// Gravity is the part of a picture that a crop keeps.
type Gravity string

// The gravities. GravityFocal is the focal point of the asset, or the center if it has
// none.
const (
	GravityFocal     Gravity = "focal"
	GravityCenter    Gravity = "center"
	GravityNorth     Gravity = "north"
	GravityNorthEast Gravity = "northeast"
	GravityEast      Gravity = "east"
	GravitySouthEast Gravity = "southeast"
	GravitySouth     Gravity = "south"
	GravitySouthWest Gravity = "southwest"
	GravityWest      Gravity = "west"
	GravityNorthWest Gravity = "northwest"
)

// Values lists the gravities.
func (Gravity) Values() []Gravity {
	return []Gravity{
		GravityFocal, GravityCenter, GravityNorth, GravityNorthEast, GravityEast, GravitySouthEast, GravitySouth, GravitySouthWest,
		GravityWest, GravityNorthWest,
	}
}

// point returns the position of a gravity as fractions from the top left.
func (g Gravity) point() FocalPoint {
	p := FocalPoint{X: 0.5, Y: 0.5}
	switch {
	case strings.HasSuffix(string(g), "west"):
		p.X = 0
	case strings.HasSuffix(string(g), "east"):
		p.X = 1
	}
	switch {
	case strings.HasPrefix(string(g), "north"):
		p.Y = 0
	case strings.HasPrefix(string(g), "south"):
		p.Y = 1
	}
	return p
}

// PictureFormat is an output format of pictures.
type PictureFormat string

// The formats.
const (
	PictureJPEG PictureFormat = "jpeg"
	PicturePNG  PictureFormat = "png"
	PictureWebP PictureFormat = "webp"
	PictureAVIF PictureFormat = "avif"
)

// Values lists the formats.
func (PictureFormat) Values() []PictureFormat {
	return []PictureFormat{PictureJPEG, PicturePNG, PictureWebP, PictureAVIF}
}

// MIME returns the MIME type of a format.
func (f PictureFormat) MIME() string { return "image/" + string(f) }

// Extension returns the extension of a format, without the dot.
func (f PictureFormat) Extension() string {
	if f == PictureJPEG {
		return "jpg"
	}
	return string(f)
}

// The limits of a Transform.
const (
	MaxTransformSide   = 8192       // pixels, including the ratio
	MaxTransformPixels = 25_000_000 // of the result
	MaxTransformText   = 200        // characters
	MaxRatio           = 4
	DefaultQuality     = 82
)

// Transform is the specification of a picture derived from an asset's picture: upright, in
// sRGB, never larger than the source, with a white background for transparency. Its text
// form is a list such as "w=800,h=600,fit=cover,dpr=2": the names in the order of the
// fields, without defaults.
type Transform struct {
	Width, Height int           // w, h: CSS pixels; 0 keeps the aspect ratio within the limits
	Fit           Fit           // fit
	Gravity       Gravity       // gravity, for FitCover
	Focal         *FocalPoint   // fp, such as 0.25x0.5, for FitCover: overrides the gravity
	Format        PictureFormat // format
	Quality       int           // q: 1 to 100; ignored for png
	Ratio         float64       // dpr: device pixels per CSS pixel
}

// defaults sets missing fields to their defaults.
func (t *Transform) defaults() {
	if t.Fit == "" {
		t.Fit = FitContain
	}
	if t.Gravity == "" {
		t.Gravity = GravityFocal
	}
	if t.Format == "" {
		t.Format = PictureJPEG
	}
	if t.Quality == 0 {
		t.Quality = DefaultQuality
	}
	if t.Ratio == 0 {
		t.Ratio = 1
	}
}

// ParseTransform parses a Transform. It accepts only the canonical form of String, so that
// every picture has exactly one name.
func ParseTransform(text string) (t Transform, err error) {
	if len(text) > MaxTransformText {
		return t, fmt.Errorf("more than %d characters", MaxTransformText)
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return t, fmt.Errorf("%q is not of the form name=value", part)
		}
		switch name {
		case "w":
			t.Width, err = strconv.Atoi(value)
		case "h":
			t.Height, err = strconv.Atoi(value)
		case "fit":
			t.Fit = Fit(value)
		case "gravity":
			t.Gravity = Gravity(value)
		case "fp":
			t.Focal, err = parseFocal(value)
		case "format":
			t.Format = PictureFormat(value)
		case "q":
			t.Quality, err = strconv.Atoi(value)
		case "dpr":
			t.Ratio, err = strconv.ParseFloat(value, 64)
		default:
			return t, fmt.Errorf("there is no option %q", name)
		}
		if err != nil {
			return t, fmt.Errorf("%s is not a value of %s", value, name)
		}
	}
	if err := t.Validate(); err != nil {
		return t, err
	}
	if form := t.String(); form != text {
		return t, fmt.Errorf("it has to be written as %s", form)
	}
	return t, nil
}

func parseFocal(text string) (*FocalPoint, error) {
	x, y, _ := strings.Cut(text, "x")
	var p FocalPoint
	var err error
	if p.X, err = strconv.ParseFloat(x, 64); err == nil {
		p.Y, err = strconv.ParseFloat(y, 64)
	}
	return &p, err
}

// String returns the canonical form of a valid Transform.
func (t Transform) String() string {
	var parts []string
	add := func(name, value string, is bool) {
		if is {
			parts = append(parts, name+"="+value)
		}
	}
	short := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	add("w", strconv.Itoa(t.Width), t.Width > 0)
	add("h", strconv.Itoa(t.Height), t.Height > 0)
	add("fit", string(t.Fit), t.Fit != FitContain)
	add("gravity", string(t.Gravity), t.Gravity != GravityFocal)
	if t.Focal != nil {
		add("fp", short(t.Focal.X+0)+"x"+short(t.Focal.Y+0), true) // adding 0 turns -0 into 0
	}
	add("format", string(t.Format), t.Format != PictureJPEG)
	add("q", strconv.Itoa(t.Quality), t.Quality != DefaultQuality)
	add("dpr", short(t.Ratio), t.Ratio != 1)
	return strings.Join(parts, ",")
}

// Validate fills in defaults and checks t. Problems use the field names of the API.
func (t *Transform) Validate() error {
	var p Problems
	t.check(&p)
	return p.Err()
}

func (t *Transform) check(p *Problems) {
	t.defaults()
	if t.Width < 0 || t.Height < 0 || t.Width == 0 && t.Height == 0 {
		p.Add("width", "A picture needs a width or a height, in pixels.")
	}
	oneOf(p, "fit", t.Fit, t.Fit.Values())
	oneOf(p, "gravity", t.Gravity, t.Gravity.Values())
	oneOf(p, "format", t.Format, t.Format.Values())
	if t.Quality < 1 || t.Quality > 100 {
		p.Add("quality", "quality must be from 1 to 100.")
	}
	if !(t.Ratio >= 1 && t.Ratio <= MaxRatio) || t.Ratio*10 != math.Trunc(t.Ratio*10) {
		p.Add("dpr", "dpr must be from 1 to %d, with one decimal at most.", MaxRatio)
	}
	if f := t.Focal; f != nil && !(f.X >= 0 && f.X <= 1 && f.Y >= 0 && f.Y <= 1) {
		p.Add("focal_point", "focal_point must be within the picture: x and y from 0 to 1.")
	}
	cuts := t.Width > 0 && t.Height > 0 && t.Fit == FitCover
	switch {
	case t.Fit == FitCover && !cuts:
		p.Add("fit", "A picture that is to cover a size needs a width and a height.")
	case !cuts && (t.Focal != nil || t.Gravity != GravityFocal):
		p.Add("gravity", "Only the fit cover cuts something off.")
	case t.Focal != nil && t.Gravity != GravityFocal:
		p.Add("focal_point", "A picture has a gravity or a focal point, not both.")
	}
	w, h := t.pixels(t.Width), t.pixels(t.Height)
	if max(w, h) > MaxTransformSide {
		p.Add("width", "A side may have up to %d pixels, dpr counted in.", MaxTransformSide)
	} else if w*h > MaxTransformPixels {
		p.Add("width", "A picture may have up to %d million pixels, dpr counted in.", MaxTransformPixels/1_000_000)
	}
}

// pixels converts CSS pixels to device pixels.
func (t *Transform) pixels(css int) int {
	return int(math.Round(float64(min(max(css, 0), MaxTransformSide+1)) * min(max(t.Ratio, 0), MaxRatio)))
}

// UsesFocal reports whether the picture is cropped around the focal point of the asset.
func (t *Transform) UsesFocal() bool {
	return t.Fit == FitCover && t.Gravity == GravityFocal && t.Focal == nil
}

// Seen is the source picture of a Transform.
type Seen struct {
	Width, Height int         // pixels; 0 for scalable sources
	Focal         *FocalPoint // nil for the center
}

// Longest returns the longest side that the scaled source needs, in pixels.
func (t *Transform) Longest(s Seen) int {
	if s.Width > 0 && s.Height > 0 {
		return t.Crop(s.Width, s.Height, s.Focal).Longest
	}
	longest := max(t.pixels(t.Width), t.pixels(t.Height))
	if t.Fit == FitCover || t.Width == 0 || t.Height == 0 {
		longest *= 2 // enough for aspect ratios up to 2:1
	}
	return min(longest, MaxTransformSide)
}

// A Crop is a part of a picture, in pixels of the scaled picture.
type Crop struct {
	Longest       int // longest side of the whole scaled picture
	X, Y          int
	Width, Height int // 0 for the whole picture
}

// Crop applies t to a picture of the given size. A nil focal point means the center. Crop
// never upscales: a picture that is too small keeps its pixels and is cropped to the
// requested proportions.
func (t *Transform) Crop(width, height int, focal *FocalPoint) Crop {
	w, h := float64(width), float64(height)
	tw, th := float64(t.pixels(t.Width)), float64(t.pixels(t.Height))
	scale := 1.0
	if t.Fit != FitCover {
		for _, s := range []float64{tw / w, th / h} {
			if s > 0 {
				scale = min(scale, s)
			}
		}
		scale = min(scale, MaxTransformSide/max(w, h), math.Sqrt(MaxTransformPixels/w/h))
		return Crop{Longest: max(1, int(math.Round(max(w, h)*scale)))}
	}
	scale = min(1, max(tw/w, th/h))
	longest := max(1, int(math.Ceil(max(w, h)*scale)))
	sw, sh := w*float64(longest)/max(w, h), h*float64(longest)/max(w, h) // approximate scaled size
	if less := min(1, sw/tw, sh/th); less < 1 {
		tw, th = tw*less, th*less
	}
	at := t.Gravity.point()
	switch {
	case t.Focal != nil:
		at = *t.Focal
	case t.Gravity == GravityFocal && focal != nil:
		at = *focal
	}
	c := Crop{Longest: longest, Width: max(1, int(math.Round(tw))), Height: max(1, int(math.Round(th)))}
	c.X = int(math.Round(min(max(at.X*sw-tw/2, 0), max(sw-tw, 0))))
	c.Y = int(math.Round(min(max(at.Y*sh-th/2, 0), max(sh-th, 0))))
	return c
}

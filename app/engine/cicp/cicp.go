// Package cicp converts pictures to sRGB that declare their color space by code points
// (ITU-T H.273) instead of an ICC profile.
package cicp

import (
	"math"
	"sync"
)

// Space is a color space, by its code points. The zero value is unspecified.
type Space struct {
	Primaries int `json:"primaries,omitempty"`
	Transfer  int `json:"transfer,omitempty"`
}

// The supported code points. All others are treated as sRGB.
const (
	bt709  = 1
	bt2020 = 9
	dciP3  = 11 // has another white point than p3, but is treated as p3
	p3     = 12

	srgbCurve = 13
	pq        = 16
	hlg       = 18
)

// Named returns the space with FFmpeg's names for its primaries and transfer function.
func Named(primaries, transfer string) Space {
	return Space{
		Primaries: map[string]int{"bt2020": bt2020, "smpte431": dciP3, "smpte432": p3}[primaries],
		Transfer:  map[string]int{"smpte2084": pq, "arib-std-b67": hlg}[transfer],
	}
}

// HDR reports whether the space has a high dynamic range.
func (s Space) HDR() bool { return s.Transfer == pq || s.Transfer == hlg }

// Note describes the conversion to sRGB, "" for none.
func (s Space) Note() string {
	switch {
	case s.HDR():
		return "a high dynamic range, mapped to sRGB"
	case s.wide():
		return "converted to sRGB"
	}
	return ""
}

// SRGB reports whether the space is sRGB.
func (s Space) SRGB() bool { return s == Space{bt709, srgbCurve} }

func (s Space) wide() bool { return s.Primaries == bt2020 || s.Primaries == dciP3 || s.Primaries == p3 }

// toSRGB returns the matrix that converts linear light to that of sRGB.
func (s Space) toSRGB() [9]float64 {
	switch s.Primaries {
	case bt2020: // ITU-R BT.2087
		return [9]float64{1.6605, -0.5876, -0.0728, -0.1246, 1.1329, -0.0083, -0.0182, -0.1006, 1.1187}
	case dciP3, p3: // SMPTE EG 432-1
		return [9]float64{1.2249, -0.2249, 0, -0.0420, 1.0420, 0, -0.0196, -0.0786, 1.0983}
	}
	return [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
}

// The luminances of an HDR picture, in cd/m².
const (
	white = 203  // diffuse white (ITU-R BT.2408)
	most  = 1000 // nominal peak (ITU-R BT.2100, table 5)
	peak  = most / float64(white)
)

// light converts a value from 0 to 1 to linear light relative to white; for HLG, before the
// OOTF.
func (s Space) light(v float64) float64 {
	switch s.Transfer {
	case pq: // SMPTE ST 2084
		const m1, m2, c1, c2, c3 = 2610.0 / 16384, 2523.0 / 32, 3424.0 / 4096, 2413.0 / 128, 2392.0 / 128
		p := math.Pow(v, 1/m2)
		return 10_000 / white * math.Pow(max(p-c1, 0)/(c2-c3*p), 1/m1)
	case hlg: // ITU-R BT.2100, table 5
		const a, b, c = 0.17883277, 0.28466892, 0.55991073
		if v <= 0.5 {
			return v * v / 3
		}
		return (math.Exp((v-c)/a) + b) / 12
	}
	if v <= 0.04045 { // IEC 61966-2-1
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// toned maps HDR light to that of a display like Chromium: white to half of the display's
// maximum, and brighter light up to the peak along a quadratic Bézier curve (SMPTE ST
// 2094-50, the reference white tone mapping).
func toned(x float64) float64 {
	const x0, y0, x1, y1, x2, y2 = 1, 0.5, 1.65, 0.825, peak, 1
	switch {
	case x <= x0:
		return x * y0
	case x >= x2:
		return y2
	}
	const a, b = x0 - 2*x1 + x2, 2 * (x1 - x0)
	t := (math.Sqrt(b*b-4*a*(x0-x)) - b) / (2 * a)
	return (1-t)*(1-t)*y0 + 2*t*(1-t)*y1 + t*t*y2
}

// A Converter converts pixels of a space to sRGB.
type Converter struct {
	space  Space
	matrix [9]float64
	light  [1 << 12]float64 // by 12-bit value
}

// Converter returns a converter to sRGB, nil if no conversion is needed.
func (s Space) Converter() *Converter {
	if !s.HDR() && !s.wide() {
		return nil
	}
	c := &Converter{space: s, matrix: s.toSRGB()}
	for i := range c.light {
		c.light[i] = s.light(float64(i) / float64(len(c.light)-1))
	}
	return c
}

// RGB converts a pixel of 12 bits per channel to one of 8 bits.
func (c *Converter) RGB(red, green, blue uint16) (r8, g8, b8 byte) {
	r, g, b := c.light[red&0xfff], c.light[green&0xfff], c.light[blue&0xfff]
	if c.space.Transfer == hlg { // OOTF of a display with the nominal peak
		gain := peak * math.Pow(0.2627*r+0.6780*g+0.0593*b, 0.2)
		r, g, b = gain*r, gain*g, gain*b
	}
	if brightest := max(r, g, b); c.space.HDR() && brightest > 0 {
		gain := toned(brightest) / brightest
		r, g, b = gain*r, gain*g, gain*b
	}
	m := &c.matrix
	return srgb(m[0]*r + m[1]*g + m[2]*b), srgb(m[3]*r + m[4]*g + m[5]*b), srgb(m[6]*r + m[7]*g + m[8]*b)
}

// Convert converts 8-bit RGBA pixels in place.
func (c *Converter) Convert(pix []byte) {
	var was, is [3]byte
	for i := 0; i+4 <= len(pix); i += 4 {
		px := pix[i : i+3 : i+3]
		if now := [3]byte(px); i == 0 || now != was {
			was = now
			wide := func(v byte) uint16 { return uint16(v)<<4 | uint16(v)>>4 }
			is[0], is[1], is[2] = c.RGB(wide(was[0]), wide(was[1]), wide(was[2]))
		}
		copy(px, is[:])
	}
}

// srgb returns the sRGB value of linear light from 0 to 1.
func srgb(v float64) byte {
	const last = 1<<13 - 1
	return bytesOfRoots()[int(math.Sqrt(min(max(v, 0), 1))*last+0.5)]
}

// bytesOfRoots contains the values of sRGB (IEC 61966-2-1) by the square root of linear
// light, whose equal steps are fine enough for dark colors.
var bytesOfRoots = sync.OnceValue(func() *[1 << 13]byte {
	t := new([1 << 13]byte)
	for i := range t {
		root := float64(i) / float64(len(t)-1)
		v := root * root
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		t[i] = byte(v*255 + 0.5)
	}
	return t
})

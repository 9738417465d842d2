package search

import (
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// palette holds the dominant colours of all assets, by asset ID.
type palette struct{ of [][]shade }

// shade is a dominant colour: CIELAB under D65, and its part of the area.
type shade struct{ l, a, b, share float32 }

func (p *palette) set(asset int64, colors []dam.Color) {
	if n := int(asset) + 1; n > len(p.of) {
		p.of = slices.Grow(p.of, n-len(p.of))[:n]
	}
	p.of[asset] = nil
	for _, c := range colors {
		if r, g, b, ok := dam.ParseHex(c.Hex); ok {
			s := toLab(r, g, b)
			s.share = float32(c.Share)
			p.of[asset] = append(p.of[asset], s)
		}
	}
}

func (p *palette) add(asset int64, colors any) { p.set(asset, colors.([]dam.Color)) }

// near returns the assets with a colour within a distance of one, and for
// each how much of it is: the sum of the shares, each counted less the farther
// the colour is.
func (p *palette) near(c dam.ColorRange) (*roaring.Bitmap, map[uint32]float32) {
	want := toLab(c.R, c.G, c.B)
	weights := map[uint32]float32{}
	var ids []uint32
	// CIEDE2000 is at least the difference in lightness over its greatest
	// weight, 1 + 0.015·50²/√(20+50²).
	maxL := float32(c.Distance * 1.747)
	for id, shades := range p.of {
		var weight float32
		found := false
		for _, s := range shades {
			if d := s.l - want.l; d > maxL || d < -maxL {
				continue
			}
			if d := ciede2000(want, s); d <= c.Distance {
				found = true
				weight += s.share * float32(1-d/(c.Distance+1))
			}
		}
		if found {
			ids = append(ids, uint32(id))
			weights[uint32(id)] = weight
		}
	}
	return roaring.BitmapOf(ids...), weights
}

// toLab turns sRGB into CIELAB (IEC 61966-2-1, CIE 15:2004; white D65).
func toLab(r, g, b uint8) shade {
	lin := func(c uint8) float64 {
		v := float64(c) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	lr, lg, lb := lin(r), lin(g), lin(b)
	x := f((0.4124564*lr + 0.3575761*lg + 0.1804375*lb) / 0.95047)
	y := f(0.2126729*lr + 0.7151522*lg + 0.0721750*lb)
	z := f((0.0193339*lr + 0.1191920*lg + 0.9503041*lb) / 1.08883)
	return shade{l: float32(116*y - 16), a: float32(500 * (x - y)), b: float32(200 * (y - z))}
}

// ciede2000 is the difference of two colours as people see it; about 2.3 is
// just noticed. Sharma, Wu, Dalal: The CIEDE2000 Color-Difference Formula, 2005.
func ciede2000(p, q shade) float64 {
	l1, a1, b1 := float64(p.l), float64(p.a), float64(p.b)
	l2, a2, b2 := float64(q.l), float64(q.a), float64(q.b)
	const pow25to7 = 6103515625
	c := (math.Hypot(a1, b1) + math.Hypot(a2, b2)) / 2
	c7 := c * c * c * c * c * c * c
	g := 0.5 * (1 - math.Sqrt(c7/(c7+pow25to7)))
	a1, a2 = a1*(1+g), a2*(1+g)
	c1, c2 := math.Hypot(a1, b1), math.Hypot(a2, b2)
	h1, h2 := hue(a1, b1), hue(a2, b2)

	dl, dc := l2-l1, c2-c1
	var dh, h float64
	switch diff := h2 - h1; {
	case c1*c2 == 0:
		h = h1 + h2
	case math.Abs(diff) <= 180:
		dh, h = diff, (h1+h2)/2
	default:
		dh = diff - math.Copysign(360, diff)
		if h = (h1 + h2 + 360) / 2; h1+h2 >= 360 {
			h -= 360
		}
	}
	bigH := 2 * math.Sqrt(c1*c2) * math.Sin(dh/2*math.Pi/180)

	cosDeg := func(d float64) float64 { return math.Cos(d * math.Pi / 180) }
	l, cm := (l1+l2)/2-50, (c1+c2)/2
	t := 1 - 0.17*cosDeg(h-30) + 0.24*cosDeg(2*h) + 0.32*cosDeg(3*h+6) - 0.20*cosDeg(4*h-63)
	cm7 := cm * cm * cm * cm * cm * cm * cm
	sl := 1 + 0.015*l*l/math.Sqrt(20+l*l)
	sc := 1 + 0.045*cm
	sh := 1 + 0.015*cm*t
	theta := 30 * math.Exp(-((h-275)/25)*((h-275)/25))
	rt := -math.Sin(2*theta*math.Pi/180) * 2 * math.Sqrt(cm7/(cm7+pow25to7))
	x, y, z := dl/sl, dc/sc, bigH/sh
	return math.Sqrt(max(0, x*x+y*y+z*z+rt*y*z))
}

// hue is an angle in degrees from 0 to 360.
func hue(a, b float64) float64 {
	if a == 0 && b == 0 {
		return 0
	}
	h := math.Atan2(b, a) * 180 / math.Pi
	if h < 0 {
		h += 360
	}
	return h
}

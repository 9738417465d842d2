package search

import (
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// palette contains the dominant colours of all assets, by asset ID, with two numbers per
// colour: sRGB, and the bits of its share of the area.
type palette struct{ of lists }

// shade is a colour in CIELAB under D65.
type shade struct{ l, a, b float32 }

// has reports whether an asset has colours.
func (p *palette) has(id uint32) bool { return len(p.of.get(id)) > 0 }

func (p *palette) set(asset int64, colors []dam.Color) {
	id := uint32(asset)
	p.of.clear(id)
	for _, c := range colors {
		if r, g, b, ok := dam.ParseHex(c.Hex); ok {
			p.of.add(id, uint32(r)<<16|uint32(g)<<8|uint32(b))
			p.of.add(id, math.Float32bits(float32(c.Share)))
		}
	}
}

func (p *palette) add(asset int64, colors any) { p.set(asset, colors.([]dam.Color)) }

// fewShades is the number of stored numbers up to which all colours are compared: finding
// the near cells takes about as long.
const fewShades = 60_000

// near returns the assets with a colour within a distance of another, and by asset ID
// their weights: the sum of the shares of such colours, weighted less the farther away
// they are. It returns no weights without assets.
func (p *palette) near(c dam.ColorRange) (*roaring.Bitmap, []float32) {
	if len(p.of.data) <= fewShades {
		return p.nearIn(c, nil)
	}
	return p.nearIn(c, cellsNear(toLab(c.R, c.G, c.B), c.Distance))
}

// nearIn is near for the colours in some cells, nil for all. Each processor searches a
// part of the assets.
func (p *palette) nearIn(c dam.ColorRange, cells []bool) (*roaring.Bitmap, []float32) {
	n := len(p.of.of)
	weights := make([]float32, n)
	parts := inParts(partsOf(n, assetsAPart), n, func(from, to int) []uint32 { return p.nearAmong(c, cells, from, to, weights) })
	set := roaring.New()
	for _, ids := range parts {
		set.AddMany(ids)
	}
	if set.IsEmpty() {
		return set, nil
	}
	return set, weights
}

// assetsAPart is the number of assets that justifies another processor.
const assetsAPart = 10_000

// nearAmong is nearIn for the assets from one ID to before another. It sets their weights
// and returns them in ascending order.
func (p *palette) nearAmong(c dam.ColorRange, cells []bool, from, to int, weights []float32) (found []uint32) {
	want := toLab(c.R, c.G, c.B)
	darkest, lightest := lightAround(want, c.Distance)
	for id := from; id < to; id++ {
		at := p.of.of[id]
		weight := float32(-1)
		for list := p.of.data[at.from : at.from+at.n]; len(list) > 1; list = list[2:] {
			rgb := list[0]
			if cells != nil && !cells[cellOf(rgb)] {
				continue
			}
			if y := light(linear[rgb>>16&0xff], linear[rgb>>8&0xff], linear[rgb&0xff]); y < darkest || y > lightest {
				continue
			}
			if d := ciede2000(want, toLab(uint8(rgb>>16), uint8(rgb>>8), uint8(rgb))); d <= c.Distance {
				weight = max(weight, 0) + math.Float32frombits(list[1])*float32(1-d/(c.Distance+1))
			}
		}
		if weight >= 0 {
			found = append(found, uint32(id))
			weights[id] = weight
		}
	}
	return found
}

// lightAround returns bounds for the light of colours within a distance of another: two
// colours differ at least by their lightness.
func lightAround(want shade, distance float64) (least, most float64) {
	own := float64(want.l)
	edge := func(end float64) float64 {
		near, far := own, end
		for range 40 {
			if l := (near + far) / 2; math.Abs(l-own)/lightWeight(own, l) <= distance+0.01 { // more than the rounding error
				near = l
			} else {
				far = l
			}
		}
		if l := (far + 16) / 116; l*l*l > 216.0/24389 {
			return l * l * l
		}
		return far * 27 / 24389
	}
	return edge(-1), edge(101)
}

// light is Y of CIE XYZ.
func light(r, g, b float64) float64 { return 0.2126729*r + 0.7151522*g + 0.0721750*b }

// lightWeight is the divisor that CIEDE2000 applies to a difference in lightness.
func lightWeight(l1, l2 float64) float64 {
	l := (l1+l2)/2 - 50
	return 1 + 0.015*l*l/math.Sqrt(20+l*l)
}

// linear is the linear light of each value of sRGB (IEC 61966-2-1).
var linear = func() (list [256]float64) {
	for c := range list {
		v := float64(c) / 255
		if v <= 0.04045 {
			list[c] = v / 12.92
		} else {
			list[c] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return list
}()

// toLab converts sRGB to CIELAB (IEC 61966-2-1, CIE 15:2004; white D65).
func toLab(r, g, b uint8) shade {
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	lr, lg, lb := linear[r], linear[g], linear[b]
	x := f((0.4124564*lr + 0.3575761*lg + 0.1804375*lb) / 0.95047)
	y := f(light(lr, lg, lb))
	z := f((0.0193339*lr + 0.1191920*lg + 0.9503041*lb) / 1.08883)
	return shade{l: float32(116*y - 16), a: float32(500 * (x - y)), b: float32(200 * (y - z))}
}

// ciede2000 returns the perceived difference between two colours; about 2.3 is just
// noticeable. Sharma, Wu, Dalal: The CIEDE2000 Color-Difference Formula, 2005. This
// implementation avoids the angles of the formula: a hue is a direction, the mean of two
// hues is the direction of their sum, and the cosines of its multiples follow from it.
func ciede2000(p, q shade) float64 {
	l1, a1, b1 := float64(p.l), float64(p.a), float64(p.b)
	l2, a2, b2 := float64(q.l), float64(q.a), float64(q.b)
	c7 := pow7((math.Sqrt(a1*a1+b1*b1) + math.Sqrt(a2*a2+b2*b2)) / 2)
	g := 0.5 * (1 - math.Sqrt(c7/(c7+pow25to7)))
	a1, a2 = a1*(1+g), a2*(1+g)
	c1, c2 := math.Sqrt(a1*a1+b1*b1), math.Sqrt(a2*a2+b2*b2)

	// The mean hue, as a direction, and the difference of hues: twice the root of the
	// product of both chromas times the sine of half the angle between.
	cosH, sinH, bigH := 1.0, 0.0, 0.0
	switch {
	case c1*c2 == 0: // one has no hue: the other's is the mean
		if c := c1 + c2; c > 0 {
			cosH, sinH = (a1+a2)/c, (b1+b2)/c
		}
	default:
		cosH, sinH = a1/c1+a2/c2, b1/c1+b2/c2
		if n := math.Sqrt(cosH*cosH + sinH*sinH); n > 1e-6 {
			cosH, sinH = cosH/n, sinH/n
		} else { // opposite hues: the mean of their angles from 0 to 360
			sinH, cosH = math.Sincos((hue(a1, b1) + hue(a2, b2)) / 2)
		}
		if dot, cross := a1*a2+b1*b2, a1*b2-a2*b1; dot > 0 { // exact for hues that are close
			bigH = cross / math.Sqrt((c1*c2+dot)/2)
		} else {
			bigH = math.Copysign(math.Sqrt(2*(c1*c2-dot)), cross)
		}
	}
	cos2, sin2 := cosH*cosH-sinH*sinH, 2*sinH*cosH
	cos3, sin3 := cos2*cosH-sin2*sinH, sin2*cosH+cos2*sinH
	cos4, sin4 := cos2*cos2-sin2*sin2, 2*sin2*cos2
	t := 1 - 0.17*(cosH*cos30+sinH*sin30) + 0.24*cos2 + 0.32*(cos3*cos6-sin3*sin6) - 0.20*(cos4*cos63+sin4*sin63)

	c := (c1 + c2) / 2
	sl := lightWeight(l1, l2)
	sc := 1 + 0.045*c
	sh := 1 + 0.015*c*t
	rt := 0.0 // except for blue
	if h := 0.0; sinH < 0 {
		h = (hue(cosH, sinH)*180/math.Pi - 275) / 25
		c7 = pow7(c)
		rt = -math.Sin(math.Pi/3*math.Exp(-h*h)) * 2 * math.Sqrt(c7/(c7+pow25to7))
	}
	x, y, z := (l2-l1)/sl, (c2-c1)/sc, bigH/sh
	return math.Sqrt(max(0, x*x+y*y+z*z+rt*y*z))
}

const (
	pow25to7     = 6103515625
	cos30, sin30 = 0.86602540378443864676, 0.5
	cos6, sin6   = 0.99452189536827333692, 0.10452846326765347140
	cos63, sin63 = 0.45399049973954679156, 0.89100652418836786236
)

func pow7(x float64) float64 {
	y := x * x * x
	return y * y * x
}

// hue returns an angle from 0 to 2π.
func hue(a, b float64) float64 {
	h := math.Atan2(b, a)
	if h < 0 {
		h += 2 * math.Pi
	}
	return h
}

package ffmpeg

import (
	"encoding/binary"
	"math"
	"sync"
)

// tables are the light that values of 16 bits stand for in PQ, in parts of the white of a
// display, and the values of sRGB.
var tables = sync.OnceValue(func() *struct{ light [1 << 12]float32 } {
	t := &struct{ light [1 << 12]float32 }{}
	for i := range t.light {
		t.light[i] = float32(pq(float64(i) / (1<<12 - 1)))
	}
	return t
})

// white is the light of white in a picture of a high dynamic range, in cd/m² (ITU-R BT.2408).
const white = 203

// pq returns the light of a value, in parts of white (SMPTE ST 2084).
func pq(v float64) float64 {
	const m1, m2, c1, c2, c3 = 2610.0 / 16384, 2523.0 / 32, 3424.0 / 4096, 2413.0 / 128, 2392.0 / 128
	p := math.Pow(v, 1/m2)
	return 10_000 / white * math.Pow(max(p-c1, 0)/(c2-c3*p), 1/m1)
}

// toneMap makes sRGB of 8 bits of BT.2020 with PQ of 16 bits, both with alpha. What is
// brighter than white is pressed together.
func toneMap(to, from []byte) {
	light := &tables().light
	at := func(i int) float64 { return float64(light[binary.LittleEndian.Uint16(from[i:])>>4]) }
	for i := 0; i+8 <= len(from) && i/2+4 <= len(to); i += 8 {
		r, g, b := at(i), at(i+2), at(i+4)
		r, g, b = 1.6605*r-0.5876*g-0.0728*b, -0.1246*r+1.1329*g-0.0083*b, -0.0182*r-0.1006*g+1.1187*b // BT.2087
		if most := max(r, g, b); most > 0.8 {
			pressed := 0.8 + 0.2*(1-math.Exp(-(most-0.8)/0.8))
			r, g, b = r*pressed/most, g*pressed/most, b*pressed/most
		}
		to[i/2], to[i/2+1], to[i/2+2] = srgb(r), srgb(g), srgb(b)
	}
}

// srgb returns the value of a light from 0 to 1 (IEC 61966-2-1).
func srgb(v float64) byte {
	v = min(max(v, 0), 1)
	if v <= 0.0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return byte(v*255 + 0.5)
}

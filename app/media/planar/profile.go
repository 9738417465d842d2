package planar

import (
	"math"
	"sync"
)

// Profile converts pixels from a colour space of curves and a matrix to sRGB, using tables.
type Profile struct {
	parts [3][256][3]int32 // contribution of each channel's value to linear red, green and blue
	curve *[1<<linearBits + 1]uint8
}

// linearBits is the number of fractional bits of linear light.
const linearBits = 14

// NewProfile builds the tables. The curves convert channels to linear light, from 0 to 1,
// and the matrix converts that to linear sRGB.
func NewProfile(curves [3]func(float64) float64, matrix [3][3]float64) *Profile {
	const most = 30_000 // the sum of three fits into 31 bits
	t := &Profile{curve: sRGBCurve()}
	for c := range 3 {
		for v := range 256 {
			light := curves[c](float64(v) / 255)
			for out := range 3 {
				if part := matrix[out][c] * light; !math.IsNaN(part) {
					t.parts[c][v][out] = int32(math.Round(min(max(part, -most), most) * (1 << linearBits)))
				}
			}
		}
	}
	return t
}

// sRGBCurve is the curve of sRGB (IEC 61966-2-1).
var sRGBCurve = sync.OnceValue(func() *[1<<linearBits + 1]uint8 {
	t := new([1<<linearBits + 1]uint8)
	for i := range t {
		v := float64(i) / (1 << linearBits)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		t[i] = uint8(v*255 + 0.5)
	}
	return t
})

// RGB converts a pixel to sRGB.
func (t *Profile) RGB(r, g, b uint8) (uint8, uint8, uint8) {
	x, y, z := &t.parts[0][r], &t.parts[1][g], &t.parts[2][b]
	return t.at(x[0] + y[0] + z[0]), t.at(x[1] + y[1] + z[1]), t.at(x[2] + y[2] + z[2])
}

func (t *Profile) at(linear int32) uint8 { return t.curve[min(max(linear, 0), 1<<linearBits)] }

// ToSRGB converts a picture in 4:2:0, or a grey one, to sRGB. It converts the brightness of
// each pixel; four pixels share a colour before and after.
func (p *Picture) ToSRGB(t *Profile) *Picture {
	out := &Picture{Y: newPlane(p.Y.W, p.Y.H), across: 2, down: 2}
	if p.grey() {
		var curve [256]uint8
		for v := range curve {
			r, g, b := t.RGB(uint8(v), uint8(v), uint8(v))
			curve[v] = lumaOf(int32(r), int32(g), int32(b))
		}
		for y := range p.Y.H {
			dst := out.Y.row(y)
			for x, v := range p.Y.row(y) {
				dst[x] = curve[v]
			}
		}
		return out
	}
	out.Cb, out.Cr = newPlane(p.Cb.W, p.Cb.H), newPlane(p.Cr.W, p.Cr.H)
	for cy := range p.Cb.H {
		last := min(2*cy+1, p.Y.H-1)
		rows := [2][2][]byte{{p.Y.row(2 * cy), out.Y.row(2 * cy)}, {p.Y.row(last), out.Y.row(last)}}
		p.rowToSRGB(t, rows, p.Cb.row(cy), p.Cr.row(cy), out.Cb.row(cy), out.Cr.row(cy))
	}
	return out
}

// rowToSRGB converts a row of chroma and its two rows of luma, each from the first to the
// second of a pair.
func (p *Picture) rowToSRGB(t *Profile, rows [2][2][]byte, cb, cr, outCb, outCr []byte) {
	for cx := range cb {
		c := tintOf(cb[cx], cr[cx])
		var r, g, b int32
		for _, row := range rows {
			for _, x := range [2]int{2 * cx, min(2*cx+1, p.Y.W-1)} {
				r8, g8, b8 := t.RGB(c.rgb(row[0][x]))
				pr, pg, pb := int32(r8), int32(g8), int32(b8)
				row[1][x] = lumaOf(pr, pg, pb)
				r, g, b = r+pr, g+pg, b+pb
			}
		}
		outCb[cx], outCr[cx] = chromaOf(r, g, b, 2)
	}
}

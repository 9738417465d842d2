package media

import (
	"encoding/binary"
	"errors"
	"image"
	"math"
	"strings"

	"github.com/digital-asset-library/dal/app/engine/cicp"
	"github.com/digital-asset-library/dal/app/media/planar"
)

// colors converts the colours of a picture to sRGB: for an ICC profile with a matrix and
// curves, which camera and display spaces use, or with a table, which printers use; for code
// points with their converter. It holds none of them if the colours stay unchanged.
type colors struct {
	matrix *iccProfile
	planes *planar.Profile // derived from matrix
	table  *iccTable
	space  *cicp.Converter
}

// conversion returns how to convert the colours of an ICC profile, for a CMYK picture or
// another, and a description of the conversion.
func conversion(profile []byte, isCMYK bool) (colors, string) {
	if len(profile) == 0 {
		return colors{}, ""
	}
	p, err := parseICC(profile)
	switch {
	case err == nil && isCMYK != p.isCMYK():
		err = errors.New("the profile is for " + printable(string(profile[16:20])))
	case err == nil && p.table != nil:
		return colors{table: p.table}, converted
	}
	if err != nil {
		return colors{}, "unsupported: " + err.Error()
	}
	if p.isSRGB() {
		return colors{}, "sRGB"
	}
	return colors{matrix: p, planes: planar.NewProfile(p.curves, xyzToSRGB.mul(p.matrix))}, converted
}

const converted = "converted to sRGB"

// toSRGB converts a picture in place.
func (c colors) toSRGB(pic *image.RGBA) {
	if c.space != nil {
		c.space.Convert(pic.Pix)
		return
	}
	if c.table == nil && c.planes == nil {
		return
	}
	var was, is [3]uint8
	for i := 0; i+3 < len(pic.Pix); i += 4 {
		px := pic.Pix[i : i+3 : i+3]
		if now := [3]uint8(px); i == 0 || now != was {
			if was = now; c.table == nil {
				is[0], is[1], is[2] = c.planes.RGB(px[0], px[1], px[2])
			} else {
				is[0], is[1], is[2] = c.table.rgb(&[4]float64{float64(px[0]) / 255, float64(px[1]) / 255, float64(px[2]) / 255})
			}
		}
		copy(px, is[:])
	}
}

type matrix [3][3]float64

func (m matrix) mul(n matrix) (out matrix) {
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				out[i][j] += m[i][k] * n[k][j]
			}
		}
	}
	return out
}

// xyzToSRGB converts XYZ under D50, the connection space of ICC profiles, to linear sRGB:
// the inverse of the colorants of the sRGB profile (IEC 61966-2-1, adapted with the
// Bradford transform).
var xyzToSRGB = matrix{
	{3.1338561, -1.6168667, -0.4906146},
	{-0.9787684, 1.9161415, 0.0334540},
	{0.0719453, -0.2289914, 1.4052427},
}

// sRGBToXYZ is the inverse of xyzToSRGB.
var sRGBToXYZ = matrix{
	{0.4360747, 0.3850649, 0.1430804},
	{0.2225045, 0.7168786, 0.0606169},
	{0.0139322, 0.0971045, 0.7141733},
}

func sRGBByte(v float64) uint8 {
	switch {
	case v <= 0:
		return 0
	case v >= 1:
		return 255
	case v <= 0.0031308:
		v *= 12.92
	default:
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return uint8(v*255 + 0.5)
}

func sRGBLinear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// iccProfile is a profile with a matrix and curves (ICC.1:2022 section 8.3.3). A grey
// profile has the same curve three times. If table is set, the other fields are not.
type iccProfile struct {
	table  *iccTable
	matrix matrix // linear device RGB to XYZ under D50
	curves [3]func(float64) float64
}

func (p *iccProfile) isCMYK() bool { return p.table != nil && p.table.inputs == 4 }

// isSRGB reports whether converting would change next to nothing.
func (p *iccProfile) isSRGB() bool {
	for i := range 3 {
		for j := range 3 {
			if math.Abs(p.matrix[i][j]-sRGBToXYZ[i][j]) > 0.003 {
				return false
			}
		}
		for _, v := range []float64{0.1, 0.25, 0.5, 0.75} {
			if math.Abs(p.curves[i](v)-sRGBLinear(v)) > 0.005 {
				return false
			}
		}
	}
	return true
}

// The limits of a profile.
const (
	maxProfile  = 4 << 20 // bytes
	iccHeader   = 128
	maxICCTags  = 200
	maxICCCurve = 65536
)

func parseICC(b []byte) (*iccProfile, error) {
	if len(b) < iccHeader+4 || string(b[36:40]) != "acsp" {
		return nil, errors.New("not an ICC profile")
	}
	tags, err := iccTags(b)
	if err != nil {
		return nil, err
	}
	if table, err := parseICCTable(b, tags); table != nil {
		return &iccProfile{table: table}, nil
	} else if err != nil && len(tags["rTRC"]) == 0 {
		return nil, err
	}
	if pcs := string(b[20:24]); pcs != "XYZ " {
		return nil, errors.New("the profile connects through " + printable(pcs))
	}
	switch space := string(b[16:20]); space {
	case "RGB ":
		p := &iccProfile{}
		for i, c := range []string{"r", "g", "b"} {
			xyz, err := iccXYZ(tags[c+"XYZ"])
			if err != nil {
				return nil, err
			}
			for j := range 3 {
				p.matrix[j][i] = xyz[j]
			}
			if p.curves[i], err = iccCurve(tags[c+"TRC"]); err != nil {
				return nil, err
			}
		}
		return p, nil
	case "GRAY":
		curve, err := iccCurve(tags["kTRC"])
		return &iccProfile{matrix: sRGBToXYZ, curves: [3]func(float64) float64{curve, curve, curve}}, err
	default:
		return nil, errors.New("the profile is for " + printable(space))
	}
}

func iccTags(b []byte) (map[string][]byte, error) {
	n := binary.BigEndian.Uint32(b[iccHeader:])
	if n > maxICCTags || len(b) < iccHeader+4+12*int(n) {
		return nil, errors.New("the profile's tags are cut off")
	}
	tags := map[string][]byte{}
	for i := range int(n) {
		e := b[iccHeader+4+12*i:]
		at, size := uint64(binary.BigEndian.Uint32(e[4:])), uint64(binary.BigEndian.Uint32(e[8:]))
		if at+size <= uint64(len(b)) {
			tags[string(e[:4])] = b[at : at+size]
		}
	}
	return tags, nil
}

func iccXYZ(b []byte) (v [3]float64, err error) {
	if len(b) < 20 || string(b[:4]) != "XYZ " {
		return v, errors.New("the profile has no colour matrix")
	}
	for i := range 3 {
		v[i] = fixed(b[8+4*i:])
	}
	return v, nil
}

// fixed reads an s15Fixed16Number.
func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// iccCurve reads a curveType or parametricCurveType (ICC.1:2022 sections 10.6 and 10.18).
func iccCurve(b []byte) (func(float64) float64, error) {
	errCurve := errors.New("the profile has no usable tone curve")
	if len(b) < 12 {
		return nil, errCurve
	}
	switch string(b[:4]) {
	case "curv":
		n := int(binary.BigEndian.Uint32(b[8:]))
		if n > maxICCCurve || len(b) < 12+2*n {
			return nil, errCurve
		}
		switch n {
		case 0:
			return func(v float64) float64 { return v }, nil
		case 1:
			g := float64(binary.BigEndian.Uint16(b[12:])) / 256
			return func(v float64) float64 { return math.Pow(v, g) }, nil
		}
		table := b[12 : 12+2*n]
		at := func(i int) float64 { return float64(binary.BigEndian.Uint16(table[2*i:])) / 65535 }
		return func(v float64) float64 {
			x := min(max(v, 0), 1) * float64(n-1)
			i := min(int(x), n-2)
			return at(i) + (at(i+1)-at(i))*(x-float64(i))
		}, nil
	case "para":
		kind := binary.BigEndian.Uint16(b[8:])
		counts := []int{1, 3, 4, 5, 7}
		if int(kind) >= len(counts) || len(b) < 12+4*counts[kind] {
			return nil, errCurve
		}
		var p [7]float64
		for i := range counts[kind] {
			p[i] = fixed(b[12+4*i:])
		}
		g, a, bb, c, d, e, f := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
		switch kind {
		case 0:
			return func(v float64) float64 { return math.Pow(v, g) }, nil
		case 1, 2:
			return func(v float64) float64 {
				if a != 0 && v < -bb/a {
					return c
				}
				return math.Pow(max(0, a*v+bb), g) + c
			}, nil
		default:
			return func(v float64) float64 {
				if v < d {
					return c*v + f
				}
				return math.Pow(max(0, a*v+bb), g) + e
			}, nil
		}
	}
	return nil, errCurve
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 127 {
			return -1
		}
		return r
	}, s)
}

package media

import (
	"encoding/binary"
	"errors"
	"math"
)

// iccTable converts device colours to XYZ or Lab with a multidimensional lookup table
// between curves (ICC.1:2022, sections 10.10 to 10.12). Each part is optional.
type iccTable struct {
	inputs int
	before []func(float64) float64 // per device channel
	grid   []int                   // points along each channel
	nodes  []float32               // three numbers per point, from 0 to 1; the last channel varies fastest
	middle []func(float64) float64
	matrix *[12]float64 // three by three, followed by three offsets
	after  []func(float64) float64
	pcs    func([3]float64) [3]float64 // converts the result to XYZ under D50
}

var errTable = errors.New("the profile has no usable table")

// parseICCTable reads the table that converts from device to connection space with the
// perceptual intent, or else that of another intent. It returns nil if none exists.
func parseICCTable(b []byte, tags map[string][]byte) (*iccTable, error) {
	for _, name := range []string{"A2B0", "A2B1", "A2B2"} {
		if tag, ok := tags[name]; ok {
			return newICCTable(tag, string(b[16:20]), string(b[20:24]))
		}
	}
	return nil, nil
}

func newICCTable(tag []byte, space, pcs string) (*iccTable, error) {
	if len(tag) < 32 {
		return nil, errTable
	}
	t := &iccTable{inputs: int(tag[8])}
	kind := string(tag[:4])
	isKnown := space == "RGB " && t.inputs == 3 || space == "CMYK" && t.inputs == 4
	if !isKnown || tag[9] != 3 {
		return nil, errTable
	}
	var err error
	switch kind {
	case "mft1":
		err = t.readOld(tag, 1)
	case "mft2":
		err = t.readOld(tag, 2)
	case "mAB ":
		err = t.readNew(tag)
	default:
		err = errTable
	}
	switch {
	case err != nil:
		return nil, err
	case pcs == "Lab " && kind == "mft2":
		t.pcs = func(v [3]float64) [3]float64 { // 0xff00 is 100, and 0x8000 is 0
			return xyzOfLab(v[0]*100*65535/65280, v[1]*65535/256-128, v[2]*65535/256-128)
		}
	case pcs == "Lab ":
		t.pcs = func(v [3]float64) [3]float64 { return xyzOfLab(v[0]*100, v[1]*255-128, v[2]*255-128) }
	case pcs == "XYZ ":
		t.pcs = func(v [3]float64) [3]float64 {
			const most = 1 + 32767.0/32768
			return [3]float64{v[0] * most, v[1] * most, v[2] * most}
		}
	default:
		return nil, errors.New("the profile connects through " + printable(pcs))
	}
	return t, nil
}

// readOld reads a table of 8-bit or 16-bit numbers (lut8Type, lut16Type).
func (t *iccTable) readOld(tag []byte, width int) error {
	at, in, out := 48, 256, 256
	if width == 2 {
		if len(tag) < 52 {
			return errTable
		}
		at, in, out = 52, int(binary.BigEndian.Uint16(tag[48:])), int(binary.BigEndian.Uint16(tag[50:]))
	}
	if in < 2 || out < 2 || in > 4096 || out > 4096 {
		return errTable
	}
	rest := tag[at:]
	take := func(n int) ([]float32, bool) {
		if n < 0 || n > len(rest)/width {
			return nil, false
		}
		list := iccNumbers(rest[:n*width], width)
		rest = rest[n*width:]
		return list, true
	}
	for range t.inputs {
		list, ok := take(in)
		if !ok {
			return errTable
		}
		t.before = append(t.before, tableCurve(list))
	}
	n := 3
	for range t.inputs {
		t.grid = append(t.grid, int(tag[10]))
		if n *= int(tag[10]); n > maxProfile {
			return errTable
		}
	}
	nodes, ok := take(n)
	if !ok || tag[10] < 2 {
		return errTable
	}
	t.nodes = nodes
	for range 3 {
		list, ok := take(out)
		if !ok {
			return errTable
		}
		t.after = append(t.after, tableCurve(list))
	}
	return nil
}

// readNew reads a table with up to three sets of curves and a matrix (lutAToBType).
func (t *iccTable) readNew(tag []byte) error {
	var err error
	part := func(i int) []byte { // nil if absent
		at := binary.BigEndian.Uint32(tag[12+4*i:])
		if at == 0 {
			return nil
		}
		if uint64(at) >= uint64(len(tag)) {
			err = errTable
			return nil
		}
		return tag[at:]
	}
	last, matrix, middle, nodes, before := part(0), part(1), part(2), part(3), part(4)
	if err != nil || last == nil || nodes == nil && t.inputs != 3 {
		return errTable
	}
	if matrix != nil {
		if len(matrix) < 48 {
			return errTable
		}
		t.matrix = new([12]float64)
		for i := range t.matrix {
			t.matrix[i] = fixed(matrix[4*i:])
		}
	}
	if t.after, err = iccCurves(last, 3); err == nil && middle != nil {
		t.middle, err = iccCurves(middle, 3)
	}
	if err == nil && before != nil {
		t.before, err = iccCurves(before, t.inputs)
	}
	if err == nil && nodes != nil {
		err = t.readNodes(nodes)
	}
	return err
}

// readNodes reads the points of a table that is preceded by its grid size along each
// channel.
func (t *iccTable) readNodes(b []byte) error {
	if len(b) < 20 || b[16] != 1 && b[16] != 2 {
		return errTable
	}
	n, width := 3, int(b[16])
	for i := range t.inputs {
		t.grid = append(t.grid, int(b[i]))
		if n *= int(b[i]); n > maxProfile || b[i] < 2 {
			return errTable
		}
	}
	if n*width > len(b)-20 {
		return errTable
	}
	t.nodes = iccNumbers(b[20:20+n*width], width)
	return nil
}

// iccNumbers reads numbers of one or two bytes and scales them to 0…1.
func iccNumbers(b []byte, width int) []float32 {
	list := make([]float32, len(b)/width)
	for i := range list {
		if width == 1 {
			list[i] = float32(b[i]) / 255
		} else {
			list[i] = float32(binary.BigEndian.Uint16(b[2*i:])) / 65535
		}
	}
	return list
}

// tableCurve returns the piecewise linear curve through equidistant points.
func tableCurve(list []float32) func(float64) float64 {
	return func(v float64) float64 {
		x := unit(v) * float64(len(list)-1)
		i := min(int(x), len(list)-2)
		return float64(list[i]) + float64(list[i+1]-list[i])*(x-float64(i))
	}
}

// unit clamps a number to 0…1 and maps NaN to 0.
func unit(v float64) float64 {
	if v > 0 {
		return min(v, 1)
	}
	return 0
}

// iccCurves reads consecutive curves, each aligned to a multiple of four bytes.
func iccCurves(b []byte, n int) ([]func(float64) float64, error) {
	var list []func(float64) float64
	for range n {
		curve, err := iccCurve(b)
		if err != nil {
			return nil, err
		}
		list = append(list, curve)
		size := 12 + 2*int(binary.BigEndian.Uint32(b[8:]))
		if string(b[:4]) == "para" {
			size = 12 + 4*[]int{1, 3, 4, 5, 7}[binary.BigEndian.Uint16(b[8:])]
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return list, nil
}

// rgb converts channels, from 0 to 1, to sRGB.
func (t *iccTable) rgb(channels *[4]float64) (r, g, b uint8) {
	for i, curve := range t.before {
		channels[i] = curve(channels[i])
	}
	v := [3]float64{channels[0], channels[1], channels[2]}
	if t.nodes != nil {
		v = t.between(channels)
	}
	for i, curve := range t.middle {
		v[i] = curve(unit(v[i]))
	}
	if m := t.matrix; m != nil {
		v = [3]float64{
			m[0]*v[0] + m[1]*v[1] + m[2]*v[2] + m[9], m[3]*v[0] + m[4]*v[1] + m[5]*v[2] + m[10],
			m[6]*v[0] + m[7]*v[1] + m[8]*v[2] + m[11],
		}
	}
	for i, curve := range t.after {
		v[i] = curve(unit(v[i]))
	}
	return sRGBOfXYZ(t.pcs(v))
}

// between interpolates the table at a point: tetrahedrally for three channels, as LittleCMS
// does, and linearly between two such results along the first of four channels.
func (t *iccTable) between(channels *[4]float64) [3]float64 {
	if t.inputs == 3 {
		return t.tetrahedron(0, t.grid, channels[:3])
	}
	x := unit(channels[0]) * float64(t.grid[0]-1)
	i := min(int(x), t.grid[0]-2)
	size := 3 * t.grid[1] * t.grid[2] * t.grid[3]
	low := t.tetrahedron(i*size, t.grid[1:], channels[1:])
	high := t.tetrahedron((i+1)*size, t.grid[1:], channels[1:])
	for k := range low {
		low[k] += (high[k] - low[k]) * (x - float64(i))
	}
	return low
}

// tetrahedron interpolates a three-dimensional table, which starts at an index, at a point.
func (t *iccTable) tetrahedron(at int, grid []int, point []float64) [3]float64 {
	var part [3]float64
	step := [3]int{3 * grid[1] * grid[2], 3 * grid[2], 3}
	for i, v := range point[:3] {
		x := unit(v) * float64(grid[i]-1)
		k := min(int(x), grid[i]-2)
		at += k * step[i]
		part[i] = x - float64(k)
	}
	// Walk along the edges from one corner to the opposite one, largest fraction first.
	a, b, c := 0, 1, 2
	if part[a] < part[b] {
		a, b = b, a
	}
	if part[b] < part[c] {
		b, c = c, b
	}
	if part[a] < part[b] {
		a, b = b, a
	}
	var out [3]float64
	n0, n1 := t.nodes[at:], t.nodes[at+step[a]:]
	n2, n3 := t.nodes[at+step[a]+step[b]:], t.nodes[at+step[0]+step[1]+step[2]:]
	for k := range out {
		v0, v1, v2, v3 := float64(n0[k]), float64(n1[k]), float64(n2[k]), float64(n3[k])
		out[k] = v0 + (v1-v0)*part[a] + (v2-v1)*part[b] + (v3-v2)*part[c]
	}
	return out
}

// xyzOfLab converts CIELAB under D50 to XYZ (ISO 11664-4).
func xyzOfLab(l, a, b float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 6.0/29 {
			return t * t * t
		}
		return (t - 4.0/29) * 108 / 841
	}
	y := (l + 16) / 116
	return [3]float64{0.9642 * f(y+a/500), f(y), 0.8249 * f(y-b/200)}
}

// sRGBOfXYZ converts XYZ under D50 to sRGB and clips colours outside its gamut.
func sRGBOfXYZ(v [3]float64) (r, g, b uint8) {
	var out [3]uint8
	for i, m := range xyzToSRGB {
		light := m[0]*v[0] + m[1]*v[1] + m[2]*v[2]
		out[i] = lightByte(light)
	}
	return out[0], out[1], out[2]
}

// lightByte is sRGBByte computed with a table.
func lightByte(v float64) uint8 {
	if !(v > 0) {
		return 0
	}
	return sRGBBytes()[int(math.Sqrt(min(v, 1))*float64(len(sRGBBytes())-1)+0.5)]
}

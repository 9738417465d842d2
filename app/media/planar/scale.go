package planar

import "math"

// axis describes how a plane is scaled in one direction.
type axis struct {
	to    int     // number of output samples
	scale float64 // input samples per output sample
	shift float64 // start of the first output sample, in output samples
}

func (a axis) keeps(from int) bool { return a.scale == 1 && a.shift == 0 && a.to == from }

// blockAbove is the scale from which a plane is first averaged over blocks of samples,
// leaving a scale of half this value or slightly more. It is the same on every machine,
// because it affects the result.
const blockAbove = 8

// block returns the number of samples to average first.
func block(scale float64) int {
	if scale < blockAbove {
		return 1
	}
	return int(scale / (blockAbove / 2))
}

// scaler scales planes of one size.
//
// Both directions use the same kernel, a weighted sum of rows: down the columns, transpose,
// down the columns, transpose back. Neither pass has to gather, and the first one processes
// rows in memory order.
type scaler struct {
	across, down int // size of the blocks that are averaged first
	x, y         *filter
}

func newScaler(p Plane, x, y axis) *scaler {
	s := &scaler{across: block(x.scale), down: block(y.scale)}
	s.x = newFilter((p.W+s.across-1)/s.across, axis{x.to, x.scale / float64(s.across), x.shift})
	s.y = newFilter((p.H+s.down-1)/s.down, axis{y.to, y.scale / float64(s.down), y.shift})
	return s
}

func (s *scaler) scale(p Plane) Plane {
	if s.across > 1 || s.down > 1 {
		p = average(p, s.across, s.down)
	}
	switch {
	case s.x == nil && s.y == nil:
		return p
	case s.x == nil:
		return s.y.rows(p)
	case s.y == nil:
		return transpose(s.x.rows(transpose(p)))
	}
	return transpose(s.x.rows(s.y.turnedRows(p)))
}

// filter contains the weights of a Catmull-Rom filter for each output row. A nil filter
// changes nothing.
type filter struct {
	taps    int   // input rows per output row: even, unless there are fewer
	starts  []int // first input row
	weights []int16
}

// weightBits is the number of fractional bits of a weight.
const weightBits = 14

func newFilter(from int, a axis) *filter {
	if a.keeps(from) {
		return nil
	}
	stretch := max(1, a.scale)
	reach := int(math.Ceil(4*stretch)) + 1
	taps := min(reach+reach%2, from)
	f := &filter{taps, make([]int, a.to), make([]int16, a.to*taps)}
	weights := make([]float64, taps)
	for i := range a.to {
		center := (float64(i)+0.5+a.shift)*a.scale - 0.5
		first := int(math.Ceil(center - 2*stretch))
		f.starts[i] = min(max(first, 0), from-taps)
		clear(weights)
		for row := first; row < first+reach; row++ { // rows beyond an edge repeat it
			weights[min(max(row, 0), from-1)-f.starts[i]] += catmullRom((float64(row) - center) / stretch)
		}
		round(f.weights[i*taps:][:taps], weights)
	}
	return f
}

// round makes integer weights add up to exactly one, so that flat areas stay flat: each
// weight absorbs the rounding errors of the previous ones.
func round(out []int16, weights []float64) {
	var sum, exact float64
	for _, w := range weights {
		sum += w
	}
	given := 0
	for i, w := range weights {
		exact += float64(w / sum * (1 << weightBits))
		v := int(math.Round(exact)) - given
		given += v
		out[i] = int16(v)
	}
}

func catmullRom(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return float64(float64(float64(1.5*x)-2.5)*float64(x*x)) + 1
	case x < 2:
		return float64(float64(float64(float64(2.5-float64(0.5*x))*x)-4)*x) + 2
	}
	return 0
}

// row computes an output row from the rows of p.
func (f *filter) row(dst []byte, p Plane, i int) {
	weightedSum(dst, p.Pix[f.starts[i]*p.Stride:], p.Stride, f.weights[i*f.taps:][:f.taps])
}

func (f *filter) rows(p Plane) Plane {
	out := newPlane(p.W, len(f.starts))
	for y := range out.H {
		f.row(out.row(y), p, y)
	}
	return out
}

// turnedRows is rows followed by a transposition, in strips while they are in the cache.
func (f *filter) turnedRows(p Plane) Plane {
	const strip = 32
	out := newPlane(len(f.starts), p.W)
	buf := newPlane(p.W, min(strip, out.W))
	for y := 0; y < out.W; y += strip {
		n := min(strip, out.W-y)
		for i := range n {
			f.row(buf.row(i), p, y+i)
		}
		transposeInto(out, y, Plane{buf.Pix, p.W, n, buf.Stride})
	}
	return out
}

// weightedSumGo sets dst to the weighted sum of rows of src.
func weightedSumGo(dst, src []byte, stride int, weights []int16) {
	var sums [512]int32 // small enough for the L1 cache
	for x := 0; x < len(dst); x += len(sums) {
		out := dst[x:min(x+len(sums), len(dst))]
		acc := sums[:len(out)]
		for i := range acc {
			acc[i] = 1 << (weightBits - 1)
		}
		k := 0
		for ; k+4 <= len(weights); k += 4 {
			a, b, c, d := int32(weights[k]), int32(weights[k+1]), int32(weights[k+2]), int32(weights[k+3])
			r0, r1 := src[k*stride+x:][:len(acc)], src[(k+1)*stride+x:][:len(acc)]
			r2, r3 := src[(k+2)*stride+x:][:len(acc)], src[(k+3)*stride+x:][:len(acc)]
			for i := range acc {
				acc[i] += a*int32(r0[i]) + b*int32(r1[i]) + c*int32(r2[i]) + d*int32(r3[i])
			}
		}
		for ; k < len(weights); k++ {
			a, r := int32(weights[k]), src[k*stride+x:][:len(acc)]
			for i := range acc {
				acc[i] += a * int32(r[i])
			}
		}
		for i, v := range acc {
			out[i] = uint8(min(max(v>>weightBits, 0), 255))
		}
	}
}

// average computes the means of blocks of samples; blocks at the right and lower edges may
// be smaller.
func average(p Plane, across, down int) Plane {
	out := newPlane((p.W+across-1)/across, (p.H+down-1)/down)
	sums := make([]uint32, out.W)
	whole := p.W / across
	for oy := range out.H {
		clear(sums)
		top, bottom := oy*down, min(p.H, (oy+1)*down)
		for y := top; y < bottom; y++ {
			row := p.row(y)
			for ox := range sums[:whole] {
				var s uint32
				for _, v := range row[ox*across:][:across] {
					s += uint32(v)
				}
				sums[ox] += s
			}
			for _, v := range row[whole*across:] {
				sums[whole] += uint32(v)
			}
		}
		dst := out.row(oy)
		for ox, s := range sums {
			n := uint32(min(across, p.W-ox*across) * (bottom - top))
			dst[ox] = uint8((s + n/2) / n)
		}
	}
	return out
}

package baseline

import "math"

// natural maps the order of coefficients in the file to that in memory, which is
// transposed: by horizontal frequency, then by vertical frequency (figure 5). Runs of zeros
// beyond the end of the block map to the last position.
var natural = [64]uint8{
	0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40,
	33, 26, 19, 12, 5, 6, 13, 20, 27, 34, 41, 48, 56, 49, 42, 35,
	28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30,
	23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63,
}

// scan decodes all blocks.
func (d *decoder) scan() bool {
	across, down := d.units()
	d.in.begin()
	var coefficients [64]int16
	left, marker := d.interval, byte(markRestart)
	for y := range down {
		for x := range across {
			if d.interval > 0 {
				if left == 0 {
					if !d.in.restart(marker) {
						return false
					}
					left, marker = d.interval, markRestart|(marker+1)&7
					for i := range d.components {
						d.components[i].before = 0
					}
				}
				left--
			}
			for i := range d.components {
				if !d.unit(&d.components[i], x, y, &coefficients) {
					return false
				}
			}
		}
	}
	return d.in.whole()
}

// unit decodes a component's blocks in a minimum coded unit.
func (d *decoder) unit(c *component, x, y int, coefficients *[64]int16) bool {
	for v := range c.v {
		for h := range c.h {
			alone, ok := d.in.block(c, coefficients)
			if !ok {
				return false
			}
			to := c.pix[8*((y*c.v+v)*c.stride+x*c.h+h):]
			sum := int32(0)
			if q := &d.quantization[c.quantization]; alone {
				sum = flat(to, c.stride, int32(coefficients[0])*q[0])
				coefficients[0] = 0
			} else {
				sum = inverse(to, c.stride, coefficients, q)
			}
			if sum > maxSum {
				return false
			}
		}
	}
	return !d.in.lacking
}

// maxSum is the maximum sum of the dequantized coefficients of a block: by Parseval's
// theorem, no picture exceeds it, apart from rounding. Integer decoders overflow somewhere
// above it.
const maxSum = 8192

// block decodes the next block into coefficients, which must be zero. It reports whether
// the block has only a DC coefficient, and ok is false if something is unusual.
func (in *input) block(c *component, coefficients *[64]int16) (alone, ok bool) {
	bits, n := in.bits, in.n
	if n < 32 {
		bits, n = in.more(bits, n)
	}
	e := c.dc.entries[bits>>(64-lookup)]
	if e&special != 0 {
		if e&whichMask == longCode {
			e = c.dc.long(uint32(bits>>48), true)
		}
		if e&special != 0 {
			return false, false
		}
	}
	bits, n = bits<<(e&takesMask), n-uint(e&takesMask)
	number := int32(e) >> numberFrom
	if size := uint(e >> sizeShift & 15); size != 0 {
		number = extend(uint32(bits>>(64-size)), size)
		bits, n = bits<<size, n-size
	}
	c.before += number
	if c.before > math.MaxInt16 || c.before < math.MinInt16 {
		return false, false
	}
	coefficients[0] = int16(c.before)

	entries := &c.ac.entries
	alone = true
	for k := uint(1); k < 64; k++ {
		if n < 32 {
			bits, n = in.more(bits, n)
		}
		e := entries[bits>>(64-lookup)]
		if e&special != 0 {
			if e&whichMask == longCode {
				e = c.ac.long(uint32(bits>>48), false)
			}
			if e&special != 0 {
				bits, n = bits<<(e&takesMask), n-uint(e&takesMask)
				if e&whichMask == endBlock {
					break
				}
				if e&whichMask != zeros16 {
					return false, false
				}
				k += 15
				continue
			}
		}
		bits, n = bits<<(e&takesMask), n-uint(e&takesMask)
		number := int32(e) >> numberFrom
		if size := uint(e >> sizeShift & 15); size != 0 {
			number = extend(uint32(bits>>(64-size)), size)
			bits, n = bits<<size, n-size
		}
		k += uint(e >> runShift & 15)
		if k >= 64 {
			return false, false
		}
		coefficients[natural[k]] = int16(number)
		alone = false
	}
	in.bits, in.n = bits, n
	return alone, true
}

package baseline

import (
	"encoding/binary"
	"io"
)

// input reads a file through a buffer: segments by bytes, a scan by bits.
type input struct {
	r    io.Reader
	buf  [68 << 10]byte // larger than any segment, which is at most 64 KiB
	i, j int            // buf[i:j] is unread

	// The next n bits of the scan are the high bits of bits; the bits below them are
	// undefined. The last padding of the n bits are zeros that are not in the file, added
	// where the scan ends at a marker or at the end of the file.
	bits    uint64
	n       uint
	padding uint
	ended   bool
	lacking bool // padding was consumed as data
}

// fill reads more data, and reports whether there was any.
func (in *input) fill() bool {
	in.j = copy(in.buf[:], in.buf[in.i:in.j])
	in.i = 0
	n, err := io.ReadAtLeast(in.r, in.buf[in.j:], 1)
	in.j += n
	return err == nil
}

// take returns the next n bytes, which are valid until the next read.
func (in *input) take(n int) ([]byte, bool) {
	for in.j-in.i < n {
		if !in.fill() {
			return nil, false
		}
	}
	b := in.buf[in.i:][:n]
	in.i += n
	return b, true
}

// skip skips n bytes.
func (in *input) skip(n int) bool {
	_, ok := in.take(n)
	return ok
}

// marker finds the next marker. It skips stray bytes, and allows more than one leading
// 0xff.
func (in *input) marker() (byte, bool) {
	for {
		b, ok := in.take(2)
		if !ok {
			return 0, false
		}
		switch {
		case b[0] != 0xff:
			in.i--
		case b[1] == 0xff:
			for b[1] == 0xff {
				in.i--
				if b, ok = in.take(2); !ok {
					return 0, false
				}
			}
			return b[1], b[1] != 0
		case b[1] != 0:
			return b[1], true
		}
	}
}

// begin starts reading bits.
func (in *input) begin() {
	in.bits, in.n, in.padding, in.ended, in.lacking = 0, 0, 0, false, false
}

// more extends the n unread bits to at least 32.
func (in *input) more(bits uint64, n uint) (uint64, uint) {
	if in.i+8 <= in.j {
		v := binary.BigEndian.Uint64(in.buf[in.i:])
		if (v&0x7f7f7f7f7f7f7f7f+0x0101010101010101)&v&0x8080808080808080 == 0 { // no byte is 0xff
			k := (64 - n) / 8
			in.i += int(k)
			return bits | v>>n, n + 8*k
		}
	}
	return in.moreSlowly(bits, n)
}

// moreSlowly is more for data that contains 0xff or ends.
func (in *input) moreSlowly(bits uint64, n uint) (uint64, uint) {
	bits &= ^uint64(0) << (64 - n)
	for n <= 56 {
		b, ok := in.scanned()
		if !ok {
			in.lacking = in.lacking || n < in.padding
			in.padding += 64 - n
			return bits, 64
		}
		bits |= uint64(b) << (56 - n)
		n += 8
	}
	return bits, n
}

// scanned returns the next byte of a scan, or false at its end.
func (in *input) scanned() (byte, bool) {
	if in.ended || in.i == in.j && !in.fill() {
		in.ended = true
		return 0, false
	}
	b := in.buf[in.i]
	if b != 0xff {
		in.i++
		return b, true
	}
	if in.i+1 == in.j && !in.fill() || in.buf[in.i+1] != 0 {
		in.ended = true
		return 0, false
	}
	in.i += 2
	return b, true
}

// whole reports whether all bits consumed so far are in the file.
func (in *input) whole() bool { return !in.lacking && in.n >= in.padding }

// restart expects the end of an interval and the restart marker after it.
func (in *input) restart(marker byte) bool {
	in.bits, in.n = in.more(in.bits, in.n)
	if !in.ended || !in.whole() || in.n-in.padding >= 8 {
		return false
	}
	b, ok := in.take(2)
	if !ok || b[0] != 0xff || b[1] != marker {
		return false
	}
	in.begin()
	return true
}

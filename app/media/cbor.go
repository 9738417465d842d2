package media

import (
	"encoding/binary"
	"math"
)

// The limits of a CBOR value.
const (
	maxCBORDepth = 20
	maxCBORItems = 20_000
)

// readCBOR decodes a CBOR value (RFC 8949) into uint64 or int64, byte strings, texts, []any,
// and map[any]any with text and number keys. It ignores tags and returns nil for damaged
// input.
func readCBOR(b []byte) any {
	r := cborReader{b: b, left: maxCBORItems}
	v := r.value(maxCBORDepth)
	if r.bad {
		return nil
	}
	return v
}

type cborReader struct {
	b    []byte
	left int
	bad  bool
}

// head reads the head of an item: its major type, its argument, and whether its length is
// indefinite.
func (r *cborReader) head() (major byte, n uint64, open bool) {
	if len(r.b) == 0 {
		r.bad = true
		return 0, 0, false
	}
	first := r.b[0]
	r.b = r.b[1:]
	major, info := first>>5, first&31
	switch {
	case info < 24:
		return major, uint64(info), false
	case info <= 27:
		size := 1 << (info - 24)
		if len(r.b) < size {
			r.bad = true
			return 0, 0, false
		}
		wide := make([]byte, 8)
		copy(wide[8-size:], r.b)
		r.b = r.b[size:]
		return major, binary.BigEndian.Uint64(wide), false
	case info == 31:
		return major, 0, true
	}
	r.bad = true
	return 0, 0, false
}

func (r *cborReader) value(depth int) any {
	if r.left--; depth == 0 || r.left < 0 {
		r.bad = true
	}
	if r.bad {
		return nil
	}
	major, n, open := r.head()
	switch major {
	case 0:
		return n
	case 1:
		return -1 - int64(min(n, math.MaxInt64-1))
	case 2, 3:
		b := r.text(major, n, open)
		if major == 3 {
			return string(b)
		}
		return b
	case 4:
		list := []any{}
		for i := uint64(0); !r.bad && (open || i < n); i++ {
			if open && r.ended() {
				break
			}
			list = append(list, r.value(depth-1))
		}
		return list
	case 5:
		m := map[any]any{}
		for i := uint64(0); !r.bad && (open || i < n); i++ {
			if open && r.ended() {
				break
			}
			key, v := r.value(depth-1), r.value(depth-1)
			switch key.(type) {
			case string, uint64, int64:
				m[key] = v
			}
		}
		return m
	case 6:
		return r.value(depth - 1)
	}
	return map[uint64]any{20: false, 21: true}[n] // floating-point numbers are not needed
}

// ended reports whether an item of indefinite length ends here, and consumes its break
// code.
func (r *cborReader) ended() bool {
	if len(r.b) == 0 {
		r.bad = true
		return true
	}
	if r.b[0] != 0xff {
		return false
	}
	r.b = r.b[1:]
	return true
}

// text reads a string, which may consist of several chunks.
func (r *cborReader) text(kind byte, n uint64, open bool) (b []byte) {
	if !open {
		if n > uint64(len(r.b)) {
			r.bad = true
			return nil
		}
		b, r.b = r.b[:n], r.b[n:]
		return b
	}
	for !r.ended() {
		major, n, open := r.head()
		if r.left--; r.bad || open || major != kind || n > uint64(len(r.b)) || r.left < 0 {
			r.bad = true
			return nil
		}
		b, r.b = append(b, r.b[:n]...), r.b[n:]
	}
	return b
}

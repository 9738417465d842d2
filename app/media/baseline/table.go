package baseline

// lookup is the number of bits of a table lookup.
const lookup = 10

// table is a Huffman table.
type table struct {
	ready bool
	// entries is indexed by the next bits: it contains a complete coefficient if that is short
	// enough, otherwise only its code.
	entries [1 << lookup]entry
	// A code of n bits, left-aligned to 16 bits, is below limits[n]; the code plus shifts[n]
	// is the index of its symbol.
	limits  [17]uint32
	shifts  [17]int32
	symbols [256]byte
}

// entry contains, from its lowest bit: the number of bits consumed (5 bits), the number of
// zeros before the coefficient (4), the number of additional bits that encode it, 0 if its
// value is in the entry (4), a flag for special entries (1), whose kind replaces the value
// (2), and the value (16).
type entry uint32

const (
	takesMask  = 1<<5 - 1
	runShift   = 5
	sizeShift  = 9
	special    = 1 << 13
	numberFrom = 16

	longCode  = special         // longer than lookup, or no code
	endBlock  = special | 1<<14 // only zeros follow
	zeros16   = special | 2<<14 // sixteen zeros
	unusual   = special | 3<<14 // not allowed in a baseline JPEG
	whichMask = special | 3<<14
)

// set builds the table from the number of codes of each length and their symbols. It
// returns false if the codes are not a prefix code.
func (t *table) set(counts [16]byte, symbols []byte, means bool) bool {
	*t = table{ready: true}
	for i := range t.entries {
		t.entries[i] = longCode
	}
	copy(t.symbols[:], symbols)
	code, at := uint32(0), 0
	for i, count := range counts {
		length := uint(i + 1)
		t.shifts[length] = int32(at) - int32(code)
		for range count {
			if code >= 1<<length {
				return false
			}
			if length <= lookup {
				t.spread(code, length, symbolEntry(symbols[at], means))
			}
			code++
			at++
		}
		t.limits[length] = code << (16 - length)
		code <<= 1
	}
	return true
}

// symbolEntry returns the entry of a symbol before its code length is added (F.1.2.1,
// F.1.2.2).
func symbolEntry(symbol byte, means bool) entry {
	run, size := entry(symbol>>4), entry(symbol&15)
	switch {
	case means && symbol <= 11:
		return entry(symbol) << sizeShift
	case means:
		return unusual
	case symbol == 0:
		return endBlock
	case symbol == 0xf0:
		return zeros16
	case size == 0 || size > 10:
		return unusual
	}
	return run<<runShift | size<<sizeShift
}

// spread fills the entries that begin with a code.
func (t *table) spread(code uint32, length uint, e entry) {
	free := lookup - length
	for rest := range uint32(1) << free {
		with, size := e|entry(length), uint(e>>sizeShift&15)
		if e&special == 0 && size <= free {
			number := extend(rest>>(free-size), size)
			with = entry(length+size) | e&(15<<runShift) | entry(uint16(number))<<numberFrom
		}
		t.entries[code<<free|rest] = with
	}
}

// long returns the entry of a code longer than lookup; bits are the next 16. An invalid
// code is unusual.
func (t *table) long(bits uint32, means bool) entry {
	for length := uint(lookup + 1); length <= 16; length++ {
		if bits < t.limits[length] {
			symbol := t.symbols[int32(bits>>(16-length))+t.shifts[length]]
			return symbolEntry(symbol, means) | entry(length)
		}
	}
	return unusual
}

// extend converts the additional bits of a coefficient to its value (F.2.2.1).
func extend(bits uint32, size uint) int32 {
	if size == 0 || bits >= 1<<(size-1) {
		return int32(bits)
	}
	return int32(bits) - 1<<size + 1
}

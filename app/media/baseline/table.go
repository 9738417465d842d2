package baseline

// lookup is how many bits are looked up at once.
const lookup = 10

// table is a Huffman table.
type table struct {
	ready bool
	// entries are what begins with some bits: a whole number if it is short enough,
	// else the code of one.
	entries [1 << lookup]entry
	// Codes of n bits are below limits[n], if 16 bits are taken; a code and shifts[n]
	// are the place of its symbol.
	limits  [17]uint32
	shifts  [17]int32
	symbols [256]byte
}

// entry is, from its lowest bit on: how many bits it takes (5 bits), how many zeros
// come before the number (4), how many bits of the number follow (4), 0 if it is in
// the entry, whether it is something else (1), which is then in place of the number:
// what (2), and the number (16).
type entry uint32

const (
	takesMask  = 1<<5 - 1
	runShift   = 5
	sizeShift  = 9
	special    = 1 << 13
	numberFrom = 16

	longCode  = special         // more bits than are looked up, or no code
	endBlock  = special | 1<<14 // all that follow are zeros
	zeros16   = special | 2<<14 // sixteen zeros
	unusual   = special | 3<<14 // what a baseline JPEG does not have
	whichMask = special | 3<<14
)

// set makes the table from how many codes there are of each length, and their
// symbols. It reports false for codes that are not a prefix code.
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

// symbolEntry returns the entry of a symbol, which takes no bits yet (F.1.2.1, F.1.2.2).
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

// spread enters what begins with a code.
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

// long returns the entry of a code that is too long to look up; bits are the next
// 16. It is unusual if there is none.
func (t *table) long(bits uint32, means bool) entry {
	for length := uint(lookup + 1); length <= 16; length++ {
		if bits < t.limits[length] {
			symbol := t.symbols[int32(bits>>(16-length))+t.shifts[length]]
			return symbolEntry(symbol, means) | entry(length)
		}
	}
	return unusual
}

// extend returns the number that some bits stand for (F.2.2.1).
func extend(bits uint32, size uint) int32 {
	if size == 0 || bits >= 1<<(size-1) {
		return int32(bits)
	}
	return int32(bits) - 1<<size + 1
}

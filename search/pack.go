package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// A packed file is a sequence of blocks, each with its length, its bytes and their
// checksum. The position of a block determines its content.

// maxBlock is the maximum length of a block: a column of a hundred million assets.
const maxBlock = 1 << 30

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errPacked is returned for a damaged or invalid packed file.
var errPacked = errors.New("it is damaged")

// packer writes blocks until the first error, which it keeps.
type packer struct {
	w   io.Writer
	err error
}

func (p *packer) block(parts ...[]byte) {
	n, sum := 0, uint32(0)
	for _, b := range parts {
		n, sum = n+len(b), crc32.Update(sum, castagnoli, b)
	}
	if n > maxBlock && p.err == nil {
		p.err = fmt.Errorf("a block of %d bytes is too long", n)
	}
	p.write(binary.LittleEndian.AppendUint32(nil, uint32(n)))
	for _, b := range parts {
		p.write(b)
	}
	p.write(binary.LittleEndian.AppendUint32(nil, sum))
}

func (p *packer) write(b []byte) {
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
}

// unpacker reads blocks until the first error, which it keeps; then all blocks are empty.
type unpacker struct {
	r    io.Reader
	left int64 // maximum number of bytes left in r
	buf  []byte
	err  error
}

// block returns the bytes of the next block, valid until the next call.
func (u *unpacker) block() []byte {
	n := int64(u.number())
	if u.err == nil && (n > maxBlock || n > u.left) {
		u.err = errPacked
	}
	if u.err != nil {
		return nil
	}
	if int64(cap(u.buf)) < n {
		u.buf = make([]byte, n)
	}
	b := u.read(u.buf[:n])
	if sum := u.number(); u.err == nil && sum != crc32.Checksum(b, castagnoli) {
		u.err = errPacked
	}
	if u.err != nil {
		return nil
	}
	return b
}

func (u *unpacker) number() uint32 {
	var b [4]byte
	if u.read(b[:]); u.err != nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b[:])
}

func (u *unpacker) read(b []byte) []byte {
	if u.left -= int64(len(b)); u.err == nil && u.left < 0 {
		u.err = errPacked
	}
	if u.err == nil {
		_, u.err = io.ReadFull(u.r, b)
	}
	return b
}

// fail records that the content of a block is invalid.
func (u *unpacker) fail() {
	if u.err == nil {
		u.err = errPacked
	}
}

// packedHead is the length of the header of packNumbers.
const packedHead = 13

// packNumbers encodes numbers in as few bytes each as their range requires: the count,
// the minimum, the bytes per number, then each number as its difference from the minimum
// plus one. The value none is encoded as 0 and does not affect the minimum.
func packNumbers[T int64 | uint32 | uint8](list []T, none int64) []byte {
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for _, v := range list {
		if n := int64(v); n != none {
			least, most = min(least, n), max(most, n)
		}
	}
	width := 0
	if least <= most {
		for r := uint64(most) - uint64(least) + 1; r > 0; r >>= 8 {
			width++
		}
	}
	b := make([]byte, 0, packedHead+8+len(list)*width)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(list)))
	b = binary.LittleEndian.AppendUint64(b, uint64(least))
	b = append(b, byte(width))
	for _, v := range list {
		code := uint64(0)
		if n := int64(v); n != none {
			code = uint64(n) - uint64(least) + 1
		}
		b = binary.LittleEndian.AppendUint64(b, code) // little-endian: the first bytes suffice
		b = b[:len(b)-8+width]
	}
	return b
}

// numbersOf reads the next block as n numbers.
func numbersOf[T int64 | uint32 | uint8](u *unpacker, n int, none int64) []T {
	b := u.block()
	if u.err != nil || len(b) < packedHead || int(binary.LittleEndian.Uint32(b)) != n {
		u.fail()
		return nil
	}
	least, width := binary.LittleEndian.Uint64(b[4:]), int(b[12])
	if b = b[packedHead:]; width > 8 || len(b) != n*width {
		u.fail()
		return nil
	}
	list := make([]T, n)
	for i := range list {
		if code := firstBytes(b[i*width:], width); code == 0 {
			list[i] = T(none)
		} else {
			list[i] = T(int64(least + code - 1))
		}
	}
	return list
}

// firstBytes decodes a little-endian number of width bytes.
func firstBytes(b []byte, width int) (n uint64) {
	if len(b) >= 8 {
		return binary.LittleEndian.Uint64(b) & (1<<(8*width) - 1)
	}
	for i := range width {
		n |= uint64(b[i]) << (8 * i)
	}
	return n
}

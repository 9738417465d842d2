package archive

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"

	"github.com/digital-asset-library/dal/app/engine"
)

// The format of 7z: 7zFormat.txt of the LZMA SDK 24.09, which is in the public domain.

// The identifiers of the parts of a header.
const (
	idEnd             = 0x00
	idHeader          = 0x01
	idProperties      = 0x02
	idAdditional      = 0x03
	idStreams         = 0x04
	idFiles           = 0x05
	idPack            = 0x06
	idUnpack          = 0x07
	idSubStreams      = 0x08
	idSize            = 0x09
	idCRC             = 0x0a
	idFolder          = 0x0b
	idUnpackSize      = 0x0c
	idNumUnpackStream = 0x0d
	idEmptyStream     = 0x0e
	idEmptyFile       = 0x0f
	idNames           = 0x11
	idModified        = 0x14
	idEncoded         = 0x17
)

// The methods relevant for listing.
const (
	method7zCopy = "\x00"
	method7zLZMA = "\x03\x01\x01"
	method7zAES  = "\x06\xf1\x07\x01"
)

const (
	max7zHeader = 64 << 20 // bytes, compressed and uncompressed
	max7zNested = 4        // nested headers
)

var errBad7z = errors.New("the list of its files is damaged")

// list7z reads the header of a 7z archive.
func list7z(l *listing, r io.ReaderAt, size int64) error {
	var start [32]byte
	if _, err := r.ReadAt(start[:], 0); err != nil {
		return err
	}
	le := binary.LittleEndian
	if crc32.ChecksumIEEE(start[12:]) != le.Uint32(start[8:]) {
		return errBad7z
	}
	header, err := part7z(r, size, le.Uint64(start[12:]), le.Uint64(start[20:]))
	if err != nil || len(header) == 0 { // an archive without files has no header
		return err
	}
	if crc32.ChecksumIEEE(header) != le.Uint32(start[28:]) {
		return errBad7z
	}
	for range max7zNested {
		h := &header7z{data: header}
		switch h.byte() {
		case idHeader:
			return h.list(l)
		case idEncoded:
			if header, err = h.decode(r, size); err != nil {
				return err
			}
		default:
			return errBad7z
		}
	}
	return errBad7z
}

// part7z returns a part of an archive. The offset is relative to the end of the start
// header.
func part7z(r io.ReaderAt, size int64, offset, n uint64) ([]byte, error) {
	if n > max7zHeader {
		return nil, &engine.Fault{Reason: engine.Exceeded, Text: "the list of its files is too long"}
	}
	if offset > uint64(size) || offset+n > uint64(size-32) {
		return nil, io.ErrUnexpectedEOF
	}
	data := make([]byte, n)
	_, err := r.ReadAt(data, 32+int64(offset))
	return data, err
}

// header7z reads a header. After the first error it returns zero values.
type header7z struct {
	data []byte
	err  error
}

func (h *header7z) fail() { h.data, h.err = nil, errBad7z }

func (h *header7z) bytes(n uint64) []byte {
	if n > uint64(len(h.data)) {
		h.fail()
		return nil
	}
	part := h.data[:n]
	h.data = h.data[n:]
	return part
}

func (h *header7z) byte() byte {
	if b := h.bytes(1); b != nil {
		return b[0]
	}
	return idEnd
}

// number reads a number: the leading ones of the first byte give the number of additional
// bytes.
func (h *header7z) number() (v uint64) {
	first := h.byte()
	for i, mask := 0, byte(0x80); i < 8; i, mask = i+1, mask>>1 {
		if first&mask == 0 {
			return v | uint64(first&(mask-1))<<(8*i)
		}
		v |= uint64(h.byte()) << (8 * i)
	}
	return v
}

// count reads the number of following elements, each of which takes at least one byte.
func (h *header7z) count() int {
	n := h.number()
	if n > uint64(len(h.data)) {
		h.fail()
		return 0
	}
	return int(n)
}

// bits reads a bit for each of n elements.
func (h *header7z) bits(n int) []bool {
	packed := h.bytes((uint64(n) + 7) / 8)
	if packed == nil {
		return nil
	}
	list := make([]bool, n)
	for i := range list {
		list[i] = packed[i/8]>>(7-i%8)&1 == 1
	}
	return list
}

// defined reads which of n elements have a value.
func (h *header7z) defined(n int) []bool {
	if h.byte() == 0 {
		return h.bits(n)
	}
	if h.err != nil {
		return nil
	}
	return slices.Repeat([]bool{true}, n)
}

// skipCRCs skips the checksums of n elements and returns which of them have one.
func (h *header7z) skipCRCs(n int) []bool {
	has := h.defined(n)
	for _, yes := range has {
		if yes {
			h.bytes(4)
		}
	}
	return has
}

// coder7z is a decompression step.
type coder7z struct {
	method     string
	properties []byte
}

// folder7z is a compressed stream of files.
type folder7z struct {
	coders []coder7z
	main   int      // index of the final output in sizes
	sizes  []uint64 // output sizes of the steps
	files  uint64
	hasCRC bool
}

func (f *folder7z) size() uint64 {
	if f.main < len(f.sizes) {
		return f.sizes[f.main]
	}
	return 0
}

func (f *folder7z) isLocked() bool {
	return slices.ContainsFunc(f.coders, func(c coder7z) bool { return c.method == method7zAES })
}

// streams7z locates the content of an archive or its header.
type streams7z struct {
	at      uint64   // offset of the first packed stream
	packed  []uint64 // sizes
	folders []folder7z
	sizes   []uint64 // sizes of the files in the folders
}

// streams reads the location of content.
func (h *header7z) streams() (s streams7z) {
	for h.err == nil {
		switch h.byte() {
		case idEnd:
			return s
		case idPack:
			h.packed(&s)
		case idUnpack:
			h.folders(&s)
		case idSubStreams:
			h.subStreams(&s)
		default:
			h.fail()
		}
	}
	return s
}

func (h *header7z) packed(s *streams7z) {
	s.at = h.number()
	n := h.count()
	for h.err == nil {
		switch h.byte() {
		case idEnd:
			return
		case idSize:
			for range n {
				s.packed = append(s.packed, h.number())
			}
		case idCRC:
			h.skipCRCs(n)
		default:
			h.fail()
		}
	}
}

func (h *header7z) folders(s *streams7z) {
	if h.byte() != idFolder {
		h.fail()
	}
	n := h.count()
	if h.byte() != 0 { // external storage, which no program uses
		h.fail()
	}
	for i := 0; i < n && h.err == nil; i++ {
		s.folders = append(s.folders, h.folder())
	}
	for h.err == nil {
		switch h.byte() {
		case idEnd:
			return
		case idUnpackSize:
			for i := range s.folders {
				for j := range s.folders[i].sizes {
					s.folders[i].sizes[j] = h.number()
				}
			}
		case idCRC:
			for i, has := range h.skipCRCs(len(s.folders)) {
				s.folders[i].hasCRC = has
			}
		default:
			h.fail()
		}
	}
}

// max7zCoders is the maximum number of steps of a folder, the limit of 7-Zip.
const max7zCoders = 32

func (h *header7z) folder() (f folder7z) {
	n := h.count()
	if n > max7zCoders {
		h.fail()
	}
	in, out := uint64(0), uint64(0)
	for i := 0; i < n && h.err == nil; i++ {
		flags := h.byte()
		c := coder7z{method: string(h.bytes(uint64(flags & 0xf)))}
		ins, outs := uint64(1), uint64(1)
		if flags&0x10 != 0 {
			ins, outs = h.number(), h.number()
		}
		if flags&0x20 != 0 {
			c.properties = h.bytes(h.number())
		}
		if flags&0xc0 != 0 || ins > max7zCoders || outs > max7zCoders {
			h.fail()
		}
		in, out = in+ins, out+outs
		f.coders = append(f.coders, c)
	}
	if h.err != nil || out == 0 || in+1 < out {
		h.fail()
		return f
	}
	f.files, f.sizes = 1, make([]uint64, out)
	bound := make([]bool, out)
	for range out - 1 { // connections between the steps
		h.number()
		if from := h.number(); from < out {
			bound[from] = true
		}
	}
	f.main = max(slices.Index(bound, false), 0)
	if packed := in - (out - 1); packed > 1 {
		for range packed {
			h.number()
		}
	}
	return f
}

func (h *header7z) subStreams(s *streams7z) {
	id := h.byte()
	if id == idNumUnpackStream {
		for i := range s.folders {
			s.folders[i].files = h.number()
		}
		id = h.byte()
	}
	unknown := 0 // number of missing checksums
	for i := range s.folders {
		f := &s.folders[i]
		if f.files > uint64(len(h.data))+1 {
			h.fail()
			return
		}
		left := f.size()
		for j := range f.files {
			size := left
			if j+1 < f.files && id == idSize {
				size = min(h.number(), left)
			}
			left -= size
			s.sizes = append(s.sizes, size)
		}
		if f.files != 1 || !f.hasCRC {
			unknown += int(f.files)
		}
	}
	if id == idSize {
		id = h.byte()
	}
	if id == idCRC {
		h.skipCRCs(unknown)
		id = h.byte()
	}
	if id != idEnd {
		h.fail()
	}
}

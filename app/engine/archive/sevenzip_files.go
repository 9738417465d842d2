package archive

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"time"
	"unicode/utf16"

	"github.com/ulikunitz/xz/lzma"

	"github.com/digital-asset-library/dal/app/engine"
)

// decode decompresses a compressed header.
func (h *header7z) decode(r io.ReaderAt, size int64) ([]byte, error) {
	s := h.streams()
	if h.err != nil {
		return nil, h.err
	}
	if len(s.folders) != 1 || len(s.packed) == 0 {
		return nil, errBad7z
	}
	f := &s.folders[0]
	if f.isLocked() {
		return nil, errLocked
	}
	if len(f.coders) != 1 {
		return nil, &engine.Fault{Reason: engine.Unsupported, Text: "the list of its files is packed in several steps"}
	}
	if f.size() > max7zHeader {
		return nil, &engine.Fault{Reason: engine.Exceeded, Text: "the list of its files is too long"}
	}
	data, err := part7z(r, size, s.at, s.packed[0])
	if err != nil {
		return nil, err
	}
	switch c := f.coders[0]; {
	case c.method == method7zCopy:
		return data, nil
	case c.method == method7zLZMA && len(c.properties) == 5:
		return fromLZMA(c.properties, data, f.size())
	}
	return nil, &engine.Fault{Reason: engine.Unsupported, Text: "the list of its files is packed in a way that is not known"}
}

// fromLZMA decompresses n bytes. A dictionary larger than n is not needed.
func fromLZMA(properties, packed []byte, n uint64) ([]byte, error) {
	le := binary.LittleEndian
	head := []byte{properties[0]}
	head = le.AppendUint32(head, max(min(le.Uint32(properties[1:]), uint32(n)), lzma.MinDictCap))
	head = le.AppendUint64(head, n)
	r, err := lzma.NewReader(io.MultiReader(bytes.NewReader(head), bytes.NewReader(packed)))
	if err != nil {
		return nil, err
	}
	out := make([]byte, n)
	_, err = io.ReadFull(r, out)
	return out, err
}

// list lists the files of a header.
func (h *header7z) list(l *listing) error {
	var s streams7z
	for h.err == nil {
		switch h.byte() {
		case idEnd:
			return h.err
		case idProperties:
			for h.err == nil && h.byte() != idEnd {
				h.bytes(h.number())
			}
		case idAdditional:
			h.streams()
		case idStreams:
			s = h.streams()
			l.encrypted = slices.ContainsFunc(s.folders, func(f folder7z) bool { return f.isLocked() })
			if s.sizes == nil {
				for i := range s.folders {
					s.sizes = append(s.sizes, s.folders[i].size())
				}
			}
		case idFiles:
			return h.files(l, s.sizes)
		default:
			h.fail()
		}
	}
	return h.err
}

// files lists the files. Those with content are in the order of their sizes.
func (h *header7z) files(l *listing, sizes []uint64) error {
	n := h.count()
	var names []byte
	var empty, plain []bool // entries without content, and the files among them
	var times []uint64
	for h.err == nil {
		id := h.number()
		if id == idEnd {
			break
		}
		p := &header7z{data: h.bytes(h.number())}
		switch id {
		case idEmptyStream:
			empty = p.bits(n)
		case idEmptyFile:
			plain = p.bits(count(empty))
		case idNames:
			p.byte() // external storage, which no program uses
			names = p.data
		case idModified:
			times = p.times(n)
		}
		if p.err != nil {
			return p.err
		}
	}
	if h.err != nil {
		return h.err
	}
	return list7zFiles(l, n, names, empty, plain, times, sizes)
}

func list7zFiles(l *listing, n int, names []byte, empty, plain []bool, times, sizes []uint64) error {
	for i := range n {
		var name string
		if name, names = cutName(names); name == "" {
			return errBad7z
		}
		size := int64(0)
		switch {
		case i < len(empty) && empty[i]:
			isFile := len(plain) > 0 && plain[0]
			if len(plain) > 0 {
				plain = plain[1:]
			}
			if !isFile {
				name += "/"
			}
		case len(sizes) > 0:
			size, sizes = int64(min(sizes[0], maxSize+1)), sizes[1:]
		default:
			return errBad7z
		}
		modified := ""
		if i < len(times) {
			modified = fileTime(times[i])
		}
		if err := l.add(name, size, modified); err != nil {
			return err
		}
	}
	return nil
}

// times reads the times of n files, 0 for those without one.
func (h *header7z) times(n int) []uint64 {
	has := h.defined(n)
	h.byte() // external storage
	list := make([]uint64, len(has))
	for i, yes := range has {
		if b := []byte(nil); yes {
			if b = h.bytes(8); b == nil {
				return nil
			}
			list[i] = binary.LittleEndian.Uint64(b)
		}
	}
	return list
}

// fileTime formats a Windows time: 100 ns units since 1601.
func fileTime(v uint64) string {
	const to1970 = 11_644_473_600
	if v == 0 {
		return ""
	}
	return utc(time.Unix(int64(v/1e7)-to1970, 0))
}

// cutName splits off the first of several NUL-terminated UTF-16 names.
func cutName(names []byte) (string, []byte) {
	var units []uint16
	for len(names) >= 2 {
		u := binary.LittleEndian.Uint16(names)
		if names = names[2:]; u == 0 {
			return string(utf16.Decode(units)), names
		}
		units = append(units, u)
	}
	return "", nil
}

func count(list []bool) (n int) {
	for _, yes := range list {
		if yes {
			n++
		}
	}
	return n
}

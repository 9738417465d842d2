package embed

import (
	"bytes"
	"compress/zlib"
	"io"
	"slices"
	"strconv"
)

// The limits of the data read from a PDF.
const (
	maxPDFSections = 4000     // updates of a file
	maxPDFTrailer  = 64 << 10 // bytes of a trailer
	maxPDFTables   = 16 << 20 // bytes of all cross-reference streams
	maxPDFObject   = 8 << 20  // bytes of an object, both stored and decompressed
)

// pdfFile is a PDF in which single objects are looked up.
type pdfFile struct {
	r        io.ReaderAt
	size     int64
	start    int64         // offset of the newest cross-reference section
	isStream bool          // that section is a stream
	sections []pdfSection  // newest first
	trailer  pdfDictionary // of the newest section
	unpacked int64         // bytes of cross-reference streams
}

// pdfSection contains the offsets of count objects, numbered from first.
type pdfSection struct {
	first, count int64
	at           int64  // of a table: offset of its entries
	data         []byte // of a stream: the entries
	widths       [3]int
}

// openPDF reads the cross-reference sections of a PDF.
func openPDF(r io.ReaderAt, size int64) (*pdfFile, error) {
	f := &pdfFile{r: r, size: size}
	tail, err := all(r, max(0, size-2048), min(size, 2048))
	if err != nil {
		return nil, err
	}
	i := bytes.LastIndex(tail, []byte("startxref"))
	if i < 0 {
		return nil, ErrDamaged
	}
	at := skipPDFSpace(tail, i+len("startxref"))
	f.start, err = strconv.ParseInt(string(tail[at:pdfWord(tail, at)]), 10, 64)
	if err != nil || f.start <= 0 || f.start >= size {
		return nil, ErrDamaged
	}
	next := []int64{f.start}
	seen := map[int64]bool{}
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		if seen[at] {
			continue
		}
		if seen[at] = true; len(seen) > maxPDFSections {
			return nil, ErrDamaged
		}
		trailer, err := f.section(at)
		if err != nil {
			return nil, err
		}
		if f.trailer == nil {
			f.trailer = trailer
		}
		if also, ok := trailer.number("XRefStm"); ok {
			next = append(next, also)
		}
		if before, ok := trailer.number("Prev"); ok {
			next = append(next, before)
		}
	}
	return f, nil
}

// piece reads up to n bytes at an offset.
func (f *pdfFile) piece(at, n int64) ([]byte, error) {
	if at < 0 || at >= f.size {
		return nil, ErrDamaged
	}
	return all(f.r, at, min(n, f.size-at))
}

// section reads a cross-reference section and returns its trailer.
func (f *pdfFile) section(at int64) (pdfDictionary, error) {
	head, err := f.piece(at, 64)
	if err != nil {
		return nil, err
	}
	if skip := skipPDFSpace(head, 0); bytes.HasPrefix(head[skip:], []byte("xref")) {
		return f.table(at + int64(skip) + 4)
	}
	dict, body, err := f.stream(at, f.plain)
	if err != nil {
		return nil, err
	}
	if len(f.sections) == 0 {
		f.isStream = true
	}
	f.unpacked += int64(len(body))
	widths := numbers(dict.get("W"))
	size, ok := dict.number("Size")
	if string(dict.get("Type")) != "/XRef" || len(widths) != 3 || !ok || f.unpacked > maxPDFTables {
		return nil, ErrDamaged
	}
	s := pdfSection{}
	entry := int64(0)
	for i, w := range widths {
		if w < 0 || w > 8 {
			return nil, ErrDamaged
		}
		s.widths[i] = int(w)
		entry += w
	}
	index := numbers(dict.get("Index"))
	if dict.get("Index") == nil {
		index = []int64{0, size}
	}
	if entry == 0 || len(index)%2 == 1 || len(f.sections)+len(index)/2 > maxParts {
		return nil, ErrDamaged
	}
	for pair := range slices.Chunk(index, 2) {
		s.first, s.count = pair[0], pair[1]
		if s.first < 0 || s.count < 0 {
			return nil, ErrDamaged
		}
		s.count = min(s.count, int64(len(body))/entry)
		s.data, body = body[:s.count*entry], body[s.count*entry:]
		f.sections = append(f.sections, s)
	}
	return dict, nil
}

// table reads a cross-reference table after its keyword (ISO 32000-2, section 7.5.4).
func (f *pdfFile) table(at int64) (pdfDictionary, error) {
	for {
		head, err := f.piece(at, 64)
		if err != nil {
			return nil, err
		}
		i := skipPDFSpace(head, 0)
		if bytes.HasPrefix(head[i:], []byte("trailer")) {
			rest, err := f.piece(at+int64(i)+7, maxPDFTrailer)
			if err != nil {
				return nil, err
			}
			trailer, end := pdfDict(rest, 0, maxPDFDepth)
			if end < 0 {
				return nil, ErrDamaged
			}
			return trailer, nil
		}
		j := pdfWord(head, i)
		first, err := strconv.ParseInt(string(head[i:j]), 10, 64)
		k := skipPDFSpace(head, j)
		end := pdfWord(head, k)
		count, err2 := strconv.ParseInt(string(head[k:end]), 10, 64)
		if err != nil || err2 != nil || first < 0 || count < 0 || count > f.size/20+1 || len(f.sections) > maxParts {
			return nil, ErrDamaged
		}
		start := at + int64(skipPDFSpace(head, end))
		f.sections = append(f.sections, pdfSection{first: first, count: count, at: start})
		at = start + 20*count
	}
}

// place is the location of an object: an offset, or an object stream.
type place struct {
	at   int64
	in   int64 // number of the stream; 0 for none
	free bool
}

// find returns the location of an object.
func (f *pdfFile) find(number int64) (place, error) {
	for _, s := range f.sections {
		i := number - s.first
		if i < 0 || i >= s.count {
			continue
		}
		if s.data == nil {
			e, err := f.piece(s.at+20*i, 20)
			if err != nil || len(e) < 18 {
				return place{}, ErrDamaged
			}
			at, err := strconv.ParseInt(string(e[:10]), 10, 64)
			if err != nil {
				return place{}, ErrDamaged
			}
			if e[17] == 'f' && f.hasStreams() { // another section may list it as part of a stream
				continue
			}
			return place{at: at, free: e[17] != 'n'}, nil
		}
		size := s.widths[0] + s.widths[1] + s.widths[2]
		e := s.data[int(i)*size:]
		field := func(from, n int, otherwise int64) int64 {
			if n == 0 {
				return otherwise
			}
			v := int64(0)
			for _, c := range e[from : from+n] {
				v = v<<8 | int64(c)
			}
			return v
		}
		second := field(s.widths[0], s.widths[1], 0)
		switch field(0, s.widths[0], 1) {
		case 0:
			return place{free: true}, nil
		case 1:
			return place{at: second}, nil
		case 2:
			return place{in: second}, nil
		}
		return place{}, ErrDamaged
	}
	return place{free: true}, nil
}

// hasStreams reports whether the file has cross-reference streams in addition to tables.
func (f *pdfFile) hasStreams() bool {
	return slices.ContainsFunc(f.sections, func(s pdfSection) bool { return s.data != nil })
}

// object returns the content of an object without its delimiters. Unrelated data may follow
// it.
func (f *pdfFile) object(number int64) ([]byte, error) {
	p, err := f.find(number)
	if err != nil || p.in == 0 {
		return f.plain(number)
	}
	return f.packed(p.in, number)
}

// plain is object for objects outside of object streams, such as those needed to read an
// object stream (ISO 32000-2, section 7.5.7).
func (f *pdfFile) plain(number int64) ([]byte, error) {
	p, err := f.find(number)
	if err != nil || p.free || p.in > 0 {
		return nil, ErrDamaged
	}
	b, _, err := f.at(p.at)
	return b, err
}

// at reads the object at an offset, without its delimiters, and returns the offset of its
// content.
func (f *pdfFile) at(at int64) (b []byte, from int64, err error) {
	for n := int64(4 << 10); ; n *= 16 {
		if b, err = f.piece(at, n); err != nil {
			return nil, 0, err
		}
		i := skipPDFSpace(b, 0)
		j := pdfWord(b, i)
		_, err := strconv.ParseInt(string(b[i:j]), 10, 64)
		k := pdfWord(b, skipPDFSpace(b, j))
		k = skipPDFSpace(b, k)
		if err != nil || !bytes.HasPrefix(b[k:], []byte("obj")) {
			return nil, 0, ErrDamaged
		}
		k = skipPDFSpace(b, k+3)
		if end := pdfObject(b, k, maxPDFDepth); end > 0 && end+32 < len(b) || int64(len(b)) < n {
			if end < 0 {
				return nil, 0, ErrDamaged
			}
			return b[k:], at + int64(k), nil
		}
		if n > maxPDFObject {
			return nil, 0, ErrDamaged
		}
	}
}

// stream reads the stream at an offset, decompressed. It calls object if the length is an
// indirect object.
func (f *pdfFile) stream(at int64, object func(int64) ([]byte, error)) (pdfDictionary, []byte, error) {
	b, begin, err := f.at(at)
	if err != nil {
		return nil, nil, err
	}
	dict, end := pdfDict(b, 0, maxPDFDepth)
	if end < 0 {
		return nil, nil, ErrDamaged
	}
	after := skipPDFSpace(b, end)
	if !bytes.HasPrefix(b[after:], []byte("stream")) {
		return nil, nil, ErrDamaged
	}
	after += len("stream")
	if after < len(b) && b[after] == '\r' {
		after++
	}
	if after < len(b) && b[after] == '\n' {
		after++
	}
	length, ok := dict.number("Length")
	if number, _, isRef := reference(dict.get("Length")); isRef {
		value, err := object(number)
		if err != nil {
			return nil, nil, err
		}
		length, err = strconv.ParseInt(string(value[:pdfWord(value, 0)]), 10, 64)
		ok = err == nil
	}
	if !ok || length < 0 || length > maxPDFTables {
		return nil, nil, ErrDamaged
	}
	raw, err := f.piece(begin+int64(after), length)
	if err != nil {
		return nil, nil, err
	}
	body, err := unpackPDF(dict, raw)
	return dict, body, err
}

// packed returns an object in an object stream (ISO 32000-2, section 7.5.7).
func (f *pdfFile) packed(in, number int64) ([]byte, error) {
	p, err := f.find(in)
	if err != nil || p.free || p.in > 0 {
		return nil, ErrDamaged
	}
	dict, body, err := f.stream(p.at, f.plain)
	if err != nil {
		return nil, err
	}
	n, ok := dict.number("N")
	first, ok2 := dict.number("First")
	if !ok || !ok2 || first < 0 || first > int64(len(body)) {
		return nil, ErrDamaged
	}
	head := bytes.Fields(body[:first])
	for i := 0; i+1 < len(head) && int64(i) < 2*n; i += 2 {
		if string(head[i]) != strconv.FormatInt(number, 10) {
			continue
		}
		at, err := strconv.ParseInt(string(head[i+1]), 10, 64)
		if err != nil || at < 0 || first+at > int64(len(body)) {
			return nil, ErrDamaged
		}
		b := body[first+at:]
		return b[skipPDFSpace(b, 0):], nil
	}
	return nil, ErrDamaged
}

// unpackPDF decompresses a stream that is either stored or compressed with Flate, as all
// streams needed here are.
func unpackPDF(dict pdfDictionary, raw []byte) ([]byte, error) {
	filter := bytes.TrimSpace(bytes.Trim(dict.get("Filter"), "[]"))
	switch string(bytes.TrimSpace(filter)) {
	case "":
		return raw, nil
	case "/FlateDecode", "/Fl":
	default:
		return nil, ErrDamaged
	}
	z, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, ErrDamaged
	}
	body, err := io.ReadAll(io.LimitReader(z, maxPDFTables+1))
	if err != nil && len(body) == 0 || len(body) > maxPDFTables {
		return nil, ErrDamaged
	}
	parms, _ := pdfDict(bytes.TrimSpace(bytes.Trim(dict.get("DecodeParms"), "[]")), 0, maxPDFDepth)
	predictor, _ := parms.number("Predictor")
	if predictor < 2 {
		return body, nil
	}
	columns, ok := parms.number("Columns")
	if !ok || columns < 1 || columns > 1<<16 || predictor < 10 {
		return nil, ErrDamaged
	}
	return unpredicted(body, int(columns))
}

// unpredicted undoes the PNG filters of rows of bytes (PNG section 9).
func unpredicted(b []byte, columns int) ([]byte, error) {
	out := make([]byte, 0, len(b))
	before := make([]byte, columns)
	for len(b) > columns {
		kind, row := b[0], slices.Clone(b[1:columns+1])
		b = b[columns+1:]
		for i := range row {
			left, corner := byte(0), byte(0)
			if i > 0 {
				left, corner = row[i-1], before[i-1]
			}
			switch kind {
			case 0:
			case 1:
				row[i] += left
			case 2:
				row[i] += before[i]
			case 3:
				row[i] += byte((int(left) + int(before[i])) / 2)
			case 4:
				row[i] += paeth(left, before[i], corner)
			default:
				return nil, ErrDamaged
			}
		}
		out = append(out, row...)
		before = row
	}
	return out, nil
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	distance := func(x byte) int { return max(p-int(x), int(x)-p) }
	switch {
	case distance(a) <= distance(b) && distance(a) <= distance(c):
		return a
	case distance(b) <= distance(c):
		return b
	}
	return c
}

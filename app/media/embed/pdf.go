package embed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// The reasons for not writing metadata into a valid PDF.
var (
	ErrEncrypted = errors.New("the document is encrypted")
	ErrSigned    = errors.New("the document is signed, which a change would break")
)

// pdf appends an incremental update with the packet to a document (ISO 32000-2, section
// 7.5.6): a new version of the metadata stream that the catalog references, or a new stream
// and a new version of the catalog, followed by a cross-reference section in the form that the
// file uses.
func pdf(r io.ReaderAt, size int64, list []Property) (*Copy, error) {
	f, err := openPDF(r, size)
	if err != nil {
		return nil, err
	}
	root, generation, catalog, err := f.catalog()
	if err != nil {
		return nil, err
	}
	if err := f.mayChange(catalog); err != nil {
		return nil, err
	}
	objects, ok := f.trailer.number("Size")
	if !ok || objects < 1 || objects > 8_388_607 { // ISO 32000-1, annex C
		return nil, ErrDamaged
	}
	var b bytes.Buffer
	b.WriteByte('\n')
	places := []pdfPlace{}
	begin := func(number, generation int64) {
		places = append(places, pdfPlace{number, generation, size + int64(b.Len())})
		fmt.Fprintf(&b, "%d %d obj\n", number, generation)
	}
	number, itsGeneration, has := reference(catalog.get("Metadata"))
	var old []byte
	if has {
		if old, err = f.xmp(number); err != nil {
			return nil, err
		}
	} else {
		number, itsGeneration = objects, 0
		objects++
	}
	text := packet(old, list)
	begin(number, itsGeneration)
	fmt.Fprintf(&b, "<< /Type /Metadata /Subtype /XML /Length %d >>\nstream\n", len(text))
	b.Write(text)
	b.WriteString("\nendstream\nendobj\n")
	if !has {
		begin(root, generation)
		catalog = append(catalog.without("Metadata"), pdfEntry{"Metadata", fmt.Appendf(nil, "%d %d R", number, itsGeneration)})
		catalog.write(&b)
		b.WriteString("\nendobj\n")
	}
	f.writePlaces(&b, objects, places)
	c := &Copy{}
	c.add(r, 0, size)
	c.add(bytes.NewReader(b.Bytes()), 0, int64(b.Len()))
	return c, nil
}

// pdfPlace is the offset of an object in an update.
type pdfPlace struct{ number, generation, at int64 }

// writePlaces writes the cross-reference section of an update, with its trailer.
func (f *pdfFile) writePlaces(b *bytes.Buffer, objects int64, places []pdfPlace) {
	start := f.size + int64(b.Len())
	trailer := pdfDictionary{}
	for _, key := range []string{"Root", "Info", "ID"} {
		if v := f.trailer.get(key); v != nil {
			trailer = append(trailer, pdfEntry{key, v})
		}
	}
	trailer = append(trailer, pdfEntry{"Prev", strconv.AppendInt(nil, f.start, 10)})
	if f.isStream {
		places = append(places, pdfPlace{objects, 0, start})
		objects++
	}
	trailer = append(trailer, pdfEntry{"Size", strconv.AppendInt(nil, objects, 10)})
	if !f.isStream {
		b.WriteString("xref\n")
		for _, p := range places {
			fmt.Fprintf(b, "%d 1\n%010d %05d n\r\n", p.number, p.at, p.generation)
		}
		b.WriteString("trailer\n")
		trailer.write(b)
	} else {
		var index, data []byte
		for _, p := range places {
			index = fmt.Appendf(index, "%d 1 ", p.number)
			data = append(data, 1)
			for shift := 56; shift >= 0; shift -= 8 {
				data = append(data, byte(p.at>>shift))
			}
			data = append(data, byte(p.generation>>8), byte(p.generation))
		}
		trailer = append(trailer, pdfEntry{"Type", []byte("/XRef")}, pdfEntry{"W", []byte("[1 8 2]")},
			pdfEntry{"Index", fmt.Appendf(nil, "[%s]", bytes.TrimSpace(index))}, pdfEntry{"Length", strconv.AppendInt(nil, int64(len(data)), 10)})
		fmt.Fprintf(b, "%d 0 obj\n", objects-1)
		trailer.write(b)
		b.WriteString("\nstream\n")
		b.Write(data)
		b.WriteString("\nendstream\nendobj")
	}
	fmt.Fprintf(b, "\nstartxref\n%d\n%%%%EOF\n", start)
}

func (d pdfDictionary) without(key string) (list pdfDictionary) {
	for _, e := range d {
		if e.key != key {
			list = append(list, e)
		}
	}
	return list
}

func (d pdfDictionary) write(b *bytes.Buffer) {
	b.WriteString("<<")
	for _, e := range d {
		b.WriteString("\n/" + e.key + " ")
		b.Write(e.value)
	}
	b.WriteString("\n>>")
}

// catalog returns the catalog of a document and its object number.
func (f *pdfFile) catalog() (number, generation int64, d pdfDictionary, err error) {
	number, generation, ok := reference(f.trailer.get("Root"))
	if !ok {
		return 0, 0, nil, ErrDamaged
	}
	b, err := f.object(number)
	if err != nil {
		return 0, 0, nil, err
	}
	d, end := pdfDict(b, 0, maxPDFDepth)
	if end < 0 || d.get("Pages") == nil {
		return 0, 0, nil, ErrDamaged
	}
	return number, generation, d, nil
}

// dictionary returns a dictionary, resolving a reference if necessary, or nil if the value
// is not one.
func (f *pdfFile) dictionary(value []byte) pdfDictionary {
	if number, _, ok := reference(value); ok {
		value, _ = f.object(number) // an unreadable object counts as missing
	}
	d, _ := pdfDict(value, 0, maxPDFDepth)
	return d
}

// mayChange returns ErrEncrypted or ErrSigned if the document is encrypted or signed.
func (f *pdfFile) mayChange(catalog pdfDictionary) error {
	if f.trailer.get("Encrypt") != nil {
		return ErrEncrypted
	}
	const exist = 1 // SignaturesExist (ISO 32000-2, table 225)
	flags, _ := f.dictionary(catalog.get("AcroForm")).number("SigFlags")
	if catalog.get("Perms") != nil || flags&exist != 0 {
		return ErrSigned
	}
	return nil
}

// The limits of the search for the first page.
const (
	maxPDFLevels   = 16     // levels of page tree nodes
	maxPDFUserUnit = 75_000 // that of Acrobat
)

// PageUnit returns the size of the unit of a document's first page, in points (ISO 32000-2,
// table 31, UserUnit): 1, unless the page says otherwise.
func PageUnit(r io.ReaderAt, size int64) float64 {
	f, err := openPDF(r, size)
	if err != nil {
		return 1
	}
	_, _, catalog, err := f.catalog()
	if err != nil {
		return 1
	}
	value := catalog.get("Pages")
	for range maxPDFLevels {
		node := f.dictionary(value)
		kids := node.get("Kids")
		if number, _, ok := reference(kids); ok {
			kids, _ = f.object(number) // an unreadable object counts as missing
		}
		if len(kids) == 0 || kids[0] != '[' {
			unit, err := strconv.ParseFloat(string(node.get("UserUnit")), 64)
			if err != nil || !(unit > 0 && unit <= maxPDFUserUnit) {
				return 1
			}
			return unit
		}
		start := skipPDFSpace(kids, 1)
		value = kids[start:max(start, pdfReference(kids, start))]
	}
	return 1
}

// xmp returns the packet in a metadata stream.
func (f *pdfFile) xmp(number int64) ([]byte, error) {
	p, err := f.find(number)
	if err != nil || p.free || p.in > 0 {
		return nil, ErrDamaged
	}
	_, body, err := f.stream(p.at, f.object)
	if len(body) > maxPacket {
		err = ErrTooLong
	}
	return body, err
}

// maxInfo is the maximum length of a text about a document, in bytes.
const maxInfo = 100_000

// ReadPDF returns the XMP of a document, or nil, and the texts in its information
// dictionary: Title, Author, Subject and Keywords. It reads nothing from an encrypted
// document.
func ReadPDF(r io.ReaderAt, size int64) (xmp []byte, info map[string]string, err error) {
	f, err := openPDF(r, size)
	if err != nil || f.trailer.get("Encrypt") != nil {
		return nil, nil, err
	}
	about := f.dictionary(f.trailer.get("Info"))
	info = map[string]string{}
	for _, key := range []string{"Title", "Author", "Subject", "Keywords"} {
		value := about.get(key)
		if number, _, ok := reference(value); ok {
			value, _ = f.object(number) // an unreadable object counts as missing
			value = value[:max(0, pdfObject(value, 0, 1))]
		}
		if s := pdfText(value); s != "" && len(s) <= maxInfo {
			info[key] = s
		}
	}
	_, _, catalog, err := f.catalog()
	if number, _, ok := reference(catalog.get("Metadata")); ok && err == nil {
		xmp, err = f.xmp(number)
	}
	return xmp, info, err
}

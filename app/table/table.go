// Package table reads CSV files (RFC 4180) as written by spreadsheets: separated by commas,
// semicolons or tabs, in UTF-8 or UTF-16. It keeps one row in memory.
package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxHeader is the maximum size of a header and of the line before it, in bytes.
const maxHeader = 256 << 10

// Reader reads a table.
type Reader struct {
	Encoding  dam.TableEncoding
	Separator rune
	Header    []string // column names without surrounding spaces

	csv    *csv.Reader
	bound  *rowBound
	before int // lines before the header
	last   int // first line of the last record
}

// Row is a row of a table.
type Row struct {
	Line  int // first line, from 1
	Cells []string
	// Problem describes a mismatch of the number of cells and columns; "" for none.
	Problem string
}

// NewReader reads the header of a table. known reports whether a name is that of a known
// column. maxRow limits the size of a row in bytes. An invalid file is an Invalid error for
// the field file.
func NewReader(r io.Reader, maxRow int, known func(name string) bool) (*Reader, error) {
	text, encoding, err := decoded(bufio.NewReader(r))
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewReaderSize(text, maxHeader)
	head, err := buffered.Peek(maxHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	whole := err != nil
	t := &Reader{Encoding: encoding, bound: &rowBound{r: buffered, most: max(maxRow, maxHeader)}}
	if err := check(head); err != nil {
		return nil, err
	}
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 { // line endings of the classic Mac OS
		t.bound.r, head = returns{buffered}, bytes.ReplaceAll(head, []byte("\r"), []byte("\n"))
	}
	if sep, rest, ok := told(head); ok { // an Excel extension
		t.Separator = sep
		if _, err := io.CopyN(io.Discard, t.bound, int64(len(head)-len(rest))); err != nil {
			return nil, err
		}
		head, t.before = rest, 1
	}
	if !whole && !bytes.ContainsRune(head, '\n') {
		return nil, invalid("The header is longer than %d bytes.", maxHeader)
	}
	if t.Separator == 0 {
		t.Separator = likely(head, known)
	}
	t.csv = newCSV(t.bound, t.Separator)
	t.csv.ReuseRecord = true
	header, err := t.read()
	if errors.Is(err, io.EOF) {
		return nil, invalid("The file is empty: the first line must have the names of the columns.")
	}
	if err != nil {
		return nil, err
	}
	return t, t.setHeader(header)
}

func invalid(format string, args ...any) error { return dam.InvalidField("file", format, args...) }

// decoded returns the content of a file in UTF-8, without a byte order mark.
func decoded(r *bufio.Reader) (io.Reader, dam.TableEncoding, error) {
	first, err := r.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", err
	}
	order, encoding := unicode.LittleEndian, dam.TableUTF16LE
	switch {
	case bytes.HasPrefix(first, []byte("\xef\xbb\xbf")):
		_, err = r.Discard(3)
		return r, dam.TableUTF8, err
	case bytes.HasPrefix(first, []byte("\xfe\xff")):
		order, encoding = unicode.BigEndian, dam.TableUTF16BE
	case !bytes.HasPrefix(first, []byte("\xff\xfe")):
		return r, dam.TableUTF8, nil
	}
	_, err = r.Discard(2)
	return unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Reader(r), encoding, err
}

// check rejects files whose beginning shows that they are not tables.
func check(head []byte) error {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0")):
		return invalid("The file is a workbook or an archive; save the table as CSV first.")
	case bytes.IndexByte(head, 0) >= 0:
		return invalid("The file is not a text; save the table as CSV in UTF-8.")
	}
	return nil
}

// told returns the separator declared by a line such as "sep=;" before the header, and the
// rest after that line.
func told(head []byte) (sep rune, rest []byte, ok bool) {
	line, rest, ok := bytes.Cut(head, []byte("\n"))
	text := strings.TrimRight(string(line), "\r")
	if !ok || len(text) != len("sep=;") || !strings.EqualFold(text[:4], "sep=") || !slices.Contains(separators(), rune(text[4])) {
		return 0, nil, false
	}
	return rune(text[4]), rest, true
}

func separators() []rune { return []rune{',', ';', '\t'} }

// likely returns the separator that yields the most known column names, or otherwise the
// most names.
func likely(head []byte, known func(string) bool) rune {
	best, most := ',', -1
	for _, sep := range separators() {
		names, err := newCSV(bytes.NewReader(head), sep).Read()
		if err != nil {
			continue
		}
		score := len(names)
		for _, name := range names {
			if known(strings.TrimSpace(name)) {
				score += maxHeader
			}
		}
		if score > most {
			best, most = sep, score
		}
	}
	return best
}

func newCSV(r io.Reader, sep rune) *csv.Reader {
	c := csv.NewReader(r)
	c.Comma, c.FieldsPerRecord = sep, -1
	return c
}

// setHeader sets the column names, which must be unique. It drops trailing columns without
// a name and without cells.
func (t *Reader) setHeader(names []string) error {
	for len(names) > 0 && strings.TrimSpace(names[len(names)-1]) == "" {
		names = names[:len(names)-1]
	}
	seen := map[string]bool{}
	for i, name := range names {
		if name = strings.TrimSpace(name); name != "" && seen[name] {
			return invalid("The header has the column %q twice.", name)
		}
		seen[name] = true
		t.Header = append(t.Header, strings.Clone(name))
		if name == "" {
			return invalid("The header has no name for column %d.", i+1)
		}
	}
	switch {
	case len(t.Header) == 0:
		return invalid("The first line must have the names of the columns.")
	case len(t.Header) > dam.MaxImportColumns:
		return invalid("The file has %d columns; it may have up to %d.", len(t.Header), dam.MaxImportColumns)
	}
	return nil
}

// Next returns the next row that is not empty. Its cells are valid until the next call.
// After the last row it returns io.EOF.
func (t *Reader) Next() (Row, error) {
	for {
		cells, err := t.read()
		if err != nil {
			return Row{}, err
		}
		if !slices.ContainsFunc(cells, func(c string) bool { return c != "" }) {
			continue
		}
		row := Row{Line: t.last}
		n := len(cells)
		for n > len(t.Header) && cells[n-1] == "" {
			n--
		}
		if n != len(t.Header) {
			row.Problem = fmt.Sprintf("The row has %d cells and the header has %d.", n, len(t.Header))
			return row, nil
		}
		row.Cells = cells[:n]
		return row, nil
	}
}

// read returns the next record.
func (t *Reader) read() ([]string, error) {
	t.bound.read = 0
	cells, err := t.csv.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, invalid("Line %d cannot be read: %s.", wrong.Line+t.before, reason(wrong))
	}
	if errors.Is(err, errTooLong) {
		return nil, invalid("After line %d, a row is longer than %d bytes. A quotation mark may be missing.", t.last, t.bound.most)
	}
	if err != nil {
		return nil, err
	}
	line, _ := t.csv.FieldPos(0)
	t.last = line + t.before
	for _, cell := range cells {
		if !utf8.ValidString(cell) {
			return nil, invalid("Line %d is not in UTF-8; save the table as CSV in UTF-8.", t.last)
		}
	}
	return cells, nil
}

func reason(e *csv.ParseError) string {
	if errors.Is(e.Err, csv.ErrBareQuote) {
		return "a cell with a quotation mark must be in quotation marks, and the mark doubled"
	}
	return "a quotation mark is missing, or not doubled"
}

var errTooLong = errors.New("the row is too long")

// rowBound limits reading to most bytes until read is reset to 0.
type rowBound struct {
	r          io.Reader
	read, most int
}

func (b *rowBound) Read(p []byte) (int, error) {
	if b.read > b.most {
		return 0, errTooLong
	}
	n, err := b.r.Read(p)
	b.read += n
	return n, err
}

// returns replaces carriage returns with line feeds.
type returns struct{ r io.Reader }

func (x returns) Read(p []byte) (int, error) {
	n, err := x.r.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

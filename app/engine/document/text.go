package document

import (
	"bytes"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/engine"
)

// errFull stops reading a document at the text limit.
var errFull = errors.New("enough of the text has been read")

// errEncoding is the error for a text of unknown encoding.
var errEncoding = errors.New("the encoding of the text could not be detected: save the text as UTF-8 to have it read")

// text collects the text of a document, at most MaxText bytes: lines without control
// characters, and at most one empty line in a row.
type text struct {
	b     strings.Builder
	space string // whitespace before the next word
	full  bool
}

// add adds text. It returns errFull at the limit.
func (t *text) add(s string) error {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '\r' && len(s) > 1 && s[1] == '\n': // Windows line ending
		case r == '\n' || r == '\r' || r == '\f' || r == '\v' || r == 0x2028 || r == 0x2029:
			t.gap("\n")
		case r == '\t':
			t.gap("\t")
		case unicode.IsSpace(r):
			t.gap(" ")
		case r == utf8.RuneError && n == 1, unicode.IsControl(r), r == 0xfeff, r == 0xad:
		default:
			if t.b.Len()+len(t.space)+n > MaxText {
				t.full = true
				return errFull
			}
			t.b.WriteString(t.space)
			t.b.WriteString(s[:n])
			t.space = ""
		}
		s = s[n:]
	}
	return nil
}

// gap adds whitespace. Lines have no trailing whitespace, and the text has no leading
// whitespace.
func (t *text) gap(s string) {
	switch {
	case t.b.Len() == 0:
	case s == "\n":
		t.space = strings.TrimRight(t.space, " \t") + "\n"
		t.space = t.space[:min(len(t.space), 2)]
	case len(t.space) < 8:
		t.space += s
	}
}

func (t *text) String() string { return t.b.String() }

// clean returns at most n bytes of a text, valid and without control characters.
func clean(s string, n int) string {
	var t text
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	_ = t.add(s) // it fits
	return t.String()
}

// line converts a text to one line of at most n bytes.
func line(s string, n int) string {
	if len(s) > 2*n {
		s = strings.ToValidUTF8(s[:2*n], "")
	}
	return clean(strings.Join(strings.Fields(s), " "), n)
}

// readText reads a plain text.
func readText(d *doc, data []byte) error {
	all, encoding, err := Decode(cut(data, 4*MaxText))
	if err != nil {
		return err
	}
	if bytes.IndexByte(all, 0) >= 0 {
		return &engine.Fault{Reason: engine.Unsupported, Text: "there are zeros in it, which no text has"}
	}
	if encoding == "" {
		d.note(errEncoding)
		return nil
	}
	d.facts["encoding"] = encoding
	err = d.body.add(string(all))
	d.body.full = d.body.full || len(data) > 4*MaxText
	d.note(err)
	return nil
}

package document

import (
	"bytes"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	utf "golang.org/x/text/encoding/unicode"

	"github.com/digital-asset-library/dal/app/engine"
)

// errFull ends the reading of a document of whose text enough has been read.
var errFull = errors.New("enough of the text has been read")

// text collects what a document says, MaxText bytes at most: lines without control
// characters, and at most one empty line between two.
type text struct {
	b     strings.Builder
	space string // what is due before the next word
	full  bool
}

// add adds a piece of text. It returns errFull when there is no more room.
func (t *text) add(s string) error {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '\r' && len(s) > 1 && s[1] == '\n': // Windows ends lines with both
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

// gap notes white space. Lines do not end in it, and the text does not begin with it.
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

// clean returns a text of n bytes at most, valid and without control characters.
func clean(s string, n int) string {
	var t text
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	_ = t.add(s) // it fits
	return t.String()
}

// line returns a text as one line of n bytes at most.
func line(s string, n int) string {
	if len(s) > 2*n {
		s = strings.ToValidUTF8(s[:2*n], "")
	}
	return clean(strings.Join(strings.Fields(s), " "), n)
}

// The marks at the beginning of a text that say how it is encoded.
var (
	markUTF8    = []byte("\xef\xbb\xbf")
	markUTF16LE = []byte("\xff\xfe")
	markUTF16BE = []byte("\xfe\xff")
)

// decode returns a text as UTF-8, and how it was encoded. Without a mark it is UTF-8, or
// else Windows-1252, of which Latin-1 is a part.
func decode(data []byte) ([]byte, string, error) {
	switch {
	case bytes.HasPrefix(data, markUTF8):
		return data[len(markUTF8):], "UTF-8", nil
	case bytes.HasPrefix(data, markUTF16LE), bytes.HasPrefix(data, markUTF16BE):
		out, err := utf.UTF16(utf.LittleEndian, utf.UseBOM).NewDecoder().Bytes(data)
		return out, "UTF-16", err
	case utf8.Valid(whole(data)):
		return whole(data), "UTF-8", nil
	}
	out, err := charmap.Windows1252.NewDecoder().Bytes(data)
	return out, "Windows-1252", err
}

// whole returns data without the beginning of a character at its end.
func whole(data []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax-1, len(data)); i++ {
		if at := len(data) - i; utf8.RuneStart(data[at]) {
			if !utf8.FullRune(data[at:]) {
				return data[:at]
			}
			break
		}
	}
	return data
}

// readText reads a plain text.
func readText(d *doc, data []byte) error {
	all, encoding, err := decode(data[:min(len(data), 4*MaxText)])
	if err != nil {
		return err
	}
	if bytes.IndexByte(all, 0) >= 0 {
		return &engine.Fault{Reason: engine.Unsupported, Text: "there are zeros in it, which no text has"}
	}
	d.facts["encoding"] = encoding
	err = d.body.add(string(all))
	d.body.full = d.body.full || len(data) > 4*MaxText
	d.note(err)
	return nil
}

package document

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	latin "github.com/gogs/chardet"
	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// The byte order marks of a text.
var (
	markUTF8    = []byte("\xef\xbb\xbf")
	markUTF16LE = []byte("\xff\xfe")
	markUTF16BE = []byte("\xfe\xff")
	markUTF32LE = []byte("\xff\xfe\x00\x00")
	markUTF32BE = []byte("\x00\x00\xfe\xff")
)

// The bounds of the detection of an encoding.
const (
	maxDetect  = 64 << 10 // bytes of a text that it reads
	minFirst   = 0.65     // confidence of the first detector, which knows no Central European and no Arabic
	minSecond  = 40       // confidence of the second one, of 100, which knows Russian less well
	minLetters = 3        // different characters that are other ones in Windows-1252
)

// charsets are what the detectors may return, by their names. Of several, the
// one that makes more letters of a text is taken.
var charsets = map[string][]charsetOf{
	"Big5":           {{"Big5", traditionalchinese.Big5}},
	"EUC-JP":         {{"EUC-JP", japanese.EUCJP}},
	"EUC-KR":         {{"EUC-KR", korean.EUCKR}},
	"CP949":          {{"EUC-KR", korean.EUCKR}},
	"GB2312":         {{"GB18030", simplifiedchinese.GB18030}},
	"GB18030":        {{"GB18030", simplifiedchinese.GB18030}},
	"IBM855":         {{"IBM855", charmap.CodePage855}},
	"IBM866":         {{"IBM866", charmap.CodePage866}},
	"ISO-8859-5":     {{"ISO-8859-5", charmap.ISO8859_5}},
	"ISO-8859-7":     {{"Windows-1253", charmap.Windows1253}, {"ISO-8859-7", charmap.ISO8859_7}},
	"ISO-8859-8":     {{"Windows-1255", charmap.Windows1255}},
	"KOI8-R":         {{"KOI8-R", charmap.KOI8R}, {"KOI8-U", charmap.KOI8U}},
	"Shift_JIS":      {{"Shift_JIS", japanese.ShiftJIS}},
	"CP932":          {{"Shift_JIS", japanese.ShiftJIS}},
	"TIS-620":        {{"Windows-874", charmap.Windows874}},
	"UTF-8":          {{"UTF-8", utf.UTF8}},
	"Windows-1251":   {{"Windows-1251", charmap.Windows1251}},
	"Windows-1253":   {{"Windows-1253", charmap.Windows1253}},
	"Windows-1255":   {{"Windows-1255", charmap.Windows1255}},
	"x-mac-cyrillic": {{"Windows-1251", charmap.Windows1251}, {"x-mac-cyrillic", charmap.MacintoshCyrillic}},

	// Of the second detector only:
	"ISO-8859-2":   {{"Windows-1250", charmap.Windows1250}, {"ISO-8859-2", charmap.ISO8859_2}},
	"windows-1250": {{"Windows-1250", charmap.Windows1250}},
	"ISO-8859-9":   {{"Windows-1254", charmap.Windows1254}},
	"windows-1254": {{"Windows-1254", charmap.Windows1254}},
	"windows-1256": {{"Windows-1256", charmap.Windows1256}},
}

// charsetOf is an encoding and its name.
type charsetOf struct {
	name string
	encoding.Encoding
}

// Decode returns a text as UTF-8, and how it was encoded. Without a mark it is UTF-8, or
// else what its bytes look like, or else Windows-1252, of which Latin-1 is a part, if most
// of it is ASCII. The name is "" if the encoding could not be detected.
func Decode(data []byte) ([]byte, string, error) {
	c := charsetOf{"UTF-8", encoding.Nop}
	switch {
	case bytes.HasPrefix(data, markUTF8):
		return data[len(markUTF8):], "UTF-8", nil
	case bytes.HasPrefix(data, markUTF32LE), bytes.HasPrefix(data, markUTF32BE):
		c = charsetOf{"UTF-32", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)}
	case bytes.HasPrefix(data, markUTF16LE), bytes.HasPrefix(data, markUTF16BE):
		c = charsetOf{"UTF-16", utf.UTF16(utf.LittleEndian, utf.UseBOM)}
	case utf8.Valid(data):
		return data, "UTF-8", nil
	default:
		if c = detect(data[:min(len(data), maxDetect)]); c.name == "" {
			return nil, "", nil
		}
	}
	out, err := c.NewDecoder().Bytes(data)
	return out, c.name, err
}

// detect returns the encoding of a text that is not UTF-8, or none.
func detect(data []byte) charsetOf {
	padded := append(make([]byte, 0, len(data)+8), data...) // as chardet looks beyond the end
	if r := chardet.Detect(padded); r.Confidence >= minFirst {
		if c, ok := best(data, charsets[r.Charset]); ok {
			return c
		}
	}
	western := 0
	found, err := latin.NewHtmlDetector().DetectAll(data)
	for _, r := range found {
		if r.Charset == "ISO-8859-1" || r.Charset == "windows-1252" {
			western = max(western, r.Confidence)
		}
	}
	for _, r := range found {
		if err != nil || r.Confidence < max(minSecond, western+western/4) {
			break // the best come first
		}
		if c, ok := best(data, charsets[r.Charset]); ok && differs(data, c) {
			return c
		}
	}
	switch {
	case !mostlyASCII(data):
		return charsetOf{}
	case bytes.IndexByte(data, 0x81) >= 0: // no character in Windows-1252, but ü in the encoding of DOS
		return charsetOf{"IBM850", charmap.CodePage850}
	}
	return charsetOf{"Windows-1252", charmap.Windows1252}
}

// best returns the encoding that makes the most letters of a text, if nearly all of the
// text can be decoded.
func best(data []byte, of []charsetOf) (found charsetOf, ok bool) {
	most := -1
	for _, c := range of {
		out, err := c.NewDecoder().Bytes(data)
		if err != nil {
			continue
		}
		letters, bad, n := 0, 0, 0
		for _, r := range string(out) {
			n++
			switch {
			case r == utf8.RuneError:
				bad++
			case unicode.IsLetter(r):
				letters++
			}
		}
		if bad <= 1+n/100 && letters > most {
			found, ok, most = c, true, letters
		}
	}
	return found, ok
}

// differs reports whether enough characters of a text are other ones in Windows-1252.
func differs(data []byte, c charsetOf) bool {
	other, err := c.NewDecoder().Bytes(data)
	if err != nil {
		return false
	}
	western, err := charmap.Windows1252.NewDecoder().Bytes(data)
	a, b := []rune(string(other)), []rune(string(western))
	seen := map[rune]bool{}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			seen[a[i]] = true
		}
	}
	return err == nil && len(seen) >= minLetters
}

// mostlyASCII reports whether most bytes are ASCII, as in all languages that Windows-1252
// is for.
func mostlyASCII(data []byte) bool {
	n := 0
	for _, c := range data {
		if c < utf8.RuneSelf {
			n++
		}
	}
	return 2*n > len(data)
}

// cut returns the first n bytes of a text at most, without the beginning of a character
// of UTF-8 at its end.
func cut(data []byte, n int) []byte {
	if len(data) <= n {
		return data
	}
	data = data[:n]
	for i := 1; i <= min(utf8.UTFMax-1, n); i++ {
		if at := len(data) - i; utf8.RuneStart(data[at]) {
			if !utf8.FullRune(data[at:]) {
				return data[:at]
			}
			break
		}
	}
	return data
}

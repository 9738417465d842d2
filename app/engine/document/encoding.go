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

// The byte order marks of texts.
var (
	markUTF8    = []byte("\xef\xbb\xbf")
	markUTF16LE = []byte("\xff\xfe")
	markUTF16BE = []byte("\xfe\xff")
	markUTF32LE = []byte("\xff\xfe\x00\x00")
	markUTF32BE = []byte("\x00\x00\xfe\xff")
)

// The limits of detecting an encoding.
const (
	maxDetect  = 64 << 10 // bytes of a text to examine
	minFirst   = 0.65     // minimum confidence of the first detector, which does not support Central European and Arabic encodings
	minSecond  = 40       // minimum confidence of the second detector, of 100, which is less reliable for Russian
	minLetters = 3        // distinct characters that differ in Windows-1252
)

// charsets are the encodings for the detectors' results. Of several candidates, the one
// that decodes a text to the most letters is used.
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

	// Second detector only:
	"ISO-8859-2":   {{"Windows-1250", charmap.Windows1250}, {"ISO-8859-2", charmap.ISO8859_2}},
	"windows-1250": {{"Windows-1250", charmap.Windows1250}},
	"ISO-8859-9":   {{"Windows-1254", charmap.Windows1254}},
	"windows-1254": {{"Windows-1254", charmap.Windows1254}},
	"windows-1256": {{"Windows-1256", charmap.Windows1256}},
}

// charsetOf is an encoding with its name.
type charsetOf struct {
	name string
	encoding.Encoding
}

// Decode converts a text to UTF-8 and returns its original encoding. Without a byte order
// mark, it uses UTF-8 if valid, otherwise the detected encoding, otherwise Windows-1252, a
// superset of Latin-1, if most of the text is ASCII. The name is "" if no encoding was
// detected.
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

// detect returns the encoding of a text that is not UTF-8, if it can be detected.
func detect(data []byte) charsetOf {
	padded := append(make([]byte, 0, len(data)+8), data...) // chardet reads beyond the end
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
			break // sorted by confidence
		}
		if c, ok := best(data, charsets[r.Charset]); ok && differs(data, c) {
			return c
		}
	}
	switch {
	case !mostlyASCII(data):
		return charsetOf{}
	case bytes.IndexByte(data, 0x81) >= 0: // undefined in Windows-1252, but ü in the encoding of DOS
		return charsetOf{"IBM850", charmap.CodePage850}
	}
	return charsetOf{"Windows-1252", charmap.Windows1252}
}

// best returns the encoding that decodes a text to the most letters, if it can decode
// nearly all of it.
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

// differs reports whether enough characters of a text would differ in Windows-1252.
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

// mostlyASCII reports whether most bytes are ASCII, as in all languages that use
// Windows-1252.
func mostlyASCII(data []byte) bool {
	n := 0
	for _, c := range data {
		if c < utf8.RuneSelf {
			n++
		}
	}
	return 2*n > len(data)
}

// cut truncates a text to at most n bytes, without an incomplete UTF-8 character at its
// end.
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

package embed

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
)

// This file parses the syntax of PDF (ISO 32000-2, section 7).

const maxPDFDepth = 60 // nesting of arrays and dictionaries

func isPDFSpace(c byte) bool {
	return c == 0 || c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == ' '
}

func isPDFDelimiter(c byte) bool { return strings.IndexByte("()<>[]{}/%", c) >= 0 }

// skipPDFSpace returns the offset of the next object.
func skipPDFSpace(b []byte, at int) int {
	for at < len(b) {
		switch {
		case isPDFSpace(b[at]):
			at++
		case b[at] == '%':
			for at < len(b) && b[at] != '\n' && b[at] != '\r' {
				at++
			}
		default:
			return at
		}
	}
	return at
}

// pdfWord returns the end of a number, a name or a keyword.
func pdfWord(b []byte, at int) int {
	if at < len(b) && b[at] == '/' {
		at++
	}
	for at < len(b) && !isPDFSpace(b[at]) && !isPDFDelimiter(b[at]) {
		at++
	}
	return at
}

// pdfObject returns the end of the object at an offset, treating a reference as one object;
// -1 if it is invalid.
func pdfObject(b []byte, at, depth int) int {
	at = skipPDFSpace(b, at)
	if at >= len(b) || depth == 0 {
		return -1
	}
	switch {
	case bytes.HasPrefix(b[at:], []byte("<<")):
		_, end := pdfDict(b, at, depth)
		return end
	case b[at] == '[':
		for at++; ; {
			if at = skipPDFSpace(b, at); at >= len(b) {
				return -1
			}
			if b[at] == ']' {
				return at + 1
			}
			if at = pdfObject(b, at, depth-1); at < 0 {
				return -1
			}
		}
	case b[at] == '(':
		return pdfString(b, at)
	case b[at] == '<':
		end := bytes.IndexByte(b[at:], '>')
		if end < 0 {
			return -1
		}
		return at + end + 1
	}
	end := pdfWord(b, at)
	if end == at {
		return -1
	}
	if end2 := pdfReference(b, at); end2 > 0 {
		return end2
	}
	return end
}

// pdfReference returns the end of a reference such as "12 0 R", or -1 for anything else.
func pdfReference(b []byte, at int) int {
	for range 2 {
		end := pdfWord(b, at)
		if _, err := strconv.ParseUint(string(b[at:end]), 10, 32); err != nil || end >= len(b) {
			return -1
		}
		at = skipPDFSpace(b, end)
	}
	if end := pdfWord(b, at); end == at+1 && b[at] == 'R' {
		return end
	}
	return -1
}

// pdfString returns the end of a literal string.
func pdfString(b []byte, at int) int {
	open := 0
	for ; at < len(b); at++ {
		switch b[at] {
		case '\\':
			at++
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return at + 1
			}
		}
	}
	return -1
}

// pdfEntry is a dictionary entry with its raw value.
type pdfEntry struct {
	key   string
	value []byte
}

type pdfDictionary []pdfEntry

// pdfDict parses a dictionary and returns its end, or -1 if it is invalid.
func pdfDict(b []byte, at, depth int) (d pdfDictionary, end int) {
	at = skipPDFSpace(b, at)
	if depth == 0 || at >= len(b) || !bytes.HasPrefix(b[at:], []byte("<<")) {
		return nil, -1
	}
	for at += 2; ; {
		if at = skipPDFSpace(b, at); at >= len(b) {
			return nil, -1
		}
		if bytes.HasPrefix(b[at:], []byte(">>")) {
			return d, at + 2
		}
		if b[at] != '/' {
			return nil, -1
		}
		keyEnd := pdfWord(b, at)
		start := skipPDFSpace(b, keyEnd)
		valueEnd := pdfObject(b, start, depth-1)
		if valueEnd < 0 {
			return nil, -1
		}
		d = append(d, pdfEntry{string(b[at+1 : keyEnd]), b[start:valueEnd]})
		at = valueEnd
	}
}

// get returns the value of a key, or nil.
func (d pdfDictionary) get(key string) []byte {
	for _, e := range d {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// number returns the integer value of a key.
func (d pdfDictionary) number(key string) (int64, bool) {
	n, err := strconv.ParseInt(string(d.get(key)), 10, 64)
	return n, err == nil
}

// reference parses a reference to an object.
func reference(value []byte) (number, generation int64, ok bool) {
	if pdfReference(value, 0) != len(value) || len(value) == 0 {
		return 0, 0, false
	}
	words := bytes.FieldsFunc(value, func(r rune) bool { return r < 0x80 && isPDFSpace(byte(r)) })
	if len(words) != 3 {
		return 0, 0, false
	}
	number, err := strconv.ParseInt(string(words[0]), 10, 64)
	generation, err2 := strconv.ParseInt(string(words[1]), 10, 64)
	return number, generation, err == nil && err2 == nil && number > 0
}

// numbers parses an array of integers.
func numbers(value []byte) (list []int64) {
	for _, w := range bytes.Fields(bytes.Trim(value, "[]")) {
		n, err := strconv.ParseInt(string(w), 10, 64)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}

// pdfDocEncoding contains the characters from 0x80 on that differ from Latin-1 (ISO 32000-2,
// annex D.3).
const pdfDocEncoding = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž"

// pdfText decodes a string as text.
func pdfText(value []byte) string {
	raw := pdfBytes(value)
	switch {
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		var units []uint16
		for i := 2; i+1 < len(raw); i += 2 {
			units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
		}
		return string(utf16.Decode(units))
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		return string(raw[3:])
	}
	special := []rune(pdfDocEncoding)
	var b strings.Builder
	for _, c := range raw {
		switch i := int(c) - 0x80; {
		case i >= 0 && i < len(special):
			b.WriteRune(special[i])
		case c == 0xa0:
			b.WriteRune('€')
		default:
			b.WriteRune(rune(c))
		}
	}
	return b.String()
}

// pdfBytes returns the bytes of a literal or hexadecimal string.
func pdfBytes(value []byte) []byte {
	if len(value) < 2 {
		return nil
	}
	inner := value[1 : len(value)-1]
	if value[0] == '<' {
		var out []byte
		digits := bytes.Join(bytes.Fields(inner), nil)
		if len(digits)%2 == 1 {
			digits = append(digits, '0')
		}
		for i := 0; i+1 < len(digits); i += 2 {
			n, err := strconv.ParseUint(string(digits[i:i+2]), 16, 8)
			if err != nil {
				return nil
			}
			out = append(out, byte(n))
		}
		return out
	}
	if value[0] != '(' {
		return nil
	}
	var out []byte
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		if c != '\\' || i+1 >= len(inner) {
			out = append(out, c)
			continue
		}
		i++
		switch c = inner[i]; {
		case strings.IndexByte("nrtbf", c) >= 0:
			out = append(out, "\n\r\t\b\f"[strings.IndexByte("nrtbf", c)])
		case c >= '0' && c <= '7':
			n := 0
			for end := i + 3; i < end && i < len(inner) && inner[i] >= '0' && inner[i] <= '7'; i++ {
				n = n<<3 | int(inner[i]-'0')
			}
			i--
			out = append(out, byte(n))
		case c == '\r':
			if i+1 < len(inner) && inner[i+1] == '\n' {
				i++
			}
		case c != '\n':
			out = append(out, c)
		}
	}
	return out
}

package document

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// rtf reads the Rich Text Format. Source: RTF specification 1.9.1.
type rtf struct {
	d        *doc
	data     []byte
	at       int
	groups   []group // innermost group last
	info     map[string]*strings.Builder
	date     map[string]int // creation date
	codepage *charmap.Charmap
	high     rune // pending high surrogate
	skip     int  // fallback characters to skip after a Unicode character
}

// group is the state of an RTF group.
type group struct {
	to       string // "" for the text, "-" to discard, otherwise a key of info
	fallback int    // number of fallback characters after \u
}

// readRTF reads an RTF document.
func readRTF(d *doc, data []byte) error {
	r := &rtf{
		d: d, data: data, groups: []group{{fallback: 1}}, info: map[string]*strings.Builder{}, date: map[string]int{},
		codepage: charmap.Windows1252,
	}
	if !bytes.HasPrefix(data, []byte(`{\rtf`)) {
		return errors.New("it does not begin as RTF does")
	}
	d.note(r.read())
	about := func(name string) string {
		if b := r.info[name]; b != nil {
			return b.String()
		}
		return ""
	}
	d.title, d.creator, d.description = about("title"), about("author"), about("doccomm")
	d.words(about("keywords"))
	d.facts["subject"], d.facts["last_modified_by"], d.facts["application"] = about("subject"), about("operator"), about("generator")
	if y := r.date["yr"]; y > 0 {
		made := time.Date(y, time.Month(r.date["mo"]), r.date["dy"], r.date["hr"], r.date["min"], 0, 0, time.UTC)
		d.created = made.Format("2006-01-02T15:04:05")
		d.facts["created"] = d.created
	}
	return nil
}

func (r *rtf) read() error {
	for r.at < len(r.data) {
		c := r.data[r.at]
		r.at++
		switch c {
		case '{':
			if len(r.groups) > maxDepth {
				return fmt.Errorf("groups lie more than %d deep in each other", maxDepth)
			}
			r.groups = append(r.groups, *r.group())
			r.skip = 0
		case '}':
			if r.skip = 0; len(r.groups) > 1 {
				r.groups = r.groups[:len(r.groups)-1]
			}
			if len(r.groups) == 1 {
				return nil
			}
		case '\\':
			if err := r.control(); err != nil {
				return err
			}
		case '\r', '\n':
		default:
			if err := r.char(c); err != nil {
				return err
			}
		}
	}
	return errors.New("the file is cut off in the middle")
}

func (r *rtf) group() *group { return &r.groups[len(r.groups)-1] }

// control reads a control word or symbol after a backslash.
func (r *rtf) control() error {
	if r.at >= len(r.data) {
		return nil
	}
	c := r.data[r.at]
	if c|0x20 < 'a' || c|0x20 > 'z' {
		r.at++
		return r.symbol(c)
	}
	from := r.at
	for r.at < len(r.data) && r.at-from < 32 && r.data[r.at]|0x20 >= 'a' && r.data[r.at]|0x20 <= 'z' {
		r.at++
	}
	word := string(r.data[from:r.at])
	from = r.at
	for r.at < len(r.data) && r.at-from < 11 && (r.data[r.at] >= '0' && r.data[r.at] <= '9' || r.at == from && r.data[r.at] == '-') {
		r.at++
	}
	n, err := strconv.Atoi(string(r.data[from:r.at]))
	if err != nil {
		n = -1
	}
	if r.at < len(r.data) && r.data[r.at] == ' ' {
		r.at++
	}
	return r.word(word, n)
}

// symbol handles a control symbol.
func (r *rtf) symbol(c byte) error {
	switch c {
	case '\'':
		if r.at+2 > len(r.data) {
			return nil
		}
		n, err := strconv.ParseUint(string(r.data[r.at:r.at+2]), 16, 8)
		if err != nil {
			return nil
		}
		r.at += 2
		return r.char(byte(n))
	case '*':
		r.group().to = "-" // unless the destination is supported
	case '~':
		return r.put(" ")
	case '_':
		return r.put("-")
	case '\\', '{', '}':
		return r.char(c)
	case '\r', '\n':
		return r.put("\n")
	}
	return nil
}

// marks are the control words that represent characters.
var marks = map[string]string{
	"par": "\n", "line": "\n", "sect": "\n", "page": "\n", "row": "\n", "tab": "\t", "cell": "\t", "nestcell": "\t", "nestrow": "\n",
	"emdash": "—", "endash": "–", "emspace": " ", "enspace": " ", "bullet": "•",
	"lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}

// word handles a control word with its number, -1 for none.
func (r *rtf) word(word string, n int) error {
	if mark, ok := marks[word]; ok {
		return r.put(mark)
	}
	switch word {
	case "u":
		return r.unicode(n)
	case "uc":
		r.group().fallback = min(max(n, 0), 16)
	case "bin":
		r.at += min(max(n, 0), len(r.data)-r.at)
	case "ansicpg":
		if page := codepages[n]; page != nil {
			r.codepage = page
		}
	case "nofpages":
		r.d.pages = max(r.d.pages, count(strconv.Itoa(n)))
	case "fonttbl", "colortbl", "stylesheet", "pict", "info", "object", "themedata", "datastore", "fldinst",
		"listtable", "revtbl", "xe", "tc":
		r.group().to = "-"
	case "title", "author", "subject", "keywords", "doccomm", "operator", "generator", "creatim":
		r.group().to = word
	case "shptxt", "footnote", "annotation":
		r.group().to = ""
	case "yr", "mo", "dy", "hr", "min":
		if r.group().to == "creatim" {
			r.date[word] = min(n, 9999)
		}
	}
	return nil
}

// unicode adds a character given as a signed 16-bit number.
func (r *rtf) unicode(n int) error {
	c := rune(uint16(n))
	r.skip = 0
	var err error
	switch {
	case utf16.IsSurrogate(c) && r.high == 0:
		r.high = c
	case r.high != 0:
		err = r.put(string(utf16.DecodeRune(r.high, c)))
		r.high = 0
	default:
		err = r.put(string(c))
	}
	r.skip = r.group().fallback
	return err
}

// char adds a character of the code page.
func (r *rtf) char(c byte) error {
	if r.skip > 0 {
		r.skip--
		return nil
	}
	if c < 0x80 {
		return r.put(string(rune(c)))
	}
	return r.put(string(r.codepage.DecodeByte(c)))
}

// put adds text to the destination of the group.
func (r *rtf) put(s string) error {
	switch to := r.group().to; to {
	case "":
		return r.d.body.add(s)
	case "-", "creatim":
	default:
		if r.info[to] == nil {
			r.info[to] = &strings.Builder{}
		}
		if b := r.info[to]; b.Len() < maxWords {
			b.WriteString(s)
		}
	}
	return nil
}

var codepages = map[int]*charmap.Charmap{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 866: charmap.CodePage866, 874: charmap.Windows874,
	1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252, 1253: charmap.Windows1253, 1254: charmap.Windows1254,
	1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258, 10000: charmap.Macintosh,
}

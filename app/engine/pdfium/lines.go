package pdfium

import (
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/digital-asset-library/dal/app/engine"
)

// The limits of the lines of a page.
const (
	maxLineChars = 200_000 // characters examined
	maxLineTime  = 10 * time.Second
	across       = 1 << 20 // width and height of the page for measuring boxes
	wideGap      = 2.5     // ratio of a gap to the letter size above which a new line starts
)

// box is a rectangle on a page in page units, with y upwards.
type box struct{ left, right, bottom, top float64 }

func (b box) size() float64 { return max(b.right-b.left, b.top-b.bottom) }

func (b box) union(c box) box {
	return box{min(b.left, c.left), max(b.right, c.right), min(b.bottom, c.bottom), max(b.top, c.top)}
}

// gap returns the distance of two boxes.
func (b box) gap(c box) float64 {
	return max(c.left-b.right, b.left-c.right, c.bottom-b.top, b.bottom-c.top, 0)
}

// line is the state of reading a line.
type line struct {
	text   strings.Builder
	all    box
	last   box     // of the last letter
	letter float64 // size of the largest letter
}

// lines returns the lines of a page in text order. Table cells and the columns of a page
// are separate lines.
func (s *session) lines(page uint64) (list []engine.Line) {
	words := s.call("FPDFText_LoadPage", page)
	if s.err != nil || words == 0 {
		return nil
	}
	defer s.call("FPDFText_ClosePage", words)
	n := int(int32(s.call("FPDFText_CountChars", words)))
	s.room(4*8, func(at uint64) {
		began := time.Now()
		now := &line{}
		end := func() {
			if l, ok := s.placed(page, at, now); ok {
				list = append(list, l)
			}
			now = &line{}
		}
		for i := range min(n, maxLineChars) {
			if s.err != nil || len(list) >= engine.MaxLines || i%1000 == 0 && time.Since(began) > maxLineTime {
				return
			}
			r := letter(s.call("FPDFText_GetUnicode", words, uint64(i)))
			switch {
			case r == '\n' || r == '\r':
				end()
				continue
			case r < 0:
				continue
			case unicode.IsSpace(r):
				now.text.WriteByte(' ')
				continue
			}
			b, ok := s.box(words, uint64(i), at)
			if ok && now.letter > 0 && now.last.gap(b) > wideGap*max(now.letter, b.size()) {
				end()
			}
			now.add(r, b, ok)
		}
		if len(list) < engine.MaxLines {
			end()
		}
	})
	return list
}

// letter returns the text of a character: PDFium reports 2 for a hyphen at the end of a
// line. It returns -1 for an invalid character.
func letter(v uint64) rune {
	r := rune(v)
	switch {
	case r == 2 || r == 0xfffe:
		return '-'
	case r == '\n' || r == '\r' || r == '\t':
		return r
	case r == 0 || r > unicode.MaxRune || r >= 0xd800 && r < 0xe000 || unicode.IsControl(r):
		return -1
	}
	return r
}

// add adds a letter. ok tells whether it has a box.
func (l *line) add(r rune, b box, ok bool) {
	l.text.WriteRune(r)
	switch {
	case !ok:
		return
	case l.letter == 0:
		l.all = b
	default:
		l.all = l.all.union(b)
	}
	l.last, l.letter = b, max(l.letter, b.size())
}

// box returns the box of a character and reports whether it has one. at has room for four
// numbers.
func (s *session) box(words, i, at uint64) (b box, ok bool) {
	if s.call("FPDFText_GetCharBox", words, i, at, at+8, at+16, at+24) == 0 || s.err != nil {
		return b, false
	}
	data, err := s.m.Bytes(at, 32)
	if s.err = err; err != nil {
		return b, false
	}
	number := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])) }
	b = box{number(0), number(1), number(2), number(3)}
	return b, b.right >= b.left && b.top >= b.bottom && b.size() > 0 && b.size() < 1e6
}

// placed returns a line with its position on the rendered page, and reports whether it is
// visible.
func (s *session) placed(page, at uint64, l *line) (out engine.Line, ok bool) {
	text := strings.Join(strings.Fields(l.text.String()), " ")
	if text == "" || l.letter == 0 || s.err != nil {
		return out, false
	}
	x1, y1, ok1 := s.device(page, at, l.all.left, l.all.top)
	x2, y2, ok2 := s.device(page, at, l.all.right, l.all.bottom)
	x1, x2, y1, y2 = min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
	if !ok1 || !ok2 || x1 >= 1 || y1 >= 1 || x2 <= 0 || y2 <= 0 {
		return out, false // outside the rendered page
	}
	x1, y1, x2, y2 = max(x1, 0), max(y1, 0), min(x2, 1), min(y2, 1)
	return engine.Line{Text: text, X: round(x1), Y: round(y1), Width: round(x2 - x1), Height: round(y2 - y1)}, true
}

// round rounds to about a tenth of a pixel.
func round(v float64) float64 { return math.Round(v*1e5) / 1e5 }

// device converts a point of a page to fractions of the rendered page.
func (s *session) device(page, at uint64, x, y float64) (fx, fy float64, ok bool) {
	done := s.call("FPDF_PageToDevice", page, 0, 0, across, across, 0, math.Float64bits(x), math.Float64bits(y), at, at+4)
	if s.err != nil || done == 0 {
		return 0, 0, false
	}
	data, err := s.m.Bytes(at, 8)
	if s.err = err; err != nil {
		return 0, 0, false
	}
	number := func(i int) float64 { return float64(int32(binary.LittleEndian.Uint32(data[4*i:]))) / across }
	return number(0), number(1), true
}

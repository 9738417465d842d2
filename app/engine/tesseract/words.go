package tesseract

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/digital-asset-library/dal/app/engine"
)

// A reading is the result of reading a picture.
type reading struct {
	words   []engine.Word
	turn    int     // clockwise rotation of the picture before reading, in degrees
	skew    float64 // additional clockwise rotation in radians
	all     int     // letters and digits
	letters int     // those in words of more than one
	sure    float64 // the same, weighted by the confidence of their word
}

// mean returns the mean confidence per letter in percent.
func (r *reading) mean() float64 {
	if r.letters == 0 {
		return 0
	}
	return 100 * r.sure / float64(r.letters)
}

// The columns of Tesseract's TSV (api/renderer: TessTsvRenderer), and the level of a word.
const (
	tsvLevel, tsvBlock, tsvParagraph, tsvLine     = 0, 2, 3, 4
	tsvLeft, tsvTop, tsvWidth, tsvHeight, tsvSure = 6, 7, 8, 9, 10
	tsvText, tsvColumns, tsvWord                  = 11, 12, 5
)

// parse parses Tesseract's table of words.
func (r *reading) parse(tsv string, p place) {
	var last [3]int
	line := 0
	for row := range strings.Lines(tsv) {
		c := strings.SplitN(strings.TrimRight(row, "\r\n"), "\t", tsvColumns)
		if len(c) < tsvColumns || number(c[tsvLevel]) != tsvWord || len(r.words) == engine.MaxWords {
			continue
		}
		text := clean(c[tsvText])
		sure, err := strconv.ParseFloat(c[tsvSure], 64)
		if text == "" || err != nil || !(sure >= 0 && sure <= 100) {
			continue
		}
		w := engine.Word{Text: text, Sure: int(math.Round(sure))}
		var ok bool
		if w.X, w.Y, w.Width, w.Height, ok = p.box(number(c[tsvLeft]), number(c[tsvTop]), number(c[tsvWidth]), number(c[tsvHeight])); !ok {
			continue
		}
		now := [3]int{number(c[tsvBlock]), number(c[tsvParagraph]), number(c[tsvLine])}
		switch {
		case line == 0, now != last:
			line++
			w.Paragraph = line > 1 && [2]int(now[:2]) != [2]int(last[:2])
		}
		last, w.Line = now, line
		r.count(w)
		r.words = append(r.words, w)
	}
}

func (r *reading) count(w engine.Word) {
	n := lettersOf(w.Text)
	if r.all += n; n > 1 {
		r.letters += n
		r.sure += float64(n*w.Sure) / 100
	}
}

func lettersOf(text string) (n int) {
	for _, c := range text {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			n++
		}
	}
	return n
}

// The minimum confidence of kept words in percent. In a picture with low confidence, most
// of the words are not text.
const (
	keptOnPage    = 20
	keptOfSigns   = 55 // without a letter or digit
	keptElsewhere = 66
)

// kept returns the words that are worth keeping.
func (r *reading) kept() []engine.Word {
	var list []engine.Word
	paragraph := false
	page := r.letters >= fewLetters && r.mean() >= poor
	lines := r.lines()
	for _, w := range r.words {
		paragraph = paragraph || w.Paragraph
		n, least := lettersOf(w.Text), keptElsewhere
		switch {
		case page && n > 0 && lines[w.Line].mean() >= poor:
			least = 0 // a mark next to a word is enough to lower its confidence
		case page && n > 0:
			least = keptOnPage
		case page:
			least = keptOfSigns
		case n < 2:
			continue
		}
		if w.Sure < least {
			continue
		}
		w.Paragraph, paragraph = paragraph && len(list) > 0, false
		list = append(list, w)
	}
	return list
}

// lines returns the confidence of each line by its number.
func (r *reading) lines() map[int]*reading {
	lines := map[int]*reading{}
	for _, w := range r.words {
		if lines[w.Line] == nil {
			lines[w.Line] = &reading{}
		}
		lines[w.Line].count(w)
	}
	return lines
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// clean returns a word without invisible characters.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "")
	if len(s) > engine.MaxWordBytes {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// place maps positions in the picture given to Tesseract to the original picture.
type place struct {
	width, height int     // pixels of the picture given to Tesseract
	skew          float64 // clockwise rotation about the center in radians, at the same size
	turn          int     // clockwise rotation before that, in degrees
}

// box converts a rectangle in the picture given to Tesseract to fractions of the original
// picture. It reports whether the result is not empty.
func (p place) box(left, top, width, height int) (x, y, w, h float64, ok bool) {
	if min(left, top) < 0 || min(width, height) < 1 || p.width < 1 || p.height < 1 {
		return 0, 0, 0, 0, false
	}
	x0, y0, x1, y1 := float64(left), float64(top), float64(left+width), float64(top+height)
	if p.skew != 0 {
		x0, y0, x1, y1 = p.straight(x0, y0, x1, y1)
	}
	fw, fh := float64(p.width), float64(p.height)
	x0, x1, y0, y1 = x0/fw, x1/fw, y0/fh, y1/fh
	switch p.turn {
	case 90:
		x0, y0, x1, y1 = y0, 1-x1, y1, 1-x0
	case 180:
		x0, y0, x1, y1 = 1-x1, 1-y1, 1-x0, 1-y0
	case 270:
		x0, y0, x1, y1 = 1-y1, x0, 1-y0, x1
	}
	x0, y0, x1, y1 = round(x0), round(y0), round(x1), round(y1)
	return x0, y0, round(x1 - x0), round(y1 - y0), x1 > x0 && y1 > y0
}

// straight rotates a rectangle back about the center. It keeps its size, which is that of
// the word: the bounding box of the rotated rectangle would include parts of the lines
// above and below.
func (p place) straight(x0, y0, x1, y1 float64) (_, _, _, _ float64) {
	sin, cos := math.Sincos(-p.skew)
	cx, cy := float64(p.width)/2, float64(p.height)/2
	mx, my := (x0+x1)/2-cx, (y0+y1)/2-cy
	mx, my = mx*cos-my*sin+cx, mx*sin+my*cos+cy
	w, h := (x1-x0)/2, (y1-y0)/2
	return mx - w, my - h, mx + w, my + h
}

// round rounds to about a pixel, within the picture.
func round(v float64) float64 { return math.Round(min(max(v, 0), 1)*1e4) / 1e4 }

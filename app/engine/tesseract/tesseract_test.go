package tesseract

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"testing"

	"github.com/digital-asset-library/dal/app/engine"
)

// lines draws dark lines, rotated clockwise by an angle in degrees.
func lines(w, h int, degrees float64) *image.Gray {
	p := image.NewGray(image.Rect(0, 0, w, h))
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	for y := range h {
		for x := range w {
			along := int(float64(x-w/2)*cos+float64(y-h/2)*sin) + 10*w
			across := int(-float64(x-w/2)*sin+float64(y-h/2)*cos) + 10*h
			p.Pix[y*p.Stride+x] = 250
			if across%40 < 14 && along%16 < 9 {
				p.Pix[y*p.Stride+x] = 20
			}
		}
	}
	return p
}

// The slope of lines is detected, without false positives.
func TestSkew(t *testing.T) {
	t.Parallel()
	for _, degrees := range []float64{-8, -3.3, -1, 0, 0.7, 2.5, 11} {
		if got := -skewOf(lines(900, 700, degrees)) * 180 / math.Pi; math.Abs(got-degrees) > 0.2 {
			t.Errorf("lines that slope %g degrees: %g", degrees, got)
		}
	}
	if got := skewOf(image.NewGray(image.Rect(0, 0, 300, 300))); got != 0 {
		t.Errorf("nothing: %g", got)
	}
}

// Boxes of a rotated picture are converted to those of the original picture.
func TestBoxes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		place
		want string
	}{
		{place{width: 1000, height: 500}, "0.1 0.4 0.2 0.1 true"},
		{place{width: 1000, height: 500, turn: 180}, "0.7 0.5 0.2 0.1 true"},
		{place{width: 1000, height: 500, turn: 90}, "0.4 0.7 0.1 0.2 true"},
		{place{width: 1000, height: 500, turn: 270}, "0.5 0.1 0.1 0.2 true"},
		{place{width: 1000, height: 500, skew: 0.1}, "0.099 0.4601 0.2 0.1 true"},
	} {
		x, y, w, h, ok := tt.box(100, 200, 200, 50)
		if got := fmt.Sprintf("%.4g %.4g %.4g %.4g %v", x, y, w, h, ok); got != tt.want {
			t.Errorf("%+v: %s, not %s", tt.place, got, tt.want)
		}
	}
	if _, _, _, _, ok := (place{width: 10, height: 10}).box(20, 0, 5, 5); ok {
		t.Error("a box beside the picture")
	}
}

// A page that is partly in the shadow is corrected, and other pictures are unchanged.
func TestEvenLight(t *testing.T) {
	t.Parallel()
	page := func(light func(x, y int) int) *image.Gray {
		p := lines(900, 700, 1)
		for i := range p.Pix {
			p.Pix[i] = uint8(int(p.Pix[i]) * light(i%p.Stride, i/p.Stride) / 250)
		}
		return p
	}
	even := evenLight(page(func(_, y int) int { return 250 - y*150/700 }))
	for y := range 700 {
		ink, paper := 255, 0
		for _, v := range even.Pix[y*even.Stride : (y+1)*even.Stride] {
			ink, paper = min(ink, int(v)), max(paper, int(v))
		}
		if ink > 60 && ink < 190 || paper < 190 {
			t.Fatalf("row %d: from %d to %d", y, ink, paper)
		}
	}
	for name, light := range map[string]func(x, y int) int{
		"even": func(int, int) int { return 250 },
		"dim":  func(int, int) int { return 120 },
		"a sign before something dark": func(x, y int) int {
			if x > 200 && x < 700 && y > 150 && y < 550 {
				return 250
			}
			return 110
		},
		"a picture of the night": func(x, _ int) int { return 20 + x/10 },
	} {
		if p := page(light); evenLight(p) != p {
			t.Error(name)
		}
	}
	for _, size := range []image.Rectangle{image.Rect(0, 0, 1, 1), image.Rect(0, 0, 1, 5000), image.Rect(0, 0, 130, 64)} {
		p := image.NewGray(size)
		for i := range p.Pix {
			p.Pix[i] = uint8(255 - i*160/len(p.Pix))
		}
		if evenLight(p).Rect != size {
			t.Error(size)
		}
	}
}

// A word of low confidence is kept in a line of high confidence, and dropped elsewhere.
func TestKept(t *testing.T) {
	t.Parallel()
	r := &reading{}
	for i, w := range []string{"1 96 protecting", "1 18 users’", "1 95 freedom", "2 19 lieptehs", "2 0 deep", "2 55 bn", "1 5 —"} {
		var line, sure int
		var text string
		if _, err := fmt.Sscan(w, &line, &sure, &text); err != nil {
			t.Fatal(err)
		}
		tsv := fmt.Sprintf("5\t1\t1\t1\t%d\t%d\t10\t20\t30\t40\t%d\t%s\n", line, i, sure, text)
		one := &reading{}
		one.parse(tsv, place{width: 100, height: 100})
		one.words[0].Line = line
		r.count(one.words[0])
		r.words = append(r.words, one.words...)
	}
	for range 3 {
		r.count(engine.Word{Text: "elsewhere", Sure: 96}) // a page with more text
	}
	var kept []string
	for _, w := range r.kept() {
		kept = append(kept, w.Text)
	}
	if got := fmt.Sprint(kept); got != "[protecting users’ freedom bn]" {
		t.Error(got)
	}
}

// The language of the words becomes the first.
func TestLikeliest(t *testing.T) {
	t.Parallel()
	languages := []string{"eng", "deu"}
	words := func(list ...string) (all []engine.Word) {
		for _, w := range list {
			all = append(all, engine.Word{Text: w})
		}
		return all
	}
	german := words("Der", "Hafen", "ist", "für", "die", "Schiffe", "nicht", "offen.")
	for _, tt := range []struct {
		words []engine.Word
		want  string
	}{{german, "[deu eng]"}, {words("The", "harbour", "is", "not", "for", "you", "and", "me"), "[eng deu]"}, {nil, "[eng deu]"}} {
		if got := fmt.Sprint(likeliest(tt.words, languages)); got != tt.want {
			t.Errorf("%v: %s", tt.words, got)
		}
	}
	if fmt.Sprint(languages) != "[eng deu]" {
		t.Errorf("it changes what it is given: %v", languages)
	}
}

// Tesseract's output is parsed within limits.
func FuzzParse(f *testing.F) {
	f.Add("5\t1\t1\t1\t1\t1\t10\t20\t30\t40\t96.5\tword\n", uint16(100), uint16(80), 0.02, uint8(1))
	f.Add("level\tpage_num\n5\t1\t1\t1\t2\t1\t-1\t0\t9999\t1\tNaN\t\xff\n4\t\t\n", uint16(1), uint16(1), 0.0, uint8(3))
	f.Fuzz(func(t *testing.T, tsv string, w, h uint16, skew float64, quarter uint8) {
		r := &reading{}
		r.parse(tsv, place{int(w), int(h), skew, 90 * int(quarter%4)})
		for _, word := range r.kept() {
			if word.Text == "" || !(word.X >= 0 && word.Y >= 0 && word.Width > 0 && word.Height > 0) ||
				word.X+word.Width > 1.0001 || word.Y+word.Height > 1.0001 || word.Sure < 0 || word.Sure > 100 || word.Line < 1 {
				t.Fatalf("%+v", word)
			}
		}
	})
}

// A picture has the declared number of pixels, up to the limit.
func FuzzPicture(f *testing.F) {
	f.Add([]byte("P5\n2 2\n255\nabcd"))
	f.Add([]byte("P5\n99999 99999\n255\n"))
	f.Add([]byte("P5\n-1 2\n255\n"))
	f.Add([]byte("P6\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := readPGM(bytes.NewReader(data), 1<<16)
		if err == nil && (len(p.Pix) > 1<<16 || len(p.Pix) > len(data)) {
			t.Fatalf("%d pixels of %d bytes", len(p.Pix), len(data))
		}
	})
}

package web_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/web"
)

// written returns a picture with lines of text, with a font size in pixels.
func written(t testing.TB, w, h, size int, lines ...string) *image.Gray {
	t.Helper()
	f, err := opentype.Parse(goregular.TTF)
	must(t, err)
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(size), DPI: 72})
	must(t, err)
	g := image.NewGray(image.Rect(0, 0, w, h))
	draw.Draw(g, g.Rect, image.White, image.Point{}, draw.Src)
	for i, line := range lines {
		d := font.Drawer{Dst: g, Src: image.Black, Face: face, Dot: fixed.P(size, 2*size+i*size*3/2)}
		d.DrawString(line)
	}
	return g
}

func asPNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, img))
	return b.Bytes()
}

// around rotates a picture clockwise by an angle in degrees around its center, with white
// corners.
func around(p *image.Gray, degrees float64) *image.Gray {
	b := p.Rect
	if degrees == 90 {
		b = image.Rect(0, 0, p.Rect.Dy(), p.Rect.Dx())
	}
	out := image.NewGray(b)
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	cx, cy := float64(p.Rect.Dx())/2, float64(p.Rect.Dy())/2
	ox, oy := float64(b.Dx())/2, float64(b.Dy())/2
	for y := range b.Dy() {
		for x := range b.Dx() {
			dx, dy := float64(x)+0.5-ox, float64(y)+0.5-oy
			sx, sy := int(dx*cos+dy*sin+cx), int(-dx*sin+dy*cos+cy)
			v := color.Gray{255}
			if image.Pt(sx, sy).In(p.Rect) {
				v = p.GrayAt(sx, sy)
			}
			out.SetGray(x, y, v)
		}
	}
	return out
}

// scannedPDF returns a PDF with a page for each argument: a picture, or a text for a page
// of text.
func scannedPDF(t testing.TB, pages ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(at))
		fmt.Fprintf(&b, format+"\nendobj\n", args...)
	}
	stream := func(head, data string) { object("<<%s/Length %d>>stream\n%s\nendstream", head, len(data), data) }
	b.WriteString("%PDF-1.7\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	kids := ""
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", 4+3*i)
	}
	object("<</Type/Pages/Count %d/Kids[%s]>>", len(pages), kids)
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	for i, p := range pages {
		object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 420 595]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>/XObject<</I %d 0 R>>>>>>",
			5+3*i, 6+3*i)
		switch p := p.(type) {
		case string:
			stream("", "BT /F 14 Tf 40 500 Td ("+p+") Tj ET")
			object("null")
		case *image.Gray:
			stream("", "420 0 0 595 0 0 cm /I Do")
			var data bytes.Buffer
			must(t, jpeg.Encode(&data, p, nil))
			stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode",
				p.Rect.Dx(), p.Rect.Dy()), data.String())
		}
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, table)
	return b.Bytes()
}

func reading(c *app.Config, _ *web.Options) {
	c.OCR, c.Embeddings = analyze.OCRAuto, find.EmbeddingsOff
}

// slowly calls ask until done reports true for the answer. Recognition may take long on a
// busy machine, since other work has priority: only the deadline of all tests limits it.
func (s *server) slowly(t testing.TB, path string, done func(answer) bool) answer {
	t.Helper()
	left := time.Hour
	if t, ok := t.(*testing.T); ok {
		if end, ok := t.Deadline(); ok {
			left = time.Until(end) - 10*time.Second // leaves time to report the failure
		}
	}
	deadline := time.After(left)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		a := s.do(t, "GET", path, "").want(t, 200)
		if done(a) {
			return a
		}
		select {
		case <-deadline:
			t.Fatalf("%s has not come to the state that was waited for: %s", path, a)
		case <-tick.C:
		}
	}
}

// recognized returns an asset once its text is recognized.
func (s *server) recognized(t testing.TB, gaid string) answer {
	t.Helper()
	asset := "/api/v1/assets/" + gaid
	s.slowly(t, asset+"/analyses", func(a answer) bool { return a.get("data.0.done_at") != nil })
	return s.do(t, "GET", asset, "").want(t, 200)
}

// Words in pictures are searchable, and the asset contains their positions: in pictures
// that are level, skewed or rotated, and on PDF pages without text.
func TestWordsInPictures(t *testing.T) {
	t.Parallel()
	s := start(t, reading)
	note := []string{
		"Dear Mr. Brown,", "the harbour master has closed", "quay number seven until further", "notice. Please moor your vessel",
		"at the northern jetty and report", "to the lighthouse on arrival.",
	}
	gaids := s.gaids(t,
		upload{"sign.png", asPNG(t, written(t, 900, 400, 60, "HARBOUR MASTER", "Mooring 42 closed"))},
		upload{"photo.jpg", picture(7, 300, 200)},
		upload{"sloping.png", asPNG(t, around(written(t, 900, 700, 44, note...), 5))},
		upload{"turned.png", asPNG(t, around(written(t, 900, 700, 44, note...), 90))},
		upload{"scan.pdf", scannedPDF(t, written(t, 900, 1273, 44, "Invoice for pilotage", "and towage in October"), "A page of letters")},
	)
	sign := s.recognized(t, gaids[0])
	if got := sign.get("data.ocr_text"); got != "HARBOUR MASTER\nMooring 42 closed" {
		t.Errorf("%q", got)
	}
	near := func(a answer, at string, x, y, w, h float64) {
		t.Helper()
		for i, want := range []float64{x, y, w, h} {
			got, _ := a.get(at + "." + string("xywh"[i])).(float64)
			if math.Abs(got-want) > 0.03 {
				t.Errorf("%s.%c is %v, not %v", at, "xywh"[i], got, want)
			}
		}
	}
	near(sign, "data.technical.ocr.pages.0.words.0", 0.07, 0.195, 0.35, 0.11)
	if a := s.recognized(t, gaids[1]); a.get("data.ocr_text") != nil || a.get("data.technical.ocr") != nil {
		t.Errorf("%s", a)
	}
	for i, gaid := range gaids[2:4] {
		a := s.recognized(t, gaid)
		text := strings.Join(strings.Fields(fmt.Sprint(a.get("data.ocr_text"))), " ")
		if text != strings.Join(note, " ") {
			t.Errorf("%d: %q", i, text)
		}
	}
	near(s.recognized(t, gaids[2]), "data.technical.ocr.pages.0.words.0", 0.078, 0.037, 0.1, 0.048)
	near(s.recognized(t, gaids[3]), "data.technical.ocr.pages.0.words.0", 0.874, 0.049, 0.048, 0.1)
	found := s.search(t, "q", "harbour")
	if found.get("meta.total") != 3.0 || fmt.Sprint(found.get("data.0.matched_on")) != "[ocr_text]" {
		t.Errorf("%s", found)
	}
	pdf := s.recognized(t, gaids[4])
	if got := pdf.get("data.ocr_text"); got != "A page of letters\n\nInvoice for pilotage\nand towage in October" {
		t.Errorf("%q", got)
	}
	page := s.do(t, "GET", "/api/v1/assets/"+gaids[4]+"/pages/1", "").want(t, 200)
	if page.get("data.lines.1.text") != "and towage in October" || page.get("data.words.2.text") != "pilotage" ||
		page.get("data.width") != 420.0 {
		t.Errorf("%s", page)
	}
	page = s.do(t, "GET", "/api/v1/assets/"+gaids[4]+"/pages/2", "").want(t, 200)
	if page.get("data.lines.0.text") != "A page of letters" || page.get("data.words.0") != nil {
		t.Errorf("%s", page)
	}
	page = s.do(t, "GET", "/api/v1/assets/"+gaids[0]+"/pages/1", "").want(t, 200)
	if page.get("data.lines.0.text") != "HARBOUR MASTER" || page.get("data.width") != 900.0 || page.get("data.words.0.line") != 1.0 {
		t.Errorf("%s", page)
	}
	s.do(t, "GET", "/api/v1/assets/"+gaids[0]+"/pages/2", "").want(t, 404)

	path := s.operate(t, `{"type":"ai_analysis","tasks":["ocr"],"selection":{"gaids":["`+gaids[0]+`"]}}`)
	again := s.slowly(t, path, func(a answer) bool { return a.get("data.finished_at") != nil })
	if again.get("data.state") != "completed" || again.get("data.progress.done") != 1.0 {
		t.Errorf("%s", again)
	}
	if got := s.recognized(t, gaids[0]).get("data.ocr_text"); got != sign.get("data.ocr_text") {
		t.Errorf("again: %q", got)
	}
}

// A language without data is refused at startup; one with data in the configured folder is
// accepted.
func TestLanguagesOfRecognition(t *testing.T) {
	t.Parallel()
	if err := analyze.CheckLanguages([]string{"eng", "fra"}, ""); err == nil || !strings.Contains(err.Error(), `"fra"; there is deu, eng`) {
		t.Errorf("%v", err)
	}
	if err := analyze.CheckLanguages([]string{"eng"}, t.TempDir()); err != nil {
		t.Error(err)
	}
}

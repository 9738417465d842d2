package media_test

import (
	"bytes"
	"errors"
	"fmt"
	"image/jpeg"
	"math"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/media"
)

// pdfOf returns a PDF whose pages are given by their boxes and content streams.
func pdfOf(pages ...[2]string) []byte {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}
	kids := ""
	for _, p := range pages {
		n := len(objects) + 1
		kids += fmt.Sprintf("%d 0 R ", n)
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R%s>>", n+1, p[0]),
			fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(p[1]), p[1]))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(pages), kids)
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	table := ""
	for i, o := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, table, len(objects)+1, at)
	return b.Bytes()
}

func page(t *testing.T, p *media.Processor, data []byte, n int) (*media.Page, error) {
	t.Helper()
	return p.Page(t.Context(), bytes.NewReader(data), int64(len(data)), "", n)
}

// dark returns the bounding box of the ink on a page, as fractions of the page.
func dark(t *testing.T, picture []byte) engine.Line {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	x1, y1, x2, y2 := 1.0, 1.0, 0.0, 0.0
	for y := range b.Dy() {
		for x := range b.Dx() {
			if r, _, _, _ := img.At(x, y).RGBA(); r < 0x6000 {
				fx, fy := float64(x)/float64(b.Dx()), float64(y)/float64(b.Dy())
				x1, y1, x2, y2 = min(x1, fx), min(y1, fy), max(x2, fx), max(y2, fy)
			}
		}
	}
	return engine.Line{X: x1, Y: y1, Width: x2 - x1, Height: y2 - y1}
}

// The text of a page is located where the page shows it, even if it is rotated and cropped.
func TestPageLines(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	const harbour = "BT /F 20 Tf 60 150 Td (Harbour master) Tj ET"
	for name, boxes := range map[string]string{
		"upright": "/MediaBox[0 0 300 200]", "quarter": "/MediaBox[0 0 300 200]/Rotate 90", "over": "/MediaBox[0 0 300 200]/Rotate 180",
		"three quarters": "/MediaBox[0 0 300 200]/Rotate 270", "cropped": "/MediaBox[0 0 300 200]/CropBox[40 100 240 190]",
		"cropped and turned": "/MediaBox[0 0 300 200]/CropBox[40 100 240 190]/Rotate 90", "elsewhere": "/MediaBox[-50 50 250 250]",
	} {
		got, err := page(t, p, pdfOf([2]string{"/MediaBox[0 0 9 9]", ""}, [2]string{boxes, harbour}), 2)
		if err != nil || len(got.Lines) != 1 || got.Lines[0].Text != "Harbour master" {
			t.Errorf("%s: %v, %+v", name, err, got)
			continue
		}
		l, d := got.Lines[0], dark(t, got.Picture)
		for i, pair := range [][2]float64{{l.X, d.X}, {l.Y, d.Y}, {l.Width, d.Width}, {l.Height, d.Height}} {
			if math.Abs(pair[0]-pair[1]) > 0.03 {
				t.Errorf("%s: the line is at %+v, the letters at %+v: number %d differs", name, l, d, i)
			}
		}
		if strings.Contains(name, "quarter") && (got.Width != 200 || got.Height != 300) {
			t.Errorf("%s: %d × %d", name, got.Width, got.Height)
		}
	}
}

// Columns and cells become separate lines, but words do not; ligatures are resolved into
// letters.
func TestLinesOfAPage(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	content := "BT /F 12 Tf 20 170 Td (First line of) Tj ( words) Tj 0 -16 Td (and the second) Tj ET " +
		"BT /F 12 Tf 220 170 Td (another column) Tj ET BT /F 12 Tf 900 170 Td (outside) Tj ET"
	got, err := page(t, p, pdfOf([2]string{"/MediaBox[0 0 400 200]", content}), 1)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, l := range got.Lines {
		texts = append(texts, l.Text)
		if min(l.X, l.Y, l.Width, l.Height) < 0 || l.X+l.Width > 1.0001 || l.Y+l.Height > 1.0001 || l.Width == 0 {
			t.Errorf("%+v", l)
		}
	}
	if want := "First line of words|and the second|another column"; strings.Join(texts, "|") != want {
		t.Errorf("%q, want %q", texts, want)
	}
}

// A page with more lines than the limit returns the first ones.
func TestManyLines(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	var b strings.Builder
	b.WriteString("BT /F 1 Tf 5 1000 Td ")
	for range engine.MaxLines + 100 {
		b.WriteString("(a line) Tj 0 -0.15 Td ")
	}
	got, err := page(t, p, pdfOf([2]string{"/MediaBox[0 0 1000 1001]", b.String() + "ET"}), 1)
	if err != nil || len(got.Lines) == 0 || len(got.Lines) > engine.MaxLines {
		t.Errorf("%v, %+v", err, got)
	}
}

// Missing pages, files without pages, and files that no engine reads return different
// errors.
func TestNoPage(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	data := pdfOf([2]string{"/MediaBox[0 0 300 200]", ""})
	if got, err := page(t, p, data, 1); err != nil || len(got.Lines) != 0 || len(got.Picture) == 0 {
		t.Errorf("%v, %+v", err, got)
	}
	for _, n := range []int{0, -1, 2, 1 << 30} {
		if _, err := page(t, p, data, n); !errors.Is(err, media.ErrNoPage) {
			t.Errorf("page %d: %v", n, err)
		}
	}
	if _, err := page(t, withEngines(t, media.DefaultLimits(), "pdfium"), data, 1); !errors.Is(err, media.ErrNoEngine) {
		t.Errorf("without the engine: %v", err)
	}
	if _, err := page(t, p, sample(t, "420.jpg"), 1); !errors.Is(err, media.ErrNoPage) {
		t.Errorf("a picture: %v", err)
	}
}

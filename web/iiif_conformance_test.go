package web_test

import (
	"bytes"
	"fmt"
	"image"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

// Everything that the description of a picture offers is available: each tile, at the
// position that viewers calculate, and each size.
// https://iiif.io/api/image/3.0/implementation/#3-tile-region-parameter-calculation
func TestIIIFOffers(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, size := range []image.Point{{1210, 830}, {300, 200}, {1025, 513}, {512, 1024}} {
		id := s.iiif(t, s.one(t, fmt.Sprint(size)+".jpg", grid(size.X, size.Y)), "")
		info := s.as(t, "", "GET", id+"/info.json", "").want(t, 200)
		if w, h := info.get("width"), info.get("height"); w != float64(size.X) || h != float64(size.Y) {
			t.Fatalf("%v is %v × %v", size, w, h)
		}
		if info.get("maxWidth") != info.get("width") || info.get("maxHeight") != info.get("height") {
			t.Errorf("%s", info.body)
		}
		tile := image.Pt(int(info.get("tiles.0.width").(float64)), int(info.get("tiles.0.height").(float64)))
		if tile != image.Pt(min(512, size.X), min(512, size.Y)) {
			t.Errorf("tiles of %v have %v", size, tile)
		}
		for _, f := range info.get("tiles.0.scaleFactors").([]any) {
			factor := int(f.(float64))
			step := tile.Mul(factor)
			for y := 0; y < size.Y; y += step.Y {
				for x := 0; x < size.X; x += step.X {
					w, h := min(step.X, size.X-x), min(step.Y, size.Y-y)
					to := image.Pt((w+factor-1)/factor, (h+factor-1)/factor)
					path := fmt.Sprintf("%d,%d,%d,%d/%d,%d/0/default.jpg", x, y, w, h, to.X, to.Y)
					s.showsGrid(t, id+"/"+path, x, y, factor, to)
				}
			}
		}
		for _, o := range info.get("sizes").([]any) {
			w, h := int(o.(map[string]any)["width"].(float64)), int(o.(map[string]any)["height"].(float64))
			s.showsGrid(t, fmt.Sprintf("%s/full/%d,%d/0/default.jpg", id, w, h), 0, 0, (size.X+w-1)/w, image.Pt(w, h))
		}
	}
}

// showsGrid checks a scaled section of a grid that starts at x, y: squares that are
// sufficiently visible have their colors.
func (s *server) showsGrid(t *testing.T, path string, x, y, factor int, size image.Point) {
	t.Helper()
	img := decoded(t, s.as(t, "", "GET", path, "").want(t, 200).body)
	if got := img.Bounds().Size(); got != size {
		t.Errorf("%s has %v", path, got)
		return
	}
	for row := y/gridSide + 1; row < (y+size.Y*factor)/gridSide; row++ {
		for col := x/gridSide + 1; col < (x+size.X*factor)/gridSide; col++ {
			at := image.Pt((col*gridSide+gridSide/2-x)/factor, (row*gridSide+gridSide/2-y)/factor)
			if got, want := img.At(at.X, at.Y), gridColor(col, row); !isNear(got, want) {
				t.Errorf("%s: at %v is %v, not %v", path, at, got, want)
				return
			}
		}
	}
}

var canonicalLink = regexp.MustCompile(`^<(http[^>]+)>;rel="canonical"$`)

// A picture names its canonical URL, which returns the same picture and names itself. URLs
// may be escaped differently.
func TestIIIFCanonical(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	id := s.iiif(t, s.one(t, "grid.jpg", grid(1210, 830)), "")
	for path, want := range map[string]string{
		"full/max/0/default.jpg":                      "full/max/0/default.jpg",
		"pct:0,0,100,100/1210,/0.0/color.png":         "full/max/0/default.png",
		"0,0,9999,9999/^pct:100/360/default.jpg":      "full/max/0/default.jpg",
		"square/^!415,9999/!90/gray.jpg":              "190,0,830,830/415,415/!90/gray.jpg",
		"pct:50,50,50,50/pct:50/00270/bitonal.png":    "605,415,605,415/303,208/270/bitonal.png",
		"full/605,/0/default.jpg":                     "full/605,415/0/default.jpg",
		"1200,800,500,500/max/180/color.jpg":          "1200,800,10,30/max/180/default.jpg",
		"0%2C0%2C512%2C512/512%2C/%210/default.jpg":   "0,0,512,512/max/!0/default.jpg",
		"pct%3A0,0,50,50/%5E%2150,50/0/default%2Ejpg": "0,0,605,415/50,34/0/default.jpg",
	} {
		a := s.as(t, "", "GET", strings.ReplaceAll(id, "~", "%7E")+"/"+path, "").want(t, 200)
		m := canonicalLink.FindStringSubmatch(a.Header.Values("Link")[0])
		if m == nil || m[1] != s.URL+id+"/"+want {
			t.Errorf("%s: %q", path, a.Header.Values("Link"))
			continue
		}
		same := s.as(t, "", "GET", strings.TrimPrefix(m[1], s.URL), "").want(t, 200)
		if !bytes.Equal(same.body, a.body) || same.Header.Values("Link")[0] != a.Header.Values("Link")[0] ||
			same.Header.Get("ETag") != a.Header.Get("ETag") {
			t.Errorf("%s and %s differ", path, m[1])
		}
	}
}

// Invalid URL components are refused with an error that programs of all origins can read,
// never with a picture.
func TestIIIFNonsense(t *testing.T) {
	t.Parallel()
	var log journal
	s := start(t, func(c *app.Config, o *web.Options) { log.into(c); o.Log = c.Log })
	id := s.iiif(t, s.one(t, "grid.jpg", grid(300, 200)), "")
	good := []string{"full", "max", "0", "default.jpg"}
	random := rand.New(rand.NewPCG(3, 1))
	refused := func(path string) {
		t.Helper()
		a := s.as(t, "", "GET", id+"/"+path, "")
		status := a.StatusCode
		if status != 400 && status != 404 && (status != http.StatusNotImplemented || !strings.Contains(path, "^")) {
			t.Errorf("%s is answered with %s", path, a)
		}
		if a.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %v", path, a.Header)
		}
	}
	for place, list := range [][]string{
		{"FULL", "Full", "0,0,1", "0,0,1,1,1", "0,0,1,1,", ",,,", "0,0,,", "-0,0,1,1", "+1,0,1,1", "0.5,0,1,1", "1e1,0,1,1", "0x1,0,1,1",
			"pct:", "pct:0,0,0,1", "pct:-1,0,5,5", "pct:NaN,0,5,5", "pct:Inf,0,5,5", "pct:1e1,0,5,5", "pct:.,0,5,5", "pct:1.2.3,0,5,5",
			"pct:100,100,1,1", "PCT:0,0,5,5", "99999999999999999999,0,1,1", "0,0,1,99999999999999999999", "300,0,1,1", "0,200,1,1", "square,",
			"%D9%A1,0,1,1", "0, 0,1,1", "0;0;1;1", "pct:0,0,1_0,1", "full%00", "%20full"},
		{"MAX", "0", "1", ",", "!", "!,", "!5,", "!,5", "0,0", "0,5", "5,0", "-5,", "+5,", "5.5,", "1e2,", "pct:0", "pct:", "pct:-5", "pct:NaN",
			"pct:1e1", "pct:100.0001", "99999999999999999999,", "301,", ",201", "301,1", "1,201", "5,5,5", "!0,0", "!pct:5", "full", "max,",
			"^", "^^5,", "^!5", "^0,", "^pct:0", "^301,", "!^5,5", "%D9%A1,", " 5,"},
		{"-90", "+90", "90!", "!!0", "45", "90.5", "450", "360.1", "1e1", "NaN", "", "!", ".", "0,", "%D9%A0"},
		{"default", "default.", ".jpg", "default.JPG", "Default.jpg", "default.jpeg", "default.jpg.png", "default.gif", "default.tif",
			"default.jp2", "default.pdf", "native.jpg", "grey.jpg", "bitonic.jpg", "default.avif", "default.jpg%00", "default.%6Apg%20"},
	} {
		for _, wrong := range append(list, randomText(random), randomText(random), randomText(random)) {
			path := append([]string(nil), good...)
			path[place] = wrong
			refused(strings.Join(path, "/"))
		}
	}
	for _, path := range []string{"full/max/0", "full/max/0/default.jpg/", "full/max/0/x/default.jpg", "info.jso",
		"info.json/", "INFO.JSON", "../../../etc/passwd/x/y/z", "%2e%2e/max/0/default.jpg",
	} {
		refused(path)
	}
	s.as(t, "", "GET", id+"/full%2Fmax/0/default.jpg", "").want(t, 404)
	s.as(t, "", "POST", id+"/info.json", "").want(t, http.StatusMethodNotAllowed)
	if n := log.count("level=ERROR"); n != 0 {
		t.Errorf("strangers put %d errors into the log", n)
	}
}

// randomText returns a text that is not valid in the Image API.
func randomText(r *rand.Rand) string {
	b := []byte("z")
	for range 1 + r.IntN(30) {
		b = append(b, "abcxyz0123456789,:!^.-_~"[r.IntN(24)])
	}
	return string(b)
}

package web_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/web"
)

const gridSide = 100

// gridColor returns the color of a grid square.
func gridColor(x, y int) color.RGBA {
	return color.RGBA{uint8(20 + x*17), uint8(30 + y*22), uint8(200 - x*7 - y*9), 255}
}

// grid returns a JPEG of squares with distinct colors, which may be cut off at the edges.
func grid(w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, gridColor(x/gridSide, y/gridSide))
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		panic(err) // cannot happen: the picture is valid
	}
	return b.Bytes()
}

// iiif returns the path of an asset's identifier.
func (s *server) iiif(t testing.TB, gaid, more string) string {
	t.Helper()
	a := s.do(t, "POST", "/api/v1/iiif-urls", `{"images":[{"gaid":"`+gaid+`"`+more+`}]}`).want(t, 200)
	path := strings.TrimPrefix(a.get("data.0.info_url").(string), s.URL)
	return strings.TrimSuffix(path, "/info.json")
}

func isNear(got color.Color, want color.RGBA) bool {
	r, g, b, _ := got.RGBA()
	for i, v := range []uint32{r >> 8, g >> 8, b >> 8} {
		if d := int(v) - int([]uint8{want.R, want.G, want.B}[i]); d < -9 || d > 9 {
			return false
		}
	}
	return true
}

func decoded(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// Each region, size, rotation, quality and format of level 2 returns the right picture;
// anything beyond is refused.
func TestIIIFImages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	id := s.iiif(t, s.one(t, "grid.jpg", grid(1210, 830)), "")
	type spot struct{ x, y, col, row int } // a pixel, and the square expected there
	for path, want := range map[string]struct {
		w, h  int
		spots []spot
	}{
		"full/max/0/default.jpg":                 {1210, 830, []spot{{50, 50, 0, 0}, {1150, 750, 11, 7}, {550, 150, 5, 1}}},
		"square/max/0/default.jpg":               {830, 830, []spot{{60, 50, 2, 0}, {750, 750, 9, 7}}},
		"300,200,250,170/max/0/default.jpg":      {250, 170, []spot{{50, 50, 3, 2}, {240, 150, 5, 3}}},
		"301,203,111,97/max/0/default.png":       {111, 97, []spot{{50, 50, 3, 2}}},
		"1100,700,900,900/max/0/default.jpg":     {110, 130, []spot{{50, 50, 11, 7}}},
		"pct:50,50,25,25/max/0/default.jpg":      {303, 208, []spot{{45, 45, 6, 4}, {145, 145, 7, 5}}},
		"pct:0,0,10.5,12.25/max/0/default.jpg":   {127, 102, []spot{{50, 50, 0, 0}}},
		"full/605,/0/default.jpg":                {605, 415, []spot{{25, 25, 0, 0}, {575, 375, 11, 7}}},
		"full/^605,/0/default.jpg":               {605, 415, []spot{{25, 25, 0, 0}, {575, 375, 11, 7}}},
		"full/,83/0/default.jpg":                 {121, 83, []spot{{5, 5, 0, 0}, {115, 75, 11, 7}}},
		"full/pct:20/0/default.jpg":              {242, 166, []spot{{10, 10, 0, 0}, {150, 90, 7, 4}}},
		"full/300,700/0/default.jpg":             {300, 700, []spot{{12, 42, 0, 0}, {285, 632, 11, 7}}},
		"full/!200,200/0/default.jpg":            {200, 137, []spot{{8, 8, 0, 0}}},
		"full/!5000,5000/0/default.jpg":          {1210, 830, nil},
		"full/max/90/default.jpg":                {830, 1210, []spot{{780, 50, 0, 0}, {80, 1150, 11, 7}}},
		"full/max/180/default.jpg":               {1210, 830, []spot{{1160, 780, 0, 0}, {60, 80, 11, 7}}},
		"full/max/270/default.jpg":               {830, 1210, []spot{{50, 1160, 0, 0}, {750, 60, 11, 7}}},
		"full/max/!0/default.jpg":                {1210, 830, []spot{{1160, 50, 0, 0}, {60, 750, 11, 7}}},
		"full/max/!90/default.png":               {830, 1210, []spot{{780, 1160, 0, 0}, {80, 60, 11, 7}}},
		"full/max/!180/default.jpg":              {1210, 830, []spot{{50, 780, 0, 0}, {1150, 80, 11, 7}}},
		"full/max/!270/default.jpg":              {830, 1210, []spot{{50, 50, 0, 0}, {750, 1150, 11, 7}}},
		"full/max/360/color.jpg":                 {1210, 830, []spot{{50, 50, 0, 0}}},
		"0,0,512,512/512,512/0/default.jpg":      {512, 512, []spot{{450, 350, 4, 3}}},
		"1024,512,186,318/186,318/0/default.jpg": {186, 318, []spot{{130, 240, 11, 7}}},
		"0,0,1024,830/512,415/0/default.jpg":     {512, 415, []spot{{475, 375, 9, 7}}},
		"1024,0,186,830/93,415/0/default.jpg":    {93, 415, []spot{{62, 375, 11, 7}}},
		"0,0,1210,830/303,208/0/default.jpg":     {303, 208, []spot{{12, 12, 0, 0}, {287, 187, 11, 7}}},
		"250,250,300,300/75,75/90/default.png":   {75, 75, []spot{{67, 7, 2, 2}, {7, 67, 5, 5}}},
	} {
		a := s.as(t, "", "GET", id+"/"+path, "").want(t, 200)
		img := decoded(t, a.body)
		if got := img.Bounds().Size(); got != image.Pt(want.w, want.h) {
			t.Errorf("%s has %v", path, got)
			continue
		}
		for _, p := range want.spots {
			if got := img.At(p.x, p.y); !isNear(got, gridColor(p.col, p.row)) {
				t.Errorf("%s: at %d,%d is %v, not %v", path, p.x, p.y, got, gridColor(p.col, p.row))
			}
		}
		if k := "image/" + map[string]string{"jpg": "jpeg", "png": "png"}[path[len(path)-3:]]; a.Header.Get("Content-Type") != k {
			t.Errorf("%s is %s", path, a.Header.Get("Content-Type"))
		}
		if o := a.Header.Get("Access-Control-Allow-Origin"); o != "*" {
			t.Errorf("%s: %q", path, o)
		}
	}
	for quality, is := range map[string]func(color.Color) bool{
		"gray":    func(c color.Color) bool { r, g, b, _ := c.RGBA(); return r == g && g == b && r > 0 && r < 0xffff },
		"bitonal": func(c color.Color) bool { r, g, b, _ := c.RGBA(); return r == g && g == b && (r == 0 || r == 0xffff) },
	} {
		img, err := png.Decode(bytes.NewReader(s.as(t, "", "GET", id+"/full/121,/0/"+quality+".png", "").want(t, 200).body))
		if err != nil || !is(img.At(5, 5)) || !is(img.At(115, 75)) {
			t.Errorf("%s: %v", quality, err)
		}
	}
	for path, status := range map[string]int{
		"full/^max/0/default.jpg": 501, "full/^2000,/0/default.jpg": 501, "full/^,0/0/default.jpg": 400,
		"full/^pct:120/0/default.jpg": 501,
		"full/1211,/0/default.jpg":    400, "full/pct:101/0/default.jpg": 400, "full/0,/0/default.jpg": 400,
		"full/,/0/default.jpg":     400,
		"full/1,1,1/0/default.jpg": 400, "full/!5,/0/default.jpg": 400, "full/full/0/default.jpg": 400,
		"1210,0,5,5/max/0/default.jpg": 400, "0,0,0,5/max/0/default.jpg": 400, "-1,0,5,5/max/0/default.jpg": 400,
		"0,0,5/max/0/default.jpg": 400, "pct:100,0,5,5/max/0/default.jpg": 400, "pct:a,0,5,5/max/0/default.jpg": 400,
		"full/max/45/default.jpg": 400, "full/max/-90/default.jpg": 400, "full/max/361/default.jpg": 400,
		"full/max/!/default.jpg": 400,
		"full/max/0/native.jpg":  400, "full/max/0/default.gif": 400, "full/max/0/default": 400, "full/max/0/default.jpg/x": 404,
		"full/max/0": 404, "info.xml": 404, "manifest": 404, "full/" + strings.Repeat("9", 200) + ",/0/default.jpg": 400,
	} {
		a := s.as(t, "", "GET", id+"/"+path, "").want(t, status)
		if a.Header.Get("Access-Control-Allow-Origin") != "*" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, a.Header)
		}
	}
}

// A picture's description follows the Image API and is readable from all origins.
func TestIIIFInfo(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	gaid := s.one(t, "grid.jpg", grid(1210, 830))
	s.do(t, "PUT", assets+"/"+gaid,
		`{"copyright":"© Ada","usage_terms":"https://creativecommons.org/licenses/by/4.0/"}`).want(t, 200)
	id := s.iiif(t, gaid, "")
	base := s.as(t, "", "GET", id, "").want(t, 303)
	if got := base.Header.Get("Location"); got != s.URL+id+"/info.json" || base.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%s leads to %s", id, got)
	}
	a := s.as(t, "", "GET", id+"/info.json", "").want(t, 200)
	for path, want := range map[string]any{
		"@context": "http://iiif.io/api/image/3/context.json", "id": s.URL + id, "type": "ImageService3",
		"protocol": "http://iiif.io/api/image", "profile": "level2", "width": 1210.0, "height": 830.0,
		"maxWidth": 1210.0, "maxHeight": 830.0, "maxArea": 16e6, "tiles.0.width": 512.0, "tiles.0.scaleFactors.2": 4.0,
		"sizes.0.width": 303.0, "sizes.0.height": 208.0, "sizes.2.width": 1210.0,
		"rights": "http://creativecommons.org/licenses/by/4.0/",
	} {
		if got := a.get(path); got != want {
			t.Errorf("%s is %v, not %v", path, got, want)
		}
	}
	const ld = `application/ld+json;profile="http://iiif.io/api/image/3/context.json"`
	for accept, want := range map[string]string{
		"": ld, ld: ld, "text/html, Application/LD+JSON;q=0.9": ld, "*/*": "application/json", "application/json": "application/json",
	} {
		header := []string{"Accept", accept}
		if accept == "" {
			header = nil
		}
		if k := s.as(t, "", "GET", id+"/info.json", "", header...).want(t, 200).Header.Get("Content-Type"); k != want {
			t.Errorf("to whoever accepts %q it is %s", accept, k)
		}
	}
	if v := strings.Join(a.Header.Values("Vary"), ","); !strings.Contains(v, "Accept") {
		t.Error(v)
	}
	s.as(t, "", "OPTIONS", id+"/info.json", "", "Origin", otherOrigin, "Access-Control-Request-Method", "GET").want(t, 204)
	tile := s.as(t, "", "GET", id+"/0,0,1210,830/pct:100/0/color.jpg", "").want(t, 200)
	links := strings.Join(tile.Header.Values("Link"), " ")
	if !strings.Contains(links, "<"+s.URL+id+`/full/max/0/default.jpg>;rel="canonical"`) ||
		!strings.Contains(links, `<http://iiif.io/api/image/3/level2.json>;rel="profile"`) {
		t.Error(links)
	}
	for _, path := range []string{"/info.json", "/manifest.json", "/full/max/0/default.jpg", "/0,0,512,512/512,512/0/default.jpg"} {
		first := s.as(t, "", "GET", id+path, "").want(t, 200)
		s.as(t, "", "GET", id+path, "", "If-None-Match", first.Header.Get("ETag")).want(t, 304)
		if c := first.Header.Get("Cache-Control"); c != "private, max-age=300" {
			t.Error(path, c)
		}
		s.as(t, "", "HEAD", id+path, "").want(t, 200)
	}

	wrong := strings.Replace(id, "~1-", "~2-", 1)
	for _, id := range []string{wrong, id + "x", id + "~m100", id + "~p1", "/iiif/" + gaid, "/iiif/" + gaid + "~",
		"/iiif/s~~" + gaid, "/iiif/s",
	} {
		for _, path := range []string{"", "/info.json", "/full/max/0/default.jpg", "/full/nonsense/0/default.jpg",
			"/manifest.json", "/collection.json",
		} {
			s.as(t, "", "GET", id+path, "").want(t, 404)
		}
	}
	// Signatures of image URLs are not valid for identifiers, nor the other way round.
	parts := strings.Split(s.signed(t, `{"gaid":"`+gaid+`","width":9}`), "/")
	s.as(t, "", "GET", "/iiif/"+gaid+"~"+parts[3]+"/info.json", "").want(t, 404)
	_, mine, _ := strings.Cut(id, "~")
	for _, options := range []string{"iiif,max=0", "w=9", parts[4]} {
		s.as(t, "", "GET", "/i/"+gaid+"/"+mine+"/"+options, "").want(t, 404)
	}

	least := s.iiif(t, gaid, `,"max_resolution":600`)
	info := s.as(t, "", "GET", least+"/info.json", "").want(t, 200)
	if info.get("width") != 600.0 || info.get("height") != 412.0 {
		t.Errorf("%s", info.body)
	}
	s.as(t, "", "GET", strings.Replace(least, "~m600", "~m700", 1)+"/info.json", "").want(t, 404)
	s.as(t, "", "GET", least+"/full/601,/0/default.jpg", "").want(t, 400)

	now := clock.now().UTC()
	until := func(d time.Duration) {
		s.do(t, "PUT", assets+"/"+gaid, `{"usage_until":"`+now.Add(d).Format(time.RFC3339)+`"}`).want(t, 200)
	}
	until(time.Minute)
	if c := s.as(t, "", "GET", id+"/full/max/0/default.jpg", "").want(t,
		200).Header.Get("Cache-Control"); c == "private, max-age=300" {
		t.Errorf("it is kept beyond its licence: %s", c)
	}
	until(-time.Minute)
	for _, path := range []string{"", "/info.json", "/manifest.json", "/full/max/0/default.jpg",
		"/0,0,512,512/512,512/0/default.jpg",
	} {
		s.as(t, "", "GET", id+path, "").want(t, 404)
	}
	s.do(t, "PUT", assets+"/"+gaid, `{"usage_until":null}`).want(t, 200)
	s.as(t, "", "GET", id+"/info.json", "").want(t, 200)
	s.do(t, "DELETE", assets+"/"+gaid, "").want(t, 200)
	s.as(t, "", "GET", id+"/0,0,512,512/512,512/0/default.jpg", "").want(t, 404)
	s.do(t, "POST", "/api/v1/iiif-urls", `{"images":[{"gaid":"`+gaid+`"}]}`).want(t, 422)
}

// Guests of a share see the same with IIIF as on its pages, and nothing if it has gates.
func TestIIIFShares(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	gaid, other := s.one(t, "grid.jpg", grid(2010, 1020)), s.one(t, "other.jpg", picture(3, 300, 200))
	id := func(page string) string { return "/iiif/s~" + strings.TrimPrefix(page, "/s/") }
	width := func(page string) any {
		t.Helper()
		info := s.as(t, "", "GET", id(page)+"~"+gaid+"/info.json", "").want(t, 200)
		if info.get("maxWidth") != info.get("width") {
			t.Errorf("%s", info.body)
		}
		return info.get("width")
	}
	for more, want := range map[string]float64{
		`,"allow_download":false,"allow_original":false`:                               1600, // the preview
		`,"allow_download":true,"allow_original":false`:                                2010, // the large rendition
		`,"allow_download":true,"allow_original":true`:                                 2010,
		`,"allow_download":false,"allow_original":true,"access":{"max_downloads":3}`:   1600,
		`,"allow_download":true,"allow_original":false,"access":{"max_downloads":3}`:   1600, // the larger one counts as a download
		`,"allow_download":true,"allow_original":true,"access":{"max_downloads":3}`:    1600,
		`,"allow_download":true,"allow_original":true,"max_resolution":500`:            500,
		`,"allow_download":true,"allow_original":false,"watermark":{"text":"SECRET"}`:  2010,
		`,"allow_download":false,"allow_original":false,"watermark":{"text":"SECRET"}`: 1600,
	} {
		_, page := s.share(t, shareOf(more, gaid))
		if got := width(page); got != want {
			t.Errorf("%s: %v wide, not %v", more, got, want)
		}
	}

	// Each tile has the watermark: no square has exactly its own color.
	_, page := s.share(t,
		shareOf(`,"allow_original":false,"allow_download":true,"watermark":{"text":"SECRET","opacity":100}`, gaid))
	tile := decoded(t, s.as(t, "", "GET", id(page)+"~"+gaid+"/512,0,512,512/512,512/0/default.jpg", "").want(t, 200).body)
	marked := 0
	for y := range 512 {
		for x := range 512 {
			if !isNear(tile.At(x, y), gridColor((x+512)/gridSide, y/gridSide)) {
				marked++
			}
		}
	}
	if marked < 512*512/50 {
		t.Errorf("only %d pixels are marked", marked)
	}

	path, page := s.share(t, shareOf(`,"allow_download":true`, gaid, other))
	before := s.do(t, "GET", path, "").want(t, 200)
	c := s.as(t, "", "GET", id(page)+"/collection.json", "").want(t, 200)
	if c.get("type") != "Collection" || c.get("items.0.id") != s.URL+id(page)+"~"+gaid+"/manifest.json" ||
		c.get("items.1.type") != "Manifest" {
		t.Errorf("%s", c.body)
	}
	s.as(t, "", "HEAD", id(page)+"/collection.json", "").want(t, 200)
	m := s.as(t, "", "GET", id(page)+"~"+gaid+"/manifest.json", "").want(t, 200)
	if m.get("homepage.0.id") != s.URL+page+"/assets/"+gaid || m.get("items.0.width") != 2010.0 {
		t.Errorf("%s", m.body)
	}
	got := s.as(t, "", "GET", id(page)+"~"+gaid+"/full/max/0/default.jpg", "").want(t, 200)
	if k := got.Header.Get("Cache-Control"); k != "private, no-cache" {
		t.Error(k)
	}
	after := s.do(t, "GET", path, "").want(t, 200)
	if v, d := after.get("data.view_count").(float64)-before.get("data.view_count").(float64),
		after.get("data.download_count"); v != 1 || d != 0.0 {
		t.Errorf("%v views, %v downloads", v, d)
	}
	s.as(t, "", "GET", id(page)+"/collection/1.json", "").want(t, 200)
	for _, wrong := range []string{"/collection/2.json", "/collection/0.json", "/collection/01.json", "/manifest.json",
		"/info.json", "", "~" + gaid + "/collection.json",
	} {
		s.as(t, "", "GET", id(page)+wrong, "").want(t, 404)
	}

	for _, gate := range []string{
		`,"password":"harbour at dawn"`, `,"access":{"require_email":true}`,
		`,"terms_text":"Be kind.","access":{"require_terms":true}`,
		`,"access":{"max_views":5}`, `,"type":"review"`,
	} {
		_, gated := s.share(t, shareOf(gate, gaid))
		for _, path := range []string{"/collection.json", "~" + gaid + "/info.json", "~" + gaid + "/manifest.json",
			"~" + gaid + "/full/max/0/default.jpg",
		} {
			s.as(t, "", "GET", id(gated)+path, "").want(t, 403)
		}
	}
	_, elsewhere := s.share(t, shareOf(`,"access":{"ip_ranges":["192.0.2.0/24"]}`, gaid))
	s.as(t, "", "GET", id(elsewhere)+"~"+gaid+"/info.json", "").want(t, 404)
	_, without := s.share(t, shareOf("", other))
	s.as(t, "", "GET", id(without)+"~"+gaid+"/info.json", "").want(t, 404)

	files := []string{"/collection.json", "~" + gaid + "/manifest.json", "~" + gaid + "/info.json",
		"~" + gaid + "/0,0,512,512/512,512/0/default.jpg"}
	_, page = s.share(t, shareOf(`,"expires_at":"`+clock.now().Add(time.Hour).UTC().Format(time.RFC3339)+`"`, gaid))
	revoked, page2 := s.share(t, shareOf("", gaid))
	for _, f := range files {
		s.as(t, "", "GET", id(page)+f, "").want(t, 200)
		s.as(t, "", "GET", id(page2)+f, "").want(t, 200)
	}
	s.do(t, "DELETE", revoked, "").want(t, http.StatusOK)
	clock.pass(2 * time.Hour)
	for _, f := range files {
		s.as(t, "", "GET", id(page)+f, "").want(t, 404)
		s.as(t, "", "GET", id(page2)+f, "").want(t, 404)
	}
}

// Once the downloads of a share are used up, no URL of it delivers more than the preview.
func TestIIIFDownloadsUsedUp(t *testing.T) {
	t.Parallel()
	s, _ := standing(t, nil)
	gaid := s.one(t, "grid.jpg", grid(2010, 1020))
	path, page := s.share(t, shareOf(`,"allow_download":true,"allow_original":true,"access":{"max_downloads":1}`, gaid))
	at := page + "/assets/" + gaid
	s.as(t, "", "GET", at+"/download", "").want(t, 200)
	id := "/iiif/s~" + strings.TrimPrefix(page, "/s/") + "~" + gaid
	for _, url := range []string{
		id + "/full/max/0/default.jpg", id + "/full/max/!90/default.jpg", id + "/pct:0,0,100,100/max/0/gray.png",
		at + "/preview", at + "/thumbnail",
	} {
		if b := decoded(t, s.as(t, "", "GET", url, "").want(t, 200).body).Bounds(); max(b.Dx(), b.Dy()) > 1600 {
			t.Errorf("%s is %v", url, b)
		}
	}
	for _, url := range []string{id + "/1600,0,410,512/max/0/default.jpg", id + "/full/1601,/0/default.jpg"} { // beyond the preview
		s.as(t, "", "GET", url, "").want(t, 400)
	}
	s.as(t, "", "GET", id+"/full/^2010,/0/default.jpg", "").want(t, 501)
	for _, url := range []string{at + "/download", page + "/download"} {
		s.as(t, "", "GET", url, "", "Range", "bytes=0-99").want(t, 410)
	}
	s.as(t, "", "GET", at+"/large", "").want(t, 404)
	if n := s.do(t, "GET", path, "").want(t, 200).get("data.download_count"); n != 1.0 {
		t.Errorf("%v downloads", n)
	}
}

// A document has a canvas for each page, with the picture of that page.
func TestIIIFPages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.pdf", pdfOf("Harbour", "Quay", "Crane"))
	s.do(t, "PUT", assets+"/"+gaid,
		`{"title":"Plans","description":"<b>of the harbour</b>","creator":"Ada","copyright":"© Ada"}`).want(t, 200)
	id := s.iiif(t, gaid, "")
	m := s.as(t, "", "GET", id+"/manifest.json", "", "Accept", "application/ld+json").want(t, 200)
	for path, want := range map[string]any{
		"@context": "http://iiif.io/api/presentation/3/context.json", "type": "Manifest", "id": s.URL + id + "/manifest.json",
		"label.none.0": "Plans", "summary.none.0": "<span>&lt;b&gt;of the harbour&lt;/b&gt;</span>",
		"metadata.0.value.none.0": "Ada", "requiredStatement.value.none.0": "© Ada", "items.0.type": "Canvas",
		"items.2.label.none.0": "3",
		"items.2.items.0.type": "AnnotationPage", "items.2.items.0.items.0.type": "Annotation",
		"items.2.items.0.items.0.motivation": "painting", "items.2.items.0.items.0.body.service.0.type": "ImageService3",
		"items.2.items.0.items.0.body.service.0.id": s.URL + id + "~p3",
		"thumbnail.0.id": s.URL + id + "~p1/full/!200,200/0/default.jpg",
	} {
		if got := m.get(path); got != want {
			t.Errorf("%s is %v, not %v", path, got, want)
		}
	}
	if k := m.Header.Get("Content-Type"); k != `application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"` {
		t.Error(k)
	}
	if n := len(m.get("items").([]any)); n != 3 {
		t.Errorf("there are %d canvases", n)
	}
	for i := range 3 {
		canvas := m.get("items").([]any)[i].(map[string]any)
		note := canvas["items"].([]any)[0].(map[string]any)["items"].([]any)[0].(map[string]any)
		if note["target"] != canvas["id"] {
			t.Errorf("%v is shown on %v", canvas["id"], note["target"])
		}
		picture := strings.TrimPrefix(note["body"].(map[string]any)["id"].(string), s.URL)
		s.as(t, "", "GET", picture, "").want(t, 200)
	}
	first, third := s.as(t, "", "GET", id+"~p1/full/!500,500/0/default.jpg", ""), s.as(t, "", "GET",
		id+"~p3/full/!500,500/0/default.jpg", "")
	if bytes.Equal(first.want(t, 200).body, third.want(t, 200).body) {
		t.Error("two pages are the same")
	}
	for _, path := range []string{"~p4/info.json", "~p0/info.json", "~p2/manifest.json"} {
		s.as(t, "", "GET", id+path, "").want(t, 404)
	}
	_, page := s.share(t, shareOf(`,"allow_original":true,"allow_download":true,"max_resolution":700`, gaid))
	shared := "/iiif/s~" + strings.TrimPrefix(page, "/s/") + "~" + gaid
	info := s.as(t, "", "GET", shared+"~p2/info.json", "").want(t, 200)
	if w, h := info.get("width").(float64), info.get("height").(float64); max(w, h) != 700 {
		t.Errorf("a page has %v × %v", w, h)
	}
	if m := s.as(t, "", "GET", shared+"/manifest.json", "").want(t, 200); m.get("summary") != nil {
		t.Errorf("guests are told %v", m.get("summary"))
	}
}

// A share with more assets than fit into one collection is a collection of collections,
// each of which lists a part; a part whose assets are not visible at the moment is empty.
func TestIIIFLargeShare(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaids := s.fill(t, 1003)
	path := s.collection(t, `{"name":"All"}`)
	for list := range slices.Chunk(gaids, 500) {
		s.do(t, "POST", path+"/assets", `{"gaids":`+quoted(list)+`}`).want(t, 200)
	}
	_, page := s.share(t, `{"name":"All","collection_id":`+idOf(path)+`}`)
	id := "/iiif/s~" + strings.TrimPrefix(page, "/s/")
	all := s.as(t, "", "GET", id+"/collection.json", "").want(t, 200)
	if n := len(all.get("items").([]any)); n != 2 || all.get("items.1.label.none.0") != "All 1001–1003" {
		t.Fatalf("%.300s", all.body)
	}
	seen := map[string]bool{}
	for i, want := range []int{1000, 3} {
		url := all.get(fmt.Sprintf("items.%d.id", i)).(string)
		part := s.as(t, "", "GET", strings.TrimPrefix(url, s.URL), "").want(t, 200)
		if part.get("id") != url {
			t.Errorf("%s is called %v", url, part.get("id"))
		}
		items := part.get("items").([]any)
		for _, item := range items {
			seen[item.(map[string]any)["id"].(string)] = true
		}
		if len(items) != want {
			t.Errorf("%s has %d", url, len(items))
		}
	}
	if len(seen) != len(gaids) {
		t.Errorf("%d of %d are listed", len(seen), len(gaids))
	}
	for _, wrong := range []string{"3", "1001", "-1", "1e0", "99999999999999999999"} {
		s.as(t, "", "GET", id+"/collection/"+wrong+".json", "").want(t, 404)
	}

	gone := s.one(t, "a.jpg", grid(30, 20))
	_, page = s.share(t, shareOf("", gone))
	s.do(t, "PUT", assets+"/"+gone, `{"usage_until":"2020-01-01T00:00:00Z"}`).want(t, 200)
	empty := s.as(t, "", "GET", "/iiif/s~"+strings.TrimPrefix(page, "/s/")+"/collection.json", "").want(t, 200)
	if items, ok := empty.get("items").([]any); !ok || len(items) != 0 {
		t.Errorf("%s", empty.body)
	}
}

// Required credits appear where viewers always show them.
func TestIIIFRequiredStatement(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", grid(300, 200))
	id := s.iiif(t, gaid, "")
	for _, c := range []struct{ creator, copyright, label, value string }{
		{"", "", "", ""}, {"Ada", "", "Urheber", "Ada"}, {"Ada", "© Bo", "Copyright", "© Bo"},
		{"", "<i>Bo</i>", "Copyright", "<span>&lt;i&gt;Bo&lt;/i&gt;</span>"},
	} {
		s.do(t, "PUT", assets+"/"+gaid, `{"creator":`+jsonString(c.creator)+`,"copyright":`+jsonString(c.copyright)+`}`).want(t, 200)
		m := s.as(t, "", "GET", id+"/manifest.json", "").want(t, 200)
		if c.label == "" {
			if m.get("requiredStatement") != nil {
				t.Errorf("%s", m.body)
			}
			continue
		}
		if l, v := m.get("requiredStatement.label.de.0"), m.get("requiredStatement.value.none.0"); l != c.label || v != c.value {
			t.Errorf("%+v: %v is %v", c, l, v)
		}
	}
}

// Answers that contain the request's host are cached by browsers only; with a site URL,
// shared caches may store them.
func TestIIIFCaching(t *testing.T) {
	t.Parallel()
	for site, want := range map[string]string{"": "private, max-age=300", "http://dam.example.com": "public, max-age=300"} {
		s := start(t, func(_ *app.Config, o *web.Options) {
			if site != "" {
				o.SiteURL, _ = url.Parse(site)
			}
		})
		id := strings.TrimPrefix(s.iiif(t, s.pictures(t, 1)[0], ""), site)
		for _, path := range []string{"/info.json", "/manifest.json", "/full/max/0/default.jpg"} {
			if c := s.as(t, "", "GET", id+path, "").want(t, 200).Header.Get("Cache-Control"); c != want {
				t.Errorf("%q%s: %s", site, path, c)
			}
		}
	}
}

package web_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/share"
	"github.com/digital-asset-library/dal/web"
)

const logoURL = "/api/v1/settings/logo"

// disc returns a PNG of a grey disc on a transparent background.
func disc(w, h int, grey uint8) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			if dx, dy := 2*x-w, 2*y-h; dx*dx*h*h+dy*dy*w*w < w*w*h*h {
				img.SetNRGBA(x, y, color.NRGBA{grey, grey, grey, 255})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // cannot happen: the picture is valid
	}
	return b.Bytes()
}

func (s *server) setLogo(t testing.TB, data []byte, kind string) answer {
	t.Helper()
	return s.do(t, "PUT", logoURL, string(data), "Content-Type", kind)
}

// The logo is served as a PNG encoded by dal and shown on guest pages until it is removed.
func TestLogo(t *testing.T) {
	t.Parallel()
	s := start(t, func(_ *app.Config, o *web.Options) { o.SiteName = "Harbour Museum" })
	_, page := s.share(t, shareOf("", s.pictures(t, 1)[0]))
	_, invitation := s.invite(t, "vi@example.com", dam.RoleViewer)
	browser := s.browser(t, "ada@example.com", rightPassword)
	// told returns the logo in the answers for the browser application's pages.
	told := func() (all []any) {
		for _, path := range []string{"/api/v1/setup", invitation} {
			all = append(all, s.as(t, "", "GET", path, "").want(t, 200).get("data.logo"))
		}
		return append(all, s.as(t, "", "GET", "/api/v1/session", "", browser...).want(t, 200).get("data.logo"))
	}
	if got := told(); !reflect.DeepEqual(got, []any{nil, nil, nil}) {
		t.Errorf("without a logo the application is told %v", got)
	}
	s.do(t, "GET", logoURL, "").want(t, 404)
	s.guest(t).get(t, "/logo.png").want(t, 404)
	photo := grey(2000, 500, 90)
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="100"><script>alert(1)</script><rect width="200" height="100"/></svg>`
	for _, tt := range []struct {
		data []byte
		kind string
		w, h float64
	}{
		{disc(400, 200, 0), "image/png", 400, 200}, {photo, "image/jpeg", 1024, 256}, {[]byte(svg), "image/svg+xml", 1024, 256},
	} {
		a := s.setLogo(t, tt.data, tt.kind).want(t, 200)
		if a.get("data.width") != tt.w || a.get("data.height") != tt.h {
			t.Errorf("%s: %s", tt.kind, a)
		}
		url := a.get("data.url").(string)
		path := url[strings.Index(url, "/logo.png"):]
		sent := s.guest(t).get(t, path).want(t, 200)
		img, err := png.Decode(bytes.NewReader(sent.body))
		if err != nil || bytes.Contains(sent.body, []byte("SECRETPLACE")) || sent.Header.Get("Content-Type") != "image/png" {
			t.Fatal(err, sent.Header)
		}
		_, _, _, alpha := img.At(img.Bounds().Dx()-1, img.Bounds().Dy()-1).RGBA()
		if (alpha == 0) != (tt.kind != "image/jpeg") {
			t.Errorf("%s: the alpha in the corner is %d", tt.kind, alpha)
		}
		if got, logo := told(), a.get("data"); !reflect.DeepEqual(got, []any{logo, logo, logo}) {
			t.Errorf("the application is told %v of %v", got, logo)
		}
		if body := string(s.guest(t).get(t, page).want(t, 200).body); !strings.Contains(body, `<img src="`+path+`" alt="Harbour Museum"`) {
			t.Errorf("%s", body)
		}
	}
	if a := s.do(t, "GET", logoURL, "").want(t, 200); a.get("data.width") != 1024.0 {
		t.Errorf("%s", a)
	}
	s.setLogo(t, []byte("GIF89a"), "image/gif").want(t, 415)
	s.setLogo(t, []byte("text"), "image/png").want(t, 422)
	s.setLogo(t, nil, "image/png").want(t, 422)
	s.setLogo(t, make([]byte, share.MaxLogo+1), "image/png").want(t, 413)
	editor := s.user(t, "ed@example.com", dam.RoleEditor)
	s.as(t, editor, "PUT", logoURL, string(photo), "Content-Type", "image/jpeg").want(t, 403)
	s.as(t, editor, "DELETE", logoURL, "").want(t, 403)
	s.do(t, "DELETE", logoURL, "").want(t, 200)
	s.do(t, "DELETE", logoURL, "").want(t, 200)
	if body := string(s.guest(t).get(t, page).want(t, 200).body); !strings.Contains(body, `<header><span>Harbour Museum</span>`) {
		t.Errorf("%s", body)
	}
}

// span returns the difference between the lightest and the darkest grey in a part of a
// picture.
func span(img image.Image, r image.Rectangle) int {
	low, high := 255, 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			g := int(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
			low, high = min(low, g), max(high, g)
		}
	}
	return high - low
}

// A watermark is visible on light and dark pictures and pages: repeated or in a corner, as
// text or as a logo, in black or in white.
func TestLogoMarks(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.do(t, "POST", shares, shareOf(`,"watermark":{"logo":true}`, s.one(t, "x.jpg", grey(64, 48, 9)))).want(t, 422)
	light, dark := s.one(t, "light.jpg", grey(900, 600, 252)), s.one(t, "dark.jpg", grey(900, 600, 3))
	pdf, err := os.ReadFile("../app/media/testdata/pdf/two-pages.pdf")
	must(t, err)
	paper := s.one(t, "paper.pdf", pdf)
	for _, shade := range []uint8{0, 255} {
		s.setLogo(t, disc(300, 120, shade), "image/png").want(t, 200)
		for _, mark := range []string{
			`{"logo":true,"placement":"tiled"}`, `{"logo":true,"placement":"corner"}`, `{"text":"© Museum","placement":"corner"}`,
			`{"text":"© Museum"}`,
		} {
			if shade > 0 && mark != `{"logo":true,"placement":"corner"}` {
				continue
			}
			path, page := s.share(t, shareOf(`,"watermark":`+mark, light, dark, paper))
			g := s.guest(t)
			g.get(t, page).want(t, 200)
			for _, at := range []string{light + "/preview", dark + "/preview", light + "/thumbnail", paper + "/pages/1"} {
				img, err := jpeg.Decode(bytes.NewReader(g.get(t, page+"/assets/"+at).want(t, 200).body))
				must(t, err)
				b := img.Bounds()
				corner := image.Rect(b.Max.X*6/10, b.Max.Y*6/10, b.Max.X, b.Max.Y)
				rest := image.Rect(0, 0, b.Max.X/2, b.Max.Y/2)
				if n := span(img, corner); n < 60 {
					t.Errorf("%s with a logo of %d: %s is marked in the corner by %d", mark, shade, at, n)
				}
				if n := span(img, rest); strings.HasPrefix(at, paper) == false && (n > 30) == strings.Contains(mark, "corner") {
					t.Errorf("%s with a logo of %d: %s is marked elsewhere by %d", mark, shade, at, n)
				}
			}
			if strings.Contains(mark, "logo") {
				s.do(t, "DELETE", logoURL, "").want(t, 409)
			}
			s.do(t, "DELETE", path, "").want(t, 200)
		}
	}
	s.do(t, "DELETE", logoURL, "").want(t, 200)
	for _, wrong := range []string{`{"logo":true,"text":"x"}`, `{"logo":false}`, `{"text":"x","placement":"left"}`} {
		s.do(t, "POST", shares, shareOf(`,"watermark":`+wrong, light)).want(t, 422)
	}
}

// Other sites get a preview card only if the owner allows it, and never of a share with
// gates; its picture is the one that guests see, served without a cookie.
func TestShareCard(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", grey(2400, 1800, 120))
	for more, want := range map[string]bool{
		``: false, `,"allow_preview_card":true,"watermark":{"text":"© Museum"},"max_resolution":300`: true,
		`,"allow_preview_card":true,"password":"harbour"`: false, `,"allow_preview_card":true,"access":{"max_views":9}`: false,
		`,"allow_preview_card":true,"access":{"require_email":true}`:                     false,
		`,"allow_preview_card":true,"access":{"require_terms":true},"terms_text":"Nice"`: false,
	} {
		_, page := s.share(t, shareOf(more, gaid))
		body := string(s.guest(t).get(t, page).want(t, 200).body)
		if strings.Contains(body, "og:") != want || strings.Contains(body, "twitter:") != want {
			t.Errorf("%s: %s", more, body)
		}
		if !want {
			continue
		}
		_, rest, _ := strings.Cut(body, `<meta property="og:image" content="`)
		url, _, _ := strings.Cut(rest, `"`)
		data := s.guest(t).get(t, strings.TrimPrefix(url, s.URL)).want(t, 200).body
		if p := sized(t, data); max(p.X, p.Y) != 300 || !isMarked(t, data) || !strings.Contains(body, `property="og:title" content="Press"`) {
			t.Errorf("%v %s", p, body)
		}
	}
}

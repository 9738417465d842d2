package web_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"
)

// sized returns the dimensions of a picture.
func sized(t *testing.T, data []byte) image.Point {
	t.Helper()
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return image.Pt(c.Width, c.Height)
}

// signed returns the path of a picture's signed URL.
func (s *server) signed(t *testing.T, spec string) string {
	t.Helper()
	url, _ := s.do(t, "POST", "/api/v1/image-urls", `{"images":[`+spec+`]}`).want(t, 200).get("data.0.url").(string)
	_, path, ok := strings.Cut(url, "/i/")
	if !ok {
		t.Fatalf("the URL is %s", url)
	}
	return "/i/" + path
}

// A signed URL returns its picture; other URLs return none.
func TestImages(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 400, 300))
	path := s.signed(t, `{"gaid":"`+gaid+`","width":100,"height":100,"fit":"cover","dpr":1.5,"format":"png"}`)
	a := s.as(t, "", "GET", path, "").want(t, 200)
	if got := sized(t, a.body); got != image.Pt(150, 150) {
		t.Errorf("it has %v", got)
	}
	if _, err := png.Decode(bytes.NewReader(a.body)); err != nil {
		t.Error(err)
	}
	if c := a.Header.Get("Cache-Control"); c != "public, max-age=31536000, immutable" {
		t.Error(c)
	}
	s.as(t, "", "GET", path, "", "If-None-Match", a.Header.Get("ETag")).want(t, 304)
	if r := s.as(t, "", "GET", path, "", "Range", "bytes=0-7").want(t, 206); string(r.body) != "\x89PNG\r\n\x1a\n" {
		t.Errorf("%q", r.body)
	}

	parts := strings.Split(path, "/")
	for _, wrong := range []string{
		strings.Replace(path, "w=100", "w=101", 1), strings.Replace(path, gaid, strings.Repeat("0", 26), 1), path + ",q=1",
		"/i/" + gaid + "/" + parts[3][:len(parts[3])-1] + "/" + parts[4], "/i/" + gaid + "/1-/" + parts[4], "/i/" + gaid + "/x/w=100",
	} {
		s.as(t, "", "GET", wrong, "").want(t, 404)
	}
	for spec, field := range map[string]string{
		`{"gaid":"` + gaid + `"}`: "images.0.width", `{"gaid":"nowhere","width":9}`: "images.0.gaid",
		`{"gaid":"` + gaid + `","preset":"none"}`: "images.0.preset", `{"gaid":"` + gaid + `","width":9,"fit":"cover"}`: "images.0.fit",
	} {
		a := s.do(t, "POST", "/api/v1/image-urls", `{"images":[`+spec+`]}`).want(t, 422)
		if a.get("errors").(map[string]any)[field] == nil {
			t.Errorf("%s: %s", spec, a.body)
		}
	}

	now := clock.now().UTC()
	s.do(t, "PUT", assets+"/"+gaid, `{"usage_until":"`+now.Add(time.Hour).Format(time.RFC3339)+`"}`).want(t, 200)
	if c := s.as(t, "", "GET", path, "").want(t, 200).Header.Get("Cache-Control"); !strings.HasPrefix(c, "public, max-age=3") || len(c) > 24 {
		t.Errorf("it is kept beyond its licence: %s", c)
	}
	s.do(t, "PUT", assets+"/"+gaid, `{"usage_until":"`+now.Add(-time.Hour).Format(time.RFC3339)+`"}`).want(t, 200)
	s.as(t, "", "GET", path, "").want(t, 404)
	s.do(t, "PUT", assets+"/"+gaid, `{"usage_until":null}`).want(t, 200)
	s.as(t, "", "GET", path, "").want(t, 200)

	if _, err := s.app.Images.RotateImageKey(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	s.as(t, "", "GET", path, "").want(t, 200)
	again := s.signed(t, `{"gaid":"`+gaid+`","preset":"social-square"}`)
	if _, err := s.app.Images.RotateImageKey(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	s.as(t, "", "GET", path, "").want(t, 404)
	s.as(t, "", "GET", again, "").want(t, 404)

	path = s.signed(t, `{"gaid":"`+gaid+`","width":50}`)
	s.do(t, "DELETE", assets+"/"+gaid, "").want(t, 200)
	s.as(t, "", "GET", path, "").want(t, 404)
}

// Presets create pictures for download, cropped around the asset's focal point.
func TestPresets(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 400, 300))
	if a := s.do(t, "GET", "/api/v1/presets", "").want(t, 200); a.get("meta.total") != 4.0 || a.get("data.0.name") != "print" {
		t.Errorf("%s", a.body)
	}
	made := s.do(t, "POST", "/api/v1/presets", `{"name":"badge","width":40,"height":40,"fit":"cover","quality":60}`).want(t, 201)
	location := made.Header.Get("Location")
	path := "/api/v1/presets/" + location[strings.LastIndexByte(location, '/')+1:]
	a := s.do(t, "GET", assets+"/"+gaid+"/download?preset=badge", "").want(t, 200)
	if got := sized(t, a.body); got != image.Pt(40, 40) || !strings.Contains(a.Header.Get("Content-Disposition"), `a-badge.jpg`) {
		t.Errorf("%v, %s", got, a.Header)
	}
	s.do(t, "PUT", assets+"/"+gaid, `{"focal_point":{"x":0,"y":0}}`).want(t, 200)
	b := s.do(t, "GET", assets+"/"+gaid+"/download?preset=badge", "").want(t, 200)
	if _, err := jpeg.Decode(bytes.NewReader(b.body)); err != nil || bytes.Equal(a.body, b.body) {
		t.Errorf("the focal point makes no difference, %v", err)
	}

	s.do(t, "PUT", path, `{"height":null,"fit":"contain"}`).want(t, 200)
	if got := sized(t, s.do(t, "GET", assets+"/"+gaid+"/download?preset=badge", "").want(t, 200).body); got != image.Pt(40, 30) {
		t.Error(got)
	}
	for body, field := range map[string]string{
		`{"name":"badge","width":1}`: "name", `{"name":"A b","width":1}`: "name", `{"name":"preview","width":1}`: "name",
		`{"name":"x"}`: "width", `{"width":1}`: "name", `{"name":"x","width":1,"quality":0}`: "quality",
		`{"name":"x","width":8000,"height":8000}`: "width", `{"name":"x","width":1,"gravity":"north"}`: "gravity",
		`{"name":"x","width":1,"format":"gif"}`: "format",
	} {
		if a := s.do(t, "POST", "/api/v1/presets", body).want(t, 422); a.get("errors").(map[string]any)[field] == nil {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	s.do(t, "GET", assets+"/"+gaid+"/download?preset=none", "").want(t, 422)
	s.do(t, "GET", assets+"/"+gaid+"/download?preset=badge&rendition=preview", "").want(t, 422)
	s.do(t, "DELETE", path, "").want(t, http.StatusOK)
	s.do(t, "GET", assets+"/"+gaid+"/download?preset=badge", "").want(t, 422)
}

// Changing the focal point changes the URL. Responses at the old one may not be cached for
// long.
func TestFocalPointInURL(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 400, 100))
	sign := func() string { return s.signed(t, `{"gaid":"`+gaid+`","width":50,"height":50,"fit":"cover"}`) }
	set := func(x string) { s.do(t, "PUT", assets+"/"+gaid, `{"focal_point":{"x":`+x+`,"y":0.5}}`).want(t, 200) }
	set("0")
	left := sign()
	before := s.as(t, "", "GET", left, "").want(t, 200)
	set("1")
	right := sign()
	after := s.as(t, "", "GET", right, "").want(t, 200)
	if left == right || bytes.Equal(before.body, after.body) {
		t.Error("the focal point changes neither the URL nor the picture")
	}
	if to := s.as(t, "", "GET", left, "").want(t, 302).Header.Get("Location"); to != right {
		t.Errorf("the URL from before leads to %s, not to %s", to, right)
	}
	for _, a := range []answer{before, after} {
		if !strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%v", a.Header)
		}
	}
	set("0")
	if sign() != left {
		t.Error("the same focal point has another URL")
	}
	if again := s.as(t, "", "GET", left, "").want(t, 200); !bytes.Equal(again.body, before.body) {
		t.Error("the same URL has other bytes")
	}
}

// TestImagesWaitForTheirTurn checks that rendering the picture of an image URL waits for a turn
// of the network, and that a cached picture does not.
func TestImagesWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	gaid := s.one(t, "a.jpg", picture(1, 400, 300))
	cached := s.signed(t, `{"gaid":"`+gaid+`","width":60}`)
	s.as(t, "", "GET", cached, "").want(t, 200)
	fresh := s.signed(t, `{"gaid":"`+gaid+`","width":70}`)
	waiting, release := s.web.HoldPictures()
	done := make(chan string, 1)
	go func() { done <- s.complaint(t.Context(), fresh) }()
	s.until(t, "/api/v1/user", func(answer) bool { return waiting() == 1 })
	s.as(t, "", "GET", cached, "").want(t, 200)
	release()
	if wrong := <-done; wrong != "" {
		t.Error(wrong)
	}
}

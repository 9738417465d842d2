package web_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// A picture stays within the limits even if only one side was specified.
func TestImageBounds(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, size := range []image.Point{{5200, 5200}, {300, 9000}} {
		var b bytes.Buffer
		must(t, jpeg.Encode(&b, image.NewGray(image.Rectangle{Max: size}), nil))
		gaid := s.one(t, size.String()+".jpg", b.Bytes())
		for _, side := range []string{"width", "height"} {
			path := s.signed(t, `{"gaid":"`+gaid+`","`+side+`":8192}`)
			got := sized(t, s.as(t, "", "GET", path, "").want(t, 200).body)
			if max(got.X, got.Y) > dam.MaxTransformSide || got.X*got.Y > dam.MaxTransformPixels || got.X*got.Y < size.X*size.Y/2 {
				t.Errorf("of %v it has %v", size, got)
			}
		}
	}
}

// Nonsensical requests are not signed.
func TestImageNonsense(t *testing.T) {
	t.Parallel()
	var log journal
	s := start(t, talking(&log))
	gaid := s.one(t, "a.jpg", picture(1, 40, 30))
	for _, wrong := range []string{
		`"width":0`, `"width":-1`, `"width":1.5`, `"width":1e20`, `"width":100000000000000000000`, `"width":"8"`, `"width":null`, `"width":NaN`,
		`"width":8193`, `"width":1,"height":100000`, `"width":8192,"height":8192`, `"width":4000,"dpr":3`, `"width":8,"dpr":0.0001`,
		`"width":8,"dpr":-1`, `"width":8,"dpr":1e99`, `"width":8,"dpr":1.05`, `"width":8,"dpr":4.1`, `"width":8,"quality":101`,
		`"width":8,"quality":-1`, `"width":8,"quality":50.5`, `"width":8,"fit":"fill"`, `"width":8,"fit":"cover"`, `"width":8,"fit":["cover"]`,
		`"width":8,"format":"gif"`, `"width":8,"format":"JPEG"`, `"width":8,"format":"png,q=1"`, `"width":8,"gravity":"north"`,
		`"width":8,"height":8,"fit":"cover","focal_point":{"x":1.01,"y":0}`, `"width":8,"height":8,"fit":"cover","focal_point":{"x":0.5}`,
		`"width":8,"height":8,"fit":"cover","gravity":"north","focal_point":{"x":0.5,"y":0.5}`, `"preset":"../x"`,
		`"width":8,"unknown":1`,
	} {
		a := s.do(t, "POST", "/api/v1/image-urls", `{"images":[{"gaid":"`+gaid+`",`+wrong+`}]}`)
		if a.StatusCode != 422 && a.StatusCode != 400 {
			t.Errorf("%s: %s", wrong, a)
		}
	}
	one := `{"gaid":"` + gaid + `","width":1}`
	for _, wrong := range []string{`[]`, `[` + strings.Repeat(one+`,`, 1000) + one + `]`, `null`, `{}`} {
		if a := s.do(t, "POST", "/api/v1/image-urls", `{"images":`+wrong+`}`); a.StatusCode != 422 && a.StatusCode != 400 {
			t.Errorf("%.50s: %s", wrong, a)
		}
	}
	path := s.signed(t, `{"gaid":"`+gaid+`","width":20,"height":20,"fit":"cover","focal_point":{"x":-0,"y":0.5}}`)
	s.as(t, "", "GET", path, "").want(t, 200)
	a := s.as(t, "", "GET", path, "", "Accept", "image/webp", "Accept-Encoding", "gzip", "Origin", otherOrigin).want(t, 200)
	if a.Header.Get("Content-Type") != "image/jpeg" || a.Header.Get("Content-Encoding") != "" || a.Header.Get("Set-Cookie") != "" {
		t.Errorf("%v", a.Header)
	}
	if v := a.Header.Get("Vary"); strings.Contains(v, "Cookie") || strings.Contains(v, "Accept,") || strings.Contains(v, "Origin") {
		t.Errorf("caches keep it apart by %q", v)
	}
	if n := log.count("level=ERROR"); n != 0 {
		t.Errorf("%d errors were logged", n)
	}
}

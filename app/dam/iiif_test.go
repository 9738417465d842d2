package dam

import (
	"errors"
	"strings"
	"testing"
)

func TestIIIFIdentifiers(t *testing.T) {
	t.Parallel()
	const gaid = "01KB3J8Q5V7X9Z1B3D5F7H9K1M"
	for text, want := range map[string]IIIFID{
		gaid + "~1-abc":           {GAID: gaid, Signature: "1-abc"},
		gaid + "~1-abc~p3":        {GAID: gaid, Signature: "1-abc", Page: 3},
		gaid + "~1-abc~m900~p12":  {GAID: gaid, Signature: "1-abc", Max: 900, Page: 12},
		"s~tok_en-1":              {Token: "tok_en-1"},
		"s~tok_en-1~" + gaid:      {Token: "tok_en-1", GAID: gaid},
		"s~tok~" + gaid + "~p200": {Token: "tok", GAID: gaid, Page: 200},
	} {
		if got, ok := ParseIIIFID(text); !ok || got != want || got.String() != text {
			t.Errorf("%s is %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "~", "s", "s~", "s~~" + gaid, gaid, gaid + "~", gaid + "~x~", gaid + "~x~p0", gaid + "~x~p01", gaid + "~x~p-1", gaid + "~x~p3~m9",
		gaid + "~x~q1", gaid + "~x~m5~p1~p2", "s~tok~" + gaid + "~m9", "s~tok~" + gaid + "~p1~p1", strings.Repeat("a", 300) + "~x",
	} {
		if got, ok := ParseIIIFID(text); ok {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// Pictures above the limits are scaled down, or rejected if the request names an exact
// size.
func TestIIIFBounds(t *testing.T) {
	t.Parallel()
	for size, want := range map[string][2]int{
		"max": {4898, 3265}, "!9999,9999": {8192, 5461}, "4000,": {4000, 2667}, "!1,1": {1, 1}, "pct:33.3": {3996, 2664},
	} {
		r, err := ParseIIIF("full", size, "0", "default.jpg")
		if err != nil {
			t.Fatal(size, err)
		}
		c, err := r.Cut(12000, 8000)
		if size == "!9999,9999" {
			if err != nil || c.ToW*c.ToH > MaxIIIFArea || max(c.ToW, c.ToH) > MaxIIIFSide {
				t.Errorf("%s: %+v %v", size, c, err)
			}
			continue
		}
		if err != nil || c.ToW != want[0] || c.ToH != want[1] {
			t.Errorf("%s: %+v %v", size, c, err)
		}
	}
	for _, size := range []string{"9000,", "pct:50", "6000,4000", ",8000"} {
		r, err := ParseIIIF("full", size, "0", "default.jpg")
		if err == nil {
			_, err = r.Cut(12000, 8000)
		}
		if KindOf(err) != Malformed {
			t.Errorf("%s: %v", size, err)
		}
	}
	r, err := ParseIIIF("full", ",1", "0", "default.jpg")
	if err == nil {
		_, err = r.Cut(5, 12000)
	}
	if KindOf(err) != Malformed {
		t.Errorf("it has no width: %v", err)
	}
}

// Requests that allow upscaling succeed if they do not need it, and fail otherwise.
func TestIIIFUpscaling(t *testing.T) {
	t.Parallel()
	for size, want := range map[string]string{
		"^600,": "600,413", "^,400": "581,400", "^pct:100": "1210,833", "^1210,833": "1210,833", "^!600,9999": "600,413",
		"^!1210,9999": "1210,833", "^0,": "400", "^pct:0": "400", "^!5,": "400", "^": "400", "^^max": "400",
		"^max": "501", "^1211,": "501", "^,834": "501", "^pct:101": "501", "^!1211,9999": "501", "^2,9999": "501",
		"^pct:99999999999999999999": "501", "^999999999,": "501", "pct:99999999999999999999": "400", "999999999,": "400",
	} {
		r, err := ParseIIIF("full", size, "0", "default.jpg")
		var c IIIFCut
		if err == nil {
			c, err = r.Cut(1210, 833)
		}
		got := itoa(c.ToW) + "," + itoa(c.ToH)
		switch {
		case errors.Is(err, ErrIIIFUnsupported):
			got = "501"
		case KindOf(err) == Malformed:
			got = "400"
		case err != nil:
			t.Error(err)
		}
		if got != want {
			t.Errorf("%s is %s, not %s", size, got, want)
		}
	}
	if r, _ := ParseIIIF("full", "^max", "0", "default.jpg"); r.Size.Up {
		if c, err := r.Cut(12000, 8000); err != nil || c.ToW != 4898 {
			t.Errorf("%+v, %v", c, err)
		}
	}
}

// For any request, the result is within the picture and the limits, and its canonical form
// gives the same result.
func FuzzIIIF(f *testing.F) {
	for _, path := range []string{
		"full/max/0/default.jpg", "square/300,/90/gray.png", "0,0,512,512/256,256/!270/bitonal.webp", "pct:1.5,2,30.25,99/!5,9/180/color.jpg",
		"1,2,3,4/pct:50/360/default.jpg", "full/^max/0/default.jpg", "999999999,0,1,1/,1/0/default.jpg", "pct:0,0,1e9,1/max/0/default.jpg",
		"pct:99.99,99.99,0.01,0.01/1,1/0/default.jpg", "full/!999999999,1/0/default.jpg",
		"full/^!600,9999/0/default.jpg", "square/^pct:99999999999999999999/0/bitonal.png",
	} {
		f.Add(path, 1210, 830)
	}
	f.Add("full/max/0/default.jpg", 65535, 1)
	f.Fuzz(func(t *testing.T, path string, width, height int) {
		p := strings.SplitN(path, "/", 4)
		if len(p) < 4 || min(width, height) < 1 || max(width, height) > 65535 {
			return
		}
		r, err := ParseIIIF(p[0], p[1], p[2], p[3])
		if err != nil {
			if KindOf(err) != Malformed {
				t.Fatal(err)
			}
			return
		}
		c, err := r.Cut(width, height)
		if err != nil {
			if KindOf(err) != Malformed && (!r.Size.Up || !errors.Is(err, ErrIIIFUnsupported)) {
				t.Fatal(err)
			}
			return
		}
		if min(c.X, c.Y) < 0 || min(c.W, c.H, c.ToW, c.ToH) < 1 || c.X+c.W > width || c.Y+c.H > height || c.ToW > c.W || c.ToH > c.H ||
			max(c.ToW, c.ToH) > MaxIIIFSide || c.ToW*c.ToH > MaxIIIFArea {
			t.Fatalf("%s of %d × %d: %+v", path, width, height, c)
		}
		p = strings.Split(c.Canonical, "/")
		again, err := ParseIIIF(p[0], p[1], p[2], p[3])
		if err != nil {
			t.Fatal(c.Canonical, err)
		}
		if same, err := again.Cut(width, height); err != nil || same != c || again.Orientation() != r.Orientation() {
			t.Fatalf("%s and %s: %+v and %+v, %v", path, c.Canonical, c, same, err)
		}
	})
}

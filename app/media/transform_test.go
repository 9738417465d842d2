package media_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"golang.org/x/image/webp"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

// quarters returns a picture in four colours: red and green above blue and white.
func quarters(t testing.TB, w, h int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{255, 0, 0, 255}
			switch {
			case x >= w/2 && y >= h/2:
				c = color.RGBA{255, 255, 255, 255}
			case x >= w/2:
				c = color.RGBA{0, 255, 0, 255}
			case y >= h/2:
				c = color.RGBA{0, 0, 255, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// quarter names the colour of a pixel in quarters.
func quarter(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return map[[3]bool]string{
		{true, false, false}: "red", {false, true, false}: "green", {false, false, true}: "blue", {true, true, true}: "white",
	}[[3]bool{r > 0x8000, g > 0x8000, b > 0x8000}]
}

// A picture is scaled to the requested size, and cropped on the correct sides.
func TestTransform(t *testing.T) {
	t.Parallel()
	data := quarters(t, 400, 200)
	p := media.New(media.DefaultLimits())
	for _, tt := range []struct {
		text  string
		focal *dam.FocalPoint
		want  string // its size, and the colours of its corners from the top left
	}{
		{"w=100", nil, "100 50 red green blue white"},
		{"h=100", nil, "200 100 red green blue white"},
		{"w=100,h=100", nil, "100 50 red green blue white"},
		{"w=50,dpr=2", nil, "100 50 red green blue white"},
		{"w=4000", nil, "400 200 red green blue white"},
		{"w=100,h=100,fit=cover", nil, "100 100 red green blue white"},
		{"w=100,h=100,fit=cover", &dam.FocalPoint{X: 0, Y: 0.5}, "100 100 red red blue blue"},
		{"w=100,h=100,fit=cover", &dam.FocalPoint{X: 1, Y: 0}, "100 100 green green white white"},
		{"w=100,h=100,fit=cover,gravity=west", &dam.FocalPoint{X: 1, Y: 0}, "100 100 red red blue blue"},
		{"w=100,h=100,fit=cover,fp=1x1", nil, "100 100 green green white white"},
		{"w=200,h=20,fit=cover,gravity=north", nil, "200 20 red green red green"},
		{"w=200,h=20,fit=cover,gravity=southeast", nil, "200 20 blue white blue white"},
		{"w=4000,h=4000,fit=cover,gravity=east", nil, "200 200 green green white white"},
	} {
		for _, format := range []string{"", ",format=png"} {
			text := tt.text + format
			if format != "" && tt.text == "w=50,dpr=2" {
				text = "w=50,format=png,dpr=2"
			}
			transform, err := dam.ParseTransform(text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			out, err := p.Transform(t.Context(), bytes.NewReader(data), int64(len(data)), "a.jpg", transform,
				dam.Seen{Width: 400, Height: 200, Focal: tt.focal})
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			decode := jpeg.Decode
			if format != "" {
				decode = png.Decode
			}
			img, err := decode(bytes.NewReader(out))
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			w, h := img.Bounds().Dx(), img.Bounds().Dy()
			got := fmt.Sprint(w, " ", h)
			for _, at := range []image.Point{{w / 8, h / 8}, {w * 7 / 8, h / 8}, {w / 8, h * 7 / 8}, {w * 7 / 8, h * 7 / 8}} {
				got += " " + quarter(img.At(at.X, at.Y))
			}
			if got != tt.want {
				t.Errorf("%s, focal point %v: %s instead of %s", text, tt.focal, got, tt.want)
			}
		}
	}
}

// WebP and AVIF are encoded by an engine, and rejected without it.
func TestTransformByEngine(t *testing.T) {
	t.Parallel()
	data := quarters(t, 400, 200)
	transform := func(p *media.Processor, text string) ([]byte, error) {
		of, err := dam.ParseTransform(text)
		if err != nil {
			t.Fatal(err)
		}
		return p.Transform(t.Context(), bytes.NewReader(data), int64(len(data)), "a.jpg", of, dam.Seen{Width: 400, Height: 200})
	}
	p := withEngines(t, media.DefaultLimits())
	out, err := transform(p, "w=100,format=webp")
	if err != nil {
		t.Fatal(err)
	}
	img, err := webp.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 100 || b.Dy() != 50 || quarter(img.At(90, 10)) != "green" {
		t.Errorf("%v, %s", b, quarter(img.At(90, 10)))
	}
	out, err = transform(p, "w=100,format=avif")
	if err != nil {
		t.Fatal(err)
	}
	r, err := extractBy(t, p, out, "a.avif")
	if err != nil || r.Width != 100 || r.Height != 50 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := transform(withEngines(t, media.DefaultLimits(), "magick"), "w=100,format=webp"); !errors.Is(err, media.ErrNoEngine) {
		t.Error(err)
	}
}

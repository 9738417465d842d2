package media_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/worker"
	"github.com/digital-asset-library/dal/app/media"
)

// TestMain runs the tests, or acts as the worker that one of them started.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == engine.WorkerArgument {
		if err := worker.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// withEngines returns a processor with all engines, except for those that are off.
func withEngines(t testing.TB, limits media.Limits, off ...string) *media.Processor {
	t.Helper()
	return media.New(limits).With(enginePool(t, off...))
}

func engineConfig(t testing.TB, off ...string) engine.Config {
	return engine.Config{
		Workers: 1, Memory: 1 << 30, Off: off, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Cache: filepath.Join(os.TempDir(), "dal-test-engines-"+strconv.Itoa(os.Getuid())), // shared, to compile the engines once
	}
}

func extractBy(t testing.TB, p *media.Processor, data []byte, name string) (*media.Result, error) {
	t.Helper()
	return p.Extract(t.Context(), bytes.NewReader(data), int64(len(data)), name)
}

// file returns technical.file.
func file(r *media.Result) map[string]any {
	m, _ := r.Technical["file"].(map[string]any)
	return m
}

// at returns the colour of a rendition at a position in percent of its size.
func at(t testing.TB, r *media.Result, x, y int) (red, green, blue uint32) {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(r.Picture.Renditions[dam.RenditionPreview]))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	red, green, blue, _ = img.At(x*(b.Dx()-1)/100, y*(b.Dy()-1)/100).RGBA()
	return red >> 8, green >> 8, blue >> 8
}

const logo = `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30" viewBox="0 0 60 30"><title>The logo</title><desc>Half and half</desc>
<rect width="30" height="30" fill="#0000ff"/><script>for(;;){}</script></svg>`

func TestSVG(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	r, err := extractBy(t, p, []byte(logo), "logo.svg")
	if err != nil {
		t.Fatal(err)
	}
	if r.Type.MIME != "image/svg+xml" || r.Width != 60 || r.Height != 30 || r.Title != "The logo" || r.Description != "Half and half" {
		t.Errorf("%+v", r.Facts)
	}
	if img, _, err := image.DecodeConfig(bytes.NewReader(r.Picture.Renditions[dam.RenditionPreview])); err != nil || img.Width != 1600 {
		t.Errorf("the preview is %d wide, %v", img.Width, err)
	}
	if red, _, blue := at(t, r, 25, 50); red > 20 || blue < 230 {
		t.Errorf("left is %d, %d", red, blue)
	}
	if red, green, blue := at(t, r, 75, 50); min(red, green, blue) < 250 {
		t.Errorf("right is %d, %d, %d", red, green, blue)
	}
	data, err := p.Render(t.Context(), strings.NewReader(logo), int64(len(logo)), "logo.svg", dam.RenditionThumbnail)
	if err != nil || !bytes.Equal(data, r.Picture.Renditions[dam.RenditionThumbnail]) {
		t.Errorf("another thumbnail, %v", err)
	}
	if media.Showable("image/svg+xml") {
		t.Error("a browser is to show an SVG, which can have a program")
	}
	for _, name := range []string{"logo.png", "logo.html", "logo.svg.js"} {
		if _, err := p.Check(t.Context(), strings.NewReader(logo), int64(len(logo)), name); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for _, page := range []string{"<html><svg/></html>", "<?xml version='1.0'?><feed><svg/></feed>", "text <svg/>"} {
		if typ, _, _ := media.Detect(strings.NewReader(page), int64(len(page))); typ.Name == "SVG" {
			t.Errorf("%s is taken for an SVG", page)
		}
	}
}

// Without its engine, a file is accepted without a picture, and states the reason.
func TestEngineOff(t *testing.T) {
	t.Parallel()
	r, err := extractBy(t, withEngines(t, media.DefaultLimits(), "resvg"), []byte(logo), "logo.svg")
	if err != nil {
		t.Fatal(err)
	}
	if r.Picture != nil || file(r)["no_preview"] != "the engine resvg, which reads SVG files, is switched off or missing" {
		t.Errorf("%v, %v", r.Picture, r.Technical)
	}
	if r, err = extractBy(t, media.New(media.DefaultLimits()), []byte(logo), "logo.svg"); err != nil || r.Picture != nil {
		t.Errorf("without engines: %v", err)
	}
}

// If an engine cannot read a file, that is a fault of the file.
func TestEngineFaults(t *testing.T) {
	t.Parallel()
	p := withEngines(t, media.DefaultLimits())
	_, err := extractBy(t, p, []byte(logo[:300]), "logo.svg")
	if fault, ok := errors.AsType[*dam.FileError](err); !ok || fault.Code != dam.CodeCorrupt || fault.Retryable {
		t.Errorf("%v", err)
	}
	limits := media.DefaultLimits()
	limits.Timeout = 1
	_, err = extractBy(t, withEngines(t, limits), []byte(logo), "logo.svg")
	if fault, ok := errors.AsType[*dam.FileError](err); !ok || fault.Code != dam.CodeLimitsExceeded || !fault.Retryable {
		t.Errorf("%v", err)
	}
}

package ffmpeg

import (
	"bytes"
	"image"
	"image/color"
	"testing"
)

func factsOf(list ...string) facts {
	var b bytes.Buffer
	for _, s := range list {
		b.WriteString(s + "\x00")
	}
	b.WriteByte(0)
	return parseFacts(b.Bytes())
}

// Dates are converted to XMP notation, placeholder dates are skipped, and the origin of the
// zone is reported.
func TestCreated(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		f          facts
		when, zone string
	}{
		{factsOf("tag:creation_time", "2024-05-01T12:00:00.000000Z"), "2024-05-01T12:00:00.000000Z", "UTC"},
		{factsOf("tag:creation_time", "2024-05-01T12:00:00Z", "tag:com.apple.quicktime.creationdate", "2024-05-01T14:00:00+0200"),
			"2024-05-01T14:00:00+02:00", "+02:00"},
		{factsOf("tag:creation_time", "1970-01-01T00:00:00.000000Z", "tag:DATE", "2024"), "2024", "unknown"},
		{factsOf("tag:creation_time", "1904-01-01T00:00:00Z"), "", ""},
		{factsOf("tag:creation_time", "2024-05-02T12:00:00Z", "tag:DATE_RECORDED", "2024-05-01 14:00:00"), "2024-05-01T14:00:00", "unknown"},
		{factsOf("tag:date", "2024-05-01 12:00:00"), "2024-05-01T12:00:00", "unknown"},
		{factsOf("tag:date", "24"), "", ""},
	} {
		if when, zone := tt.f.created(); when != tt.when || zone != tt.zone {
			t.Errorf("%v: %q, %q", tt.f, when, zone)
		}
	}
}

// Invalid UTF-8 is decoded as Latin-1 unless it was truncated.
func TestText(t *testing.T) {
	t.Parallel()
	long := string(bytes.Repeat([]byte("x"), maxTag-1))
	for in, want := range map[string]string{"Café": "Café", "Caf\xe9": "Café", " a ": "a", long + "\xc3": long} {
		if got := text(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// Black, nearly black and monochrome frames have lower scores than pictures.
func TestLiveliness(t *testing.T) {
	t.Parallel()
	img := func(at func(x, y int) color.NRGBA) *image.NRGBA {
		m := image.NewNRGBA(image.Rect(0, 0, 40, 30))
		for y := range 30 {
			for x := range 40 {
				m.SetNRGBA(x, y, at(x, y))
			}
		}
		return m
	}
	for name, tt := range map[string]struct {
		m      *image.NRGBA
		lively bool
	}{
		"black":       {img(func(int, int) color.NRGBA { return color.NRGBA{0, 0, 0, 255} }), false},
		"white":       {img(func(int, int) color.NRGBA { return color.NRGBA{255, 255, 255, 255} }), false},
		"nearly":      {img(func(x, _ int) color.NRGBA { return color.NRGBA{byte(x / 4), 0, 0, 255} }), false},
		"one lamp":    {img(func(x, y int) color.NRGBA { return color.NRGBA{byte(255 * b2i(x == 20 && y == 9)), 9, 9, 255} }), false},
		"a landscape": {img(func(x, y int) color.NRGBA { return color.NRGBA{byte(x * 5), byte(y * 7), 90, 255} }), true},
	} {
		if got := liveliness(tt.m); (got >= lively) != tt.lively {
			t.Errorf("%s: %g", name, got)
		}
	}
}

func FuzzFacts(f *testing.F) {
	f.Add([]byte("container\x00mov\x00video.codec\x00h264\x00video.width\x0096\x00video.rotation\x00-90\x00\x00"))
	f.Add([]byte("duration\x001e300\x00tag:TITLE\x00\xff\xfe\x00audio.codec\x00mp3\x00tag:date\x002024-05-01T12:00:00+0200\x00\x00"))
	f.Add([]byte("video.aspect\x00NaN\x00video.height\x00Inf\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		facts := parseFacts(data)
		for name, c := range containers {
			look := facts.look(name, c)
			if look.Width < 0 || look.Height < 0 || look.Seconds < 0 || len(look.Facts) != 1 {
				t.Fatalf("%+v", look)
			}
		}
	})
}

func FuzzAVIF(f *testing.F) {
	f.Add(96, 64, []byte("\x81\x00\x0c\x00"), []byte("frame"))
	f.Fuzz(func(t *testing.T, w, h int, config, frame []byte) {
		if len(config) > maxConfig || len(frame) > maxStill {
			return
		}
		file := avif(w, h, config, frame)
		if !bytes.HasSuffix(file, frame) || !bytes.HasPrefix(file[4:], []byte("ftypavif")) || len(file) > len(config)+len(frame)+1000 {
			t.Fatalf("%d bytes of %d", len(file), len(frame))
		}
	})
}

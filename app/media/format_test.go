package media

import (
	"bytes"
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/h2non/filetype"

	"github.com/digital-asset-library/dal/app/dam"
)

// Every format is complete, and no two share a name.
func TestFormatsAreComplete(t *testing.T) {
	t.Parallel()
	var names []string
	for _, f := range formats {
		if f.is == nil || f.header == nil || (f.decode == nil) != (f.memory == nil) || (f.decode == nil) != (f.engine != nil) {
			t.Errorf("%s lacks a function", f.Name)
		}
		called := strings.HasPrefix(f.Phrase, "a ") || strings.HasPrefix(f.Phrase, "an ")
		if f.MIME == "" || !called || f.Category == dam.CategoryImage && !strings.HasSuffix(f.Phrase, " "+f.Name+" picture") {
			t.Errorf("%s is called %q, %q", f.Name, f.MIME, f.Phrase)
		}
		for _, ext := range f.Extensions {
			if dam.DangerousExtension("a."+ext) != "" && (f.Name != "SVG" && f.Name != "HTML" || f.Showable) {
				t.Errorf("%s is not to be named .%s", f.Name, ext)
			}
		}
		names = append(append(names, f.MIME), f.Extensions...)
	}
	if sorted := slices.Sorted(slices.Values(names)); len(slices.Compact(sorted)) != len(names) {
		t.Errorf("a name stands twice: %v", names)
	}
}

// Every kind of file that filetype recognizes has a description.
func TestForeignIsComplete(t *testing.T) {
	t.Parallel()
	taken := map[string]bool{}
	for _, f := range formats {
		for _, ext := range f.Extensions {
			taken[ext] = true
		}
	}
	called := map[string]bool{}
	for _, k := range foreign {
		if called[k.extension] || !filetype.IsSupported(k.extension) || taken[k.extension] && k.extension != "tif" {
			t.Errorf("%s stands twice, is taken, or is not known to filetype", k.extension)
		}
		called[k.extension] = true
	}
	for kind := range filetype.Matchers {
		if !called[kind.Extension] && !taken[kind.Extension] {
			t.Errorf("there are no words for .%s (%s)", kind.Extension, kind.MIME.Value)
		}
	}
}

// tone is a format without a picture.
var tone = format{
	Type:   Type{MIME: "audio/x-tone", Name: "Tone", Phrase: "a Tone audio file", Extensions: []string{"tone"}, Category: dam.CategoryAudio},
	is:     func(_ source, head []byte) bool { return bytes.HasPrefix(head, []byte("TONE")) },
	header: func(source) (header, error) { return header{pages: 3}, nil },
	metadata: func(source) (*collector, error) {
		c := newCollector()
		c.keep(c.xmp, "Title", "A tone")
		return c, nil
	},
}

// A file without a picture has facts, but none that require pixels.
func TestFactsWithoutPicture(t *testing.T) {
	t.Parallel()
	p := New(DefaultLimits())
	p.formats = append(slices.Clone(p.formats), tone)
	data := []byte("TONE of a second")
	r, err := p.Extract(t.Context(), bytes.NewReader(data), int64(len(data)), "a.tone")
	if err != nil {
		t.Fatal(err)
	}
	if r.Picture != nil || r.Type.Category != dam.CategoryAudio || r.Title != "A tone" || r.PageCount != 3 || r.Width != 0 {
		t.Errorf("%+v", r.Facts)
	}
	if _, ok := r.Technical["file"].(map[string]any)["stored_width"]; ok {
		t.Errorf("a width of a file without pixels: %v", r.Technical)
	}
	if _, err := p.Render(t.Context(), bytes.NewReader(data), int64(len(data)), "", dam.RenditionPreview); err == nil {
		t.Error("a rendition of a file without a picture")
	}
	limits := DefaultLimits()
	limits.MaxFrames = 2
	p.limits = limits
	if _, err := p.Check(t.Context(), bytes.NewReader(data), int64(len(data)), "a.tone"); err == nil {
		t.Error("more pages than allowed")
	}
}

// The functions of a format depend only on the source: any of them can be replaced by one
// that waits for another process and stops with ctx.
func TestDecoderElsewhere(t *testing.T) {
	t.Parallel()
	limits := DefaultLimits()
	limits.Timeout = 1
	p := New(limits)
	elsewhere := tone
	elsewhere.header = func(source) (header, error) { return header{width: 2, height: 2}, nil }
	elsewhere.memory = func(source, header) (int64, error) { return 16, nil }
	elsewhere.decode = func(s source) (image.Image, error) {
		<-s.ctx.Done()
		return nil, s.ctx.Err()
	}
	p.formats = []format{elsewhere}
	_, err := p.Extract(t.Context(), strings.NewReader("TONE"), 4, "")
	if err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a decoder that never answers: %v", err)
	}
	limits.Timeout = time.Minute
	p.limits = limits
	elsewhere.decode = func(source) (image.Image, error) { panic("boom") }
	p.formats = []format{elsewhere}
	_, err = p.Extract(t.Context(), strings.NewReader("TONE"), 4, "")
	if err == nil || err.Error() != "corrupt: The file is damaged and cannot be read.: the decoder panicked: boom" {
		t.Errorf("a decoder that panics: %v", err)
	}
}

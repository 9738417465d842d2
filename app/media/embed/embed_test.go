package embed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif"
	_ "image/jpeg"
	"image/png"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	_ "golang.org/x/image/webp"

	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/media/embed"
)

// said is the metadata that the tests write.
type said struct {
	Title, Description, Creator, Copyright string
	Keywords                               []string
}

// properties converts a said to properties, in which empty fields remove a property.
func (f said) properties() []embed.Property {
	one := func(path, text string) embed.Property {
		if text == "" {
			return embed.Property{Path: path}
		}
		return embed.Property{Path: path, Texts: []string{text}}
	}
	return []embed.Property{
		one("dc:title", f.Title), one("dc:description", f.Description), one("dc:creator", f.Creator), one("dc:rights", f.Copyright),
		{Path: "dc:subject", Texts: f.Keywords},
	}
}

var fields = said{
	Title: "Grüße & <Küste>", Description: "Boats\nleaving \"at dawn\"", Creator: "Ada Lovelace", Copyright: "© 2026 Ada",
	Keywords: []string{"harbour", "dämmerung", "a, b"},
}

// samples returns files of each format, by name.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	list := map[string][]byte{"made.png": madePNG(t)}
	for _, pattern := range []string{"*.jpg", "*.webp", "tiff/*.tif", "halves/*", "pdf/*.pdf"} {
		files, err := filepath.Glob(filepath.Join("../testdata", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			list[filepath.Base(file)] = data
		}
	}
	return list
}

func madePNG(t testing.TB) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	draw.Draw(img, img.Rect, image.NewUniform(color.NRGBA{200, 100, 50, 128}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// written returns a copy of a file with metadata.
func written(t testing.TB, mime string, data []byte, f said) []byte {
	t.Helper()
	c, err := embed.New(mime, bytes.NewReader(data), int64(len(data)), f.properties())
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(c)
	if err != nil || int64(len(out)) != c.Size() {
		t.Fatalf("%d bytes of %d: %v", len(out), c.Size(), err)
	}
	return out
}

// A copy contains the new metadata, shows the same picture, and supports random access.
func TestNew(t *testing.T) {
	t.Parallel()
	p := media.New(media.DefaultLimits())
	seen := map[string]bool{}
	for name, data := range samples(t) {
		kind, ok, err := media.Detect(bytes.NewReader(data), int64(len(data)))
		if err != nil || !ok || !embed.Takes(kind.MIME) {
			continue
		}
		if seen[kind.MIME] = true; kind.MIME == "application/pdf" { // see TestPDF
			continue
		}
		before, err := p.Extract(context.Background(), bytes.NewReader(data), int64(len(data)), name)
		if err != nil {
			continue // a damaged sample
		}
		t.Run(name, func(t *testing.T) {
			out := written(t, kind.MIME, data, fields)
			got, err := p.Extract(context.Background(), bytes.NewReader(out), int64(len(out)), name)
			if err != nil {
				t.Fatal(err)
			}
			if got.Title != fields.Title || got.Description != fields.Description || got.Creator != fields.Creator ||
				got.Copyright != fields.Copyright || !slices.Equal(got.Keywords, fields.Keywords) {
				t.Errorf("%q, %q, %q, %q, %q", got.Title, got.Description, got.Creator, got.Copyright, got.Keywords)
			}
			if got.Picture.PHash != before.Picture.PHash || !maps.EqualFunc(got.Picture.Renditions, before.Picture.Renditions, bytes.Equal) {
				t.Error("it shows another picture")
			}
			if again := written(t, kind.MIME, out, fields); len(again) != len(out) && kind.MIME != "image/tiff" {
				t.Errorf("written twice it has %d bytes, and %d before", len(again), len(out))
			}
			c, err := embed.New(kind.MIME, bytes.NewReader(data), int64(len(data)), fields.properties())
			if err != nil {
				t.Fatal(err)
			}
			if err := iotest.TestReader(io.NewSectionReader(c, 0, c.Size()), out); err != nil {
				t.Error(err)
			}
			if err := iotest.TestReader(c, out); err != nil {
				t.Error(err)
			}
		})
	}
	for _, mime := range embed.Types() {
		if !seen[mime] {
			t.Errorf("no sample of %s", mime)
		}
	}
}

// According to exiftool, a copy preserves all metadata except the properties that are
// written; empty properties are removed.
func TestNothingElseDiffers(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("exiftool"); err != nil {
		t.Skip("exiftool is not installed")
	}
	dir := t.TempDir()
	for name, data := range samples(t) {
		kind, ok, err := media.Detect(bytes.NewReader(data), int64(len(data)))
		if err != nil || !ok || !embed.Takes(kind.MIME) {
			continue
		}
		if c, err := embed.New(kind.MIME, bytes.NewReader(data), int64(len(data)), fields.properties()); err != nil || c == nil {
			continue
		}
		for to, content := range map[string][]byte{
			"0-" + name: data, "1-" + name: written(t, kind.MIME, data, fields),
			"2-" + name: written(t, kind.MIME, written(t, kind.MIME, data, fields), said{Title: "only"}),
		} {
			if err := os.WriteFile(filepath.Join(dir, to), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	out, err := exec.Command("exiftool", "-j", "-G1", "-struct", "-r", dir).Output()
	if _, isExit := errors.AsType[*exec.ExitError](err); err != nil && !isExit {
		t.Fatal(err)
	}
	var list []map[string]any
	if err := json.Unmarshal(out, &list); err != nil || len(list) < 12 {
		t.Fatalf("%d files, %v", len(list), err)
	}
	files := map[string]map[string]any{}
	for _, tags := range list {
		files[filepath.Base(fmt.Sprint(tags["SourceFile"]))] = tags
	}
	for name, tags := range files {
		rest, first := strings.CutPrefix(name, "0-")
		if !first {
			continue
		}
		one, two := files["1-"+rest], files["2-"+rest]
		if one["XMP-dc:Title"] != fields.Title || one["XMP-dc:Description"] != strings.ReplaceAll(fields.Description, "\n", ".") &&
			one["XMP-dc:Description"] != fields.Description || fmt.Sprint(one["XMP-dc:Creator"]) != "[Ada Lovelace]" ||
			one["XMP-dc:Rights"] != fields.Copyright || fmt.Sprint(one["XMP-dc:Subject"]) != "[harbour dämmerung a, b]" {
			t.Errorf("%s: %v", rest, one)
		}
		if two["XMP-dc:Title"] != "only" || two["XMP-dc:Creator"] != nil || two["XMP-dc:Subject"] != nil || two["XMP-dc:Rights"] != nil {
			t.Errorf("%s, emptied: %v", rest, two)
		}
		for tag, v := range tags {
			if fmt.Sprint(one[tag]) != fmt.Sprint(v) && !changes(tag) {
				t.Errorf("%s: %s was %v and is %v", rest, tag, v, one[tag])
			}
		}
		for tag, v := range one {
			if _, had := tags[tag]; !had && !changes(tag) {
				t.Errorf("%s: there is a new %s, %v", rest, tag, v)
			}
		}
		if warning := fmt.Sprint(one["ExifTool:Warning"]); warning != fmt.Sprint(tags["ExifTool:Warning"]) {
			t.Errorf("%s: %s", rest, warning)
		}
	}
}

// changes reports whether a tag is expected to differ: the written properties, and
// exiftool's information about the file in its folder.
func changes(tag string) bool {
	group, name, _ := strings.Cut(tag, ":")
	return group == "System" || tag == "SourceFile" || group == "XMP-x" || tag == "ExifTool:Warning" || tag == "File:FileType" ||
		tag == "IFD0:ApplicationNotes" ||
		tag == "RIFF:VP8Version" || tag == "RIFF:WebP_Flags" || strings.HasPrefix(tag, "File:File") || tag == "File:CurrentIPTCDigest" ||
		group == "XMP-dc" && slices.Contains([]string{"Title", "Description", "Creator", "Rights", "Subject"}, name)
}

// Other properties of a packet are preserved, regardless of the form of the replaced ones.
func TestPacket(t *testing.T) {
	t.Parallel()
	const head = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`
	const tail = `</rdf:RDF></x:xmpmeta>`
	for name, old := range map[string]string{
		"elements": head + `<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:o="urn:o">` +
			`<dc:title><rdf:Alt><rdf:li>old</rdf:li></rdf:Alt></dc:title>` +
			`<o:kept>1</o:kept><dc:subject/><dc:format>image/x</dc:format></rdf:Description>` + tail,
		"a character that XML does not have": head + `<rdf:Description rdf:about="" xmlns:o="urn:o"><o:kept>image/x` + "\v" +
			`</o:kept></rdf:Description>` + tail,
		"attributes": head + `<rdf:Description rdf:about="" xmlns:d='http://purl.org/dc/elements/1.1/' xmlns:o="urn:o" o:title="kept" ` +
			`d:title = "old>" d:format="image/x" o:kept="1"/>` + tail,
	} {
		for _, utf16 := range []bool{false, true} {
			packet := old
			if utf16 {
				packet = "\xff\xfe"
				for _, r := range old {
					packet += string([]byte{byte(r), 0})
				}
			}
			segment := "http://ns.adobe.com/xap/1.0/\x00" + packet
			data := "\xff\xd8\xff\xe1" + string([]byte{byte((len(segment) + 2) >> 8), byte(len(segment) + 2)}) + segment + "\xff\xda\x00\x02"
			out := string(written(t, "image/jpeg", []byte(data), fields))
			for _, want := range []string{"image/x", "kept", "Grüße &amp; &lt;Küste&gt;", "<rdf:li>a, b</rdf:li>"} {
				if !strings.Contains(out, want) {
					t.Errorf("%s: %q is not in %q", name, want, out)
				}
			}
			if strings.Contains(out, "old") || strings.Count(out, "xpacket begin") != 1 || strings.Count(out, "ns.adobe.com/xap") != 1 {
				t.Errorf("%s: %q", name, out)
			}
		}
	}
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	for _, data := range samples(t) {
		if !bytes.HasPrefix(data, []byte("\xff\xd8")) {
			continue
		}
		_, err := embed.New("image/jpeg", bytes.NewReader(data), int64(len(data)), said{Description: strings.Repeat("ü", 40_000)}.properties())
		if !errors.Is(err, embed.ErrTooLong) {
			t.Error(err)
		}
		return
	}
}

func FuzzNew(f *testing.F) {
	types := embed.Types()
	for _, data := range samples(f) {
		if kind, ok, _ := media.Detect(bytes.NewReader(data), int64(len(data))); ok && len(data) < 20<<10 {
			f.Add(data, uint8(max(0, slices.Index(types, kind.MIME))))
		}
	}
	document := uint8(slices.Index(types, "application/pdf"))
	f.Add(madePDF(f, false, true, "", ""), document)
	f.Add(madePDF(f, true, false, "", ""), document)
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		c, err := embed.New(types[int(which)%len(types)], bytes.NewReader(data), int64(len(data)), fields.properties())
		if err != nil {
			return
		}
		out, err := io.ReadAll(c)
		if err != nil || int64(len(out)) != c.Size() || len(out) < len(fields.Title) || !bytes.Contains(out, []byte("Ada Lovelace")) {
			t.Errorf("%d bytes of %d, %v", len(out), c.Size(), err)
		}
	})
}

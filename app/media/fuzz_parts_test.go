package media

import (
	"bytes"
	"io"
	"testing"

	"github.com/digital-asset-library/dal/app/media/tiff"
)

func FuzzReadGIF(f *testing.F) {
	one := ",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00"
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff" + one + ";"))
	f.Add([]byte("GIF89a\x03\x00\x02\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff!\xff\x0bNETSCAPE2.0\x03\x01\x02\x00\x00" +
		"!\xf9\x04\x01\x0a\x00\x01\x00" + one + one + ";"))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff!\xff\x0bXMP DataXMP<x/>\x01\xff\xfe\x00" + one))
	f.Add([]byte("GIF87a\x01\x00\x01\x00\xff\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := sourceOf(data)
		g, err := readGIF(s, 10)
		if g.frames < 0 || g.frames > 11 || g.frames > len(data)/11 || g.plays < 0 { // the minimum size of a frame
			t.Fatalf("%d frames, %d times in %d bytes, %v", g.frames, g.plays, len(data), err)
		}
		if g.width*g.height <= 1<<20 {
			if img, missing, err := decodeGIF(s); err == nil && (img.Bounds().Dx() != g.width || missing > g.first.rect.Dy()) {
				t.Fatalf("%v with %d rows missing", img.Bounds(), missing)
			}
		}
	})
}

func FuzzReadAnimation(f *testing.F) {
	f.Add([]byte("RIFF\x3a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x01\x00\x00ANIM\x06\x00\x00" +
		"\x00\x00\x00\x00\x00\x02\x00" +
		"ANMF\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00\x64\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := readAnimation(sourceOf(data), 10)
		if a.frames > 11 || 24*a.frames > len(data) || a.at+a.len > int64(len(data)) {
			t.Fatalf("%+v in %d bytes, %v", a, len(data), err)
		}
	})
}

// FuzzReadEXIF checks that the output is small for any EXIF block.
func FuzzReadEXIF(f *testing.F) {
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("MM\x00*\x00\x00\x00\x08\x00\x02\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x87\x69" +
		"\x00\x04\x00\x00\x00\x01\x00\x00\x00\x08"))
	f.Add([]byte("II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x12\x01\x03\x00\x01\x00\x00\x00" +
		"\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := newCollector()
		iptc, xmp, err := c.readEXIF(bytes.NewReader(data), int64(len(data)))
		if len(iptc) > len(data) || len(xmp) > len(data) || c.size > maxTechnical {
			t.Fatalf("%d and %d bytes and tags of %d in %d, %v", len(iptc), len(xmp), c.size, len(data), err)
		}
		if n, err := tiffProfile(sourceOf(data)); err == nil && len(n) > len(data) {
			t.Fatalf("a profile of %d bytes in %d", len(n), len(data))
		}
	})
}

func FuzzReadIPTC(f *testing.F) {
	f.Add([]byte("\x1c\x02\x05\x00\x05Title\x1c\x02\x19\x00\x03caf\x1c\x02\x19\x00\x04caf\xe9\x1c\x02\x00\x00\x02\x00\x04"))
	f.Add([]byte("\x1c\x02\x05\x80\x04\x00\x00\x00\x05Title\x00"))
	f.Add([]byte("8BIM\x04\x04\x00\x00\x00\x00\x00\x0a\x1c\x02\x05\x00\x05Title"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := newCollector()
		_ = c.readIPTC(data)
		_ = c.readIPTC(iptcOfPhotoshop(data))
		if sound, _ := soundIPTC(data); len(sound) > maxIPTC || c.size > maxTechnical {
			t.Fatalf("%d bytes of datasets, tags of %d", len(sound), c.size)
		}
	})
}

func FuzzReadXMP(f *testing.F) {
	const head = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:format="a">`
	f.Add([]byte(head + `<dc:title><rdf:Alt><rdf:li xml:lang="de">A</rdf:li><rdf:li xml:lang="x-default">B</rdf:li></rdf:Alt></dc:title>`))
	f.Add([]byte(head + `<dc:source rdf:resource="r"/><dc:x><rdf:Description/></dc:x></rdf:Description></rdf:RDF>`))
	f.Add([]byte("\xff\xfe<\x00x\x00/\x00>\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := newCollector()
		_ = c.readXMP(data)
		if c.size > maxTechnical || len(c.xmp) > maxTags {
			t.Fatalf("%d tags of %d bytes", len(c.xmp), c.size)
		}
	})
}

// FuzzMend checks that the recovery of damaged files reads within the file, and terminates.
func FuzzMend(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00\x3a\x7e\x9b\x55" +
		"\x00\x00\x00\x0aIDAT\x78\x01\x01\x02\x00\xfd\xff\x00\x80"))
	f.Add([]byte("\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xc0\x00\x0b\x08\x00\x10\x00\x10\x01\x01\x11\x00\xff\xda" +
		"\x00\x08\x01\x01\x00\x00\x3f\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := sourceOf(data)
		if p, err := readPNGParts(s); err == nil {
			if n, err := io.Copy(io.Discard, p.whole(s)); err != nil || n > 2*int64(len(data))+100 {
				t.Fatalf("%d bytes of %d, %v", n, len(data), err)
			}
		}
		if scans, _, err := readScans(s); err == nil && len(scans) > len(data)/2 {
			t.Fatalf("%d scans in %d bytes", len(scans), len(data))
		}
		if f, err := tiff.Open(s, s.size); err == nil {
			if n, err := f.Pages(10); err == nil && (n > 11 || 6*n > len(data)) {
				t.Fatalf("%d pages in %d bytes", n, len(data))
			}
		}
	})
}

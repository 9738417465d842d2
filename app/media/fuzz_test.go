package media

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

func FuzzCheck(f *testing.F) {
	f.Add([]byte("GIF89a\x02\x00\x02\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff"+
		",\x00\x00\x00\x00\x02\x00\x02\x00\x00\x02\x02\x84\x51\x00;"), "a.gif")
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90\x77\x53\xde"), "a.png")
	f.Add([]byte("\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xc0\x00\x0b\x08\x00\x10\x00\x10\x01\x01\x11\x00\xff\xda"), "a.jpg")
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"), "a.webp")
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x08\x00\x00\x00"), "a.tif")
	f.Add([]byte("BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00"+
		"\x01\x00\x18\x00"+strings.Repeat("\x00", 24)), "a.bmp")
	f.Add([]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "a.svg")
	limits := Limits{MaxPixels: 1 << 16, MaxFrames: 50, MemoryBudget: 1 << 20, Timeout: 10 * time.Second}
	p := New(limits)
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		s := source{ctx: context.Background(), file: bytes.NewReader(data), size: int64(len(data)), limits: limits, name: name}
		typ, h, err := p.check(s)
		if err != nil {
			if fault, ok := errors.AsType[*dam.FileError](err); !ok || fault.Message == "" {
				t.Fatalf("%v is not a fault of the file", err)
			}
			return
		}
		if typ.engine != nil || h.unseen != "" {
			return // the engine determines the size
		}
		if typ.MIME == "" || h.width <= 0 || h.height <= 0 || int64(h.width)*int64(h.height) > limits.MaxPixels ||
			h.frames > limits.MaxFrames || h.memory <= 0 || h.memory > limits.MemoryBudget {
			t.Fatalf("%s passes with %+v", typ.MIME, h)
		}
	})
}

// matrixProfile returns a small profile whose three channels have the same curve.
func matrixProfile(space, curve string) []byte {
	b := make([]byte, iccHeader)
	copy(b[16:], space+"XYZ ")
	copy(b[36:], "acsp")
	names := []string{"rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC"}
	b = binary.BigEndian.AppendUint32(b, uint32(len(names)))
	xyz := "XYZ \x00\x00\x00\x00\x00\x00\x6f\xa2\x00\x00\x38\xf5\x00\x00\x03\x90"
	at := iccHeader + 4 + 12*len(names)
	for _, n := range names {
		offset, size := at, len(xyz)
		if n[1:] == "TRC" {
			offset, size = at+len(xyz), len(curve)
		}
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(append(b, n...), uint32(offset)), uint32(size))
	}
	return append(append(b, xyz...), curve...)
}

func FuzzParseICC(f *testing.F) {
	for _, curve := range []string{
		"curv\x00\x00\x00\x00\x00\x00\x00\x00",
		"curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x33",
		"curv\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x40\x00\xff\xff",
		"para\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x33\x33",
		"para\x00\x00\x00\x00\x00\x03\x00\x00\x00\x02\x66\x66\x00\x00\xf2\xa7\x00\x00\x0d\x59\x00\x00\x13\xd0\x00\x00\x0a\x5b",
	} {
		f.Add(matrixProfile("RGB ", curve))
		f.Add(matrixProfile("GRAY", curve))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parseICC(data)
		if err != nil {
			return
		}
		for _, row := range p.matrix {
			for _, v := range row {
				if math.Abs(v) > 32768 {
					t.Fatalf("%v is not an s15Fixed16Number", v)
				}
			}
		}
		pic := image.NewRGBA(image.Rect(0, 0, 16, 16))
		for i := range pic.Pix {
			pic.Pix[i] = byte(i)
			if i%4 == 3 {
				pic.Pix[i] = 255
			}
		}
		profile, note := conversion(data, false)
		profile.toSRGB(pic)
		inks, _ := conversion(data, true)
		raster{2, 1, 4, []uint16{0, 1, 40_000, 65535, 7, 8, 9, 10}}.toRGBA(inks)
		raster{2, 1, 3, []uint16{0, 1, 65535, 7, 8, 9}}.toRGBA(profile)
		if note == "" || !pic.Opaque() {
			t.Fatalf("%q, opaque: %v", note, pic.Opaque())
		}
	})
}

func FuzzPNGMetadata(f *testing.F) {
	chunks := func(kind string, data []byte) []byte {
		b := append([]byte("\x89PNG\r\n\x1a\n"), binary.BigEndian.AppendUint32(nil, uint32(len(data)))...)
		return append(append(append(b, kind...), data...), "\x00\x00\x00\x00\x00\x00\x00\x00IEND\x00\x00\x00\x00"...)
	}
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write([]byte("<x/>"))
	w.Close()
	const key = "XML:com.adobe.xmp\x00"
	f.Add(chunks("iTXt", []byte(key+"\x00\x00en\x00\x00<x/>")))
	f.Add(chunks("iTXt", append([]byte(key+"\x01\x00\x00\x00"), z.Bytes()...)))
	f.Add(chunks("iTXt", []byte(key+"\x01\x00")))
	f.Add(chunks("tEXt", []byte("Comment\x00hi")))
	f.Add(chunks("iCCP", append([]byte("p\x00\x00"), z.Bytes()...)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m := readTags(sourceOf(data), pngFormat); m.technical == nil {
			t.Fatal("no metadata, not even empty")
		}
	})
}

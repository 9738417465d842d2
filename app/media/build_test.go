package media_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"os"
	"path/filepath"
	"testing"
)

// tag is an entry of a TIFF directory; its number of values follows from its data.
type tag struct {
	id, kind uint16
	data     []byte
}

func ascii(id uint16, s string) tag { return tag{id, 2, append([]byte(s), 0)} }

func short(id uint16, values ...uint16) tag {
	t := tag{id: id, kind: 3}
	for _, v := range values {
		t.data = binary.LittleEndian.AppendUint16(t.data, v)
	}
	return t
}

func long(id uint16, values ...uint32) tag {
	t := tag{id: id, kind: 4}
	for _, v := range values {
		t.data = binary.LittleEndian.AppendUint32(t.data, v)
	}
	return t
}

// rational returns a tag of fractions, given as pairs of numbers.
func rational(id uint16, pairs ...uint32) tag {
	t := long(id, pairs...)
	t.kind = 5
	return t
}

// directory encodes a TIFF directory that begins at an offset, followed by its values.
func directory(at int, tags ...tag) []byte {
	sizes := map[uint16]int{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1}
	dir := binary.LittleEndian.AppendUint16(nil, uint16(len(tags)))
	var values []byte
	for _, t := range tags {
		dir = binary.LittleEndian.AppendUint16(dir, t.id)
		dir = binary.LittleEndian.AppendUint16(dir, t.kind)
		dir = binary.LittleEndian.AppendUint32(dir, uint32(len(t.data)/max(1, sizes[t.kind])))
		if len(t.data) <= 4 {
			dir = append(dir, append(bytes.Clone(t.data), 0, 0, 0, 0)[:4]...)
			continue
		}
		dir = binary.LittleEndian.AppendUint32(dir, uint32(at+2+12*len(tags)+4+len(values)))
		values = append(values, t.data...)
		values = append(values, make([]byte, len(t.data)%2)...)
	}
	return append(append(dir, 0, 0, 0, 0), values...)
}

// exif encodes an EXIF block of three directories. The tags must be sorted.
func exif(main, camera, gps []tag) []byte {
	pointers := append(append([]tag{}, main...), long(0x8769, 0), long(0x8825, 0))
	cameraAt := 8 + len(directory(8, pointers...))
	gpsAt := cameraAt + len(directory(cameraAt, camera...))
	pointers = append(append([]tag{}, main...), long(0x8769, uint32(cameraAt)), long(0x8825, uint32(gpsAt)))
	out := append([]byte("II*\x00\x08\x00\x00\x00"), directory(8, pointers...)...)
	out = append(out, directory(cameraAt, camera...)...)
	return append(out, directory(gpsAt, gps...)...)
}

func withEXIF(pic, block []byte) []byte {
	return segment(pic, 0xe1, append([]byte("Exif\x00\x00"), block...))
}

func withXMP(pic []byte, packet string) []byte {
	return segment(pic, 0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00"+packet))
}

// record is a dataset of IPTC's application record.
type record struct {
	id    byte
	value string
}

// withIPTC adds IPTC to a JPEG (IIM 4.2, chapter 1; Photoshop resource 0x0404).
func withIPTC(pic []byte, records ...record) []byte {
	var data []byte
	for _, r := range records {
		data = append(data, 0x1c, 2, r.id, byte(len(r.value)>>8), byte(len(r.value)))
		data = append(data, r.value...)
	}
	block := binary.BigEndian.AppendUint32([]byte("Photoshop 3.0\x008BIM\x04\x04\x00\x00"), uint32(len(data)))
	block = append(block, data...)
	return segment(pic, 0xed, append(block, make([]byte, len(data)%2)...))
}

// tiffOf encodes a picture as an uncompressed TIFF with additional tags, all above 0x0118.
func tiffOf(img *image.NRGBA, more ...tag) []byte {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	tags := func(strip uint32) []tag {
		return append([]tag{short(0x100, uint16(w)), short(0x101, uint16(h)), short(0x102, 8, 8, 8), short(0x103, 1), short(0x106, 2),
			long(0x111, strip), short(0x115, 3), short(0x116, uint16(h)), long(0x117, uint32(3*w*h))}, more...)
	}
	strip := 8 + len(directory(8, tags(0)...))
	out := append([]byte("II*\x00\x08\x00\x00\x00"), directory(8, tags(uint32(strip))...)...)
	for i := 0; i < len(img.Pix); i += 4 {
		out = append(out, img.Pix[i:i+3]...)
	}
	return out
}

// withPages appends copies of the only page of a TIFF.
func withPages(pic []byte, more int) []byte {
	out := bytes.Clone(pic)
	first := int(binary.LittleEndian.Uint32(out[4:]))
	size := 2 + 12*int(binary.LittleEndian.Uint16(out[first:])) + 4
	page := bytes.Clone(out[first : first+size-4])
	next := first + size - 4
	for range more {
		out = append(out, make([]byte, len(out)%2)...)
		binary.LittleEndian.PutUint32(out[next:], uint32(len(out)))
		out = append(append(out, page...), 0, 0, 0, 0)
		next = len(out) - 4
	}
	return out
}

// withChunks turns a simple WebP into an extended one (RFC 9649 section 2.7), with chunks
// before and after the pixels.
func withChunks(pic []byte, flags byte, w, h int, before, after []byte) []byte {
	right, bottom := w-1, h-1
	head := []byte{flags, 0, 0, 0,
		byte(right), byte(right >> 8), byte(right >> 16), byte(bottom), byte(bottom >> 8), byte(bottom >> 16)}
	body := append([]byte("WEBP"), riffChunk("VP8X", head)...)
	body = append(append(append(body, before...), pic[12:]...), after...)
	return riffChunk("RIFF", body)
}

func riffChunk(kind string, data []byte) []byte {
	out := append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data))), data...)
	return append(out, make([]byte, len(data)%2)...)
}

// pngHeader returns only the header of a PNG.
func pngHeader(w, h uint32) []byte {
	body := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h)
	body = append(body, 8, 2, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
}

// gifOf returns a GIF with the given number of frames of one pixel.
func gifOf(frames int) []byte {
	out := []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff")
	for range frames {
		out = append(out, ",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00"...)
	}
	return append(out, ';')
}

// sample reads a file of testdata. The files were made with ImageMagick and cwebp: flag()
// at 3400 × 96 as JPEG with each kind of chroma subsampling and at 170 × 48 as WebP, and at
// 64 × 48 as inks.jpg; the rest are a single colour, 200 60 40, at 64 × 48.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fact returns a value from technical.file.
func fact(technical map[string]any, name string) any {
	file, _ := technical["file"].(map[string]any)
	return file[name]
}

package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"golang.org/x/image/tiff"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

const (
	cutOff  = "The file is cut off in the middle."
	damaged = "The file is damaged and cannot be read."
)

// The errors of faulty files are worded for the uploader.
func TestFaults(t *testing.T) {
	t.Parallel()
	pic, picPNG, picTIFF := jpegOf(t, scene(200, 100)), pngOf(t, scene(200, 100)), tiffOf(scene(16, 16))
	lossy := sample(t, "lossy.webp")
	tests := []struct {
		name    string
		data    []byte
		code    dam.FileErrorCode
		message string
	}{
		{"empty.jpg", nil, dam.CodeCorrupt, "The file is empty."},
		{"a header.jpg", pic[:20], dam.CodeCorrupt, cutOff},
		{"a header.png", picPNG[:33], dam.CodeCorrupt, cutOff},
		{"a header.gif", gifOf(3)[:21], dam.CodeCorrupt, cutOff},
		{"half.webp", lossy[:len(lossy)/2], dam.CodeCorrupt, cutOff},
		{"a header.webp", lossy[:24], dam.CodeCorrupt, cutOff},
		{"half.tif", picTIFF[:len(picTIFF)/2], dam.CodeCorrupt, cutOff},
		{"half a directory.tif", picTIFF[:20], dam.CodeCorrupt, cutOff},
		{"half.bmp", bmpOf(16, 16, 24, 0), dam.CodeCorrupt, cutOff},

		{"bad marker.jpg", badMarker(pic), dam.CodeCorrupt, damaged},
		{"bad checksum.png", badChecksum(picPNG), dam.CodeCorrupt, damaged},
		{"bad block.gif", append(gifOf(1)[:19:19], 'x', 0), dam.CodeCorrupt, damaged},
		{"bad pixels.webp", replaced(lossy, "VP8 ", "VP8?"), dam.CodeCorrupt, damaged},
		{"pages in a loop.tif", loopTIFF(t), dam.CodeCorrupt, damaged},
		{"no pixels.png", pngHeader(0, 5), dam.CodeCorrupt, damaged},
		{"no pixels.gif", []byte("GIF89a\x00\x00\x00\x00\x00\x00\x00;"), dam.CodeCorrupt, "The picture has no pixels."},

		{"12 bit.jpg", twelveBit(pic), dam.CodeUnsupportedFormat, "This is an unusual kind of JPEG file that the library cannot read."},
		{"unknown inside.tif", withCompression(picTIFF, 99), dam.CodeUnsupportedFormat,
			"This is an unusual kind of TIFF file that the library cannot read."},
		{"run lengths.bmp", bmpOf(10, 10, 8, 1), dam.CodeUnsupportedFormat,
			"This is an unusual kind of BMP file that the library cannot read."},
	}
	for _, tt := range tests {
		_, err := extract(tt.data, tt.name)
		wantFault(t, tt.name, err, tt.code, tt.message)
	}
	if _, err := extract(append(bytes.Clone(pic), "trailing"...), "a.jpg.bak"); err != nil {
		t.Errorf("bytes after the end: %v", err)
	}
}

func wantFault(t *testing.T, name string, err error, code dam.FileErrorCode, message string) {
	t.Helper()
	fault, ok := errors.AsType[*dam.FileError](err)
	switch {
	case !ok:
		t.Errorf("%s: %v, want %s", name, err, code)
	case fault.Code != code || fault.Message != message || fault.Retryable:
		t.Errorf("%s: %s %q, retryable %v\nwant %s %q\nbehind it: %v",
			name, fault.Code, fault.Message, fault.Retryable, code, message, fault.Err)
	}
}

// Errors wrap the decoder's error, for the log.
func TestFaultsKeepTheirCause(t *testing.T) {
	t.Parallel()
	_, err := extract(badChecksum(pngOf(t, scene(20, 10))), "a.png")
	const said = "png: invalid format: zlib: invalid checksum"
	if fault, ok := errors.AsType[*dam.FileError](err); !ok || fault.Err == nil || fault.Err.Error() != said {
		t.Errorf("%v, want %s in it", err, said)
	}
}

// The error for a file that exceeds a limit names the limit.
func TestLimitsSayWhich(t *testing.T) {
	t.Parallel()
	pic := jpegOf(t, scene(200, 100))
	tests := []struct {
		name    string
		change  func(*media.Limits)
		data    []byte
		message string
	}{
		{"pixels.png", func(l *media.Limits) {}, pngHeader(100_000, 100_000),
			"The picture has 100000 × 100000 pixels; the limit is 200 million."},
		{"frames.gif", func(l *media.Limits) { l.MaxFrames = 5 }, gifOf(6), "The file has more than 5 frames or pages."},
		{"pages.tif", func(l *media.Limits) { l.MaxFrames = 5 }, withPages(tiffOf(scene(8, 8)), 5), "The file has more than 5 frames or pages."},
		{"memory.jpg", func(l *media.Limits) { l.MemoryBudget = 1000 }, pic,
			"Opening the picture takes 1 MB of memory or more; the limit is 0 MB."},
		{"time.jpg", func(l *media.Limits) { l.Timeout = 1 }, pic, "The file took too long to read; the limit is 1e-09 seconds."},
	}
	for _, tt := range tests {
		limits := media.DefaultLimits()
		tt.change(&limits)
		_, err := media.New(limits).Extract(t.Context(), bytes.NewReader(tt.data), int64(len(tt.data)), tt.name)
		wantFault(t, tt.name, err, dam.CodeLimitsExceeded, tt.message)
	}
}

func replaced(data []byte, was, is string) []byte {
	return bytes.Replace(data, []byte(was), []byte(is), 1)
}

// badMarker corrupts the Huffman tables of a JPEG.
func badMarker(pic []byte) []byte {
	out := bytes.Clone(pic)
	at := bytes.Index(out, []byte{0xff, 0xc4})
	for i := range 40 {
		out[at+5+i] = 0xff
	}
	return out
}

func badChecksum(pic []byte) []byte {
	out := bytes.Clone(pic)
	out[len(out)-20] ^= 0xff
	return out
}

// twelveBit makes a JPEG claim 12 bits per sample.
func twelveBit(pic []byte) []byte {
	out := bytes.Clone(pic)
	out[bytes.Index(out, []byte{0xff, 0xc0})+4] = 12
	return out
}

func withCompression(pic []byte, compression byte) []byte {
	out := bytes.Clone(pic)
	out[bytes.Index(out, []byte{0x03, 0x01, 0x03, 0x00})+8] = compression
	return out
}

// bmpOf returns the header of a BMP.
func bmpOf(w, h, bits, compression uint32) []byte {
	out := append([]byte("BM"), make([]byte, 52)...)
	for at, v := range map[int]uint32{10: 54, 14: 40, 18: w, 22: h, 26: 1 | bits<<16, 30: compression} {
		binary.LittleEndian.PutUint32(out[at:], v)
	}
	return out
}

// loopTIFF returns a TIFF whose second page is its first.
func loopTIFF(t *testing.T) []byte {
	out := encoded(t, func(w io.Writer) error { return tiff.Encode(w, scene(8, 8), nil) })
	dir := binary.LittleEndian.Uint32(out[4:])
	entries := binary.LittleEndian.Uint16(out[dir:])
	binary.LittleEndian.PutUint32(out[dir+2+12*uint32(entries):], dir)
	return out
}

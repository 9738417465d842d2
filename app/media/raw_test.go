package media_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/media"
)

// inRaw returns the JPEG in the raw samples: 640 × 480, blue on the left.
func inRaw(t testing.TB) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 640, 480))
	for y := range 480 {
		for x := range 640 {
			c := color.NRGBA{16, 64, 224, 255}
			if x >= 320 {
				c = color.NRGBA{240, 128, 16, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return jpegOf(t, img)
}

// rawTIFF returns a rotated raw picture of 6000 × 4000 pixels with a JPEG. The mark is the
// beginning of the file. Some cameras put the JPEG into the first directory, and some only
// into maker notes, which are not read.
func rawTIFF(t testing.TB, mark, maker string) []byte {
	pic := inRaw(t)
	out := append([]byte(mark), make([]byte, 16-len(mark))...)
	exif := len(out)
	out = append(out, directory(exif, ascii(0x9003, "2024:05:06 07:08:09"), long(0xa002, 5980), long(0xa003, 3990))...)
	sub := len(out)
	out = append(out, directory(sub, long(0xfe, 0), long(0x100, 6000), long(0x101, 4000), short(0x103, 34713), short(0x106, 32803))...)
	at := len(out)
	out = append(out, pic...)
	out = append(out, make([]byte, len(out)%2)...)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)))
	var tags []tag
	isCR2, isRW2, isORF := len(mark) > 8, mark[2] == 'U', mark[2] == 'R'
	switch {
	case isRW2: // the borders of the sensor, and the JPEG as a value
		out = append(out[:at], make([]byte, len(out)-at)...)
		tags = append(tags, short(4, 10), short(5, 20), short(6, 4000), short(7, 6010), short(0x100, 0), short(0x101, 0))
		tags = append(tags[:4], tag{0x2e, 7, pic})
	case isCR2:
		tags = append(tags, long(0x100, 640), long(0x101, 480), short(0x103, 6))
	case isORF:
		tags = append(tags, long(0x100, 6000), long(0x101, 4000), short(0x103, 1))
	default:
		tags = append(tags, long(0xfe, 1), long(0x100, 160), long(0x101, 120), short(0x103, 1))
	}
	tags = append(tags, ascii(0x10f, maker))
	if isCR2 {
		tags = append(tags, long(0x111, uint32(at)))
	}
	tags = append(tags, short(0x112, 6))
	if isCR2 {
		tags = append(tags, long(0x117, uint32(len(pic))))
	}
	tags = append(tags, ascii(0x13b, "Ada"))
	if !isCR2 && !isRW2 && !isORF {
		tags = append(tags, long(0x14a, uint32(sub)), long(0x201, uint32(at)), long(0x202, uint32(len(pic))))
	}
	tags = append(tags, long(0x8769, uint32(exif)))
	return append(out, directory(len(out), tags...)...)
}

// tagged returns the JPEG with EXIF, as embedded in raw formats that are not based on TIFF.
func tagged(t testing.TB) []byte {
	block := append([]byte("II*\x00\x00\x00\x00\x00"), directory(8, ascii(0x9003, "2024:05:06 07:08:09"))...)
	binary.LittleEndian.PutUint32(block[4:], uint32(len(block)))
	block = append(block, directory(len(block), short(0x112, 6), ascii(0x13b, "Ada"), long(0x8769, 8))...)
	return segment(inRaw(t), 0xe1, append([]byte("Exif\x00\x00"), block...))
}

func rawRAF(t testing.TB) []byte {
	pic := tagged(t)
	out := append([]byte("FUJIFILMCCD-RAW 0201"), make([]byte, 80)...)
	order := binary.BigEndian
	order.PutUint32(out[84:], 100)
	order.PutUint32(out[88:], uint32(len(pic)))
	order.PutUint32(out[92:], uint32(100+len(pic)))
	out = append(out, pic...)
	return append(out, "\x00\x00\x00\x02\x01\x00\x00\x04\x0f\xb0\x17\x80\x01\x11\x00\x04\x0f\xa0\x17\x70"...)
}

func rawX3F(t testing.TB) []byte {
	pic := tagged(t)
	numbers := func(list ...uint32) (b []byte) {
		for _, n := range list {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
		return b
	}
	out := append([]byte("FOVb"), make([]byte, 36)...)
	first := len(out)
	out = append(append(append(out, "SECi"...), numbers(0x20000, 2, 18, 640, 480, 0)...), pic...)
	second := len(out)
	out = append(append(out, "SECi"...), numbers(0x20000, 1, 30, 6000, 4000, 0)...)
	dir := len(out)
	out = append(append(out, "SECd"...), numbers(0x20000, 2, uint32(first), uint32(second-first))...)
	out = append(append(out, "IMA2"...), numbers(uint32(second), uint32(dir-second))...)
	return append(append(out, "IMA2"...), numbers(uint32(dir))...)
}

func rawCR3(t testing.TB) []byte {
	box := func(kind string, parts ...[]byte) []byte {
		content := bytes.Join(parts, nil)
		out := binary.BigEndian.AppendUint32(nil, uint32(8+len(content)))
		return append(append(out, kind...), content...)
	}
	block := func(tags ...tag) []byte { return append([]byte("II*\x00\x08\x00\x00\x00"), directory(8, tags...)...) }
	canon := []byte("\x85\xc0\xb6\x87\x82\x0f\x11\xe0\x81\x11\xf4\xce\x46\x2b\x6a\x48")
	preview := []byte("\xea\xf4\x2b\x5e\x1c\x98\x4b\x88\xb9\xfb\xb7\xdc\x40\x6e\x4d\x16")
	pic := inRaw(t)
	head := binary.BigEndian.AppendUint32([]byte("\x00\x00\x00\x00\x00\x01\x02\x80\x01\xe0\x00\x01"), uint32(len(pic)))
	out := box("ftyp", []byte("crx \x00\x00\x00\x01crx isom"))
	out = append(out, box("moov", box("uuid", canon,
		box("CMT1", block(long(0x100, 6000), long(0x101, 4000), ascii(0x10f, "Canon"), short(0x112, 6), ascii(0x13b, "Ada"))),
		box("CMT2", block(ascii(0x9003, "2024:05:06 07:08:09"))),
		box("CMT4", block(ascii(1, "N"), rational(2, 47, 1, 30, 1, 0, 1), ascii(3, "E"), rational(4, 8, 1, 15, 1, 0, 1)))))...)
	return append(out, box("uuid", preview, make([]byte, 8), box("PRVW", head, pic))...)
}

// raws returns a raw picture of every format, by file name.
func raws(t testing.TB) map[string][]byte {
	const plain = "II*\x00"
	return map[string][]byte{
		"a.cr2": rawTIFF(t, plain+"\x00\x00\x00\x00CR\x02\x00", "Canon"), "a.cr3": rawCR3(t),
		"a.nef": rawTIFF(t, plain, "NIKON CORPORATION"), "a.nrw": rawTIFF(t, plain, "NIKON"), "a.arw": rawTIFF(t, plain, "SONY"),
		"a.srw": rawTIFF(t, plain, "SAMSUNG"), "a.pef": rawTIFF(t, plain, "PENTAX Corporation"), "a.orf": rawTIFF(t, "IIRO", "OLYMPUS"),
		"a.rw2": rawTIFF(t, "IIU\x00", "Panasonic"), "a.3fr": rawTIFF(t, plain, "Hasselblad"), "a.erf": rawTIFF(t, plain, "SEIKO EPSON CORP."),
		"a.dcr": rawTIFF(t, plain, "Kodak"), "a.raf": rawRAF(t), "a.x3f": rawX3F(t),
	}
}

// The picture of a raw file is its embedded JPEG, upright; its size is that of the raw
// picture.
func TestRaws(t *testing.T) {
	t.Parallel()
	for name, data := range raws(t) {
		r, err := extract(data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.EqualFold(r.Type.Name, name[2:]) || r.Creator != "Ada" || r.CaptureDate == nil || r.CaptureDate.Minute() != 8 {
			t.Errorf("%s: %+v", name, r.Facts)
		}
		if w := r.Height; r.Width < 3990 || r.Width > 4000 || w < 5980 || w > 6000 {
			t.Errorf("%s has %d × %d pixels", name, r.Width, r.Height)
		}
		if file(r)["preview"] != "the picture that the camera put in" || file(r)["warning"] != nil || file(r)["metadata_error"] != nil {
			t.Errorf("%s: %v", name, file(r))
		}
		if red, _, blue := at(t, r, 50, 20); red > 40 || blue < 200 {
			t.Errorf("%s: above is %d, %d", name, red, blue)
		}
		if red, _, blue := at(t, r, 50, 80); red < 220 || blue > 40 {
			t.Errorf("%s: below is %d, %d", name, red, blue)
		}
	}
	r, err := extract(raws(t)["a.cr3"], "a.cr3")
	if err != nil || r.Location == nil || *r.Location.Latitude != 47.5 || *r.Location.Longitude != 8.25 {
		t.Errorf("the place of a CR3: %+v, %v", r, err)
	}
}

// A raw file without a JPEG is accepted, and states why it has no preview.
func TestRawWithoutPicture(t *testing.T) {
	t.Parallel()
	data := bytes.ReplaceAll(raws(t)["a.nef"], []byte("\xff\xd8\xff"), []byte("\xff\x00\xff"))
	p := media.New(media.DefaultLimits())
	r, err := extractBy(t, p, data, "a.nef")
	if err != nil || r.Picture != nil || r.Width != 3990 ||
		file(r)["no_preview"] != "the camera put no picture into it that the library can read" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := p.Render(t.Context(), bytes.NewReader(data), int64(len(data)), "a.nef", "preview"); err == nil {
		t.Error("a preview of nothing")
	}
	lossless := bytes.Replace(raws(t)["a.nef"], []byte("\xff\xc0\x00\x11"), []byte("\xff\xc3\x00\x11"), 1)
	if r, err := extract(lossless, "a.nef"); err != nil || r.Picture != nil {
		t.Errorf("raw data is taken for a picture: %+v, %v", r, err)
	}
	if typ, _, err := media.Detect(bytes.NewReader(data), int64(len(data))); err != nil || typ.Name != "NEF" {
		t.Errorf("without its name it is %s, %v", typ.Name, err)
	}
}

// The files of real cameras that are part of the metadata module.
func TestRealRaws(t *testing.T) {
	t.Parallel()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/bep/imagemeta").Output()
	if err != nil {
		t.Skip("the module is not there")
	}
	for name, want := range map[string]struct {
		width, height int
		taken         string
	}{
		"sample.arw": {3880, 2600, "2009-11-13T13:33:25"}, "sample.cr2": {3648, 2736, "2011-08-24T14:41:04"},
		"sample.nef": {2012, 1324, "2000-11-19T13:01:50"}, "bep/jølstravatnet.pef": {6080, 4032, "2021-02-05T08:56:53"},
	} {
		data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "testdata/images", name))
		if err != nil {
			t.Skip(err)
		}
		r, err := extract(data, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Width != want.width || r.Height != want.height || r.CaptureDate == nil ||
			r.CaptureDate.UTC().Format("2006-01-02T15:04:05") != want.taken {
			t.Errorf("%s: %d × %d, %v", name, r.Width, r.Height, r.CaptureDate)
		}
		if (r.Picture == nil) != (name == "sample.nef") { // its JPEG is truncated
			t.Errorf("%s: %v", name, file(r))
		}
	}
}

func TestMutationsOfRaws(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	for name, data := range raws(t) {
		mutate(t, name, data, 100)
	}
}

func FuzzRaw(f *testing.F) {
	for _, data := range raws(f) {
		f.Add(data)
	}
	p := media.New(media.Limits{MaxPixels: 1 << 19, MaxFrames: 50, MemoryBudget: 8 << 20, Timeout: 20 * time.Second})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := p.Extract(t.Context(), bytes.NewReader(data), int64(len(data)), "")
		if err == nil && r.Picture == nil && file(r)["no_preview"] == nil && r.Type.Category == "Image" {
			t.Errorf("%s has no picture, and no reason", r.Type.Name)
		}
	})
}

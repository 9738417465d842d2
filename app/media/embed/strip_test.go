package embed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/media/embed"
	"github.com/digital-asset-library/dal/app/media/tiff"
)

var credits = []embed.Property{
	{Path: "dc:creator", Texts: []string{"Ada Lovelace"}}, {Path: "dc:rights", Texts: []string{"© 2026 Ada"}},
}

// stripped returns a stripped copy of a file.
func stripped(t testing.TB, mime string, data []byte, says []embed.Property) []byte {
	t.Helper()
	plan, err := embed.Strip(mime, bytes.NewReader(data), int64(len(data)), says)
	if err != nil {
		t.Fatal(err)
	}
	c := plan.Of(bytes.NewReader(data))
	out, err := io.ReadAll(c)
	if err != nil || int64(len(out)) != c.Size() {
		t.Fatalf("%d bytes of %d: %v", len(out), c.Size(), err)
	}
	return out
}

func madeGIF(t testing.TB) []byte {
	all := &gif.GIF{LoopCount: 3}
	for i := range 3 {
		img := image.NewPaletted(image.Rect(0, 0, 20, 10), color.Palette{color.Black, color.White, color.RGBA{200, 0, 0, 255}})
		img.SetColorIndex(i, i, 2)
		all.Image, all.Delay = append(all.Image, img), append(all.Delay, 7)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, all); err != nil {
		t.Fatal(err)
	}
	comment := append([]byte("\x21\xfe\x06secret\x00\x21\xff\x0bSECRETAPP10\x03abc\x00"), b.Bytes()[b.Len()-1], 's', 'e', 'c')
	return append(b.Bytes()[:b.Len()-1], comment...)
}

// pictures returns the samples of the formats that can be stripped, without damaged ones.
func pictures(t testing.TB) map[string][]byte {
	list := samples(t)
	list["made.gif"] = madeGIF(t)
	for name, data := range list {
		kind, ok, err := media.Detect(bytes.NewReader(data), int64(len(data)))
		if err != nil || !ok || !embed.Strips(kind.MIME) {
			delete(list, name)
		}
	}
	return list
}

func mimeOf(t testing.TB, data []byte) string {
	t.Helper()
	kind, _, err := media.Detect(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return kind.MIME
}

// samePixels reports whether two files decode to the same picture, including all frames.
func samePixels(t testing.TB, a, b []byte) bool {
	t.Helper()
	if bytes.HasPrefix(a, []byte("GIF")) {
		one, err := gif.DecodeAll(bytes.NewReader(a))
		two, err2 := gif.DecodeAll(bytes.NewReader(b))
		return errors.Join(err, err2) == nil && reflect.DeepEqual(one, two)
	}
	if isTIFF(a) {
		one, err := pagesOf(a)
		two, err2 := pagesOf(b)
		return fmt.Sprint(err) == fmt.Sprint(err2) && reflect.DeepEqual(one, two)
	}
	one, _, err := image.Decode(bytes.NewReader(a))
	two, _, err2 := image.Decode(bytes.NewReader(b))
	if err != nil || err2 != nil { // of a kind that only dal reads
		return fmt.Sprint(err) == fmt.Sprint(err2)
	}
	return reflect.DeepEqual(one, two)
}

func isTIFF(b []byte) bool {
	return bytes.HasPrefix(b, []byte("II")) || bytes.HasPrefix(b, []byte("MM"))
}

// pagesOf returns the pages of a TIFF, excluding reduced versions of others.
func pagesOf(data []byte) (list []image.Image, err error) {
	f, err := tiff.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	for at := f.First; at != 0; {
		d, err := f.Directory(at)
		if err != nil {
			return nil, err
		}
		if f.Number(d, 254, 0)&1 == 0 {
			p, err := f.Picture(at)
			if err != nil {
				return nil, err
			}
			img, err := p.Decode()
			if err != nil {
				return nil, err
			}
			list = append(list, img)
		}
		at = d.Next
	}
	return list, nil
}

// shownTIFF are the TIFF tags that affect rendering.
var shownTIFF = strings.Fields(`SubfileType OldSubfileType ImageWidth ImageHeight BitsPerSample Compression PhotometricInterpretation
	FillOrder Orientation SamplesPerPixel RowsPerStrip StripOffsets StripByteCounts TileOffsets TileByteCounts TileWidth TileLength
	XResolution YResolution ResolutionUnit PlanarConfiguration PageNumber Predictor WhitePoint PrimaryChromaticities InkSet ExtraSamples
	SampleFormat
	ReferenceBlackWhite YCbCrSubSampling YCbCrPositioning YCbCrCoefficients JPEGTables ColorMap T4Options T6Options
	PreviewImage PreviewImageStart PreviewImageLength ApplicationNotes`) // exiftool's names for JPEG strips, and for XMP in a BigTIFF

// told are the tags that exiftool may report for stripped copies, in addition to the
// groups of the formats themselves: File, JFIF, PNG, GIF, RIFF, ICC.
var told = []string{
	"SourceFile", "ExifTool:ExifToolVersion", "XMP-x:XMPToolkit", "XMP-dc:Creator", "XMP-dc:Rights",
	"Adobe:DCTEncodeVersion", "Adobe:APP14Flags0", "Adobe:APP14Flags1", "Adobe:ColorTransform", "File:ExifByteOrder",
}

func mayTell(tag string) bool {
	group, name, _ := strings.Cut(tag, ":")
	switch group {
	case "System", "Composite", "QuickTime", "Meta", "JFIF", "PNG", "PNG-pHYs", "PNG-cICP", "RIFF",
		"ICC_Profile", "ICC-header", "ICC-view", "ICC-meas", "ICC-chrm":
		return true
	case "File":
		return name != "Comment" && !strings.Contains(name, "IPTC") && !strings.Contains(name, "Digest")
	case "GIF":
		return name != "Comment"
	case "IFD0", "IFD1", "IFD2":
		return slices.Contains(shownTIFF, name) || group == "IFD0" && (name == "Artist" || name == "Copyright")
	}
	return slices.Contains(told, tag)
}

// dirty writes personal data into the files of a folder, in every place that exiftool
// supports.
func dirty(t testing.TB, dir string) {
	t.Helper()
	thumb := filepath.Join(t.TempDir(), "thumb.jpg")
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30)), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(thumb, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{
		"-q", "-overwrite_original", "-m", "-EXIF:Orientation#=6", "-EXIF:GPSLatitude=48.1", "-EXIF:GPSLatitudeRef=N", "-EXIF:GPSLongitude=11.5",
		"-EXIF:Make=SECRETMAKE", "-EXIF:SerialNumber=SECRETSERIAL", "-EXIF:DateTimeOriginal=2026:01:02 03:04:05", "-EXIF:Artist=SECRETARTIST",
		"-EXIF:UserComment=SECRETCOMMENT", "-XMP-dc:Title=SECRETTITLE", "-XMP-xmpMM:PreservedFileName=SECRETNAME.jpg",
		"-XMP-exif:GPSLatitude=48.1", "-IPTC:City=SECRETCITY", "-IPTC:Caption-Abstract=SECRETCAPTION", "-Comment=SECRETCOMMENT",
		"-Photoshop:PhotoshopThumbnail<=" + thumb, "-ThumbnailImage<=" + thumb, "-PNG:Author=SECRETAUTHOR", "-PNG:Title=SECRETTITLE",
		"-PNG:ModifyDate=2026:01:02 03:04:05", dir,
	}
	_ = exec.Command("exiftool", args...).Run() // not every format supports every tag
}

// According to exiftool, stripped copies contain only the given metadata. They show the same
// picture.
func TestStrip(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("exiftool")
	hasTool := err == nil
	if !hasTool {
		t.Log("exiftool is not installed")
	}
	from, to := t.TempDir(), t.TempDir()
	for name, data := range pictures(t) {
		if err := os.WriteFile(filepath.Join(from, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, "dirty-"+name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if hasTool {
		dirty(t, from)
	}
	seen := map[string]bool{}
	files, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(from, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, "\xff\xd8SECRETTRAILER"...) // like the video in motion photos
		mime := mimeOf(t, data)
		out := stripped(t, mime, data, credits)
		seen[mime] = true
		if !samePixels(t, data, out) {
			t.Errorf("%s: it shows another picture", file.Name())
		}
		if bytes.Contains(out, []byte("SECRET")) || bytes.Contains(out, []byte("secret")) || !bytes.Contains(out, []byte("Ada Lovelace")) {
			t.Errorf("%s: it says too much, or too little", file.Name())
		}
		if again := stripped(t, mime, out, credits); !bytes.Equal(again, out) {
			t.Errorf("%s: stripped twice it is another one", file.Name())
		}
		plan, err := embed.Strip(mime, bytes.NewReader(data), int64(len(data)), credits)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(plan.Of(bytes.NewReader(data)), out); err != nil {
			t.Errorf("%s: %v", file.Name(), err)
		}
		bare := stripped(t, mime, data, nil)
		if bytes.Contains(bare, []byte("xpacket")) || !samePixels(t, data, bare) {
			t.Errorf("%s: without a word it says something", file.Name())
		}
		for prefix, b := range map[string][]byte{"0-": bare, "1-": out} {
			if err := os.WriteFile(filepath.Join(to, prefix+file.Name()), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, mime := range embed.StripTypes() {
		if strings.HasPrefix(mime, "image/") && !seen[mime] {
			t.Errorf("no sample of %s", mime)
		}
	}
	if hasTool {
		inspect(t, to)
	}
}

// inspect reads the copies in a folder with exiftool.
func inspect(t *testing.T, dir string) {
	t.Helper()
	out, err := exec.Command("exiftool", "-j", "-a", "-u", "-G1", "-ee", dir).Output()
	if _, isExit := errors.AsType[*exec.ExitError](err); err != nil && !isExit {
		t.Fatal(err)
	}
	var list []map[string]any
	if err := json.Unmarshal(out, &list); err != nil || len(list) < 20 {
		t.Fatalf("%d files, %v", len(list), err)
	}
	var turned int
	for _, tags := range list {
		name := filepath.Base(fmt.Sprint(tags["SourceFile"]))
		if strings.HasSuffix(name, "jpeg-rgb.tif") {
			delete(tags, "ExifTool:Warning") // exiftool takes its strips for a single picture
		}
		for tag, v := range tags {
			if !mayTell(tag) {
				t.Errorf("%s says %s: %v", name, tag, v)
			}
		}
		if strings.Contains(name, "big") {
			tags["XMP-dc:Creator"], tags["XMP-dc:Rights"] = tags["IFD0:Artist"], tags["IFD0:Copyright"]
		}
		if strings.HasPrefix(name, "1-") && (fmt.Sprint(tags["XMP-dc:Creator"]) != "Ada Lovelace" || tags["XMP-dc:Rights"] != "© 2026 Ada") {
			t.Errorf("%s: %v, %v", name, tags["XMP-dc:Creator"], tags["XMP-dc:Rights"])
		}
		if strings.Contains(name, "dirty") && tags["IFD0:Orientation"] == "Rotate 90 CW" {
			turned++
		}
	}
	if turned < 10 {
		t.Errorf("%d pictures are still turned", turned)
	}
}

// Files with an invalid structure, and pictures that cannot be stripped, are rejected.
func TestStripRefuses(t *testing.T) {
	t.Parallel()
	for name, data := range pictures(t) {
		mime := mimeOf(t, data)
		for _, n := range []int{0, 1, 8, 20, min(60, len(data)/2)} {
			if _, err := embed.Strip(mime, bytes.NewReader(data[:n]), int64(n), nil); !errors.Is(err, embed.ErrDamaged) {
				t.Errorf("%d bytes of %s: %v", n, name, err)
			}
		}
	}
	for _, mime := range []string{"image/x-adobe-dng", "application/pdf", "text/plain", ""} {
		if _, err := embed.Strip(mime, bytes.NewReader(nil), 0, nil); !errors.Is(err, embed.ErrNotTaken) || embed.Strips(mime) {
			t.Errorf("%s: %v", mime, err)
		}
	}
	long := []embed.Property{{Path: "dc:rights", Texts: []string{strings.Repeat("ü", 40_000)}}}
	data := samples(t)["420.jpg"]
	if _, err := embed.Strip("image/jpeg", bytes.NewReader(data), int64(len(data)), long); !errors.Is(err, embed.ErrTooLong) {
		t.Error(err)
	}
}

func FuzzStrip(f *testing.F) {
	types := embed.StripTypes()
	files := pictures(f)
	maps.Copy(files, movies(f))
	maps.Copy(files, sounds(f))
	maps.Copy(files, stills(f))
	for _, data := range files {
		if len(data) < 40<<10 {
			f.Add(data, uint8(slices.Index(types, mimeOf(f, data))))
		}
	}
	for name, data := range damagedFiles(f) {
		mime, _, _ := strings.Cut(name, " ")
		if len(data) < 40<<10 {
			f.Add(data, uint8(slices.Index(types, mime)))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		mime := types[int(which)%len(types)]
		plan, err := embed.Strip(mime, bytes.NewReader(data), int64(len(data)), credits)
		if err != nil {
			return
		}
		out, err := io.ReadAll(plan.Of(bytes.NewReader(data)))
		if err != nil || !bytes.Contains(out, []byte("Ada Lovelace")) || len(out) > 3*len(data)+4<<10 {
			t.Errorf("%d bytes of %d, %v", len(out), len(data), err)
		}
		if again := stripped(t, mime, out, credits); len(again) != len(out) {
			t.Errorf("stripped twice it is another one: %q, %q", out, again)
		}
		if bytes.Contains(besidePicture(mime, out), []byte(secret[:6])) {
			t.Errorf("metadata is beside the picture: %q", out)
		}
	})
}

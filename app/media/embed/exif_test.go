package embed_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/digital-asset-library/dal/app/media/embed"
)

// exifOf returns the EXIF tags and warnings that exiftool finds in the files of a folder, by
// name.
func exifOf(t *testing.T, dir string) map[string]map[string]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "exiftool", "-j", "-n", "-G1", "-a", "-u", "-b", "-EXIF:all", "-ExifTool:all",
		"-MakerNotes:all", dir).Output()
	var list []map[string]any
	if json.Unmarshal(out, &list) != nil {
		t.Fatalf("%s: %v", out, err)
	}
	files := map[string]map[string]string{}
	for _, tags := range list {
		file := map[string]string{}
		for tag, v := range tags {
			file[tag] = fmt.Sprint(v)
		}
		delete(file, "SourceFile")
		delete(file, "IFD0:ApplicationNotes") // XMP
		files[filepath.Base(fmt.Sprint(tags["SourceFile"]))] = file
	}
	return files
}

// The offset of a capture time is added to the EXIF of a copy if that has the same date;
// nothing else in the EXIF changes.
func TestOffsetInEXIF(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("exiftool"); err != nil {
		t.Skip("exiftool is not installed")
	}
	const original, digitized = "ExifIFD:OffsetTimeOriginal", "ExifIFD:OffsetTimeDigitized"
	little := map[string]string{"jpg": "420.jpg", "png": "made.png", "webp": "lossy.webp", "tif": "gray16.tif"}
	big := map[string]string{"jpg": "420.jpg", "png": "made.png", "webp": "lossy.webp", "tif": "be.tif"}
	oneJPEG := map[string]string{"jpg": "420.jpg"}
	clock := []string{"-EXIF:DateTimeOriginal=2023:12:31 22:00:00", "-EXIF:Make=Maker", "-EXIF:ISO=100"}
	zones := append([]string{"-EXIF:OffsetTime=+01:00", "-EXIF:OffsetTimeOriginal=+01:00", "-EXIF:OffsetTimeDigitized=+01:00",
		"-EXIF:CreateDate=2023:12:31 22:00:00", "-EXIF:ModifyDate=2024:01:01 10:00:00"}, clock...)
	all := t.TempDir()
	changes := map[string]map[string]string{}
	for i, tt := range []struct {
		files map[string]string
		order string
		given []string
		date  string
		want  map[string]string // the changed tags
	}{
		{little, "II", clock, "2023-12-31T22:00:00-08:00", map[string]string{original: "-08:00"}},
		{big, "MM", clock, "2023-12-31T22:00:00.25+05:45", map[string]string{original: "+05:45"}},
		{little, "II", zones, "2023-12-31T22:00:00-08:00", map[string]string{original: "-08:00", digitized: "-08:00"}},
		{oneJPEG, "MM", zones, "2023-12-31T22:00:00+01:00", nil},
		{oneJPEG, "MM", zones, "2023-12-31T21:00:00-08:00", nil}, // another clock
		{oneJPEG, "MM", zones, "2023-12-31T22:00:00", nil},
		{oneJPEG, "MM", clock, "2023-12-31T22:00:00Z", nil},
		{oneJPEG, "MM", []string{"-EXIF:Make=Maker"}, "2023-12-31T22:00:00-08:00", nil},
		{oneJPEG, "MM", []string{"-XMP-dc:Title=a"}, "2023-12-31T22:00:00-08:00", nil},
	} {
		dir := t.TempDir()
		for name, sample := range tt.files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.%s", i, name)), samples(t)[sample], 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args := append([]string{"-q", "-overwrite_original", "-ExifByteOrder=" + tt.order}, tt.given...)
		if out, err := exec.CommandContext(t.Context(), "exiftool", append(args, dir)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		for name := range tt.files {
			name = fmt.Sprintf("%d.%s", i, name)
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			c, err := embed.New(mimeOf(t, data), bytes.NewReader(data), int64(len(data)),
				[]embed.Property{{Path: "exif:DateTimeOriginal", Texts: []string{tt.date}}})
			if err != nil {
				t.Fatal(err)
			}
			out, err := io.ReadAll(c)
			if err != nil || int64(len(out)) != c.Size() {
				t.Fatalf("%d bytes of %d: %v", len(out), c.Size(), err)
			}
			if !samePixels(t, data, out) {
				t.Errorf("%s shows another picture", name)
			}
			for prefix, content := range map[string][]byte{"from-": data, "to-": out} {
				if err := os.WriteFile(filepath.Join(all, prefix+name), content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			changes[name] = tt.want
		}
	}
	files := exifOf(t, all)
	if len(files) != 2*len(changes) {
		t.Fatalf("%d files", len(files))
	}
	for name, changed := range changes {
		got, want := files["to-"+name], files["from-"+name]
		maps.Copy(want, changed)
		if !maps.Equal(got, want) {
			t.Errorf("%s\ngot %v\nwant %v", name, got, want)
		}
	}
}

// EXIF is damaged in every way; a copy is then made without the offset in EXIF, or with it.
func FuzzOffsetInEXIF(f *testing.F) {
	for _, exif := range []string{
		"II*\x00\x08\x00\x00\x00\x01\x00\x69\x87\x04\x00\x01\x00\x00\x00\x1a\x00\x00\x00\x00\x00\x00\x00" +
			"\x01\x00\x03\x90\x02\x00\x14\x00\x00\x00\x2c\x00\x00\x00\x00\x00\x00\x002023:12:31 22:00:00\x00",
		"MM\x00*\x00\x00\x00\x08\x00\x01\x87\x69\x00\x04\x00\x00\x00\x01\x00\x00\x00\x1a\x00\x00\x00\x00" +
			"\x00\x01\x90\x03\x00\x02\x00\x00\x00\x14\x00\x00\x00\x2c\x00\x00\x00\x002023:12:31 22:00:00\x00",
		"II*\x00\x08\x00\x00\x00\xff\xff\x69\x87\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00", "MM", "",
	} {
		f.Add([]byte(exif))
	}
	picture := samples(f)["420.jpg"]
	says := []embed.Property{{Path: "exif:DateTimeOriginal", Texts: []string{"2023-12-31T22:00:00-08:00"}}}
	f.Fuzz(func(t *testing.T, exif []byte) {
		if len(exif) > 60_000 {
			return
		}
		data := append([]byte{0xff, 0xd8, 0xff, 0xe1, byte((len(exif) + 8) >> 8), byte(len(exif) + 8)}, "Exif\x00\x00"...)
		data = append(append(data, exif...), picture[2:]...)
		c, err := embed.New("image/jpeg", bytes.NewReader(data), int64(len(data)), says)
		if err != nil {
			t.Fatal(err)
		}
		out, err := io.ReadAll(c)
		if err != nil || int64(len(out)) != c.Size() {
			t.Fatalf("%d bytes of %d: %v", len(out), c.Size(), err)
		}
		again, err := embed.New("image/jpeg", bytes.NewReader(out), int64(len(out)), says)
		if err != nil || again.Size() != c.Size() {
			t.Errorf("written twice it has %d bytes, and %d before: %v", again.Size(), c.Size(), err)
		}
	})
}

package embed_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/media/embed"
)

// stills returns the samples of HEIC and AVIF.
func stills(t testing.TB) map[string][]byte {
	t.Helper()
	list := map[string][]byte{}
	for _, name := range []string{"a.heic", "a.avif"} {
		data, err := os.ReadFile(filepath.Join("../testdata/halves", name))
		if err != nil {
			t.Fatal(err)
		}
		list[name] = data
	}
	return list
}

// madeStills adds pictures made by vips, with metadata by exiftool, if both are available.
func madeStills(t testing.TB, list map[string][]byte) {
	t.Helper()
	for _, program := range []string{"vips", "exiftool"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("%s is not installed", program)
			return
		}
	}
	dir := t.TempDir()
	colors := filepath.Join(dir, "colors.v")
	if out, err := exec.Command("vips", "bandjoin_const", "../testdata/420.jpg", colors, "128").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, options := range map[string][]string{
		"alpha.avif": {"--compression", "av1", "--effort", "0"}, "alpha.heic": {"--compression", "hevc", "--effort", "0"},
	} {
		path := filepath.Join(dir, name)
		if out, err := exec.Command("vips", append([]string{"heifsave", colors, path}, options...)...).CombinedOutput(); err != nil {
			t.Logf("%s: %v: %s", name, err, out)
			continue
		}
		out, err := exec.Command("exiftool", "-q", "-overwrite_original", "-EXIF:Make=SECRETMAKE", "-EXIF:GPSLatitude=48.1",
			"-EXIF:GPSLatitudeRef=N", "-XMP-dc:Title=SECRETTITLE", path).CombinedOutput()
		data, errRead := os.ReadFile(path)
		if err != nil || errRead != nil || !bytes.Contains(data, []byte("SECRET")) {
			t.Fatalf("%s: %v, %v: %s", name, err, errRead, out)
		}
		list[name] = append(data, "SECRETTRAILER"...)
	}
}

// Copies of HEIC and AVIF render identically and contain no other metadata.
func TestStripStills(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("one goroutine, which mostly waits for FFmpeg")
	}
	list := stills(t)
	madeStills(t, list)
	for name, data := range list {
		out := checkedCopy(t, name, data)
		dir := t.TempDir()
		for prefix, b := range map[string][]byte{"0-": data, "1-": out} {
			if err := os.WriteFile(filepath.Join(dir, prefix+name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		inspectStill(t, filepath.Join(dir, "1-"+name))
		if _, err := exec.LookPath("vips"); err != nil {
			continue
		}
		var pixels [2][]byte
		for i, prefix := range []string{"0-", "1-"} {
			path := filepath.Join(dir, prefix+name)
			if said, err := exec.Command("vips", "rawsave", path, path+".raw").CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", path, err, said)
				continue
			}
			var err error
			if pixels[i], err = os.ReadFile(path + ".raw"); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(pixels[0], pixels[1]) {
			t.Errorf("%s: its pixels are others", name)
		}
	}
}

// inspectStill reads a copy with exiftool, if available.
func inspectStill(t *testing.T, path string) {
	t.Helper()
	if _, err := exec.LookPath("exiftool"); err != nil {
		t.Log("exiftool is not installed")
		return
	}
	out, err := exec.Command("exiftool", "-j", "-a", "-u", "-G1", "-ee", path).Output()
	var list []map[string]any
	if json.Unmarshal(out, &list) != nil || len(list) != 1 {
		t.Fatalf("%s: %v: %s", path, err, out)
	}
	tags := list[0]
	if tags["XMP-dc:Creator"] != "Ada Lovelace" || tags["XMP-dc:Rights"] != "© 2026 Ada" {
		t.Errorf("%s: %v", path, tags)
	}
	for tag, v := range tags {
		group, name, _ := strings.Cut(tag, ":")
		known := slices.Contains(strings.Fields("System File Composite ICC_Profile ICC-header QuickTime Meta"), group)
		if !known && !slices.Contains(told, tag) || strings.Contains(name, "Thumbnail") {
			t.Errorf("%s says %s: %v", path, tag, v)
		}
	}
}

// Copies contain no thumbnails, whether hidden or not.
func TestStripStillThumbnail(t *testing.T) {
	t.Parallel()
	data := stills(t)["a.heic"]
	want := stripped(t, "image/heic", data, credits)
	small := bytes.Replace(data, []byte("Exif\x00"), []byte("hvc1\x00"), 1)
	if out := stripped(t, "image/heic", small, credits); !bytes.Equal(out, want) { // it is hidden
		t.Errorf("%d bytes of %d", len(out), len(want))
	}
	small = bytes.Replace(small, []byte("infe\x02\x00\x00\x01\x00\x03"), []byte("infe\x02\x00\x00\x00\x00\x03"), 1)
	if out := stripped(t, "image/heic", small, credits); bytes.Equal(out, want) { // it is another picture
		t.Error("a second picture is missing")
	}
	small = bytes.Replace(small, []byte("cdsc\x00\x03"), []byte("thmb\x00\x03"), 1)
	if out := stripped(t, "image/heic", small, credits); !bytes.Equal(out, want) {
		t.Errorf("%d bytes of %d", len(out), len(want))
	}
}

// Pictures with an invalid or unsupported structure are rejected.
func TestStripStillRefuses(t *testing.T) {
	t.Parallel()
	data := stills(t)["a.heic"]
	for name, tt := range map[string]struct {
		old, new string
		err      error
	}{
		"moves":            {"\x00\x00\x0d\x2amdat", "\x00\x00\x0d\x2amoov", embed.ErrNotTaken},
		"other pictures":   {"hvc1\x00", "jpeg\x00", embed.ErrNotTaken},
		"no such item":     {"\x0epitm\x00\x00\x00\x00\x00\x02", "\x0epitm\x00\x00\x00\x00\x00\x09", embed.ErrNotTaken},
		"no places":        {"iloc", "xxxx", embed.ErrDamaged},
		"data elsewhere":   {"\x00\x00\x00\x00\x0e\xd2", "\x00\x01\x00\x00\x0e\xd2", embed.ErrNotTaken},
		"data behind":      {"\x00\x00\x0e\xd2\x00\x01", "\x00\x7f\x0e\xd2\x00\x01", embed.ErrDamaged},
		"unknown property": {"hvcC", "xxxx", embed.ErrNotTaken},
		"no items":         {"infe\x02", "infe\x01", embed.ErrNotTaken},
	} {
		if !bytes.Contains(data, []byte(tt.old)) {
			t.Errorf("%s: the sample has no %q", name, tt.old)
		}
		file := bytes.Replace(data, []byte(tt.old), []byte(tt.new), 1)
		if _, err := embed.Strip("image/heic", bytes.NewReader(file), int64(len(file)), nil); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, n := range []int{0, 20, 300, 3000} {
		if _, err := embed.Strip("image/heic", bytes.NewReader(data[:n]), int64(n), nil); !errors.Is(err, embed.ErrDamaged) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// A picture with the highest possible item number leaves none for the metadata item.
func TestStripLastItem(t *testing.T) {
	t.Parallel()
	box := func(kind string, parts ...[]byte) []byte {
		body := slices.Concat(parts...)
		return slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), []byte(kind), body)
	}
	still := func(id uint32) []byte {
		number := binary.BigEndian.AppendUint32(nil, id)
		return slices.Concat(
			box("ftyp", []byte("avif\x00\x00\x00\x00mif1")),
			box("meta", make([]byte, 4),
				box("pitm", []byte{1, 0, 0, 0}, number),
				box("iinf", []byte{0, 0, 0, 0, 0, 1}, box("infe", []byte{3, 0, 0, 0}, number, []byte("\x00\x00av01\x00"))),
				box("iloc", []byte{2, 0, 0, 0, 0x44, 0, 0, 0, 0, 1}, number, []byte{0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4}),
				box("idat", []byte("data"))))
	}
	says := []embed.Property{{Path: "dc:creator", Texts: []string{"Ada"}}}
	for id, want := range map[uint32]error{1 << 20: nil, 1<<32 - 1: embed.ErrNotTaken} {
		data := still(id)
		if _, err := embed.Strip("image/avif", bytes.NewReader(data), int64(len(data)), says); !errors.Is(err, want) {
			t.Errorf("item %d: %v, not %v", id, err, want)
		}
	}
}

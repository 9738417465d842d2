package embed_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/media/embed"
)

// Copies omit the reduced versions of a picture; vips reads them identically.
func TestStripLargeTIFF(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("vips"); err != nil {
		t.Skip("vips is not installed")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	vips := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("vips", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	vips("gaussnoise", in("grey.v"), "300", "200", "--mean", "128")
	vips("cast", in("grey.v"), in("noise.v"), "uchar")
	for name, options := range map[string]string{
		"pyramid.tif": "--pyramid --tile --tile-width 64 --tile-height 64",
		"sub.tif":     "--pyramid --subifd --tile --tile-width 64 --tile-height 64",
		"jpeg.tif":    "--compression jpeg --tile",
		"big.tif":     "--bigtiff --compression zstd --predictor horizontal",
	} {
		vips(append([]string{"tiffsave", in("noise.v"), in(name)}, strings.Fields(options)...)...)
		data, err := os.ReadFile(in(name))
		if err != nil {
			t.Fatal(err)
		}
		out := checkedCopy(t, name, data)
		smaller := strings.Contains("pyramid.tif sub.tif", name)
		if n := bytes.Count(out, []byte("Ada Lovelace")); n != 2 || smaller && len(out) > len(data)*9/10 {
			t.Errorf("%s: %d bytes of %d, the name %d times", name, len(out), len(data), n)
		}
		if err := os.WriteFile(in("bare-"+name), out, 0o600); err != nil {
			t.Fatal(err)
		}
		var pixels [2][]byte
		for i, path := range []string{in(name), in("bare-" + name)} {
			vips("rawsave", path, path+".raw")
			if pixels[i], err = os.ReadFile(path + ".raw"); err != nil {
				t.Fatal(err)
			}
		}
		if len(pixels[0]) < 60_000 || !bytes.Equal(pixels[0], pixels[1]) {
			t.Errorf("%s: its pixels are others", name)
		}
	}
}

// Files with an invalid structure are rejected, as are strips that contain metadata.
func TestStripTIFFRefuses(t *testing.T) {
	t.Parallel()
	list := samples(t)
	jpeg := list["jpeg-rgb.tif"]
	start := bytes.LastIndex(jpeg, []byte("\xff\xd8\xff")) // start of the last strip
	said := bytes.Clone(jpeg)
	copy(said[start+2:], "\xff\xe1\x00\x04AB")
	plain := list["rgb16.tif"]
	first := binary.LittleEndian.Uint32(plain[4:])
	n := 12 * int(binary.LittleEndian.Uint16(plain[first:]))
	loop := bytes.Clone(plain)
	binary.LittleEndian.PutUint32(loop[int(first)+2+n:], first)
	const packed = "\x03\x01\x03\x00\x01\x00\x00\x00"
	old := bytes.Replace(jpeg, []byte(packed+"\x07"), []byte(packed+"\x06"), 1)
	for name, tt := range map[string]struct {
		data []byte
		err  error
	}{
		"strip that speaks": {said, embed.ErrNotTaken},
		"loop":              {loop, embed.ErrDamaged},
		"old JPEG":          {old, embed.ErrNotTaken},
		"cut off":           {plain[:len(plain)*2/3], embed.ErrDamaged},
	} {
		if _, err := embed.Strip("image/tiff", bytes.NewReader(tt.data), int64(len(tt.data)), nil); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package tiff

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzDecode checks that decoding stays within the estimated memory, returns the declared
// size, and never panics.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "tiff", "*.tif"))
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		p, err := file.Picture(file.First)
		if err != nil {
			return
		}
		const most = 4 << 20
		need := p.Need(most)
		if need < int64(p.Width)*int64(p.Height) {
			t.Fatalf("%d bytes for %d × %d", need, p.Width, p.Height)
		}
		if need > most {
			return
		}
		if img, err := p.Decode(); err == nil && (img.Bounds().Dx() != p.Width || img.Bounds().Dy() != p.Height) {
			t.Fatalf("%v, not %d × %d", img.Bounds(), p.Width, p.Height)
		}
	})
}

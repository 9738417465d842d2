package npm_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/npm"
)

// Only a tarball with the pinned checksum is opened.
func TestFiles(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range map[string]string{"package/a.txt": "first", "package/b/c.txt": ""} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "some.tgz")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))
	files, err := npm.Files(path, sum)
	if err != nil || len(files) != 2 || string(files["package/a.txt"]) != "first" {
		t.Errorf("%q, %v", files, err)
	}
	if _, err := npm.Files(path, strings.Repeat("0", 64)); err == nil || !strings.Contains(err.Error(), sum) {
		t.Errorf("another sum: %v", err)
	}
}

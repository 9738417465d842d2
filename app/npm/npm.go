// Package npm opens npm packages that files of dal are made of. Only the commands that
// make those files use it.
package npm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
)

// Files returns the files of a package by name, from the tarball that "npm pack" writes.
// Its SHA-256, in hex, has to be sum: the bytes are known and trusted, and not bounded.
func Files(tarball, sum string) (map[string][]byte, error) {
	data, err := os.ReadFile(tarball)
	if err != nil {
		return nil, err
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != sum {
		return nil, fmt.Errorf("%s has the sha256 %s, not %s", tarball, got, sum)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
}

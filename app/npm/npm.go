// Package npm reads npm packages from which files of dal are generated. Only the generators
// use it.
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

// Files returns the files of a package by name, from the tarball written by "npm pack". Its
// SHA-256 must be sum, in hex: the content is trusted, so sizes are not limited.
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

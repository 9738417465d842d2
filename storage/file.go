package storage

import (
	"net/url"
	"path/filepath"
	"strings"
)

// fileURI is a file's name as SQLite takes it.
func fileURI(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	name := filepath.ToSlash(abs)
	if !strings.HasPrefix(name, "/") { // C:/…
		name = "/" + name
	}
	return "file:" + (&url.URL{Path: name}).EscapedPath(), nil
}

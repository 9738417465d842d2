package storage

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// fileURI returns the name of a file as a URI for SQLite.
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

// private creates the database file if it is missing, and restricts it and SQLite's files
// beside it to the owner. SQLite gives new files beside it the mode of the database.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = f.Close()
	} else if errors.Is(err, fs.ErrExist) {
		// Do not open it: closing it would drop the locks of other connections.
		err = nil
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, e := os.Stat(path + suffix)
		switch {
		case errors.Is(e, fs.ErrNotExist):
		case e != nil:
			err = errors.Join(err, e)
		case info.Mode().Perm()&0o077 != 0:
			e = os.Chmod(path+suffix, 0o600)
			if !errors.Is(e, fs.ErrNotExist) { // SQLite removed it meanwhile
				err = errors.Join(err, e)
			}
		}
	}
	return err
}

package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Apart returns an error if the folders of the target and the library are the same or
// nested, regardless of names and links.
func Apart(target, data string) (err error) {
	if target, err = filepath.Abs(target); err != nil {
		return err
	}
	if data, err = filepath.Abs(data); err != nil {
		return err
	}
	for _, c := range []struct {
		path, dir, msg string
	}{
		{target, data, "%s is in the data folder %s; a backup there is lost together with the library"},
		{data, target, "%s holds the data folder %s; name a folder beside it, best on another disk"},
	} {
		in, err := inside(c.path, c.dir)
		if err != nil {
			return err
		}
		if in {
			return fmt.Errorf(c.msg, target, data)
		}
	}
	return nil
}

// inside reports whether path is dir or is inside it, or will be once it is created.
func inside(path, dir string) (bool, error) {
	top, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return false, err
	}
	real, err := filepath.EvalSymlinks(path)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
		path = filepath.Dir(path)
		real, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return false, err
	}
	for {
		info, err := os.Stat(real)
		if err != nil {
			return false, err
		}
		if os.SameFile(info, top) {
			return true, nil
		}
		if filepath.Dir(real) == real {
			return false, nil
		}
		real = filepath.Dir(real)
	}
}

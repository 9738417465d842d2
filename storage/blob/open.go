package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// ErrIrregular is returned for anything but a regular file at a file's path: a link, a
// pipe, a device, a folder. It is neither followed nor waited for.
var ErrIrregular = errors.New("it is no regular file")

// openTries is the number of attempts to open a file that is being replaced, for example
// when it is healed.
const openTries = 3

// openRegular opens a file below dir for reading. It does not follow links, neither of
// the file nor of a folder on the path; dir itself may be a link.
func openRegular(dir, name string) (*os.File, error) {
	if f, ok, err := openBeneath(dir, name); ok {
		return f, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name = filepath.ToSlash(name)
	for i, c := range name {
		if c != '/' {
			continue
		}
		if info, err := root.Lstat(name[:i]); err != nil {
			return nil, err
		} else if !info.IsDir() {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name[:i]), ErrIrregular)
		}
	}
	for range openTries {
		before, err := root.Lstat(name)
		if err != nil {
			return nil, err
		}
		if !before.Mode().IsRegular() {
			break
		}
		f, err := root.OpenFile(name, os.O_RDONLY|noWait, 0)
		if err != nil {
			return nil, err
		}
		after, err := f.Stat()
		if err == nil && os.SameFile(before, after) {
			return f, nil
		}
		if f.Close(); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), ErrIrregular)
}

// Open opens a blob for reading. The error is fs.ErrNotExist if it is missing, and
// ErrIrregular if it is not a regular file.
func (s *Store) Open(sha256 string) (*os.File, error) {
	if !validName(sha256) {
		return nil, fmt.Errorf("%q is no SHA-256 in hex", sha256)
	}
	return openRegular(filepath.Join(s.dir, blobDir), relative(sha256))
}

// OpenWhole opens a blob that should have a size, or returns the damage that can be
// detected without reading it. It returns an error if this cannot be determined.
func (s *Store) OpenWhole(sha256 string, size int64) (*os.File, dam.Damage, error) {
	f, err := s.Open(sha256)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, dam.DamageMissing, nil
	case errors.Is(err, ErrIrregular):
		return nil, dam.DamageIrregular, nil
	case err != nil:
		return nil, "", err
	}
	info, err := f.Stat()
	if err == nil && info.Size() == size {
		return f, dam.DamageNone, nil
	}
	f.Close()
	if err != nil {
		return nil, "", err
	}
	return nil, dam.DamageSize, nil
}

// Inspect returns the damage of a blob that should have a size. With full, it reads the
// blob. It returns an error if the damage cannot be determined.
func (s *Store) Inspect(ctx context.Context, sha256 string, size int64, full bool) (dam.Damage, error) {
	f, damage, err := s.OpenWhole(sha256, size)
	if err != nil || damage != dam.DamageNone {
		return damage, err
	}
	f.Close()
	if !full {
		return dam.DamageNone, nil
	}
	err = s.Verify(ctx, sha256)
	switch {
	case errors.Is(err, ErrCorrupt):
		return dam.DamageCorrupt, nil
	case errors.Is(err, fs.ErrNotExist):
		return dam.DamageMissing, nil
	case errors.Is(err, ErrIrregular):
		return dam.DamageIrregular, nil
	}
	return dam.DamageNone, err
}

// relative returns the path of a blob below the folder of blobs.
func relative(sha string) string { return strings.Join([]string{sha[:2], sha[2:4], sha}, "/") }

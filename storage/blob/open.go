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

// ErrIrregular is returned for what is in the place of a file and is none: a
// link, a pipe, a device, a folder. It is neither followed nor waited for.
var ErrIrregular = errors.New("it is no regular file")

// openTries is how often a file is opened that is exchanged in that moment, as
// one that is healed is.
const openTries = 3

// openRegular opens a file below dir for reading. Links are not followed, neither
// in the place of the file nor in that of a folder on the way to it; dir itself
// may be one.
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

// Open opens a blob for reading. One that is not there is fs.ErrNotExist, what
// is no file is ErrIrregular.
func (s *Store) Open(sha256 string) (*os.File, error) {
	if !validName(sha256) {
		return nil, fmt.Errorf("%q is no SHA-256 in hex", sha256)
	}
	return openRegular(filepath.Join(s.dir, blobDir), relative(sha256))
}

// OpenWhole opens a blob that has a size, or says what is wrong with it as far
// as that is seen without reading it. An error says that it cannot be known.
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

// Inspect says what is wrong with a blob that has a size. With full, it is read.
// An error says that it cannot be known.
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

// relative is the path of a blob below the folder of blobs.
func relative(sha string) string { return strings.Join([]string{sha[:2], sha[2:4], sha}, "/") }

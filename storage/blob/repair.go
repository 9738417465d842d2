package blob

import (
	"context"
	"errors"
	"image/jpeg"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// The modes of the folders and files of blobs, which exclude other users.
const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o400
)

// Modes calls wrong with each file and folder of blobs that others can access, or that
// its owner cannot read, and with its correct mode. It does nothing on Windows.
func (s *Store) Modes(ctx context.Context, wrong func(path string, should fs.FileMode) error) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return filepath.WalkDir(filepath.Join(s.dir, blobDir), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return nil
		}
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		should := fileMode
		if d.IsDir() {
			should = dirMode
		} else if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if is := info.Mode().Perm(); is&0o077 != 0 || is&should != should {
			return wrong(path, should)
		}
		return nil
	})
}

// Sum returns the SHA-256 of a regular file, in lower-case hex.
func Sum(ctx context.Context, path string) (string, error) {
	f, err := openRegular(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return "", err
	}
	defer f.Close()
	return sumOf(ctx, f)
}

// putTime is longer than storing a rendition takes.
const putTime = time.Hour

// Check calls broken with each broken file of the cache: irregular, empty or truncated
// files and, with full, those that cannot be decoded.
func (c *Cache) Check(ctx context.Context, full bool, broken func(path string, why error) error) error {
	return filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || ctx.Err() != nil || d.IsDir() {
			return errors.Join(err, ctx.Err())
		}
		var why error
		if strings.HasPrefix(d.Name(), tempPrefix) {
			if info, err := d.Info(); err == nil && time.Since(info.ModTime()) > putTime {
				why = errors.New("it was left by a process that has ended")
			}
		} else {
			why = c.broken(path, full)
		}
		if why == nil || errors.Is(why, fs.ErrNotExist) {
			return nil
		}
		return broken(path, why)
	})
}

func (c *Cache) broken(path string, full bool) error {
	f, err := openRegular(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := cutOff(f, path, info.Size()); err != nil {
		return err
	}
	if !full || filepath.Ext(path) != ".jpg" {
		return nil
	}
	if c, err := jpeg.DecodeConfig(f); err != nil || max(c.Width, c.Height) > dam.LargestRendition() {
		return errors.Join(errors.New("it is not a rendition"), err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = jpeg.Decode(f)
	return err
}

package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// lostDir contains the blobs that nothing referred to: lost/<sha256> and, for further
// files of the same blob, lost/<sha256>-2 and so on.
const lostDir = "lost"

// Lost is a blob that was moved aside because nothing referred to it.
type Lost struct {
	SHA256 string
	Size   int64
	Since  time.Time // when it was moved
	path   string
}

// Lost returns the files that were moved aside, by name.
func (s *Store) Lost() (list []Lost, err error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, lostDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		sha, rest, again := strings.Cut(e.Name(), "-")
		if !validName(sha) || again && !digits(rest) || !e.Type().IsRegular() {
			continue // not a lost blob
		}
		info, e2 := e.Info()
		if errors.Is(e2, fs.ErrNotExist) {
			continue
		}
		if e2 != nil {
			return nil, e2
		}
		list = append(list, Lost{SHA256: sha, Size: info.Size(), Since: info.ModTime().UTC(), path: filepath.Join(s.dir, lostDir, e.Name())})
	}
	return list, err
}

func (s *Store) lostPath(sha string, n int) string {
	if n > 1 {
		sha = fmt.Sprintf("%s-%d", sha, n)
	}
	return filepath.Join(s.dir, lostDir, sha)
}

// setAside moves the file of a blob to the lost ones and sets its modification time to
// now, which records the time of the move. The caller holds the store's lock exclusively
// and syncs the folder that the file leaves.
func (s *Store) setAside(path, sha string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	now := time.Now()
	if err := os.Chtimes(path, now, now); err != nil { // first: with an old time, it would be removed immediately
		return err
	}
	for n := 1; ; n++ {
		dst := s.lostPath(sha, n)
		old, err := os.Lstat(dst)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := os.Rename(path, dst); err != nil {
				return err
			}
			return syncDir(filepath.Dir(dst))
		case err != nil:
			return err
		case os.SameFile(old, info): // a second name of the same file
			return os.Remove(path)
		}
	}
}

// PutBack moves a blob that was moved aside back to its path, if the blob is intact and
// the path is free.
func (s *Store) PutBack(ctx context.Context, sha string) (done bool, err error) {
	if !validName(sha) {
		return false, fmt.Errorf("%q is no SHA-256 in hex", sha)
	}
	src, dst := s.lostPath(sha, 1), s.path(sha)
	if _, err := os.Lstat(dst); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	err = s.VerifyLost(ctx, sha) // before taking the lock: it may take long, and nobody writes these files
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return false, err
	}
	defer unlock()
	if _, err := os.Lstat(dst); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := s.makeFor(dst); err != nil {
		return false, err
	}
	err = os.Rename(src, dst)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, errors.Join(err, s.syncFor(dst), syncDir(filepath.Dir(src)))
}

// VerifyLost is Verify for a blob that was moved aside. If the blob has several such
// files and the first is damaged but another is intact, they swap names.
func (s *Store) VerifyLost(ctx context.Context, sha string) error {
	if !validName(sha) {
		return fmt.Errorf("%q is no SHA-256 in hex", sha)
	}
	first := s.lostPath(sha, 1)
	err := s.verify(ctx, filepath.Join(lostDir, sha), sha)
	if err == nil || !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrIrregular) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all, e := s.Lost()
	if e != nil {
		return e
	}
	for _, l := range all {
		if l.SHA256 != sha || l.path == first || s.verify(ctx, filepath.Join(lostDir, filepath.Base(l.path)), sha) != nil {
			continue
		}
		return s.exchange(ctx, first, l.path)
	}
	return errors.Join(err, ctx.Err())
}

// exchange renames one of the files that were moved aside to the name of another, which
// gets a free name if it exists.
func (s *Store) exchange(ctx context.Context, first, other string) error {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return err
	}
	defer unlock()
	sha := filepath.Base(first)
	for n := 2; ; n++ {
		free := s.lostPath(sha, n)
		if _, err := os.Lstat(free); err == nil {
			continue
		}
		if err := os.Rename(first, free); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return errors.Join(os.Rename(other, first), syncDir(filepath.Dir(first)))
	}
}

// Forget removes a blob that was moved aside, if unneeded confirms this while nobody can
// be adopting it.
func (s *Store) Forget(ctx context.Context, l Lost, unneeded func() (bool, error)) (removed bool, err error) {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return false, err
	}
	defer unlock()
	if ok, err := unneeded(); err != nil || !ok {
		return false, err
	}
	err = os.Remove(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, errors.Join(err, syncDir(filepath.Dir(l.path)))
}

// Twin reports whether the file of a blob that was moved aside also exists at the blob's
// path, or in quarantine, as a second name of the same file.
func (s *Store) Twin(l Lost) (inPlace, quarantined bool) {
	info, err := os.Lstat(l.path)
	if err != nil {
		return false, false
	}
	same := func(path string) bool {
		other, err := os.Lstat(path)
		return err == nil && os.SameFile(info, other)
	}
	return same(s.path(l.SHA256)), same(filepath.Join(s.dir, quarantineDir, l.SHA256))
}

// Recall restores blobs to their paths, if they are not there already, and calls commit,
// which records them. Each also gets a link among the lost files, so that nothing is lost
// if the record is not kept. A blob that exists nowhere is fs.ErrNotExist.
func (s *Store) Recall(ctx context.Context, shas []string, commit func() error) error {
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	now := time.Now()
	for _, sha := range shas {
		if !validName(sha) {
			return fmt.Errorf("%q is no SHA-256 in hex", sha)
		}
		place, aside := s.path(sha), s.lostPath(sha, 1)
		if err := s.makeFor(place); err != nil {
			return err
		}
		src, dst := aside, place
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			src, dst = place, aside
		}
		if err := os.Chtimes(src, now, now); err != nil { // starts its retention period
			return err
		}
		if _, err := os.Lstat(dst); errors.Is(err, fs.ErrNotExist) {
			err = s.twin(src, dst)
			if err != nil {
				return err
			}
		}
		if err := s.syncFor(place); err != nil {
			return err
		}
	}
	if err := syncDir(filepath.Join(s.dir, lostDir)); err != nil {
		return full(err)
	}
	return commit()
}

// twin gives a file a second name, unless that exists, or copies the file on a disk
// without hard links.
func (s *Store) twin(src, dst string) error {
	err := os.Link(src, dst)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.Open(src)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := s.Create(context.Background())
	if err != nil {
		return err
	}
	defer t.Discard()
	if _, err := io.Copy(t, f); err != nil {
		return err
	}
	if err := t.Finish(); err != nil {
		return err
	}
	return full(os.Rename(t.f.Name(), dst))
}

// makeFor creates the folder of a blob.
func (s *Store) makeFor(path string) error { return full(os.MkdirAll(filepath.Dir(path), 0o700)) }

// syncFor makes a blob's entry in its folder durable, and those of its folders.
func (s *Store) syncFor(path string) error {
	dir := filepath.Dir(path)
	return full(errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)), syncDir(filepath.Join(s.dir, blobDir))))
}

// Unrecorded calls found with each blob, at its path or aside, that has no record
// according to known: once per blob, those at their paths first.
func (s *Store) Unrecorded(ctx context.Context, known func(sha string) (bool, error), found func(sha string, size int64) error) error {
	var seen []string
	err := s.Walk(ctx, func(sha string, size int64) error {
		if ok, err := known(sha); err != nil || ok {
			return err
		}
		seen = append(seen, sha) // sorted
		return found(sha, size)
	}, func(string) error { return nil })
	if err != nil {
		return err
	}
	lost, err := s.Lost()
	if err != nil {
		return err
	}
	last := ""
	for _, l := range lost {
		if l.SHA256 == last { // another file of the same blob
			continue
		}
		last = l.SHA256
		if _, has := slices.BinarySearch(seen, l.SHA256); has {
			continue
		}
		ok, err := known(l.SHA256)
		if err == nil && !ok {
			err = found(l.SHA256, l.Size)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// OpenUnrecorded opens a blob at its path or aside.
func (s *Store) OpenUnrecorded(sha string) (*os.File, error) {
	f, err := s.Open(sha)
	if errors.Is(err, fs.ErrNotExist) {
		return openRegular(s.dir, filepath.Join(lostDir, sha))
	}
	return f, err
}

// digits reports whether s is a number.
func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

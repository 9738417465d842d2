package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The folders of files that were set aside.
const (
	damagedDir = "damaged" // damaged files that were replaced: damaged/<sha256>.<time>
)

// asideTime is the layout of the time in the names of damaged files.
const asideTime = "20060102T150405.000000000"

// before is the state at a blob's path before its adoption, read without a lock.
type before struct {
	info  fs.FileInfo // nil if nothing existed
	whole bool        // its bytes match its name
}

// look reads the file at a blob's path. The cost is one read of the file for each upload
// of existing bytes, about as much as the upload itself, and nothing for new ones.
func (s *Store) look(ctx context.Context, t *Temp) (b before, err error) {
	if b.info, err = os.Lstat(s.path(t.sha256)); err != nil {
		return before{}, nil // usually it is missing; otherwise settle detects it
	}
	if b.info.Mode().IsRegular() && b.info.Size() == t.size {
		err = s.Verify(ctx, t.sha256)
		b.whole = err == nil
	}
	return b, ctx.Err() // an unreadable file counts as damaged
}

// Results of makeFolder.
const (
	madeNothing = iota
	madeInner   // the folder
	madeOuter   // its parent as well
)

// makeFolder creates the folder of a blob, and returns the levels that were missing. A
// link, or anything else at its path that is not a folder, is set aside: its target is
// not part of the library.
func (s *Store) makeFolder(dir string) (made int, err error) {
	for i, d := range []string{filepath.Dir(dir), dir} {
		info, err := os.Lstat(d)
		if err == nil && info.IsDir() {
			continue
		}
		made = max(made, madeOuter-i)
		if err == nil {
			if err := s.aside(d, false); err != nil {
				return made, fmt.Errorf("put aside the file in the place of a folder of blobs: %w", err)
			}
		}
	}
	if made == madeNothing {
		return made, nil
	}
	return made, os.MkdirAll(dir, 0o700)
}

// settle moves a finished blob to its path, unless an intact one exists. Anything else at
// the path is set aside. The caller holds the lock.
func (s *Store) settle(t *Temp, seen before) error {
	dst := s.path(t.sha256)
	now, err := os.Lstat(dst)
	switch {
	case err == nil && now.Mode().IsRegular() && now.Size() == t.size && (seen.whole || seen.info == nil || !os.SameFile(now, seen.info)):
		return nil // it was intact, or has been adopted meanwhile
	case err == nil:
		if err := s.aside(dst, now.Mode().IsRegular()); err != nil {
			return fmt.Errorf("put the damaged file of a blob aside: %w", err)
		}
		t.healed = true
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.Rename(t.f.Name(), dst); err != nil {
		return err
	}
	t.placed = !t.healed
	return nil
}

// aside sets aside the file or folder at a blob's path. A file also remains at its path
// if hard links are supported, so that it can be replaced in one step.
func (s *Store) aside(path string, file bool) error {
	dir := filepath.Join(s.dir, damagedDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	to := filepath.Join(dir, filepath.Base(path)+"."+time.Now().UTC().Format(asideTime))
	if !file || os.Link(path, to) != nil {
		if err := os.Rename(path, to); err != nil {
			return err
		}
	}
	return syncDir(dir)
}

// Healed reports whether the adopted blob replaced a damaged one.
func (t *Temp) Healed() bool { return t.healed }

// Placed reports whether the adopted blob did not exist before.
func (t *Temp) Placed() bool { return t.placed }

// Aside is a file that was set aside because it was damaged or lost.
type Aside struct {
	Path   string
	SHA256 string    // the blob at whose path it was
	At     time.Time // when it was set aside; zero for a lost file
}

// Damaged returns the files that were replaced because they were damaged.
func (s *Store) Damaged() (list []Aside, err error) {
	dir := filepath.Join(s.dir, damagedDir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		sha, date, _ := strings.Cut(e.Name(), ".")
		if at, err := time.Parse(asideTime, date); err == nil && validName(sha) {
			list = append(list, Aside{Path: filepath.Join(dir, e.Name()), SHA256: sha, At: at})
		}
	}
	return list, nil
}

// ForgetDamaged removes a file that Damaged lists.
func (s *Store) ForgetDamaged(f Aside) error { return os.RemoveAll(f.Path) }

// SetAside returns the files of this store that may have the bytes of a blob: those that
// were lost, and those that were replaced.
func (s *Store) SetAside(sha string) (paths []string, err error) {
	damaged, err := s.Damaged()
	if err != nil {
		return nil, err
	}
	lost := filepath.Join(s.dir, lostDir, sha)
	path := lost
	for n := 2; ; n++ {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			break
		}
		paths = append(paths, path)
		path = fmt.Sprintf("%s-%d", lost, n)
	}
	for _, f := range damaged {
		if f.SHA256 == sha {
			paths = append(paths, f.Path)
		}
	}
	return paths, nil
}

// Restore adopts the bytes of a file as a blob, if they match its name, and calls commit
// like Adopt; otherwise the error is ErrCorrupt. The file itself remains. A file of this
// store is not copied, so this needs no space.
func (s *Store) Restore(ctx context.Context, sha, path string, commit func() error) error {
	dir := filepath.Dir(path)
	own := dir == filepath.Join(s.dir, damagedDir) || dir == filepath.Join(s.dir, lostDir)
	t, err := s.finished(ctx, sha, path, own)
	if err != nil {
		return err
	}
	defer t.Discard()
	return s.Adopt(ctx, []*Temp{t}, commit)
}

// finished turns a file with the bytes of a blob into a finished blob.
func (s *Store) finished(ctx context.Context, sha, path string, own bool) (*Temp, error) {
	if own {
		link := filepath.Join(s.temp, fmt.Sprint(sha, ".", time.Now().UnixNano()))
		if os.Link(path, link) == nil {
			t, err := linked(ctx, sha, link)
			if err != nil {
				os.Remove(link)
			}
			return t, err
		}
	}
	f, err := openRegular(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Reading it twice keeps a file with other bytes from using space.
	if same, err := hasSum(ctx, f, sha); err != nil || !same {
		return nil, errors.Join(err, different(same))
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	t, err := s.Create(ctx)
	if err != nil {
		return nil, err
	}
	if err = copyTo(ctx, t, f); err == nil {
		err = t.Finish()
	}
	if err == nil && t.SHA256() != sha { // it changed meanwhile
		err = ErrCorrupt
	}
	if err != nil {
		t.Discard()
		return nil, err
	}
	return t, nil
}

// linked turns an existing temporary file into a finished blob.
func linked(ctx context.Context, sha, path string) (*Temp, error) {
	f, err := openRegular(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	same, err := hasSum(ctx, f, sha)
	if err != nil || !same {
		return nil, errors.Join(err, different(same))
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &Temp{f: f, sha256: sha, size: info.Size()}, os.Chmod(path, fileMode)
}

func different(same bool) error {
	if same {
		return nil
	}
	return ErrCorrupt
}

// hasSum reads r to its end and reports whether its bytes have a checksum.
func hasSum(ctx context.Context, r io.Reader, sha string) (bool, error) {
	sum, err := sumOf(ctx, r)
	return sum == sha, err
}

// SumOf returns the SHA-256 of a reader's bytes, in lower-case hex.
func SumOf(ctx context.Context, r io.Reader) (string, error) { return sumOf(ctx, r) }

func sumOf(ctx context.Context, r io.Reader) (string, error) {
	h := sha256.New()
	err := copyTo(ctx, h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}

// copyTo copies until the end or until ctx is done.
func copyTo(ctx context.Context, w io.Writer, r io.Reader) error {
	buf := make([]byte, 256<<10)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		if _, err := w.Write(buf[:n]); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

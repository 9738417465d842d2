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

// The folders of files that were put aside.
const (
	damagedDir = "damaged" // what was in the place of a blob and was replaced: damaged/<sha256>.<time>
)

// asideTime is the layout of the time in the names of damaged files.
const asideTime = "20060102T150405.000000000"

// before is what was in the place of a blob before it was adopted, as seen without
// a lock.
type before struct {
	info  fs.FileInfo // nil if there was nothing
	whole bool        // its bytes match its name
}

// look reads what is in the place of a blob. That costs one reading of the file
// for each upload of bytes that the library has, about as much as the upload
// did, and nothing for those that are new.
func (s *Store) look(ctx context.Context, t *Temp) (b before, err error) {
	if b.info, err = os.Lstat(s.path(t.sha256)); err != nil {
		return before{}, nil // mostly there is nothing; else settle finds out
	}
	if b.info.Mode().IsRegular() && b.info.Size() == t.size {
		err = s.Verify(ctx, t.sha256)
		b.whole = err == nil
	}
	return b, ctx.Err() // what cannot be read is not whole
}

// What makeFolder made.
const (
	madeNothing = iota
	madeInner   // the folder
	madeOuter   // the folder around it as well
)

// makeFolder creates the folder of a blob, and says what was not there. A link, or
// anything else in its place that is not a folder, is put aside: what it leads to
// is not part of the library.
func (s *Store) makeFolder(dir string) (made int, err error) {
	for i, d := range []string{filepath.Dir(dir), dir} {
		info, err := os.Lstat(d)
		if err == nil && info.IsDir() {
			continue
		}
		made = max(made, madeOuter-i)
		if err == nil {
			if err := s.aside(d, false); err != nil {
				return made, fmt.Errorf("put aside what is in the place of a folder of blobs: %w", err)
			}
		}
	}
	if made == madeNothing {
		return made, nil
	}
	return made, os.MkdirAll(dir, 0o700)
}

// settle puts a finished blob in its place, unless a whole one is there. What is
// there and is not whole is kept aside. The caller holds the lock.
func (s *Store) settle(t *Temp, seen before) error {
	dst := s.path(t.sha256)
	now, err := os.Lstat(dst)
	switch {
	case err == nil && now.Mode().IsRegular() && now.Size() == t.size && (seen.whole || seen.info == nil || !os.SameFile(now, seen.info)):
		return nil // it was whole, or somebody has adopted it meanwhile
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

// aside keeps what is in the place of a blob under another name. A file stays in
// its place too, where links can be made, so that exchanging it is one step.
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

// Healed reports whether the blob took the place of a damaged one when it was
// adopted.
func (t *Temp) Healed() bool { return t.healed }

// Placed reports whether the blob was put where there was none when it was adopted.
func (t *Temp) Placed() bool { return t.placed }

// Aside is a file that was put aside: a damaged one, or a lost one.
type Aside struct {
	Path   string
	SHA256 string    // the blob in whose place it was
	At     time.Time // when; the zero time for a lost one
}

// Damaged lists the files that were replaced because they were damaged.
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

// SetAside lists the files of this store that may have the bytes of a blob:
// those that were lost, and those that were replaced.
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

// Restore puts the bytes of a file in the place of a blob, if they are the right
// ones, and calls commit, as Adopt does; else the error is ErrCorrupt. The file
// stays. One of this store is not copied, so that no space is needed.
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

// finished turns a file with the bytes of a blob into one that can be adopted.
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
	// It is read twice, so that a file with other bytes takes no space.
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

// SumOf returns the SHA-256 of what a reader has, in lower-case hex.
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

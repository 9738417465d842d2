package blob

import (
	"context"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	incomingDir  = "incoming" // incoming/<name>: received bytes of resumable uploads
	incomingName = 32         // hexadecimal digits
	copySuffix   = ".copy"    // of a file that replaces an incoming one
)

// Incoming is a file that is received in pieces. Synced bytes survive the end of the
// process; the caller stores their number and the state of their checksum.
type Incoming struct {
	s    *Store
	f    *os.File
	hash hash.Hash
	size int64
}

// OpenIncoming opens the file with a name of 32 hexadecimal digits to append to its first
// size bytes, and truncates it there. state is the result of State after these bytes. The
// error is fs.ErrNotExist if the file has fewer bytes. The caller must have exclusive use
// of the file, and must Close it.
func (s *Store) OpenIncoming(ctx context.Context, name string, size int64, state []byte) (_ *Incoming, err error) {
	path, err := s.incoming(name)
	if err != nil {
		return nil, err
	}
	if err := unshare(path, size); err != nil {
		return nil, full(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|noWait, 0)
	if errors.Is(err, fs.ErrNotExist) && size == 0 {
		f, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err == nil {
			err = syncDir(filepath.Dir(path))
		}
	}
	if err != nil {
		if f != nil {
			f.Close()
		}
		return nil, full(err)
	}
	in := &Incoming{s: s, f: f, size: size}
	if err := in.resume(ctx, state); err != nil {
		f.Close()
		return nil, err
	}
	return in, nil
}

// resume truncates the file, and computes its checksum if the stored state is unusable.
func (in *Incoming) resume(ctx context.Context, state []byte) error {
	info, err := in.f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() < in.size {
		return fmt.Errorf("%s has %d bytes of %d: %w", in.f.Name(), info.Size(), in.size, fs.ErrNotExist)
	}
	if err := in.f.Truncate(in.size); err != nil {
		return err
	}
	in.hash = sha256.New()
	if in.size > 0 && in.hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(state) != nil {
		in.hash = sha256.New()
		if err := copyTo(ctx, in.hash, io.NewSectionReader(in.f, 0, in.size)); err != nil {
			return err
		}
	}
	_, err = in.f.Seek(in.size, io.SeekStart)
	return err
}

// Write appends to the file. A full disk is a dam.NoSpace error.
func (in *Incoming) Write(p []byte) (int, error) {
	if err := in.s.room.ask(len(p)); err != nil {
		return 0, err
	}
	n, err := in.f.Write(p)
	in.hash.Write(p[:n])
	in.size += int64(n)
	return n, full(err)
}

// Size returns the number of bytes in the file.
func (in *Incoming) Size() int64 { return in.size }

// Sync makes all written bytes durable.
func (in *Incoming) Sync() error { return full(in.f.Sync()) }

// State returns the state of the file's checksum, for OpenIncoming.
func (in *Incoming) State() ([]byte, error) {
	return in.hash.(encoding.BinaryMarshaler).MarshalBinary()
}

// Finish ends writing and returns the file as a finished blob. If the file system
// supports links, the incoming file remains until RemoveIncoming, so that the last piece
// can be sent again if the blob does not get recorded.
func (in *Incoming) Finish() (*Temp, error) {
	// Not writable: this is how OpenIncoming detects that a blob may share the bytes.
	if err := errors.Join(in.f.Chmod(0o400), in.f.Sync()); err != nil {
		return nil, full(err)
	}
	sum := in.hash.Sum(nil)
	if err := in.f.Close(); err != nil {
		return nil, full(err)
	}
	name := filepath.Join(in.s.temp, fmt.Sprintf("%d%d", time.Now().UnixNano(), rand.Uint64())) // digits, as in the names of CreateTemp
	if os.Link(in.f.Name(), name) != nil {
		if err := os.Rename(in.f.Name(), name); err != nil {
			return nil, full(err)
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &Temp{f: f, sha256: fmt.Sprintf("%x", sum), size: in.size}, f.Close()
}

// Close closes the file. Bytes that were not synced may be lost.
func (in *Incoming) Close() { in.f.Close() }

// RemoveIncoming removes the file with a name, if there is one.
func (s *Store) RemoveIncoming(name string) error {
	path, err := s.incoming(name)
	if err != nil {
		return err
	}
	for _, p := range []string{path, path + copySuffix} {
		if e := os.Remove(p); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// Incomings returns up to limit names of incoming files after a given name, in order.
func (s *Store) Incomings(after string, limit int) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, incomingDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), copySuffix)
		if hexName(name) && name > after && len(names) < limit && (len(names) == 0 || names[len(names)-1] != name) {
			names = append(names, name)
		}
	}
	return names, err
}

func (s *Store) incoming(name string) (string, error) {
	if !hexName(name) {
		return "", fmt.Errorf("%q is no name of an incoming file", name)
	}
	return filepath.Join(s.dir, incomingDir, name), nil
}

// hexName reports whether s is the name of an incoming file.
func hexName(s string) bool {
	return len(s) == incomingName && strings.Trim(s, "0123456789abcdef") == ""
}

// unshare replaces a finished file, whose bytes a blob may share, by a copy of its first
// size bytes.
func unshare(path string, size int64) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm()&0o200 != 0 || !info.Mode().IsRegular() || info.Size() < size {
		return nil // errors show when it is opened
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(path+copySuffix, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(to, from, size)
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(path+copySuffix, path), syncDir(filepath.Dir(path)))
}

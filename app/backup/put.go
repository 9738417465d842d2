package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"os"
	"path"
	"runtime"
	"syscall"
)

// chunk is the number of bytes copied between two checks of the context.
const chunk = 256 << 10

// readError is a read error, as opposed to a write error.
type readError struct{ err error }

func (e readError) Error() string { return e.err.Error() }
func (e readError) Unwrap() error { return e.err }

// copyHash copies src to dst and returns the number of bytes and their SHA-256. Read errors
// are returned as readError.
func copyHash(ctx context.Context, dst io.Writer, src io.Reader) (n int64, sum string, err error) {
	h := sha256.New()
	n, err = pump(ctx, dst, h, src)
	return n, hex.EncodeToString(h.Sum(nil)), err
}

func pump(ctx context.Context, dst io.Writer, h hash.Hash, src io.Reader) (n int64, err error) {
	buf := make([]byte, chunk)
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		got, err := src.Read(buf)
		h.Write(buf[:got])
		n += int64(got)
		if _, e := dst.Write(buf[:got]); e != nil {
			return n, e
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, readError{err}
		}
	}
}

// sum returns the size and the checksum of a file in the target.
func (t *Target) sum(ctx context.Context, name string) (size int64, sha string, err error) {
	f, _, err := t.open(name)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	return copyHash(ctx, io.Discard, f)
}

// putJSON writes a file of the target atomically and durably.
func (t *Target) putJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	temp := tempDir + "/" + path.Base(name)
	if err := t.writeFile(temp, append(data, '\n')); err != nil {
		return err
	}
	if err := t.root.Rename(temp, name); err != nil {
		return err
	}
	return t.syncDir(path.Dir(name))
}

// writeFile creates and syncs a new file.
func (t *Target) writeFile(name string, data []byte) error {
	f, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, syncFile(f), f.Close())
}

// syncFile syncs a file to disk, if the file system supports it.
func syncFile(f *os.File) error {
	if err := f.Sync(); !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// syncDir syncs the entries of a folder.
func (t *Target) syncDir(name string) error {
	d, err := t.root.Open(name)
	if err != nil {
		return err
	}
	return syncEntries(d)
}

// syncEntries syncs the entries of a folder, if the operating system and the file system
// support it, and closes the folder.
func syncEntries(dir *os.File) error {
	defer dir.Close()
	if runtime.GOOS == "windows" {
		return nil // Windows has no such call, but journals folder changes
	}
	if err := dir.Sync(); !errors.Is(err, syscall.ENOTSUP) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

package blob

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"os"
	"path/filepath"
	"strings"
)

// partSuffix ends the names of files that are being written.
const partSuffix = ".part"

// Exports is a folder of files that people can download, each under a plain name. They
// are derived from the library.
type Exports struct {
	dir  string
	room Room
}

// OpenExports opens the folder dir, which is created if missing.
func OpenExports(dir string) (*Exports, error) {
	return &Exports{dir: dir}, full(os.MkdirAll(dir, 0o700))
}

// Part is a file that is being written. A full disk is a dam.NoSpace error.
type Part struct {
	f    *os.File
	w    *bufio.Writer
	hash hash.Hash
	size int64
	path string // final path
	room Room
}

// Create starts a file, replacing an unfinished one of the same name. The caller must
// call Discard eventually, which does nothing after Finish.
func (e *Exports) Create(name string) (*Part, error) {
	path := filepath.Join(e.dir, name)
	if err := os.Remove(path + partSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(path+partSuffix, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // do not follow a link
	if err != nil {
		return nil, full(err)
	}
	return &Part{f: f, w: bufio.NewWriterSize(f, 256<<10), hash: sha256.New(), path: path, room: e.room}, nil
}

// Write appends to the file.
func (p *Part) Write(b []byte) (int, error) {
	if err := p.room.ask(len(b)); err != nil {
		return 0, err
	}
	n, err := p.w.Write(b)
	p.hash.Write(b[:n])
	p.size += int64(n)
	return n, full(err)
}

// Reopen ends writing and returns the file for reading from its start. Discard also
// closes this file.
func (p *Part) Reopen() (*os.File, error) {
	if err := p.w.Flush(); err != nil {
		return nil, full(err)
	}
	_, err := p.f.Seek(0, 0)
	return p.f, err
}

// Finish durably moves the file to its final path.
func (p *Part) Finish() error {
	if err := errors.Join(p.w.Flush(), p.f.Sync()); err != nil {
		return full(err)
	}
	if err := p.f.Close(); err != nil {
		return full(err)
	}
	if err := os.Rename(p.f.Name(), p.path); err != nil {
		return full(err)
	}
	return full(syncDir(filepath.Dir(p.path)))
}

// Size returns the number of bytes written.
func (p *Part) Size() int64 { return p.size }

// SHA256 returns the checksum of the written bytes, in lower-case hex.
func (p *Part) SHA256() string { return hex.EncodeToString(p.hash.Sum(nil)) }

// Discard removes the file, if it was not finished.
func (p *Part) Discard() {
	p.f.Close()
	os.Remove(p.f.Name())
}

// Open opens a finished file. The error is fs.ErrNotExist if it is missing, and
// ErrIrregular if it is not a regular file.
func (e *Exports) Open(name string) (*os.File, error) { return openRegular(e.dir, name) }

// Remove removes a finished file, if it exists.
func (e *Exports) Remove(name string) error {
	err := os.Remove(filepath.Join(e.dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// Sweep removes unfinished files and those for which keep returns false. It ignores files
// that are not exports according to mine. No export may be in progress.
func (e *Exports) Sweep(mine func(name string) bool, keep func(name string) (bool, error)) error {
	entries, err := os.ReadDir(e.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name, unfinished := strings.CutSuffix(entry.Name(), partSuffix)
		if !mine(name) || !entry.Type().IsRegular() {
			continue
		}
		if !unfinished {
			if ok, err := keep(name); err != nil {
				return err
			} else if ok {
				continue
			}
		}
		if err := e.Remove(entry.Name()); err != nil {
			return err
		}
	}
	return nil
}

package blob

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// Cache is a folder of files derived from blobs. It may be deleted at any time.
type Cache struct {
	dir    string
	room   Room
	budget Budget

	used atomic.Int64  // approximate total size of its files
	over chan struct{} // has a value when the files exceed the budget
}

// tempPrefix begins the names of files that are being written.
const tempPrefix = ".put-"

// OpenCache opens the cache in dir, which is created if missing.
func OpenCache(dir string) (*Cache, error) {
	return &Cache{dir: dir, over: make(chan struct{}, 1)}, full(os.MkdirAll(dir, 0o700))
}

// Put atomically stores data under a name that begins with the SHA-256 of its blob.
func (c *Cache) Put(name string, data []byte) error {
	size, err := c.place(name, int64(len(data)), func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
	if err == nil {
		c.noteSize(size)
	}
	return err
}

// Make atomically stores the file that write creates from the empty file at path. The
// size is approximate and does not count towards the budget.
func (c *Cache) Make(name string, size int64, write func(path string) error) error {
	_, err := c.place(name, size, func(f *os.File) error {
		if err := write(f.Name()); err != nil {
			return err
		}
		return f.Sync() // a file truncated by a crash would look complete
	})
	return err
}

// Fill atomically stores the output of write. The size is approximate.
func (c *Cache) Fill(name string, size int64, write func(io.Writer) error) error {
	grown, err := c.place(name, size, func(f *os.File) error {
		out := bufio.NewWriterSize(f, 1<<20)
		if err := write(out); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
		return f.Sync() // a file truncated by a crash would look complete
	})
	if err == nil {
		c.noteSize(grown)
	}
	return err
}

// place reserves space for about size bytes and atomically stores the file that write
// creates. It returns the growth of the cache in bytes.
func (c *Cache) place(name string, size int64, write func(*os.File) error) (grown int64, err error) {
	path, err := c.path(name)
	if err != nil {
		return 0, err
	}
	if c.room != nil {
		if err := c.room(size); err != nil {
			return 0, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return 0, full(err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), tempPrefix)
	if err != nil {
		return 0, full(err)
	}
	err = write(f)
	if info, err := os.Lstat(f.Name()); err == nil {
		grown = info.Size()
	}
	if info, err := os.Lstat(path); err == nil {
		grown -= info.Size()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return grown, full(err)
}

// Open opens the file stored under a name, or returns fs.ErrNotExist. It also returns
// fs.ErrNotExist for irregular files, and for files that are empty or visibly truncated,
// as a crash may leave them, so that they are created again.
func (c *Cache) Open(name string) (*os.File, error) {
	path, err := c.path(name)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(c.dir, path)
	if err != nil {
		return nil, err
	}
	f, err := openRegular(c.dir, rel)
	if errors.Is(err, ErrIrregular) {
		return nil, fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		touch(path, info)
	}
	if err == nil {
		if why := cutOff(f, path, info.Size()); why != nil {
			err = fmt.Errorf("%s: %w: %w", path, why, fs.ErrNotExist)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// cutOff returns an error if a file is visibly incomplete, without reading all of it.
func cutOff(f *os.File, path string, size int64) error {
	if size == 0 {
		return errors.New("it is empty")
	}
	if filepath.Ext(path) != ".jpg" {
		return nil
	}
	if size < 4 {
		return fmt.Errorf("it has %d bytes", size)
	}
	var end [2]byte
	if _, err := f.ReadAt(end[:], size-2); err != nil {
		return err
	}
	if end != [2]byte{0xff, 0xd9} { // the end-of-image marker of a JPEG
		return errors.New("it is cut off")
	}
	return nil
}

// Remove removes all files derived from a blob.
func (c *Cache) Remove(sha256 string) error {
	path, err := c.path(sha256)
	if err != nil {
		return err
	}
	dir, prefix := filepath.Split(path)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			info, _ := e.Info()
			gone := os.Remove(filepath.Join(dir, e.Name()))
			if gone == nil && info != nil {
				c.noteSize(-info.Size())
			}
			err = errors.Join(err, gone)
		}
	}
	return err
}

func (c *Cache) path(name string) (string, error) {
	if len(name) < 64 || !validName(name[:64]) || filepath.Base(name) != name {
		return "", fmt.Errorf("%q does not begin with a SHA-256 in hex", name)
	}
	return filepath.Join(c.dir, name[:2], name[2:4], name), nil
}

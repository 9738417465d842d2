package search

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// The columns are kept in a file, so that a start need not read the fields of all
// assets from the records: it reads the file, and then only what has changed since.
//
// The file is never trusted over the records. They hold the name of the one file that
// counts, which is new for each, and got it after the file was complete. So records
// that have its name are those that the file was made from, or have grown from them,
// wherever both were copied, restored or put back since. Another file, or one that is
// damaged or of another version, is deleted.

// kept is what the engine knows of the file of its columns.
type kept struct {
	seq      atomic.Int64 // the change up to which it has them; 0 if there is no file
	distrust atomic.Bool  // the columns were read from a file, and somebody wants everything read anew
}

const (
	// keptPrefix is how the names of kept files begin.
	keptPrefix = "columns-"
	// keepEvery is how often it is looked whether there are enough changes.
	keepEvery = time.Minute
	// keepLeast is the number of changes that are read fast enough at a start.
	keepLeast = 10_000
	// keepBusy and keepEnd are of how many assets one has to have changed for the columns
	// to be kept again: while the engine runs, and when it ends.
	keepBusy, keepEnd = 10, 50
)

func (e *Engine) keptPath(name string) string { return filepath.Join(e.dir, keptPrefix+name) }

// loadKept brings the columns to where they were when they were last kept, if they
// can be, and removes files of no use.
func (e *Engine) loadKept(ctx context.Context, last int64) error {
	name, err := e.src.Kept(ctx)
	if err != nil {
		return err
	}
	if name != "" && name == filepath.Base(name) {
		c, err := readColumns(e.keptPath(name), name, last)
		switch {
		case err == nil:
			e.columns = c
			e.kept.seq.Store(c.seq)
		case !errors.Is(err, os.ErrNotExist):
			e.log.WarnContext(ctx, "reading all records", "file", keptPrefix+name, "because", err)
			name = ""
		}
	}
	return e.removeKept(name)
}

// removeKept removes the files of columns but the one with a name.
func (e *Engine) removeKept(but string) error {
	paths, err := indexFiles(e.dir, keptPrefix)
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range paths {
		if but == "" || path != e.keptPath(but) {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	return errors.Join(errs...)
}

// keepAll keeps the columns from time to time until ctx is done, and then once more.
func (e *Engine) keepAll(ctx context.Context) {
	t := time.NewTicker(keepEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			e.keepIfBehind(context.WithoutCancel(ctx), keepEnd)
			return
		case <-t.C:
			e.keepIfBehind(ctx, keepBusy)
		}
	}
}

// keepIfBehind keeps the columns if one of so many assets has changed since they were,
// so that reading those at a start would take a good part of reading all.
func (e *Engine) keepIfBehind(ctx context.Context, oneOf int) {
	e.colMu.RLock()
	enough := max(keepLeast, int64(len(e.columns.has)/oneOf))
	behind := e.columns.seq - e.kept.seq.Load()
	e.colMu.RUnlock()
	if behind < enough || e.held() || e.kept.distrust.Load() {
		return
	}
	if err := e.Keep(ctx); err != nil && ctx.Err() == nil {
		e.log.WarnContext(ctx, "cannot keep the columns; the next start takes longer", "err", err)
	}
}

// Keep writes the columns to a file, for the next start. Searches and changes go on
// meanwhile. The file need not survive a loss of power: whoever reads it would see.
func (e *Engine) Keep(ctx context.Context) error {
	name := strings.ToLower(rand.Text())
	path := e.keptPath(name)
	seq, err := e.writeKept(ctx, path, name)
	if err == nil {
		err = e.src.Keep(ctx, name, seq)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(path))
	}
	e.kept.seq.Store(seq)
	return e.removeKept(name)
}

func (e *Engine) writeKept(ctx context.Context, path, name string) (seq int64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	seq, err = e.packColumns(&cancelable{ctx, w}, name)
	return seq, errors.Join(err, w.Flush(), f.Close())
}

// cancelable writes until ctx is done.
type cancelable struct {
	ctx context.Context
	w   io.Writer
}

func (c *cancelable) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(b)
}

// forgetKept makes the next start read all records.
func (e *Engine) forgetKept() error {
	e.kept.distrust.Store(true)
	if err := e.removeKept(""); err != nil {
		return fmt.Errorf("forget the kept columns: %w", err)
	}
	return nil
}

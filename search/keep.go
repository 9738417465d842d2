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

// A snapshot of the columns is stored in a file, so that a start reads this file and the
// changes since, instead of the fields of all assets in the records.
//
// The snapshot never overrides the records. They contain the name of the one valid
// snapshot, which is unique and was recorded after the file was complete. So if the name
// matches, the records are those that the snapshot was made from, or later ones, however
// both were copied or restored since. Other files are deleted, as are damaged ones and
// those of another version.

// kept is the state of the snapshot.
type kept struct {
	seq      atomic.Int64 // latest change that it includes; 0 without a snapshot
	distrust atomic.Bool  // after a rebuild: do not write snapshots of these columns
}

const (
	// keptPrefix begins the names of snapshots.
	keptPrefix = "columns-"
	// keepEvery is the interval of checks for enough changes.
	keepEvery = time.Minute
	// keepLeast is the number of changes that a start reads fast enough.
	keepLeast = 10_000
	// A new snapshot is written after one in keepBusy assets has changed while the engine
	// runs, or one in keepEnd when it ends.
	keepBusy, keepEnd = 10, 50
)

func (e *Engine) keptPath(name string) string { return filepath.Join(e.dir, keptPrefix+name) }

// loadKept restores the columns from the snapshot, if it is valid, and removes all other
// snapshots.
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

// removeKept removes all snapshots but the one with a name.
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

// keepAll writes snapshots periodically until ctx is done, and then once more.
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

// keepIfBehind writes a snapshot if one in oneOf assets has changed since the last, so
// that a start would take a considerable part of the time of reading everything.
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

// Keep writes a snapshot of the columns for the next start. Searches and changes continue
// meanwhile. The file need not survive a power failure, because damage is detected when
// it is read.
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

// cancelable is a writer that fails once ctx is done.
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

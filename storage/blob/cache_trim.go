package blob

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Budget limits the size of a cache.
type Budget struct {
	Bytes int64 // maximum total size of its files; 0 for no limit
	// Worth ranks files by name for eviction: files with the lowest worth are removed
	// first and, among those, the least recently used. Files with a worth of -1 are never
	// removed.
	Worth func(name string) int
}

const (
	// touchEvery is the precision of the recorded time of a file's last use.
	touchEvery = time.Hour
	// trimEvery is the interval of recounting the files, because other programs may have
	// removed some.
	trimEvery = 24 * time.Hour
	// maxVictims is the maximum number of files collected in memory for removal.
	maxVictims = 20_000
)

// SetBudget sets the budget that Trim and Run enforce. Call it before the cache is used.
func (c *Cache) SetBudget(b Budget) { c.budget = b }

// Run enforces the budget of the cache until ctx is done. It calls failed with each
// error.
func (c *Cache) Run(ctx context.Context, failed func(error)) {
	if c.budget.Bytes == 0 {
		return
	}
	t := time.NewTicker(trimEvery)
	defer t.Stop()
	for {
		if err := c.Trim(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-c.over:
		case <-t.C:
		}
	}
}

// noteSize adds the size of a new file, or the negative size of a removed one, to the
// used bytes.
func (c *Cache) noteSize(n int64) {
	if used := c.used.Add(n); n > 0 && c.budget.Bytes > 0 && used > c.budget.Bytes {
		select {
		case c.over <- struct{}{}:
		default:
		}
	}
}

// touch records the use of a file in its modification time: many file systems do not
// maintain access times.
func touch(path string, info fs.FileInfo) {
	if now := time.Now(); now.Sub(info.ModTime()) > touchEvery {
		_ = os.Chtimes(path, now, now) // on failure the file is evicted earlier
	}
}

// Trim counts the files of the cache and, if they exceed the budget, removes files until
// a tenth of it is free.
func (c *Cache) Trim(ctx context.Context) error {
	before := c.used.Load()
	total, err := c.each(ctx, func(kept) {})
	if err != nil {
		return err
	}
	c.used.Add(total - before) // files added meanwhile may count twice until the next run
	if c.budget.Bytes == 0 || total <= c.budget.Bytes {
		return nil
	}
	for target := c.budget.Bytes / 10 * 9; total > target; {
		victims := &victims{need: total - target}
		if _, err := c.each(ctx, victims.offer); err != nil {
			return err
		}
		if err := c.drop(victims.list); err != nil || len(victims.list) == 0 {
			return err
		}
		total -= victims.size
	}
	return nil
}

// drop removes files.
func (c *Cache) drop(list []kept) (err error) {
	for _, v := range list {
		if e := os.Remove(v.path); e != nil {
			if !errors.Is(e, fs.ErrNotExist) { // in use, on systems that forbid removal
				err = e
			}
			continue
		}
		c.noteSize(-v.size)
	}
	return err
}

// kept is a file of the cache that may be removed.
type kept struct {
	path  string
	size  int64
	worth int
	used  time.Time
}

// each calls fn with each removable file of the cache, and returns their total size. It
// removes temporary files that earlier processes left.
func (c *Cache) each(ctx context.Context, fn func(kept)) (total int64, err error) {
	err = filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return nil
		}
		if err != nil || ctx.Err() != nil || !d.Type().IsRegular() {
			return errors.Join(err, ctx.Err())
		}
		info, err := d.Info()
		if err != nil {
			return nil // removed meanwhile
		}
		if strings.HasPrefix(d.Name(), tempPrefix) && time.Since(info.ModTime()) > putTime {
			_ = os.Remove(path) // on failure, next time
			return nil
		}
		worth := -1
		if own, e := c.path(d.Name()); e == nil && own == path {
			worth = c.budget.Worth(d.Name())
		}
		if worth >= 0 {
			total += info.Size()
			fn(kept{path, info.Size(), worth, info.ModTime()})
		}
		return nil
	})
	return total, err
}

// victims are the files to be removed first, as many as needed: a heap with the most
// valuable one on top.
type victims struct {
	list []kept
	size int64
	need int64
}

// offer adds a file, then drops those that need not be removed.
func (v *victims) offer(k kept) {
	heap.Push(v, k)
	v.size += k.size
	for v.size-v.list[0].size >= v.need || len(v.list) > maxVictims {
		v.size -= v.list[0].size
		heap.Pop(v)
	}
}

func (v *victims) Len() int      { return len(v.list) }
func (v *victims) Swap(i, j int) { v.list[i], v.list[j] = v.list[j], v.list[i] }
func (v *victims) Push(k any)    { v.list = append(v.list, k.(kept)) }

func (v *victims) Less(i, j int) bool {
	a, b := v.list[i], v.list[j]
	return cmp.Or(cmp.Compare(b.worth, a.worth), b.used.Compare(a.used)) < 0
}

func (v *victims) Pop() any {
	last := v.list[len(v.list)-1]
	v.list = v.list[:len(v.list)-1]
	return last
}

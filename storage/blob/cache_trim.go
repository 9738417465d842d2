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

// Budget bounds what a cache holds.
type Budget struct {
	Bytes int64 // that its files may have together; 0 for no bound
	// Worth says how long a file is kept when there is too little room: those worth least
	// go first and, of those, the ones that were not used for longest. It is -1 for files
	// that are not removed.
	Worth func(name string) int
}

const (
	// touchEvery is how exactly it is known when a file was used.
	touchEvery = time.Hour
	// trimEvery is how often files are counted that other programs may have removed.
	trimEvery = 24 * time.Hour
	// maxVictims is how many files are in memory to be removed.
	maxVictims = 20_000
)

// SetBudget bounds the cache, before it is used. Trim and Run keep to it.
func (c *Cache) SetBudget(b Budget) { c.budget = b }

// Run keeps the cache to its budget until ctx is done. It calls failed with what goes
// wrong.
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

// noteSize notes that a file was added, or removed if n is below 0.
func (c *Cache) noteSize(n int64) {
	if used := c.used.Add(n); n > 0 && c.budget.Bytes > 0 && used > c.budget.Bytes {
		select {
		case c.over <- struct{}{}:
		default:
		}
	}
}

// touch notes that a file is used. The times of the file system are not to be relied on:
// many do not keep when a file was read.
func touch(path string, info fs.FileInfo) {
	if now := time.Now(); now.Sub(info.ModTime()) > touchEvery {
		_ = os.Chtimes(path, now, now) // else it goes earlier
	}
}

// Trim counts the files of the cache and, if they have more bytes than the budget, removes
// some until a tenth of it is free.
func (c *Cache) Trim(ctx context.Context) error {
	before := c.used.Load()
	total, err := c.each(ctx, func(kept) {})
	if err != nil {
		return err
	}
	c.used.Add(total - before) // what was added meanwhile may count twice, until the next time
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
			if !errors.Is(e, fs.ErrNotExist) { // it is in use, on systems that mind
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

// each calls fn with each file of the cache that may be removed, and returns how many
// bytes they have. What a process that has ended left is removed.
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
			_ = os.Remove(path) // next time
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

// victims are the files that go first, as many as are needed: a heap with the one that
// goes last on top.
type victims struct {
	list []kept
	size int64
	need int64
}

// offer takes a file if it goes before others.
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

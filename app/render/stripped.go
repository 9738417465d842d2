package render

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/embed"
	"github.com/digital-asset-library/dal/app/original"
)

const (
	// bareVersion is incremented when the way of stripping copies changes.
	bareVersion = 2
	// bareAtOnce is the number of files parsed concurrently to plan copies.
	bareAtOnce = 2
	// bareMemory is the memory limit of the plan cache in bytes; the latest plan may exceed
	// it.
	bareMemory = 64 << 20
	// barePlans is the maximum number of cached plans.
	barePlans = 1000
)

// StrippedCopies makes stripped copies of originals, which keep only the creator and the rights
// of the metadata. A copy is assembled from pieces of the original while it is read; the
// plans of these pieces are cached for the most recently requested copies.
type StrippedCopies struct {
	originals *original.Files
	turns     chan struct{}

	mu     sync.Mutex
	plans  map[string]*list.Element
	order  *list.List // of *barePlan, most recently requested first
	memory int64
}

type barePlan struct {
	key  string
	of   fs.FileInfo // the file that the plan was made for
	plan *embed.Plan
	err  error // why no plan exists
}

// NewStrippedCopies returns copies of originals without metadata.
func NewStrippedCopies(o *original.Files) *StrippedCopies {
	return &StrippedCopies{originals: o, turns: make(chan struct{}, bareAtOnce), plans: map[string]*list.Element{}, order: list.New()}
}

// StrippedSum returns the key of a stripped copy of an asset's original.
func StrippedSum(asset *dam.Asset) string {
	return ShortSum(fmt.Sprintf("%d %s %s %q", bareVersion, asset.SHA256, asset.MIMEType, credits(asset)), 16)
}

// Can reports whether a stripped copy can be made.
func (b *StrippedCopies) Can(ctx context.Context, asset *dam.Asset) bool {
	if !embed.Strips(asset.MIMEType) {
		return false
	}
	if p := b.kept(StrippedSum(asset)); p != nil && p.err == nil {
		return true
	}
	f, err := b.originals.OpenAsset(ctx, asset)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = b.plan(ctx, asset, f)
	return err == nil
}

// Open opens a stripped copy. Reading it fails once the original is written to, because the
// planned pieces may have changed.
func (b *StrippedCopies) Open(ctx context.Context, asset *dam.Asset) (io.ReadSeekCloser, error) {
	f, err := b.originals.OpenAsset(ctx, asset)
	if err != nil {
		return nil, err
	}
	p, err := b.plan(ctx, asset, f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("make a copy of asset %s without metadata: %w", asset.GAID, err)
	}
	return DescribedCopy{p.plan.Of(unchanged{f, p.of}), f}, nil
}

// plan returns the plan of a stripped copy for an open original.
func (b *StrippedCopies) plan(ctx context.Context, asset *dam.Asset, f *os.File) (*barePlan, error) {
	of, err := f.Stat()
	if err != nil {
		return nil, err
	}
	key := StrippedSum(asset)
	if p := b.kept(key); p != nil && sameFile(p.of, of) {
		return p, p.err
	}
	select {
	case b.turns <- struct{}{}:
		defer func() { <-b.turns }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if p := b.kept(key); p != nil && sameFile(p.of, of) { // made in the meantime
		return p, p.err
	}
	p := &barePlan{key: key, of: of}
	p.plan, p.err = embed.Strip(asset.MIMEType, readsUntil{ctx, unchanged{f, of}}, of.Size(), credits(asset))
	if p.err == nil || errors.Is(p.err, embed.ErrNotTaken) || errors.Is(p.err, embed.ErrTooLong) {
		b.keep(p)
	}
	return p, p.err
}

func (b *StrippedCopies) kept(key string) *barePlan {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.plans[key]
	if e == nil {
		return nil
	}
	b.order.MoveToFront(e)
	return e.Value.(*barePlan)
}

func (b *StrippedCopies) keep(p *barePlan) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.plans[p.key]; e != nil { // of the previous version of the file
		b.forget(e)
	}
	b.plans[p.key] = b.order.PushFront(p)
	b.memory += p.memory()
	for b.order.Len() > 1 && (b.memory > bareMemory || b.order.Len() > barePlans) {
		b.forget(b.order.Back())
	}
}

func (b *StrippedCopies) forget(e *list.Element) {
	p := b.order.Remove(e).(*barePlan)
	delete(b.plans, p.key)
	b.memory -= p.memory()
}

func (p *barePlan) memory() int64 {
	if p.plan == nil {
		return 0
	}
	return p.plan.Memory()
}

// readsUntil reads a file until a context ends.
type readsUntil struct {
	ctx  context.Context
	file io.ReaderAt
}

func (r readsUntil) ReadAt(p []byte, off int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.file.ReadAt(p, off)
}

// errWritten is returned if the original was written to while it was being read.
var errWritten = errors.New("the original has changed while it was read")

// unchanged reads a file and fails once it has been written to.
type unchanged struct {
	file *os.File
	was  fs.FileInfo
}

func (u unchanged) ReadAt(p []byte, off int64) (int, error) {
	n, err := u.file.ReadAt(p, off)
	is, statErr := u.file.Stat()
	if statErr == nil && !sameFile(u.was, is) {
		statErr = errWritten
	}
	if statErr != nil {
		return 0, statErr
	}
	return n, err
}

// sameFile reports whether a file has neither been written to nor replaced.
func sameFile(was, is fs.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}

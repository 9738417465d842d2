package app

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
)

const (
	// bareVersion is raised when copies without metadata are made differently.
	bareVersion = 1
	// bareAtOnce is how many files are looked through at once, to find the pieces of copies.
	bareAtOnce = 2
	// bareMemory is how many bytes the plans have that are kept, but for the last one.
	bareMemory = 64 << 20
	// barePlans is how many are kept.
	barePlans = 1000
)

// bareCopies makes copies of originals that say nothing but who made them and whose they are.
// They are made of pieces of the originals while they are read; what the pieces are is kept
// for those that were asked for last.
type bareCopies struct {
	originals *originals
	turns     chan struct{}

	mu     sync.Mutex
	plans  map[string]*list.Element
	order  *list.List // of *barePlan, the last that was asked for first
	memory int64
}

type barePlan struct {
	key  string
	of   fs.FileInfo // the file that it is for
	plan *embed.Plan
	err  error // why there is none
}

func newBareCopies(o *originals) *bareCopies {
	return &bareCopies{originals: o, turns: make(chan struct{}, bareAtOnce), plans: map[string]*list.Element{}, order: list.New()}
}

// bareSum names a copy of the original of an asset.
func bareSum(asset *dam.Asset) string {
	return shortSum(fmt.Sprintf("%d %s %s %q", bareVersion, asset.SHA256, asset.MIMEType, credits(asset)), 16)
}

// can reports whether a copy can be made.
func (b *bareCopies) can(ctx context.Context, asset *dam.Asset) bool {
	if !embed.Strips(asset.MIMEType) {
		return false
	}
	if p := b.kept(bareSum(asset)); p != nil && p.err == nil {
		return true
	}
	f, err := b.originals.openAsset(ctx, asset)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = b.plan(ctx, asset, f)
	return err == nil
}

// open opens a copy. Reading it fails once somebody writes to the original: what the pieces
// were may be something else by then.
func (b *bareCopies) open(ctx context.Context, asset *dam.Asset) (io.ReadSeekCloser, error) {
	f, err := b.originals.openAsset(ctx, asset)
	if err != nil {
		return nil, err
	}
	p, err := b.plan(ctx, asset, f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("make a copy of asset %s without metadata: %w", asset.GAID, err)
	}
	return describedCopy{p.plan.Of(unchanged{f, p.of}), f}, nil
}

// plan returns what the pieces of a copy of an open original are.
func (b *bareCopies) plan(ctx context.Context, asset *dam.Asset, f *os.File) (*barePlan, error) {
	of, err := f.Stat()
	if err != nil {
		return nil, err
	}
	key := bareSum(asset)
	if p := b.kept(key); p != nil && sameFile(p.of, of) {
		return p, p.err
	}
	select {
	case b.turns <- struct{}{}:
		defer func() { <-b.turns }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if p := b.kept(key); p != nil && sameFile(p.of, of) { // made meanwhile
		return p, p.err
	}
	p := &barePlan{key: key, of: of}
	p.plan, p.err = embed.Strip(asset.MIMEType, readsUntil{ctx, unchanged{f, of}}, of.Size(), credits(asset))
	if p.err == nil || errors.Is(p.err, embed.ErrNotTaken) || errors.Is(p.err, embed.ErrTooLong) {
		b.keep(p)
	}
	return p, p.err
}

func (b *bareCopies) kept(key string) *barePlan {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.plans[key]
	if e == nil {
		return nil
	}
	b.order.MoveToFront(e)
	return e.Value.(*barePlan)
}

func (b *bareCopies) keep(p *barePlan) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.plans[p.key]; e != nil { // of the file as it was before
		b.forget(e)
	}
	b.plans[p.key] = b.order.PushFront(p)
	b.memory += p.memory()
	for b.order.Len() > 1 && (b.memory > bareMemory || b.order.Len() > barePlans) {
		b.forget(b.order.Back())
	}
}

func (b *bareCopies) forget(e *list.Element) {
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

// errWritten is returned for an original that was written to while it was read.
var errWritten = errors.New("the original has changed while it was read")

// unchanged reads a file for as long as nobody writes to it.
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

// sameFile reports whether nobody has written to a file since, or put another one in its place.
func sameFile(was, is fs.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}

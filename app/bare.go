package app

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
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
	_, err := b.plan(ctx, asset)
	return err == nil
}

// open opens a copy.
func (b *bareCopies) open(ctx context.Context, asset *dam.Asset) (io.ReadSeekCloser, error) {
	plan, err := b.plan(ctx, asset)
	if err != nil {
		return nil, fmt.Errorf("make a copy of asset %s without metadata: %w", asset.GAID, err)
	}
	f, err := b.originals.openAsset(ctx, asset)
	if err != nil {
		return nil, err
	}
	return describedCopy{plan.Of(f), f}, nil
}

// plan returns what the pieces of a copy are.
func (b *bareCopies) plan(ctx context.Context, asset *dam.Asset) (*embed.Plan, error) {
	key := bareSum(asset)
	if p := b.kept(key); p != nil {
		return p.plan, p.err
	}
	select {
	case b.turns <- struct{}{}:
		defer func() { <-b.turns }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if p := b.kept(key); p != nil { // made meanwhile
		return p.plan, p.err
	}
	f, err := b.originals.openAsset(ctx, asset)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	p := &barePlan{key: key}
	p.plan, p.err = embed.Strip(asset.MIMEType, readsUntil{ctx, f}, size, credits(asset))
	if p.err == nil || errors.Is(p.err, embed.ErrNotTaken) || errors.Is(p.err, embed.ErrTooLong) {
		b.keep(p)
	}
	return p.plan, p.err
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
	if b.plans[p.key] != nil {
		return
	}
	b.plans[p.key] = b.order.PushFront(p)
	b.memory += p.memory()
	for b.order.Len() > 1 && (b.memory > bareMemory || b.order.Len() > barePlans) {
		last := b.order.Remove(b.order.Back()).(*barePlan)
		delete(b.plans, last.key)
		b.memory -= last.memory()
	}
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

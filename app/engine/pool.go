package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/child"
	"github.com/digital-asset-library/dal/app/engine/module"
)

// Config configures a pool.
type Config struct {
	Workers int      // concurrent processes; 0: one per two CPUs, at most 4
	Dir     string   // engine files here override built-in ones; "" for none
	Off     []string // disabled engines
	Cache   string   // folder for compiled code, which may be deleted; "" for none
	Data    string   // language files here override built-in ones; "" for none
	Memory  int64    // memory limit of the engine of one worker, in bytes
	Command []string // command of a worker; nil for this program with the argument worker
	Log     *slog.Logger

	// Waiting is called with the context of Look before it starts to wait for a worker; may
	// be nil.
	Waiting func(context.Context)
}

// The limits of a worker.
const (
	maxJobs      = 200             // files until the worker is replaced
	idleTime     = time.Minute     // until an idle worker exits
	prepareTime  = 5 * time.Minute // timeout for compiling an engine
	maxDeaths    = 2               // workers that may crash on one file
	slowPrepare  = time.Second     // minimum duration that is logged
	maxFileBytes = 512 << 20       // maximum size of a file that is read into memory, which does not apply to ranges
)

// Pool is a pool of workers, which are started on demand. It is safe for concurrent use; a
// nil Pool has no engines.
type Pool struct {
	cfg        Config
	slots      chan struct{} // one per active worker
	background chan struct{} // one for the active background worker

	mu     sync.Mutex
	closed bool
	idle   []*process // the most recently used is last
	all    map[*process]bool
	reaped sync.WaitGroup // goroutines that remove ended workers from all
}

// New returns a pool. Close stops its workers.
func New(c Config) *Pool {
	if c.Workers <= 0 {
		c.Workers = min(max(runtime.GOMAXPROCS(0)/2, 1), 4)
	}
	for _, path := range []*string{&c.Dir, &c.Cache, &c.Data} { // workers have another working directory
		if abs, err := filepath.Abs(*path); err == nil && *path != "" {
			*path = abs
		}
	}
	return &Pool{
		cfg: c, slots: make(chan struct{}, c.Workers), background: make(chan struct{}, 1), all: map[*process]bool{},
	}
}

// Has reports whether an engine is available and enabled.
func (p *Pool) Has(name string) bool {
	return p != nil && p.state(name) != StateOff && p.state(name) != StateMissing
}

// The states of engines.
const (
	StateBuiltIn  = "built in"
	StateReplaced = "replaced" // by a file in the folder of engines
	StateOff      = "switched off"
	StateMissing  = "missing"
)

func (p *Pool) state(name string) string {
	replaced, err := module.Replaced(name, p.cfg.Dir)
	switch {
	case slices.Contains(p.cfg.Off, name):
		return StateOff
	case err != nil:
		return StateMissing
	case replaced:
		return StateReplaced
	case module.BuiltIn(name):
		return StateBuiltIn
	}
	return StateMissing
}

// Status is the state of an engine.
type Status struct{ Name, State string }

// Engines returns the states of all engines.
func (p *Pool) Engines() []Status {
	var list []Status
	for _, name := range module.Names() {
		list = append(list, Status{name, p.state(name)})
	}
	return list
}

// Look processes a file. The limit applies to reading; waiting for a worker, and compiling
// an engine at its first use, take additional time. The error is a *Fault of the file,
// *Stopped, or a failure unrelated to the file.
func (p *Pool) Look(ctx context.Context, j Job, file io.ReaderAt, limit time.Duration) (*Look, error) {
	if !p.Has(j.Engine) {
		return nil, fmt.Errorf("there is no engine %s", j.Engine)
	}
	if !j.Ranges && j.Bytes > maxFileBytes {
		return nil, &Fault{TooLarge, fmt.Sprintf("it is larger than %d MiB, the most that the engine %s reads", maxFileBytes>>20, j.Engine)}
	}
	if p.cfg.Waiting != nil {
		p.cfg.Waiting(ctx)
	}
	slots := p.slots
	if j.Background {
		slots = p.background
	}
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-slots }()
	for deaths := 1; ; deaths++ {
		look, err := p.try(ctx, j, file, limit)
		stopped, ok := errors.AsType[*Stopped](err)
		if !ok || stopped.Slow || deaths == maxDeaths {
			return look, err
		}
		p.cfg.Log.WarnContext(ctx, "an engine crashed and is started again", "engine", j.Engine, "err", err)
	}
}

// try processes a file with one worker.
func (p *Pool) try(ctx context.Context, j Job, file io.ReaderAt, limit time.Duration) (*Look, error) {
	w, err := p.take(j.Background, j.Engine)
	if err != nil {
		return nil, err
	}
	look, err := p.use(ctx, w, j, file, limit)
	_, isFault := errors.AsType[*Fault](err)
	if w.jobs++; (err == nil || isFault) && w.jobs < maxJobs && resident(w.cmd.Process.Pid) < maxResident && p.putBack(w) {
		return look, err
	}
	w.end()
	return look, err
}

func (p *Pool) use(ctx context.Context, w *process, j Job, file io.ReaderAt, limit time.Duration) (*Look, error) {
	if err := p.prepare(ctx, w, j.Engine); err != nil {
		return nil, err
	}
	return w.ask(ctx, Request{Job: j}, file, limit)
}

// prepare prepares an engine in a worker.
func (p *Pool) prepare(ctx context.Context, w *process, name string) error {
	if w.ready[name] {
		return nil
	}
	began := time.Now()
	if _, err := w.ask(ctx, Request{Prepare: true, Job: Job{Engine: name}}, nil, prepareTime); err != nil {
		if _, isFault := errors.AsType[*Fault](err); isFault {
			return errors.New("start the engine " + name + ": " + err.Error()) // not the file's fault
		}
		return err
	}
	w.ready[name] = true
	if took := time.Since(began); took > slowPrepare {
		p.cfg.Log.InfoContext(ctx, "an engine has started; the first time it is compiled, which takes some seconds",
			"engine", name, "took", took)
	}
	return nil
}

// Try starts an engine as if a file had to be read. It does not affect Has.
func (p *Pool) Try(ctx context.Context, name string) error {
	w, err := p.take(false, name)
	if err != nil {
		return err
	}
	defer w.end()
	return p.prepare(ctx, w, name)
}

// take returns an idle or new worker, either a background worker or a normal one. It ends an
// idle one that has not started the engine and is too large to start it.
func (p *Pool) take(background bool, name string) (*process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.New("the engines are closed")
	}
	for i := len(p.idle) - 1; i >= 0; i-- {
		w := p.idle[i]
		if w.background != background {
			continue
		}
		p.idle = slices.Delete(p.idle, i, i+1)
		if w.resting.Stop() && !w.hasEnded() && (w.ready[name] || resident(w.cmd.Process.Pid) < maxBeside) {
			return w, nil
		}
		go w.end() // it is too large, has exited, or is about to
	}
	w, err := start(p.cfg.Command, Settings{Dir: p.cfg.Dir, Cache: p.cfg.Cache, Memory: p.cfg.Memory, Data: p.cfg.Data})
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	if w.background = background; background {
		child.Yield(w.cmd.Process)
	}
	p.all[w] = true
	p.reaped.Go(func() {
		<-w.ended
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.all, w)
		p.idle = slices.DeleteFunc(p.idle, func(o *process) bool { return o == w })
	})
	return w, nil
}

// PutBack keeps a worker for another file, up to idleTime, unless the pool is closed.
func (p *Pool) putBack(w *process) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || w.hasEnded() {
		return false
	}
	w.resting = time.AfterFunc(idleTime, w.end)
	p.idle = append(p.idle, w)
	return true
}

// Close stops all workers, including active ones, and waits for them.
func (p *Pool) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.closed = true
	var all []*process
	for w := range p.all {
		all = append(all, w)
	}
	p.mu.Unlock()
	for _, w := range all {
		w.end()
	}
	p.reaped.Wait()
}

// Running returns the process ids of the workers.
func (p *Pool) Running() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var ids []int
	for w := range p.all {
		ids = append(ids, w.cmd.Process.Pid)
	}
	return ids
}

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

// Config holds the settings of a pool.
type Config struct {
	Workers int      // processes at once; 0: one for two processors, at most 4
	Dir     string   // files of engines here win over those built in; "" for none
	Off     []string // engines that are not used
	Cache   string   // a folder for compiled code, which may be deleted; "" for none
	Data    string   // files of languages here win over those built in; "" for none
	Memory  int64    // bytes that the engine of one worker may use
	Command []string // what runs a worker; nil for this program with the argument worker
	Log     *slog.Logger

	// Waiting is called with the context of Look, which only waits for a worker from then on; nil for nothing.
	Waiting func(context.Context)
}

// The bounds of a worker.
const (
	maxJobs      = 200             // then it makes room for a new one
	maxResident  = 256 << 20       // bytes of memory, after a file: then it does so too; on Linux
	idleTime     = time.Minute     // then it ends
	prepareTime  = 5 * time.Minute // to compile an engine
	maxDeaths    = 2               // workers that may end during one file
	slowPrepare  = time.Second     // that the log tells about
	maxFileBytes = 512 << 20       // of one file, which is in memory while it is read, unless by ranges
)

// Pool holds workers. None is started before a file needs it. It is safe for
// concurrent use; a nil Pool has no engines.
type Pool struct {
	cfg        Config
	slots      chan struct{} // one for each worker that works
	background chan struct{} // one for the worker that works in the background

	mu     sync.Mutex
	closed bool
	idle   []*process // the last one was used last
	all    map[*process]bool
	reaped sync.WaitGroup // of those that have ended and are in all
}

// New returns a pool. Close ends its workers.
func New(c Config) *Pool {
	if c.Workers <= 0 {
		c.Workers = min(max(runtime.GOMAXPROCS(0)/2, 1), 4)
	}
	for _, path := range []*string{&c.Dir, &c.Cache, &c.Data} { // a worker is elsewhere
		if abs, err := filepath.Abs(*path); err == nil && *path != "" {
			*path = abs
		}
	}
	return &Pool{
		cfg: c, slots: make(chan struct{}, c.Workers), background: make(chan struct{}, 1), all: map[*process]bool{},
	}
}

// Has reports whether an engine is there and not switched off.
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

// Status says how an engine is.
type Status struct{ Name, State string }

// Engines returns how all engines are.
func (p *Pool) Engines() []Status {
	var list []Status
	for _, name := range module.Names() {
		list = append(list, Status{name, p.state(name)})
	}
	return list
}

// Look has a file read. The limit is for reading; waiting for a worker, and compiling
// an engine that is used for the first time, comes in addition. The error is a *Fault
// of the file, *Stopped, or a failure that has nothing to do with the file.
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

// try has a file read by one worker.
func (p *Pool) try(ctx context.Context, j Job, file io.ReaderAt, limit time.Duration) (*Look, error) {
	w, err := p.take(j.Background)
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

// prepare gets an engine ready in a worker.
func (p *Pool) prepare(ctx context.Context, w *process, name string) error {
	if w.ready[name] {
		return nil
	}
	began := time.Now()
	if _, err := w.ask(ctx, Request{Prepare: true, Job: Job{Engine: name}}, nil, prepareTime); err != nil {
		if _, isFault := errors.AsType[*Fault](err); isFault {
			return errors.New("start the engine " + name + ": " + err.Error()) // no fault of the file
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

// Try starts an engine, as a file that is to be read would. It has no bearing on what
// Has says.
func (p *Pool) Try(ctx context.Context, name string) error {
	w, err := p.take(false)
	if err != nil {
		return err
	}
	defer w.end()
	return p.prepare(ctx, w, name)
}

// take returns an idle worker or a new one, of those that work in the background or the
// others.
func (p *Pool) take(background bool) (*process, error) {
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
		if w.resting.Stop() && !w.hasEnded() {
			return w, nil
		}
		go w.end() // it has ended, or is about to
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

// putBack keeps a worker for the next file, for a while, unless the pool is closed.
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

// Close ends all workers, those that work too, and waits for them.
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

// Running returns the ids of the worker processes that there are.
func (p *Pool) Running() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var ids []int
	for w := range p.all {
		ids = append(ids, w.cmd.Process.Pid)
	}
	return ids
}

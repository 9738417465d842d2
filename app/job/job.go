// Package job runs background jobs that are persisted in storage.
package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// A Commit stores the result of a job. It runs in the transaction that completes the job,
// so a job's effects on the database happen once or not at all.
type Commit func(*storage.Tx) error

// A Handler processes the jobs of one kind.
type Handler struct {
	// Workers is the number of concurrent jobs, not counting waiting ones.
	Workers int
	// Waiting is the number of jobs that may wait concurrently: see Wait.
	Waiting int
	// Share alternates between the files of different owners; only for JobIngest.
	Share *storage.FairShare
	// Work processes one job outside any transaction and returns the changes to commit, or
	// nil for none. An error schedules another attempt. Work must return soon after ctx is
	// done.
	Work func(ctx context.Context, j *dam.Job) (Commit, error)
	// Hold reports whether no job of the kind may start now, for
	// example for lack of disk space. Nil means never.
	Hold func() bool
	// Dead is called in the transaction that marks a job as dead after its last attempt, so
	// that the failure is always reported.
	Dead func(tx *storage.Tx, j *dam.Job) error
	// Deaths is the number of times that the process may die while running such a job
	// before the job is marked dead; 0 means no limit. See suspects.
	Deaths int
}

// Later is an error that reschedules Work because a dependency is down. The attempt is not
// counted, and the runner does not log it.
type Later struct {
	After time.Duration
	Err   error
	// All jobs of the kind need the dependency: none starts before that time.
	All bool
}

func (l *Later) Error() string { return l.Err.Error() }
func (l *Later) Unwrap() error { return l.Err }

// Runner claims due jobs and runs them.
type Runner struct {
	store    *storage.Store
	log      *slog.Logger
	lease    time.Duration
	poll     time.Duration
	handlers map[dam.JobKind]Handler
	wake     map[dam.JobKind]chan struct{}
	turns    map[dam.JobKind]*turns
	logged   atomic.Int64 // last log entry about jobs that cannot be claimed, in seconds since 1970
}

// The lease of a claimed job, which is extended after each third of it while the job runs,
// and the interval of polling the queue for jobs of other processes and retries.
const (
	lease = time.Minute
	poll  = 500 * time.Millisecond

	spaceRetry = 15 * time.Second // for a job that failed because the disk was full
	logEvery   = time.Minute      // for jobs that cannot be claimed
)

// New returns a runner of the given handlers.
func New(store *storage.Store, log *slog.Logger, handlers map[dam.JobKind]Handler) *Runner {
	r := &Runner{
		store: store, log: log, lease: lease, poll: poll, handlers: handlers,
		wake: map[dam.JobKind]chan struct{}{}, turns: map[dam.JobKind]*turns{},
	}
	for kind := range handlers {
		r.wake[kind], r.turns[kind] = make(chan struct{}, 1), &turns{}
	}
	return r
}

// Wake signals that jobs of a kind may be due.
func (r *Runner) Wake(kind dam.JobKind) {
	select {
	case r.wake[kind] <- struct{}{}:
	default:
	}
}

// Run processes jobs until ctx is done, then waits until the running jobs end or are
// returned to the queue. Only one process may run jobs of a store: Run treats leases of an
// earlier process as expired.
func (r *Runner) Run(ctx context.Context) error {
	err := r.noteDeaths(ctx)
	if err == nil {
		err = r.expire(ctx, true)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped before it began
		}
		return err
	}
	var wg sync.WaitGroup
	for kind, h := range r.handlers {
		places := make(chan struct{}, h.Workers)
		for range h.Workers {
			places <- struct{}{}
		}
		for range h.Workers + h.Waiting {
			wg.Go(func() { r.loop(ctx, kind, h, places) })
		}
	}
	wg.Go(func() { r.watch(ctx) })
	wg.Wait()
	return nil
}

// watch returns expired leases to the queue.
func (r *Runner) watch(ctx context.Context) {
	t := time.NewTicker(r.lease / 2)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := r.expire(ctx, false); err != nil && ctx.Err() == nil {
				r.log.ErrorContext(ctx, "expire leases", "err", err)
			}
		}
	}
}

func (r *Runner) expire(ctx context.Context, all bool) error {
	return r.store.Update(ctx, func(tx *storage.Tx) error {
		dead, err := tx.ExpireLeases(all)
		for _, j := range dead {
			err = errors.Join(err, r.died(tx, j))
		}
		return err
	})
}

func (r *Runner) died(tx *storage.Tx, j *dam.Job) error {
	if h := r.handlers[j.Kind]; h.Dead != nil {
		return h.Dead(tx, j)
	}
	return nil
}

// loop processes jobs whenever it holds a worker slot.
func (r *Runner) loop(ctx context.Context, kind dam.JobKind, h Handler, places chan struct{}) {
	t := time.NewTicker(r.poll)
	defer t.Stop()
	held := &place{all: places}
	held.given.Store(true) // no slot yet
	for ctx.Err() == nil {
		if held.given.Load() {
			select {
			case <-ctx.Done():
				return
			case <-places:
				held = &place{all: places}
			}
		}
		worked, err := r.one(context.WithValue(ctx, placeKey{}, held), kind, h)
		if err != nil && ctx.Err() == nil && r.mayLog() {
			r.log.ErrorContext(ctx, "job", "kind", kind, "err", err)
		}
		if worked {
			continue
		}
		select {
		case <-ctx.Done():
		case <-t.C:
		case <-r.wake[kind]:
		}
	}
}

// place is a worker slot for one job.
type place struct {
	all   chan<- struct{}
	given atomic.Bool // passed on to another job
}

type placeKey struct{}

// Wait declares that the job of this context only waits for another program from now on,
// such as one that reads its file. Another job may then use its slot.
func Wait(ctx context.Context) {
	if p, ok := ctx.Value(placeKey{}).(*place); ok && p.given.CompareAndSwap(false, true) {
		p.all <- struct{}{} // never blocks: the slot was taken from this channel
	}
}

// mayLog limits the rate of log entries for errors that recur at each poll.
func (r *Runner) mayLog() bool {
	now, last := time.Now().Unix(), r.logged.Load()
	return now-last >= int64(logEvery/time.Second) && r.logged.CompareAndSwap(last, now)
}

// one claims and processes one job. It reports whether it found one.
func (r *Runner) one(ctx context.Context, kind dam.JobKind, h Handler) (bool, error) {
	if h.Hold != nil && h.Hold() {
		return false, nil
	}
	j, end, err := r.claim(ctx, kind)
	if err != nil || j == nil {
		return false, err
	}
	defer end()
	r.Wake(kind) // another worker may find more
	commit, err := r.call(ctx, h, j)
	stopping := ctx.Err() != nil
	ctx = context.WithoutCancel(ctx) // record the result even at shutdown
	if err == nil {
		err = r.store.Update(ctx, func(tx *storage.Tx) error {
			if err := tx.CompleteJob(j); err != nil || commit == nil {
				return err
			}
			return commit(tx)
		})
	}
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, storage.ErrLeaseLost):
		return true, nil // dropped, or completed by another worker
	}
	return true, r.failed(ctx, j, err, stopping)
}

// failed records a failed attempt.
func (r *Runner) failed(ctx context.Context, j *dam.Job, cause error, stopping bool) error {
	later, asked := errors.AsType[*Later](cause)
	if !asked && dam.KindOf(cause) == dam.NoSpace { // not the job's fault
		later, asked = &Later{After: spaceRetry, Err: cause}, true
	}
	dead := false
	err := r.store.Update(ctx, func(tx *storage.Tx) error {
		switch {
		case stopping:
			return tx.RetryJob(j, tx.Now(), "handed back at stop", true)
		case asked:
			if later.All {
				r.turns[j.Kind].pause(later.After)
			}
			return tx.RetryJob(j, tx.Now().Add(later.After), cause.Error(), true)
		case j.Attempt < j.MaxAttempts:
			return tx.RetryJob(j, tx.Now().Add(backoff(j.Attempt)), cause.Error(), false)
		}
		dead = true
		j.LastError = cause.Error()
		if err := tx.BuryJob(j, cause.Error()); err != nil {
			return err
		}
		return r.died(tx, j)
	})
	if errors.Is(err, storage.ErrLeaseLost) {
		err = nil
	}
	if !stopping && !asked {
		r.log.WarnContext(ctx, "job attempt failed", "kind", j.Kind, "job", j.ID, "attempt", j.Attempt, "dead", dead, "err", cause)
	}
	return err
}

// call runs the job and keeps its lease.
func (r *Runner) call(ctx context.Context, h Handler, j *dam.Job) (commit Commit, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var beat sync.WaitGroup
	beat.Go(func() { r.heartbeat(ctx, cancel, j) })
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if cause := context.Cause(ctx); err != nil && errors.Is(cause, storage.ErrLeaseLost) {
			err = cause
		}
		cancel(nil)
		beat.Wait()
	}()
	return h.Work(ctx, j)
}

func (r *Runner) heartbeat(ctx context.Context, cancel context.CancelCauseFunc, j *dam.Job) {
	t := time.NewTicker(r.lease / 3)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			err := r.store.Note(ctx, func(tx *storage.Tx) error { return tx.ExtendLease(j, r.lease) })
			if errors.Is(err, storage.ErrLeaseLost) {
				cancel(err)
				return
			}
		}
	}
}

// backoff returns attempt⁴ seconds, at most an hour, ±10 %.
func backoff(attempt int) time.Duration {
	d := min(time.Duration(attempt*attempt*attempt*attempt)*time.Second, time.Hour)
	return time.Duration(float64(d) * (0.9 + 0.2*rand.Float64()))
}

package job_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
)

const kind dam.JobKind = "test"

func open(t *testing.T, now func() time.Time) *storage.Store {
	t.Helper()
	s, err := storage.Open(t.Context(), filepath.Join(t.TempDir(), "dal.db"), now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func enqueue(t *testing.T, s *storage.Store, subject int64, attempts int) {
	t.Helper()
	if err := s.Update(t.Context(), func(tx *storage.Tx) error { return tx.Enqueue(kind, subject, attempts) }); err != nil {
		t.Fatal(err)
	}
}

// run runs a handler until done is closed.
func run(t *testing.T, s *storage.Store, h job.Handler, done <-chan struct{}) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			t.Error("the jobs did not come to it in time")
		}
		stop()
	}()
	if err := job.New(s, slog.New(slog.DiscardHandler), map[dam.JobKind]job.Handler{kind: h}).Run(ctx); err != nil {
		t.Error(err)
	}
}

func counts(t *testing.T, s *storage.Store) (n map[dam.JobState]int, dead []*dam.Job) {
	t.Helper()
	if err := s.View(t.Context(), func(tx *storage.Tx) error {
		all, err := tx.CountJobs()
		if err != nil {
			return err
		}
		n = all[kind]
		dead, err = tx.DeadJobs(10)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n, dead
}

// Each job runs once, and its commit is part of its completion.
func TestOnce(t *testing.T) {
	t.Parallel()
	s := open(t, time.Now)
	for i := range 50 {
		enqueue(t, s, int64(i+1), 3)
	}
	var mu sync.Mutex
	seen := map[int64]int{}
	done := make(chan struct{})
	committed := 0
	run(t, s, job.Handler{Workers: 4, Work: func(_ context.Context, j *dam.Job) (job.Commit, error) {
		mu.Lock()
		seen[j.Subject]++
		mu.Unlock()
		return func(tx *storage.Tx) error {
			tx.OnCommit(func() {
				mu.Lock()
				defer mu.Unlock()
				if committed++; committed == 50 {
					close(done)
				}
			})
			return nil
		}, nil
	}}, done)
	for subject, n := range seen {
		if n != 1 {
			t.Errorf("job %d ran %d times", subject, n)
		}
	}
	if n, _ := counts(t, s); len(seen) != 50 || len(n) != 0 {
		t.Errorf("%d ran, %v left", len(seen), n)
	}
}

// A job that fails or panics is retried and finally marked dead with a report.
func TestDead(t *testing.T) {
	t.Parallel()
	s := open(t, time.Now)
	enqueue(t, s, 1, 2)
	var tries atomic.Int32
	done := make(chan struct{})
	run(t, s, job.Handler{Workers: 1,
		Work: func(context.Context, *dam.Job) (job.Commit, error) {
			if tries.Add(1) == 1 {
				panic("first")
			}
			return nil, errors.New("second")
		},
		Dead: func(tx *storage.Tx, j *dam.Job) error {
			if j.Subject != 1 || j.LastError != "second" {
				t.Errorf("buried %+v", j)
			}
			tx.OnCommit(func() { close(done) })
			return nil
		}}, done)
	n, dead := counts(t, s)
	if tries.Load() != 2 || n[dam.JobDead] != 1 || len(dead) != 1 || dead[0].LastError != "second" {
		t.Errorf("%d tries, %v, %+v", tries.Load(), n, dead)
	}
}

// Waiting for a dependency costs no attempt.
func TestLater(t *testing.T) {
	t.Parallel()
	s := open(t, time.Now)
	enqueue(t, s, 1, 1)
	var tries atomic.Int32
	done := make(chan struct{})
	run(t, s, job.Handler{Workers: 1, Work: func(context.Context, *dam.Job) (job.Commit, error) {
		if tries.Add(1) < 4 {
			return nil, &job.Later{After: time.Millisecond, Err: errors.New("away")}
		}
		close(done)
		return nil, nil
	}}, done)
	if n, _ := counts(t, s); len(n) != 0 {
		t.Errorf("%v left after %d tries", n, tries.Load())
	}
}

// A shutdown returns running jobs to the queue without counting the attempt, and the next
// run resumes them.
func TestHandedBack(t *testing.T) {
	t.Parallel()
	s := open(t, time.Now)
	enqueue(t, s, 1, 1)
	begun := make(chan struct{})
	run(t, s, job.Handler{Workers: 1, Work: func(ctx context.Context, _ *dam.Job) (job.Commit, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	}}, begun)
	if n, _ := counts(t, s); n[dam.JobReady] != 1 {
		t.Fatalf("%v", n)
	}
	done := make(chan struct{})
	run(t, s, job.Handler{Workers: 1, Work: func(context.Context, *dam.Job) (job.Commit, error) {
		close(done)
		return nil, nil
	}}, done)
	if n, _ := counts(t, s); len(n) != 0 {
		t.Errorf("%v left", n)
	}
}

// If two workers run a job, because the first lost its lease, only the second can complete
// it.
func TestFencing(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	s := open(t, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	enqueue(t, s, 1, 5)
	claim := func() (j *dam.Job) {
		if err := s.Update(t.Context(), func(tx *storage.Tx) (err error) {
			if _, err = tx.ExpireLeases(false); err != nil {
				return err
			}
			j, err = tx.ClaimJob(kind, time.Minute)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return j
	}
	first := claim()
	if first == nil || claim() != nil {
		t.Fatal("want exactly one claim")
	}
	ahead.Store(int64(2 * time.Minute))
	second := claim()
	if second == nil || second.Attempt != 2 {
		t.Fatalf("%+v", second)
	}
	complete := func(j *dam.Job) error {
		return s.Update(t.Context(), func(tx *storage.Tx) error { return tx.CompleteJob(j) })
	}
	if err := complete(first); !errors.Is(err, storage.ErrLeaseLost) {
		t.Errorf("the first: %v", err)
	}
	if err := complete(second); err != nil {
		t.Errorf("the second: %v", err)
	}
}

// A job that waits for another program passes its slot on to the next job.
func TestWait(t *testing.T) {
	t.Parallel()
	s := open(t, time.Now)
	for subject := range int64(3) {
		enqueue(t, s, subject, 1)
	}
	done, all := make(chan struct{}), sync.WaitGroup{}
	all.Add(3)
	go func() { all.Wait(); close(done) }()
	run(t, s, job.Handler{Workers: 1, Waiting: 2, Work: func(ctx context.Context, _ *dam.Job) (job.Commit, error) {
		job.Wait(ctx)
		job.Wait(ctx) // no effect
		all.Done()
		all.Wait() // for the others, which could not start otherwise
		return nil, nil
	}}, done)
	job.Wait(t.Context()) // without a job
}

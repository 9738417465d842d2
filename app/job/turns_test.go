package job_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
)

// A job during which the process died is retried later and alone. If the process dies
// twice, the job is marked dead. This costs no attempts.
func TestSuspects(t *testing.T) {
	t.Parallel()
	s := open(t, time.Now)
	for i := range 20 {
		enqueue(t, s, int64(i+1), 1)
	}
	die := func(claim func(*storage.Tx, dam.JobKind, time.Duration) (*dam.Job, error), subject int64) {
		t.Helper()
		if err := s.Update(t.Context(), func(tx *storage.Tx) error {
			j, err := claim(tx, kind, time.Minute)
			if got := int64(0); err == nil {
				if j != nil {
					got = j.Subject
				}
				if got != subject {
					t.Errorf("claimed job %d, want %d", got, subject)
				}
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	die((*storage.Tx).ClaimJob, 1)
	die((*storage.Tx).ClaimJob, 2)

	var running, ended atomic.Int32
	done := make(chan struct{})
	run(t, s, job.Handler{Workers: 4, Deaths: 2, Work: func(_ context.Context, j *dam.Job) (job.Commit, error) {
		n := running.Add(1)
		defer running.Add(-1)
		if j.Deaths != 0 {
			t.Errorf("job %d has its turn at once", j.Subject)
		}
		if n > 4 {
			t.Errorf("%d at once", n)
		}
		return func(tx *storage.Tx) error {
			tx.OnCommit(func() {
				if ended.Add(1) == 18 {
					close(done)
				}
			})
			return nil
		}, nil
	}}, done)

	die((*storage.Tx).ClaimJob, 0) // only suspects are left, and they are not due
}

// While a suspect runs no other job runs, and it is finally marked dead.
func TestSuspectAlone(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	s := open(t, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	enqueue(t, s, 1, 1)
	claimed := func(claim func(*storage.Tx, dam.JobKind, time.Duration) (*dam.Job, error)) (j *dam.Job) {
		if err := s.Update(t.Context(), func(tx *storage.Tx) (err error) {
			j, err = claim(tx, kind, time.Minute)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return j
	}
	if claimed((*storage.Tx).ClaimJob) == nil {
		t.Fatal("no job")
	}
	for i := range 30 {
		enqueue(t, s, int64(i+2), 1)
	}
	var running, ended atomic.Int32
	begun := make(chan struct{})
	run(t, s, job.Handler{Workers: 4, Deaths: 2, Work: func(ctx context.Context, j *dam.Job) (job.Commit, error) {
		n := running.Add(1)
		defer running.Add(-1)
		if j.Deaths == 0 {
			if ended.Add(1) == 5 {
				ahead.Store(int64(time.Minute)) // the suspect is due
			}
			return nil, nil
		}
		if n != 1 || running.Load() != 1 {
			t.Errorf("beside %d others", n-1)
		}
		close(begun)
		<-ctx.Done() // orderly shutdown of the process
		return nil, ctx.Err()
	}}, begun)
	j := claimed((*storage.Tx).ClaimSuspect) // then dies with it again
	if j == nil || j.Deaths != 1 || claimed((*storage.Tx).ClaimSuspect) != nil {
		t.Fatalf("the suspect was %+v", j)
	}
	buried := make(chan struct{})
	run(t, s, job.Handler{Workers: 4, Deaths: 2,
		Work: func(_ context.Context, j *dam.Job) (job.Commit, error) { return nil, nil },
		Dead: func(tx *storage.Tx, j *dam.Job) error {
			if j.Subject != 1 || j.Deaths != 2 {
				t.Errorf("buried %+v", j)
			}
			tx.OnCommit(func() { close(buried) })
			return nil
		}}, buried)
}

// If all jobs of a kind wait for the same dependency, one checks it and the others are not
// started.
func TestPause(t *testing.T) {
	t.Parallel()
	s := open(t, time.Now)
	for i := range 100 {
		enqueue(t, s, int64(i+1), 1)
	}
	var tries atomic.Int32
	done := make(chan struct{})
	over := sync.OnceFunc(func() { close(done) })
	run(t, s, job.Handler{Workers: 2, Work: func(context.Context, *dam.Job) (job.Commit, error) {
		tries.Add(1)
		over()
		return nil, &job.Later{After: time.Hour, Err: errors.New("away"), All: true}
	}}, done)
	if n, _ := counts(t, s); tries.Load() > 2 || n[dam.JobReady] != 100 {
		t.Errorf("%d tries, %v", tries.Load(), n)
	}
}

package job

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// A job that was running when the process died is a suspect. It may have caused the crash,
// for example by using up all memory, or the power may have failed. After a restart,
// suspects run after a delay, so that the server works for a while even if a suspect
// crashes it. They run alone, so that no other job becomes a suspect with them. A job that
// was running in as many crashes as its handler allows is marked dead.

// suspectDelay is the delay of suspects after each start.
const suspectDelay = 10 * time.Second

// noteDeaths marks the jobs that were running when the process died as suspects.
func (r *Runner) noteDeaths(ctx context.Context) error {
	return r.store.Update(ctx, func(tx *storage.Tx) error {
		for kind, h := range r.handlers {
			if h.Deaths == 0 {
				continue
			}
			dead, err := tx.NoteDeaths(kind, h.Deaths, tx.Now().Add(suspectDelay))
			if err != nil {
				return err
			}
			for _, j := range dead {
				r.log.ErrorContext(ctx, "the server died while it worked on this job and does not try it again",
					"kind", kind, "job", j.ID, "subject", j.Subject, "deaths", j.Deaths)
				if err := r.died(tx, j); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// turns controls when the jobs of a kind may start.
type turns struct {
	running sync.RWMutex // held exclusively by a suspect
	until   atomic.Int64 // no job starts before, in nanoseconds since 1970
}

// pause prevents jobs from starting for a while.
func (t *turns) pause(d time.Duration) { t.until.Store(time.Now().Add(d).UnixNano()) }

func (t *turns) paused() bool { return time.Now().UnixNano() < t.until.Load() }

// claim claims the next job of a kind, nil for none. The caller must call end after the
// job.
func (r *Runner) claim(ctx context.Context, kind dam.JobKind) (j *dam.Job, end func(), err error) {
	t := r.turns[kind]
	if t.paused() {
		return nil, nil, nil
	}
	// Most polls find nothing, and a read does not wait for the writer.
	var due, suspect bool
	err = r.store.View(ctx, func(tx *storage.Tx) (err error) {
		if r.handlers[kind].Deaths > 0 {
			if suspect, err = tx.SuspectDue(kind); err != nil || suspect {
				return err
			}
		}
		due, err = tx.JobDue(kind)
		return err
	})
	if err != nil || !due && !suspect {
		return nil, nil, err
	}
	claim, end := (*storage.Tx).ClaimJob, t.running.RUnlock
	if share := r.handlers[kind].Share; share != nil {
		claim = func(tx *storage.Tx, _ dam.JobKind, lease time.Duration) (*dam.Job, error) {
			return tx.ClaimFile(*share, lease)
		}
	}
	if suspect {
		claim, end = (*storage.Tx).ClaimSuspect, t.running.Unlock
		t.running.Lock()
	} else {
		t.running.RLock()
	}
	if !t.paused() {
		err = r.store.Note(ctx, func(tx *storage.Tx) (err error) {
			j, err = claim(tx, kind, r.lease)
			return err
		})
	}
	if err != nil || j == nil {
		end()
		return nil, nil, err
	}
	return j, end, nil
}

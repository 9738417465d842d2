package ingest

import (
	"context"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// noteStages is the interval at which the progress of a file is recorded. Most
// files finish sooner, so their stages would not be seen, and each record takes a
// transaction.
const noteStages = 200 * time.Millisecond

// stages periodically records the progress of a file.
type stages struct {
	store *storage.Store

	mu    sync.Mutex
	file  dam.BatchFile  // state to record
	noted dam.FileStatus // last recorded status; "" if it must be recorded again

	stop func()
}

// follow starts recording the stages of a file, until end is called. The returned
// context ends if the file is cancelled in the meantime.
func (g *Ingester) follow(ctx context.Context, f *dam.BatchFile) (*stages, context.Context) {
	s := &stages{store: g.Store, file: *f}
	if f.Error == nil {
		s.noted = f.Status
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var noting sync.WaitGroup
	noting.Go(func() { s.run(ctx, cancel) })
	s.stop = func() {
		cancel(nil)
		noting.Wait()
	}
	return s, ctx
}

// end stops the recording and waits for it to finish.
func (s *stages) end() { s.stop() }

func (s *stages) run(ctx context.Context, cancel context.CancelCauseFunc) {
	t := time.NewTicker(noteStages)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := s.note(ctx); dam.KindOf(err) == dam.Conflict {
				cancel(err)
				return
			}
		}
	}
}

// note records the stage if it has changed. Failures are retried.
func (s *stages) note(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file.Status == s.noted {
		return nil
	}
	err := s.store.Note(ctx, func(tx *storage.Tx) error { return tx.SetFileState(&s.file) })
	if err == nil {
		s.noted = s.file.Status
	}
	return err
}

// enter sets the stage of a file.
func (s *stages) enter(status dam.FileStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file.Status, s.file.Error = status, nil
}

// wait immediately records why a file is waiting.
func (s *stages) wait(ctx context.Context, cause *dam.FileError) error {
	s.mu.Lock()
	s.file.Error, s.noted = cause, ""
	s.mu.Unlock()
	return s.note(ctx)
}

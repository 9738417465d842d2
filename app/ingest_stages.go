package app

import (
	"context"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// noteStages is how often it is noted how far a file has come. Most files are done
// sooner, and nobody could see their stages: each note is a transaction.
const noteStages = 200 * time.Millisecond

// stages notes how far a file has come, from time to time.
type stages struct {
	store *storage.Store

	mu    sync.Mutex
	file  dam.BatchFile  // as it is to be noted
	noted dam.FileStatus // "" if what is noted holds no longer

	stop func()
}

// follow begins to note the stages of a file, until end. The context ends when the
// file has been cancelled meanwhile.
func (g *ingest) follow(ctx context.Context, f *dam.BatchFile) (*stages, context.Context) {
	s := &stages{store: g.store, file: *f}
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

// end returns when nothing is noted any more.
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

// note writes the stage, unless that has been done. What fails is tried again.
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

// enter says which stage a file is in.
func (s *stages) enter(status dam.FileStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file.Status, s.file.Error = status, nil
}

// wait notes at once what a file waits for.
func (s *stages) wait(ctx context.Context, cause *dam.FileError) error {
	s.mu.Lock()
	s.file.Error, s.noted = cause, ""
	s.mu.Unlock()
	return s.note(ctx)
}

package storage_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// TestTrialNeverCommits checks that the transactions of a trial run and fail as usual, but
// never commit, whichever context derives from it.
func TestTrialNeverCommits(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "dal.db"))
	trial, other := storage.WithTrial(t.Context()), errors.New("other")
	none := func(*storage.Tx) error { return nil }
	for name, ctx := range map[string]context.Context{
		"plain": trial, "without cancel": context.WithoutCancel(trial), "guarded": storage.WithGuard(trial, none),
		"unguarded": storage.WithGuard(trial, nil), "claiming": storage.WithClaim(trial, none),
	} {
		for how, write := range map[string]func(context.Context, func(*storage.Tx) error) error{"Update": s.Update, "Note": s.Note} {
			err := write(ctx, func(tx *storage.Tx) error {
				tx.OnCommit(func() { t.Errorf("%s, %s: OnCommit ran", name, how) })
				return tx.InsertVocabulary(&dam.Vocabulary{Key: "v", Name: "V"})
			})
			if !errors.Is(err, storage.ErrTrial) {
				t.Errorf("%s, %s: %v", name, how, err)
			}
			if err := write(ctx, func(*storage.Tx) error { return other }); !errors.Is(err, other) {
				t.Errorf("%s, %s: %v, want its own error", name, how, err)
			}
		}
	}
	// The key is free.
	if err := s.Update(t.Context(), func(tx *storage.Tx) error {
		return tx.InsertVocabulary(&dam.Vocabulary{Key: "v", Name: "V"})
	}); err != nil {
		t.Error(err)
	}
}

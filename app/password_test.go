package app

import (
	"context"
	"errors"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// A client that goes away leaves the queue for password checks; one that finds
// it full does not wait.
func TestPasswordQueue(t *testing.T) {
	t.Parallel()
	h := newHasher()
	for range passwordsAtOnce {
		if _, err := h.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error, passwordsWaiting)
	for range passwordsWaiting {
		go func() {
			_, err := h.matches(ctx, "", "correct horse battery")
			ended <- err
		}()
	}
	for h.waiting.Load() < passwordsWaiting { // until all of them wait
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := h.matches(t.Context(), "", "correct horse battery")
	var retry *RetryAfter
	if dam.KindOf(err) != dam.Unavailable || !errors.As(err, &retry) {
		t.Errorf("one too many: %v", err)
	}
	leave()
	for range passwordsWaiting {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	if n := h.waiting.Load(); n != 0 {
		t.Errorf("%d wait", n)
	}
	<-h.slots
	if ok, err := h.matches(t.Context(), "", "correct horse battery"); ok || err != nil {
		t.Error(ok, err)
	}
	if ok, err := h.matches(t.Context(), "$argon2id$v=19$m=1", "correct horse battery"); ok || err == nil {
		t.Error(ok, err)
	}
}

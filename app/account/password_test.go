package account

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// A disconnected client leaves the queue of password checks. A client that finds the
// queue full does not wait.
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
			_, err := h.Matches(ctx, "", "correct horse battery")
			ended <- err
		}()
	}
	for h.waiting.Load() < passwordsWaiting { // until all of them wait
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := h.Matches(t.Context(), "", "correct horse battery")
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
	<-h.Slots
	if ok, err := h.Matches(t.Context(), "", "correct horse battery"); ok || err != nil {
		t.Error(ok, err)
	}
	if ok, err := h.Matches(t.Context(), "$argon2id$v=19$m=1", "correct horse battery"); ok || err == nil {
		t.Error(ok, err)
	}
}

// A password matches however its characters were entered. Hashes of passwords exactly as
// entered still match.
func TestPasswordForms(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "M\u00fcller im Caf\u00e9", "Mu\u0308ller im Cafe\u0301"
	h := newHasher()
	for _, c := range []struct {
		set, typed string
		old, want  bool // old: hashed exactly as entered
	}{
		{set: composed, typed: decomposed, want: true},
		{set: "twelve\u00a0signs", typed: "twelve signs", want: true},
		{set: composed, typed: strings.ToUpper(composed)},
		{set: composed, typed: ""},
		{set: decomposed, typed: decomposed, old: true, want: true},
		{set: "with a bell\u0007", typed: "with a bell\u0007", old: true, want: true},
	} {
		hash, err := h.Checked(t.Context(), c.set, MinPassword)
		if c.old {
			hash, err = h.hash(t.Context(), c.set)
		}
		if err != nil {
			t.Errorf("%+q: %v", c.set, err)
			continue
		}
		if ok, err := h.Matches(t.Context(), hash, c.typed); ok != c.want || err != nil {
			t.Errorf("%+q, old: %v, typed %+q: %v %v", c.set, c.old, c.typed, ok, err)
		}
	}
	for p, want := range map[string]string{
		"":                         "10 to 256",
		"ninebytes":                "10 to 256",
		strings.Repeat("x", 257):   "10 to 256",
		"with a bell\u0007":        "leave it out",
		"with no width\u200b":      "leave it out",
		"not UTF-8 at all \xff":    "leave it out",
		strings.Repeat("\a", 2000): "10 to 256",
	} {
		if _, err := h.Checked(t.Context(), p, MinPassword); dam.KindOf(err) != dam.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%+q: %v", p, err)
		}
	}
}

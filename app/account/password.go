package account

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/secure/precis"

	"github.com/digital-asset-library/dal/app/dam"
)

// Bounds of a password, in bytes.
const (
	MinPassword = 10
	MaxPassword = 256
	maxTyped    = 4 * MaxPassword // before normalization, which can shorten it
)

// NewPassword returns a random password: 20 characters, 120 bits.
func NewPassword() string { return RandomText(15) }

// passwordCost returns the cost of a password hash: Argon2id with the parameters that RFC
// 9106 section 4 recommends for memory-constrained systems.
func passwordCost() *argon2id.Params {
	return &argon2id.Params{Memory: 64 << 10, Iterations: 3, Parallelism: 2, SaltLength: 16, KeyLength: 32}
}

// The number of passwords hashed concurrently, each of which takes 64 MiB and about 0.1 s
// of two processors, and the length of the queue. When the queue is full, clients must
// retry after passwordRetry.
const (
	passwordsAtOnce  = 1
	passwordsWaiting = 16
	passwordRetry    = 2 * time.Second
)

// Hasher hashes passwords and compares them with hashes. It limits concurrency, to bound
// the memory used, and has a short queue.
type Hasher struct {
	Slots   chan struct{} // holds one element per password being hashed
	waiting atomic.Int32
	decoy   func() (string, error) // returns a hash that no password matches
}

func newHasher() *Hasher {
	return &Hasher{Slots: make(chan struct{}, passwordsAtOnce), decoy: sync.OnceValues(func() (string, error) {
		return argon2id.CreateHash(RandomText(32), passwordCost())
	})}
}

// enter waits for a slot until ctx is done. If the queue is full, it returns an error
// immediately.
func (h *Hasher) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-h.Slots }
	select {
	case h.Slots <- struct{}{}:
		return leave, nil
	default:
	}
	defer h.waiting.Add(-1)
	if h.waiting.Add(1) > passwordsWaiting {
		return nil, &dam.Error{Kind: dam.Unavailable, Msg: "Too many passwords are being checked; try again.",
			Err: &RetryAfter{passwordRetry}}
	}
	select {
	case h.Slots <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// opaque returns the form in which passwords are compared (RFC 8265, OpaqueString). It is
// independent of how the characters were entered.
func opaque(p string) (string, error) { return precis.OpaqueString.String(p) }

// Checked hashes a new password of at least the given number of bytes.
func (h *Hasher) Checked(ctx context.Context, p string, least int) (string, error) {
	prepared, err := opaque(p)
	switch {
	case p != "" && len(p) <= maxTyped && (err != nil || !utf8.ValidString(p)):
		return "", dam.InvalidField("password", "The password has a character that passwords cannot have, "+
			"such as a control character or an invisible one; leave it out.")
	case len(prepared) < least || len(prepared) > MaxPassword:
		return "", dam.InvalidField("password", "The password must have %d to %d characters.", least, MaxPassword)
	}
	return h.hash(ctx, prepared)
}

func (h *Hasher) hash(ctx context.Context, p string) (string, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	return argon2id.CreateHash(p, passwordCost())
}

// Matches reports whether a hash belongs to a password, either in the form that opaque
// returns or exactly as entered, as in older hashes. An empty hash matches no password and
// takes as long as one of another password.
func (h *Hasher) Matches(ctx context.Context, hash, p string) (bool, error) {
	if len(p) > maxTyped {
		return false, nil
	}
	forms := []string{p}
	if prepared, err := opaque(p); err == nil && prepared != p {
		forms = []string{prepared, p}
	}
	leave, err := h.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	compare, err := h.decoy() // created by the first call
	if err != nil {
		return false, err
	}
	if hash != "" {
		compare = hash
	}
	for _, form := range forms {
		if len(form) > MaxPassword {
			continue
		}
		if ok, err := argon2id.ComparePasswordAndHash(form, compare); err != nil || ok && hash != "" {
			return err == nil, err
		}
	}
	return false, nil
}

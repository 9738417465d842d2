package idempotency

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// IdempotencyKeep is how long a key identifies its request.
	IdempotencyKeep = 24 * time.Hour
	// maxIdempotencyKeys is the number of keys kept per user: the newest.
	maxIdempotencyKeys = 10_000
)

// Keys manages the idempotency keys of requests.
type Keys struct {
	Store *storage.Store

	mu    sync.Mutex
	inUse map[string]bool // keys of unanswered requests
}

// KeyedRequest is a request with an idempotency key, until Done is called.
//
// The key is stored in the transaction of the request's change, and the answer before
// it is sent, so a change is made only once. If the process ends in between, the key
// identifies a request without an answer.
type KeyedRequest struct {
	Hash   []byte // SHA-256 of the request that the key identifies; nil for none
	Answer []byte // its sealed answer; nil if it was not stored

	keys    *Keys
	user    int64
	key     string
	claimed atomic.Bool
}

// Begin looks up a user's key. If the key's request has not been answered yet, it
// returns a Conflict.
func (k *Keys) Begin(ctx context.Context, user int64, key string) (*KeyedRequest, error) {
	if err := dam.ValidateIdempotencyKey(key); err != nil {
		return nil, err
	}
	r := &KeyedRequest{keys: k, user: user, key: key}
	if !k.take(r.name()) {
		return nil, &dam.Error{Kind: dam.Conflict, Code: dam.IdempotencyInFlight,
			Msg: "A request with this Idempotency-Key has not been answered yet; try again."}
	}
	err := k.Store.View(ctx, func(tx *storage.Tx) error {
		known, err := tx.IdempotencyKey(user, key, tx.Now().Add(-IdempotencyKeep))
		if known != nil {
			r.Hash, r.Answer = known.RequestHash, known.Answer
		}
		return err
	})
	if err != nil {
		r.Done()
		return nil, err
	}
	return r, nil
}

func (k *Keys) take(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.inUse[name] {
		return false
	}
	if k.inUse == nil {
		k.inUse = map[string]bool{}
	}
	k.inUse[name] = true
	return true
}

func (r *KeyedRequest) name() string { return fmt.Sprintf("%d %s", r.user, r.key) }

// Done ends the request; the key can then be used again.
func (r *KeyedRequest) Done() {
	r.keys.mu.Lock()
	defer r.keys.mu.Unlock()
	delete(r.keys.inUse, r.name())
}

// Claiming returns a context whose first change stores the key. hash returns the hash
// of the part of the request read so far. The context does not end when the client
// disconnects, because a client with a key retries to get the answer.
func (r *KeyedRequest) Claiming(ctx context.Context, hash func() []byte) context.Context {
	return storage.WithClaim(context.WithoutCancel(ctx), func(tx *storage.Tx) error {
		if r.claimed.Load() {
			return nil
		}
		tx.OnCommit(func() { r.claimed.Store(true) })
		return tx.ClaimIdempotencyKey(r.user, r.key, hash(), maxIdempotencyKeys)
	})
}

// Claimed reports whether the request has changed something.
func (r *KeyedRequest) Claimed() bool { return r.claimed.Load() }

// Keep stores the request's answer, nil if it cannot be repeated. A power failure may
// lose the answer: see storage.Store.Note.
func (r *KeyedRequest) Keep(ctx context.Context, hash, answer []byte) error {
	return r.keys.Store.Note(ctx, func(tx *storage.Tx) error {
		return tx.AnswerIdempotencyKey(r.user, r.key, &storage.IdempotencyKey{RequestHash: hash, Answer: answer})
	})
}

// Forget frees the key of a request that failed.
func (r *KeyedRequest) Forget(ctx context.Context) error {
	return r.keys.Store.Update(ctx, func(tx *storage.Tx) error { return tx.DeleteIdempotencyKey(r.user, r.key) })
}

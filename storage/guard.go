package storage

import (
	"context"
	"errors"
)

type (
	guardKey struct{}
	claimKey struct{}
	laterKey struct{}
	trialKey struct{}
)

// ErrTrial is the error of a write transaction in a context of WithTrial that would have
// been committed.
var ErrTrial = errors.New("the transaction was a trial")

// WithTrial returns a context whose write transactions never commit: they return the error
// of their function, or else ErrTrial. This way, a request that is refused anyway can be
// checked for further problems.
func WithTrial(ctx context.Context) context.Context { return context.WithValue(ctx, trialKey{}, true) }

// IsTrial reports whether ctx derives from WithTrial.
func IsTrial(ctx context.Context) bool { return ctx.Value(trialKey{}) != nil }

// WithGuard returns a context whose write transactions start with check. If it fails,
// nothing is written and the transaction returns its error. This way, permissions are
// checked when a request commits, however long ago it started.
func WithGuard(ctx context.Context, check func(*Tx) error) context.Context {
	return context.WithValue(ctx, guardKey{}, check)
}

// AlsoGuarded returns a context whose write transactions call the guard of ctx, then
// check.
func AlsoGuarded(ctx context.Context, check func(*Tx) error) context.Context {
	first, _ := ctx.Value(guardKey{}).(func(*Tx) error)
	return WithGuard(ctx, func(tx *Tx) error {
		if first != nil {
			if err := first(tx); err != nil {
				return err
			}
		}
		return check(tx)
	})
}

// WithClaim returns a context whose write transactions call claim once the guard has
// passed. The writes of claim are committed with them.
func WithClaim(ctx context.Context, claim func(*Tx) error) context.Context {
	return context.WithValue(ctx, claimKey{}, claim)
}

// Preparing returns a context whose transactions do not claim automatically. It is for
// the preparation of a change; the transaction that completes the change calls Claim.
func Preparing(ctx context.Context) context.Context { return context.WithValue(ctx, laterKey{}, true) }

// Claim calls the claim of the transaction's context, if it has one.
func (tx *Tx) Claim() error {
	if claim, ok := tx.ctx.Value(claimKey{}).(func(*Tx) error); ok {
		return claim(tx)
	}
	return nil
}

// guarded returns fn preceded by the guard and the claim of a context. In a trial, it always
// fails.
func guarded(ctx context.Context, fn func(*Tx) error) func(*Tx) error {
	if IsTrial(ctx) {
		try := fn
		fn = func(tx *Tx) error {
			if err := try(tx); err != nil {
				return err
			}
			return ErrTrial
		}
	}
	check, _ := ctx.Value(guardKey{}).(func(*Tx) error)
	if check == nil && ctx.Value(claimKey{}) == nil {
		return fn
	}
	return func(tx *Tx) error {
		if check != nil {
			if err := check(tx); err != nil {
				return err
			}
		}
		if ctx.Value(laterKey{}) == nil {
			if err := tx.Claim(); err != nil {
				return err
			}
		}
		return fn(tx)
	}
}

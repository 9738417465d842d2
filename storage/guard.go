package storage

import "context"

type (
	guardKey struct{}
	claimKey struct{}
	laterKey struct{}
)

// WithGuard returns a context whose write transactions begin with check: if it
// fails, nothing is written, and its error is that of the transaction. So what a
// request may do is checked when it commits, however long ago it began.
func WithGuard(ctx context.Context, check func(*Tx) error) context.Context {
	return context.WithValue(ctx, guardKey{}, check)
}

// AlsoGuarded returns a context whose write transactions begin with check after the
// guard that ctx has.
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

// WithClaim returns a context whose write transactions call claim once the guard lets
// them pass: what it writes is committed with them.
func WithClaim(ctx context.Context, claim func(*Tx) error) context.Context {
	return context.WithValue(ctx, claimKey{}, claim)
}

// Preparing returns a context whose transactions do not claim by themselves, for those
// that prepare a change: the one that completes it calls Claim.
func Preparing(ctx context.Context) context.Context { return context.WithValue(ctx, laterKey{}, true) }

// Claim calls the claim of the transaction's context, if it has one.
func (tx *Tx) Claim() error {
	if claim, ok := tx.ctx.Value(claimKey{}).(func(*Tx) error); ok {
		return claim(tx)
	}
	return nil
}

// guarded returns fn behind the guard and the claim of a context.
func guarded(ctx context.Context, fn func(*Tx) error) func(*Tx) error {
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

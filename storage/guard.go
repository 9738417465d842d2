package storage

import "context"

type guardKey struct{}

// WithGuard returns a context whose write transactions begin with check: if it
// fails, nothing is written, and its error is that of the transaction. So what a
// request may do is checked when it commits, however long ago it began.
func WithGuard(ctx context.Context, check func(*Tx) error) context.Context {
	return context.WithValue(ctx, guardKey{}, check)
}

// guarded returns fn behind the guard of a context.
func guarded(ctx context.Context, fn func(*Tx) error) func(*Tx) error {
	check, _ := ctx.Value(guardKey{}).(func(*Tx) error)
	if check == nil {
		return fn
	}
	return func(tx *Tx) error {
		if err := check(tx); err != nil {
			return err
		}
		return fn(tx)
	}
}

package account

import (
	"context"
	"log/slog"
	"time"

	"github.com/digital-asset-library/dal/app/trail"
	"github.com/digital-asset-library/dal/storage"
)

// Accounts manages the users of a library and their authentication, by a password
// that opens a session or by a token. Its methods are safe for concurrent use.
type Accounts struct {
	store         *storage.Store
	trail         *trail.Trail
	log           *slog.Logger
	now           func() time.Time
	limiter       *loginLimiter
	Passwords     *Hasher
	setup         setupLink
	TokensRevoked func() // called after tokens are revoked
}

// New returns the accounts of a library. tokensRevoked is called after tokens are
// revoked.
func New(store *storage.Store, trail *trail.Trail, log *slog.Logger, now func() time.Time, tokensRevoked func()) *Accounts {
	return &Accounts{store: store, trail: trail, log: log, now: now, limiter: newLoginLimiter(now), Passwords: newHasher(),
		TokensRevoked: tokensRevoked}
}

// WarnAmbiguous logs users, created before email addresses had a canonical form,
// whose address differs from another user's only in letter case or Unicode
// composition.
func (a *Accounts) WarnAmbiguous(ctx context.Context) error {
	return a.store.View(ctx, func(tx *storage.Tx) error {
		users, err := tx.AmbiguousUsers()
		for _, u := range users {
			a.log.WarnContext(ctx, "another user has the same email in other letters: this one is found only by exactly this spelling",
				"user", u.ID, "email", u.Email)
		}
		return err
	})
}

package account

import (
	"cmp"
	"context"
	"crypto/subtle"
	"sync"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// setupLink holds the hash of the secret in the link that creates the first admin;
// nil if no link is active.
type setupLink struct {
	mu   sync.Mutex
	hash []byte
}

func (l *setupLink) set(hash []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hash = hash
}

func (l *setupLink) fits(secret string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hash != nil && subtle.ConstantTimeCompare(l.hash, HashOf(secret)) == 1
}

// NeedsSetup reports whether the library has no users.
func (a *Accounts) NeedsSetup(ctx context.Context) (needed bool, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		has, err := tx.HasUsers()
		needed = !has
		return err
	})
	return needed, err
}

// OpenSetup returns the secret of a link that creates the first admin of a library
// without users, "" if it has users. The link works once, until the next one is
// created or this process ends, and only while the library has no users.
func (a *Accounts) OpenSetup(ctx context.Context) (secret string, err error) {
	if needed, err := a.NeedsSetup(ctx); err != nil || !needed {
		return "", err
	}
	secret = RandomText(32)
	a.setup.set(HashOf(secret))
	return secret, nil
}

var errHasUsers = dam.Errorf(dam.Conflict, "This library has users already; sign in.")

// SetUp makes u the first admin of a library and signs in the browser. It returns
// the value of the session cookie.
func (a *Accounts) SetUp(ctx context.Context, secret string, u *dam.User, password string) (cookie string, err error) {
	if err := a.admitLink(ctx); err != nil {
		return "", err
	}
	if needed, err := a.NeedsSetup(ctx); err != nil || !needed {
		return "", cmp.Or[error](err, errHasUsers)
	}
	if !a.setup.fits(secret) {
		a.trail.RecordFailure(access.AuditEntry(ctx, dam.AuditLinkRefused, "", "set-up"))
		return "", dam.InvalidField("token", "This link is no longer valid. Restart the server to get a new one.")
	}
	u.Role = dam.RoleAdmin
	if err := a.prepareUser(ctx, u, password); err != nil {
		return "", err
	}
	cookie = RandomText(32)
	err = a.store.Update(access.ByNobody(ctx), func(tx *storage.Tx) error {
		if has, err := tx.HasUsers(); err != nil || has {
			return cmp.Or[error](err, errHasUsers)
		}
		if err := insertUser(ctx, tx, u); err != nil {
			return err
		}
		return openSession(ctx, tx, u, cookie)
	})
	if err != nil {
		return "", err
	}
	a.setup.set(nil)
	return cookie, nil
}

// admitLink counts an attempt to use a one-time link, and rejects it if there are
// too many from its network.
func (a *Accounts) admitLink(ctx context.Context) error {
	if wait := a.limiter.network(Network(access.CallerOf(ctx).IP)); wait > 0 {
		return a.turnAway(ctx, "", wait)
	}
	return nil
}

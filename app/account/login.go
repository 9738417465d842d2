package account

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// SessionLife is how long a browser stays signed in.
	SessionLife = 30 * 24 * time.Hour
	// MaxSessions is the maximum number of sessions per user; one more ends the
	// oldest.
	MaxSessions = 100
	// knownNetworks is the number of networks remembered from which a user has
	// signed in.
	knownNetworks = 20
)

// Rate limits of sign-in attempts: a burst, and the interval at which another
// attempt is allowed after it. All networks from which the account has never signed
// in share the last limit, so that guessing cannot lock the owner out.
const (
	loginsOfNetwork = 100 // per network
	networkEvery    = 1200 * time.Millisecond
	loginsOfPair    = 10 // per account and network
	pairEvery       = 12 * time.Second
	loginsOfAccount = 100 // per account
	accountEvery    = time.Minute
	LoginBuckets    = 10_000 // kept per kind
)

var errCredentials = dam.InvalidField("email", "These credentials do not match our records.")

// loginLimiter limits sign-in attempts.
type loginLimiter struct{ networks, accounts *Buckets }

func newLoginLimiter(now func() time.Time) *loginLimiter {
	return &loginLimiter{NewBuckets(now, LoginBuckets), NewBuckets(now, 2*LoginBuckets)}
}

// network counts an attempt from a network and returns how long it must wait; 0
// means it may proceed.
func (l *loginLimiter) network(network string) time.Duration {
	_, wait := l.networks.Take(Bucket{network, rate.Every(networkEvery), loginsOfNetwork})
	return wait
}

// account counts an attempt to sign in to an account from a network, and whether
// the account has signed in from there before, and returns how long it must wait.
func (l *loginLimiter) account(key, network string, known bool) time.Duration {
	want := []Bucket{{"pair " + network + " " + key, rate.Every(pairEvery), loginsOfPair}}
	if !known {
		want = append(want, Bucket{"account " + key, rate.Every(accountEvery), loginsOfAccount})
	}
	_, wait := l.accounts.Take(want...)
	return wait
}

// Network returns the unit that sign-in limits apply to: an IPv4 address, or the
// /64 of an IPv6 address, which usually belongs to one household or machine.
func Network(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	if a = a.Unmap().WithZone(""); a.Is4() {
		return a.String()
	}
	p, _ := a.Prefix(64) // always succeeds, since IPv6 addresses have 128 bits
	return p.String()
}

// networkHash returns the stored form of a network from which a user has signed in.
func networkHash(user int64, network string) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "dal network %d %s", user, network))
	return sum[:]
}

// Login checks the email and password of the caller of ctx and opens a session with
// all abilities of its user. It returns the value of the session cookie.
func (a *Accounts) Login(ctx context.Context, email, password string) (cookie string, u *dam.User, err error) {
	from := Network(access.CallerOf(ctx).IP)
	if wait := a.limiter.network(from); wait > 0 {
		return "", nil, a.turnAway(ctx, email, wait)
	}
	u, known, err := a.applicant(ctx, email, from)
	if err != nil {
		return "", nil, err
	}
	if wait := a.limiter.account(storage.EmailKey(email), from, known); wait > 0 {
		return "", nil, a.turnAway(ctx, email, wait)
	}
	hash := ""
	if u != nil && u.DisabledAt == nil {
		hash = u.PasswordHash
	}
	ok, err := a.Passwords.Matches(ctx, hash, password)
	if err != nil {
		if dam.KindOf(err) == dam.Unavailable {
			a.trail.RecordFailure(access.AuditEntry(ctx, dam.AuditLoginLimited, email, ""))
		}
		return "", nil, err
	}
	if !ok {
		a.trail.RecordFailure(access.AuditEntry(ctx, dam.AuditLoginFailed, email, ""))
		return "", nil, errCredentials
	}
	cookie = RandomText(32)
	err = a.store.Update(storage.WithGuard(ctx, nil), func(tx *storage.Tx) error {
		u, err = openChecked(ctx, tx, u, cookie)
		return err
	})
	return cookie, u, err
}

// turnAway records an attempt that was rejected before its password was checked.
func (a *Accounts) turnAway(ctx context.Context, email string, wait time.Duration) error {
	a.trail.RecordFailure(access.AuditEntry(ctx, dam.AuditLoginLimited, email, ""))
	return &dam.Error{Kind: dam.TooMany, Msg: "Too Many Attempts.", Err: &RetryAfter{wait}}
}

// applicant returns the user with an email, nil if none exists, and whether that
// user has signed in from a network before.
func (a *Accounts) applicant(ctx context.Context, email, network string) (u *dam.User, known bool, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		var id int64
		if u, err = tx.UserByEmail(email); err == nil {
			id = u.ID
		} else if dam.KindOf(err) != dam.NotFound {
			return err
		} else {
			u = nil
		}
		known, err = tx.NetworkKnown(id, networkHash(id, network))
		return err
	})
	return u, known, err
}

// openChecked signs in a user with a correct password, unless the account changed
// while it was being checked.
func openChecked(ctx context.Context, tx *storage.Tx, checked *dam.User, cookie string) (*dam.User, error) {
	u, err := tx.User(checked.ID)
	if err != nil {
		return nil, err
	}
	if u.DisabledAt != nil || u.PasswordHash != checked.PasswordHash {
		return nil, errCredentials
	}
	return u, openSession(ctx, tx, u, cookie)
}

// openSession signs a user in.
func openSession(ctx context.Context, tx *storage.Tx, u *dam.User, cookie string) error {
	c := access.CallerOf(ctx)
	s := &dam.Session{
		Hash: HashOf(cookie), UserID: u.ID, UserAgent: dam.Printable(c.UserAgent), IP: c.IP,
		CreatedAt: tx.Now(), UsedAt: tx.Now(), ExpiresAt: tx.Now().Add(SessionLife),
	}
	if err := tx.TrimSessions(u.ID, MaxSessions-1); err != nil {
		return err
	}
	if err := tx.InsertSession(s); err != nil {
		return err
	}
	if err := tx.TouchSession(s.ID, s.UsedAt, s.IP); err != nil {
		return err
	}
	if err := tx.KnowNetwork(u.ID, networkHash(u.ID, Network(c.IP)), knownNetworks); err != nil {
		return err
	}
	e := access.AuditEntry(ctx, dam.AuditLogin, u.Email, "")
	e.UserID = u.ID
	return tx.InsertAudit(e)
}

// HashOf returns the stored form of a secret: its SHA-256.
func HashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// Logout ends the session of a cookie, if it is still open.
func (a *Accounts) Logout(ctx context.Context, cookie string) error {
	return a.store.Update(storage.WithGuard(ctx, nil), func(tx *storage.Tx) error {
		s, err := tx.Session(HashOf(cookie))
		if dam.KindOf(err) == dam.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		u, err := tx.User(s.UserID)
		if err != nil {
			return err
		}
		if err := tx.DeleteSession(s.Hash); err != nil {
			return err
		}
		e := access.AuditEntry(ctx, dam.AuditLogout, u.Email, "")
		e.UserID = u.ID
		return tx.InsertAudit(e)
	})
}

// sessionUseEvery is the precision of a session's last use.
const sessionUseEvery = time.Minute

// SessionActor returns the actor of a session cookie. It records the use of the
// session by the caller of ctx.
func (a *Accounts) SessionActor(ctx context.Context, cookie string) (actor dam.Actor, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if actor.Session, err = tx.Session(HashOf(cookie)); err != nil {
			return err
		}
		if !actor.Session.ExpiresAt.After(tx.Now()) {
			return access.ErrUnauthenticated
		}
		if actor.User, err = tx.User(actor.Session.UserID); err == nil {
			actor.TermsDue, err = tx.DueTerms(actor.User.ID)
		}
		return err
	})
	if err := access.Identified(actor, err); err != nil {
		return dam.Actor{}, err
	}
	s, ip := actor.Session, access.CallerOf(ctx).IP
	if a.now().Sub(s.UsedAt) >= sessionUseEvery || s.IP != ip {
		a.trail.SessionUsed(s.ID, ip)
	}
	return actor, nil
}

// RetryAfter is the cause of a TooMany or Unavailable error, with the time to wait.
type RetryAfter struct{ Wait time.Duration }

func (r *RetryAfter) Error() string { return "retry after " + r.Wait.String() }

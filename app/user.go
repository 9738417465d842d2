package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/argon2"
	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Bounds of a password, in bytes.
const (
	MinPassword = 10
	MaxPassword = 256
)

// SessionLife is how long a browser stays logged in.
const SessionLife = 30 * 24 * time.Hour

var (
	errUnauthenticated = &dam.Error{Kind: dam.Unauthenticated, Msg: "Unauthenticated."}
	errCredentials     = dam.InvalidField("email", "These credentials do not match our records.")
)

// CreateUser adds a user. An empty password makes one that can only act
// through tokens.
func (a *App) CreateUser(ctx context.Context, u *dam.User, password string) error {
	u.Email = strings.TrimSpace(u.Email)
	u.Name = strings.TrimSpace(u.Name)
	if err := u.Validate(); err != nil {
		return err
	}
	if password != "" {
		if err := checkPassword(password); err != nil {
			return err
		}
		hash, err := a.passwords.hash(password)
		if err != nil {
			return err
		}
		u.PasswordHash = hash
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error { return tx.InsertUser(u) })
}

// Users lists all users.
func (a *App) Users(ctx context.Context) (users []*dam.User, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		users, err = tx.Users()
		return err
	})
	return users, err
}

// UserByEmail returns the user with the given email.
func (a *App) UserByEmail(ctx context.Context, email string) (u *dam.User, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		u, err = tx.UserByEmail(strings.TrimSpace(email))
		return err
	})
	return u, err
}

// UpdateUser changes a user with fn and ends the user's log-ins, whose rights
// may have changed.
func (a *App) UpdateUser(ctx context.Context, email string, fn func(*dam.User) error) error {
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		u, err := tx.UserByEmail(strings.TrimSpace(email))
		if err != nil {
			return err
		}
		if err := fn(u); err != nil {
			return err
		}
		if err := u.Validate(); err != nil {
			return err
		}
		if err := tx.UpdateUser(u); err != nil {
			return err
		}
		return tx.DeleteSessionsOf(u.ID)
	})
}

// SetPassword gives a user a password and ends the user's log-ins.
func (a *App) SetPassword(ctx context.Context, email, password string) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	hash, err := a.passwords.hash(password)
	if err != nil {
		return err
	}
	return a.UpdateUser(ctx, email, func(u *dam.User) error {
		u.PasswordHash = hash
		return nil
	})
}

// NewPassword makes a password of 20 characters, 120 random bits.
func NewPassword() string { return randomText(15) }

// Login checks an email and a password from an address and opens a session
// that acts with all abilities of its user. It returns the cookie's value.
func (a *App) Login(ctx context.Context, email, password, ip string) (cookie string, s *dam.Session, u *dam.User, err error) {
	email = strings.ToLower(strings.TrimSpace(email))
	if wait := a.login.take(email, ip); wait > 0 {
		return "", nil, nil, &dam.Error{Kind: dam.TooMany, Msg: "Too Many Attempts.", Err: &RetryAfter{wait}}
	}
	u, err = a.UserByEmail(ctx, email)
	known := err == nil && u.PasswordHash != "" && u.DisabledAt == nil
	if err != nil && dam.KindOf(err) != dam.NotFound {
		return "", nil, nil, err
	}
	hash, err := a.decoy() // an unknown email takes as long as a wrong password
	if err != nil {
		return "", nil, nil, err
	}
	if known {
		hash = u.PasswordHash
	}
	if !a.passwords.matches(hash, password) || !known {
		return "", nil, nil, errCredentials
	}
	cookie = randomText(32)
	sum := sha256.Sum256([]byte(cookie))
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		s = &dam.Session{Hash: sum[:], UserID: u.ID, CreatedAt: tx.Now(), ExpiresAt: tx.Now().Add(SessionLife)}
		return tx.InsertSession(s)
	})
	return cookie, s, u, err
}

// Logout ends the session of a cookie.
func (a *App) Logout(ctx context.Context, cookie string) error {
	sum := sha256.Sum256([]byte(cookie))
	return a.store.Update(ctx, func(tx *storage.Tx) error { return tx.DeleteSession(sum[:]) })
}

// SessionActor returns whoever holds a session's cookie.
func (a *App) SessionActor(ctx context.Context, cookie string) (actor dam.Actor, err error) {
	sum := sha256.Sum256([]byte(cookie))
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		s, err := tx.Session(sum[:])
		if err != nil {
			return err
		}
		if !s.ExpiresAt.After(tx.Now()) {
			return errUnauthenticated
		}
		actor.User, err = tx.User(s.UserID)
		return err
	})
	return actor, authenticated(actor, err)
}

// TokenActor returns whoever holds a token's plain text, and notes its use
// from an address.
func (a *App) TokenActor(ctx context.Context, plain, ip string) (actor dam.Actor, err error) {
	id, ok := parseToken(plain)
	if !ok {
		return actor, errUnauthenticated
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		t, err := tx.Token(id)
		if err != nil {
			return err
		}
		sum := sha256.Sum256([]byte(plain))
		if subtle.ConstantTimeCompare(sum[:], t.Hash) != 1 || t.Expired(tx.Now()) {
			return errUnauthenticated
		}
		actor.Token = t
		actor.User, err = tx.User(t.UserID)
		return err
	})
	if err := authenticated(actor, err); err != nil {
		return dam.Actor{}, err
	}
	a.book.touch(id, ip)
	return actor, nil
}

// authenticated turns everything that stops somebody from being known into the
// same answer.
func authenticated(actor dam.Actor, err error) error {
	if dam.KindOf(err) == dam.NotFound || err == nil && actor.User.DisabledAt != nil {
		return errUnauthenticated
	}
	return err
}

// RetryAfter is the cause of a TooMany error: how long to wait.
type RetryAfter struct{ Wait time.Duration }

func (r *RetryAfter) Error() string { return "retry after " + r.Wait.String() }

// CreateToken makes a token for the actor's own user and returns its plain
// text, which is kept nowhere. Neither the user nor a calling token can give
// more than it has.
func (a *App) CreateToken(ctx context.Context, actor dam.Actor, t *dam.Token) (plain string, err error) {
	t.UserID = actor.User.ID
	t.Name = strings.TrimSpace(t.Name)
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if err := t.Validate(tx.Now()); err != nil {
			return err
		}
		if err := actor.Require(t.Abilities...); err != nil {
			return err
		}
		if err := tx.InsertToken(t); err != nil {
			return err
		}
		plain = fmt.Sprintf("dal_%d_%s", t.ID, randomText(32))
		sum := sha256.Sum256([]byte(plain))
		t.Hash = sum[:]
		return tx.SetTokenHash(t)
	})
	return plain, err
}

// Tokens lists the tokens of the actor's user, or those of all users for a
// session of an admin, newest first, and how many there are.
func (a *App) Tokens(ctx context.Context, actor dam.Actor, p storage.Page) (tokens []*dam.Token, total int, err error) {
	user := actor.User.ID
	if seesAll(actor) {
		user = 0
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		tokens, total, err = tx.Tokens(user, p)
		return err
	})
	return tokens, total, err
}

// RevokeToken ends a token at once.
func (a *App) RevokeToken(ctx context.Context, actor dam.Actor, id int64) error {
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		t, err := tx.Token(id)
		if err != nil {
			return err
		}
		if t.UserID != actor.User.ID && !seesAll(actor) {
			return dam.Errorf(dam.NotFound, "Token not found.")
		}
		return tx.DeleteToken(id)
	})
}

// seesAll reports whether the actor administers: an admin, not through a token.
func seesAll(actor dam.Actor) bool { return actor.Token == nil && actor.User.Role == dam.RoleAdmin }

// parseToken returns the id in a token's plain text.
func parseToken(plain string) (int64, bool) {
	rest, ok := strings.CutPrefix(plain, "dal_")
	num, secret, ok2 := strings.Cut(rest, "_")
	id, err := strconv.ParseInt(num, 10, 64)
	return id, ok && ok2 && err == nil && id > 0 && len(secret) == 43
}

// randomText returns n random bytes as URL-safe base64.
func randomText(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

func checkPassword(p string) error {
	if len(p) < MinPassword || len(p) > MaxPassword {
		return dam.InvalidField("password", "The password must have %d to %d characters.", MinPassword, MaxPassword)
	}
	return nil
}

// The cost of a password's hash: Argon2id as RFC 9106 section 4 recommends it
// where memory is scarce.
const (
	argonTime    = 3
	argonMemory  = 64 << 10 // KiB
	argonThreads = 2
	argonFormat  = "$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s"
)

// hasher hashes passwords one at a time, which bounds the memory that takes.
type hasher struct{ mu sync.Mutex }

func (h *hasher) hash(p string) (string, error) {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	key := argon2.IDKey([]byte(p), salt, argonTime, argonMemory, argonThreads, 32)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf(argonFormat, argonMemory, argonTime, argonThreads, b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

func (h *hasher) matches(hash, p string) bool {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || len(p) > MaxPassword {
		return false
	}
	var memory, time uint32
	var threads uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &time, &threads); err != nil {
		return false
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(parts[4])
	want, err2 := base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	key := argon2.IDKey([]byte(p), salt, time, memory, threads, uint32(len(want)))
	return subtle.ConstantTimeCompare(key, want) == 1
}

// loginLimiter bounds log-in attempts: 10 in a row, then one each 12 seconds,
// per account and address, and ten times that per address.
type loginLimiter struct {
	now func() time.Time
	mu  sync.Mutex
	by  map[string]*rate.Limiter
}

// maxLoginKeys bounds the limiter's memory; past it, full buckets are dropped.
const maxLoginKeys = 10_000

func newLoginLimiter(now func() time.Time) *loginLimiter {
	return &loginLimiter{now: now, by: map[string]*rate.Limiter{}}
}

// take reports how long the caller has to wait, 0 when it may go on.
func (l *loginLimiter) take(email, ip string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if len(l.by) >= maxLoginKeys {
		for k, lim := range l.by {
			if lim.TokensAt(now) >= float64(lim.Burst()) {
				delete(l.by, k)
			}
		}
		if len(l.by) >= maxLoginKeys {
			return time.Minute
		}
	}
	var wait time.Duration
	for key, n := range map[string]int{"a " + email + " " + ip: 10, "i " + ip: 100} {
		lim := l.by[key]
		if lim == nil {
			lim = rate.NewLimiter(rate.Every(12*time.Second)*rate.Limit(n/10), n)
			l.by[key] = lim
		}
		r := lim.ReserveN(now, 1)
		if d := r.DelayFrom(now); d > 0 {
			r.CancelAt(now)
			wait = max(wait, d)
		}
	}
	return wait
}

package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// MaxTokens is how many tokens of a user there are that have not expired.
	MaxTokens = 50
	// expiredTokens is how many of those that have are still listed.
	expiredTokens = 50
)

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

// CreateToken makes a token for the actor's own user and returns its plain
// text, which is kept nowhere. Neither the user nor a calling token can give
// more than it has; what a token makes ends with it at the latest.
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
		if actor.User.DisabledAt != nil {
			return dam.Errorf(dam.Conflict, "%s is disabled.", actor.User.Email)
		}
		if err := descend(t, actor.Token); err != nil {
			return err
		}
		n, err := tx.CountLiveTokens(t.UserID)
		if err != nil {
			return err
		}
		if n >= MaxTokens {
			return dam.InvalidField("body", "A user can have at most %d tokens that have not expired; revoke one first.", MaxTokens)
		}
		if err := tx.TrimExpiredTokens(t.UserID, expiredTokens); err != nil {
			return err
		}
		if err := tx.InsertToken(t); err != nil {
			return err
		}
		plain = fmt.Sprintf("dal_%d_%s", t.ID, randomText(32))
		sum := sha256.Sum256([]byte(plain))
		t.Hash = sum[:]
		if err := tx.SetTokenHash(t); err != nil {
			return err
		}
		return tx.InsertAudit(auditEntry(ctx, dam.AuditTokenCreated, actor.User.Email, tokenTarget(t)))
	})
	return plain, err
}

// descend makes t one that a parent has made, which ends when the parent does
// or before.
func descend(t, parent *dam.Token) error {
	if parent == nil {
		return nil
	}
	t.ParentID = parent.ID
	switch end := parent.ExpiresAt; {
	case end == nil:
	case t.ExpiresAt == nil:
		t.ExpiresAt = end
	case t.ExpiresAt.After(*end):
		return dam.InvalidField("expires_at", "The expires at field must not be later than the end of the calling token, %s.", end.UTC().Format(time.RFC3339))
	}
	return nil
}

func tokenTarget(t *dam.Token) string { return fmt.Sprintf("token %d: %s", t.ID, t.Name) }

// Tokens lists the tokens of the actor's user, or those of all users for a
// session of an admin, newest first, and how many there are.
func (a *App) Tokens(ctx context.Context, actor dam.Actor, p dam.Page) (tokens []*dam.Token, total int, err error) {
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

// RevokeToken ends a token at once, with all tokens that it made. A token
// revokes itself, and others that can do no more than it can.
func (a *App) RevokeToken(ctx context.Context, actor dam.Actor, id int64) error {
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		t, err := tx.Token(id)
		if err != nil {
			return err
		}
		if t.UserID != actor.User.ID && !seesAll(actor) {
			return dam.Errorf(dam.NotFound, "Token not found.")
		}
		if missing := stronger(t, actor.Token); missing != nil {
			return &dam.Error{Kind: dam.Denied, Msg: "The token cannot revoke one that can do more than it can.", Abilities: missing}
		}
		u, err := tx.User(t.UserID)
		if err != nil {
			return err
		}
		if err := tx.DeleteToken(id); err != nil {
			return err
		}
		tx.OnCommit(a.dispatch.soon)
		return tx.InsertAudit(auditEntry(ctx, dam.AuditTokenRevoked, u.Email, tokenTarget(t)))
	})
}

// stronger returns the abilities that t has and by has not; none when there is
// no by.
func stronger(t, by *dam.Token) (missing []dam.Ability) {
	if by == nil {
		return nil
	}
	for _, a := range t.Abilities {
		if !slices.Contains(by.Abilities, a) {
			missing = append(missing, a)
		}
	}
	return missing
}

// seesAll reports whether the actor sees and manages what is others': an admin,
// not through a token.
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

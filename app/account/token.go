package account

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

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// MaxTokens is the maximum number of a user's unexpired tokens.
	MaxTokens = 50
	// expiredTokens is the number of expired tokens that are still listed.
	expiredTokens = 50
)

// TokenActor returns the actor of a token, given its plain text. It records the use of
// the token by the caller of ctx, or that the token was rejected.
func (a *Accounts) TokenActor(ctx context.Context, plain string) (dam.Actor, error) {
	actor, err := a.holder(ctx, plain)
	if err == nil {
		a.trail.TokenUsed(actor.Token.ID, access.CallerOf(ctx).IP)
		return actor, nil
	}
	if dam.KindOf(err) == dam.Unauthenticated {
		refused := access.AuditEntry(ctx, dam.AuditTokenRefused, "", "")
		if actor.User != nil { // the plain text is correct, but the token has expired or its user is disabled
			refused.Account, refused.Target = actor.User.Email, tokenTarget(actor.Token)
		}
		a.trail.RecordFailure(refused)
	}
	return dam.Actor{}, err
}

// holder returns the user and the token of a plain text. With ErrUnauthenticated, they
// are still set if the plain text is correct.
func (a *Accounts) holder(ctx context.Context, plain string) (actor dam.Actor, err error) {
	id, ok := parseToken(plain)
	if !ok {
		return actor, access.ErrUnauthenticated
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		t, err := tx.Token(id)
		if err != nil {
			return err
		}
		sum := sha256.Sum256([]byte(plain))
		if subtle.ConstantTimeCompare(sum[:], t.Hash) != 1 {
			return access.ErrUnauthenticated
		}
		actor.Token = t
		actor.User, err = tx.User(t.UserID)
		return err
	})
	if err == nil && actor.Token.Expired(a.now()) {
		err = access.ErrUnauthenticated
	}
	return actor, access.Identified(actor, err)
}

// CreateToken creates a token for the actor's own user and returns its plain text,
// which is not stored. Neither a user nor a calling token can grant more than it may do
// itself. A token expires no later than the token that created it.
func (a *Accounts) CreateToken(ctx context.Context, actor dam.Actor, t *dam.Token) (plain string, err error) {
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
		if err := limitToParent(t, actor.Token); err != nil {
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
		plain = fmt.Sprintf("dal_%d_%s", t.ID, RandomText(32))
		sum := sha256.Sum256([]byte(plain))
		t.Hash = sum[:]
		if err := tx.SetTokenHash(t); err != nil {
			return err
		}
		return tx.InsertAudit(access.AuditEntry(ctx, dam.AuditTokenCreated, actor.User.Email, tokenTarget(t)))
	})
	return plain, err
}

// limitToParent records which token creates t, if any, and limits the expiry of t to
// that of its parent.
func limitToParent(t, parent *dam.Token) error {
	if parent == nil {
		return nil
	}
	t.ParentID = parent.ID
	switch end := parent.ExpiresAt; {
	case end == nil:
	case t.ExpiresAt == nil:
		t.ExpiresAt = end
	case t.ExpiresAt.After(*end):
		return dam.InvalidField("expires_at", "expires_at must not be later than the end of the calling token, %s.",
			end.UTC().Format(time.RFC3339))
	}
	return nil
}

func tokenTarget(t *dam.Token) string { return fmt.Sprintf("token %d: %s", t.ID, t.Name) }

// Tokens lists the tokens of the actor's user, or those of all users for an admin's
// session unless own is set, newest first, and their total number.
func (a *Accounts) Tokens(ctx context.Context, actor dam.Actor, own bool, p dam.Page) (tokens []*dam.Token, total int, err error) {
	user := actor.User.ID
	if access.SeesAll(actor) && !own {
		user = 0
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		tokens, total, err = tx.Tokens(user, p)
		return err
	})
	return tokens, total, err
}

// Token returns a token of the actor's user, or of any user for an admin's session.
func (a *Accounts) Token(ctx context.Context, actor dam.Actor, id int64) (t *dam.Token, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		t, err = tx.Token(id)
		if err == nil && t.UserID != actor.User.ID && actor.RequireAdministration() != nil {
			return dam.Errorf(dam.NotFound, "Token not found.")
		}
		return err
	})
	return t, err
}

// SetTokenRate sets the rate limit of a token in requests per minute; 0 applies that of
// the server. It requires an admin.
func (a *Accounts) SetTokenRate(ctx context.Context, actor dam.Actor, id int64, perMinute int) (t *dam.Token, err error) {
	if err := actor.RequireAdministration(); err != nil {
		return nil, err
	}
	return t, a.store.Update(ctx, func(tx *storage.Tx) error {
		if t, err = tx.Token(id); err != nil {
			return err
		}
		t.RateLimit = perMinute
		return tx.SetTokenRate(t)
	})
}

// RevokeToken immediately revokes a token, with all tokens created by it. A token can
// revoke itself, and tokens that have no abilities beyond its own.
func (a *Accounts) RevokeToken(ctx context.Context, actor dam.Actor, id int64) error {
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		t, err := tx.Token(id)
		if err != nil {
			return err
		}
		if t.UserID != actor.User.ID && !access.SeesAll(actor) {
			return dam.Errorf(dam.NotFound, "Token not found.")
		}
		if missing := abilitiesBeyond(t, actor.Token); missing != nil {
			return &dam.Error{Kind: dam.Denied, Msg: "A token cannot revoke one that can do more than it can.", Abilities: missing}
		}
		u, err := tx.User(t.UserID)
		if err != nil {
			return err
		}
		if err := tx.DeleteToken(id); err != nil {
			return err
		}
		tx.OnCommit(a.TokensRevoked)
		return tx.InsertAudit(access.AuditEntry(ctx, dam.AuditTokenRevoked, u.Email, tokenTarget(t)))
	})
}

// revokeTokens revokes all tokens of a user immediately.
func (a *Accounts) revokeTokens(ctx context.Context, tx *storage.Tx, u *dam.User) error {
	n, err := tx.DeleteTokensOf(u.ID)
	if err != nil || n == 0 {
		return err
	}
	tx.OnCommit(a.TokensRevoked)
	return tx.InsertAudit(access.AuditEntry(ctx, dam.AuditTokenRevoked, u.Email, fmt.Sprintf("user %d: all tokens (%d)", u.ID, n)))
}

// abilitiesBeyond returns the abilities of t that by does not have; none if by is nil.
func abilitiesBeyond(t, by *dam.Token) (missing []dam.Ability) {
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

// parseToken returns the ID in a token's plain text.
func parseToken(plain string) (int64, bool) {
	rest, ok := strings.CutPrefix(plain, "dal_")
	num, secret, ok2 := strings.Cut(rest, "_")
	id, err := strconv.ParseInt(num, 10, 64)
	return id, ok && ok2 && err == nil && id > 0 && len(secret) == 43
}

// RandomText returns n random bytes as URL-safe base64.
func RandomText(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

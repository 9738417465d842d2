package account

import (
	"context"
	"fmt"
	"strings"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// SelfPatch contains the changes that users make to their own account; fields that
// were not sent are kept.
type SelfPatch struct {
	Name            dam.Opt[string]
	Language        dam.Opt[dam.Language] // null selects the browser's language
	Password        dam.Opt[string]
	CurrentPassword string // required with Password
	RevokeTokens    bool   // only with Password
}

// ChangeSelf changes the account of the actor, who must use a browser session. A
// new password ends the other sessions and an invitation, and with RevokeTokens all
// tokens.
func (a *Accounts) ChangeSelf(ctx context.Context, actor dam.Actor, p SelfPatch) (u *dam.User, err error) {
	if err := access.MayManageSelf(actor); err != nil {
		return nil, err
	}
	if p.RevokeTokens && !p.Password.Sent {
		return nil, dam.InvalidField("revoke_tokens", "Tokens are revoked only together with a new password: send password too.")
	}
	hash := actor.User.PasswordHash
	if p.Password.Sent {
		if hash, err = a.newPassword(ctx, actor.User, p.CurrentPassword, p.Password.Value); err != nil {
			return nil, err
		}
	}
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if u, err = tx.User(actor.User.ID); err != nil {
			return err
		}
		if p.Password.Sent && u.PasswordHash != actor.User.PasswordHash {
			return errCurrentPassword
		}
		if err := changeUser(ctx, tx, u, func(u *dam.User) error {
			if p.Name.Sent {
				u.Name = strings.TrimSpace(p.Name.Value)
			}
			if p.Language.Sent {
				u.Language = p.Language.Value
			}
			if p.Password.Sent {
				u.PasswordHash = hash
			}
			return nil
		}); err != nil || !p.RevokeTokens {
			return err
		}
		return a.revokeTokens(ctx, tx, u)
	})
	return u, err
}

var errCurrentPassword = dam.InvalidField("current_password", "The current password is wrong.")

// newPassword hashes a new password for a user who knows the current one. Guesses
// at that are limited as at sign-in.
func (a *Accounts) newPassword(ctx context.Context, u *dam.User, current, password string) (string, error) {
	if wait := a.limiter.account(storage.EmailKey(u.Email), Network(access.CallerOf(ctx).IP), true); wait > 0 {
		return "", a.turnAway(ctx, u.Email, wait)
	}
	ok, err := a.Passwords.Matches(ctx, u.PasswordHash, current)
	if err != nil {
		return "", err
	}
	if !ok {
		a.trail.RecordFailure(access.AuditEntry(ctx, dam.AuditLoginFailed, u.Email, "change of the password"))
		return "", errCurrentPassword
	}
	return a.Passwords.Checked(ctx, password, MinPassword)
}

// Sessions lists the sessions of the actor's user, most recently used first, and
// their total number.
func (a *Accounts) Sessions(ctx context.Context, actor dam.Actor, p dam.Page) (sessions []*dam.Session, total int, err error) {
	if err := access.MayManageSelf(actor); err != nil {
		return nil, 0, err
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		sessions, total, err = tx.Sessions(actor.User.ID, p)
		return err
	})
	return sessions, total, err
}

// EndSession immediately ends one of the sessions of the actor's user.
func (a *Accounts) EndSession(ctx context.Context, actor dam.Actor, id int64) error {
	if err := access.MayManageSelf(actor); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		if err := tx.EndSession(actor.User.ID, id); err != nil {
			return err
		}
		return tx.InsertAudit(access.AuditEntry(ctx, dam.AuditSessionEnded, actor.User.Email, fmt.Sprintf("session %d", id)))
	})
}

// EndOtherSessions ends all sessions of the actor's user except the calling one.
func (a *Accounts) EndOtherSessions(ctx context.Context, actor dam.Actor) error {
	if err := access.MayManageSelf(actor); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		n, err := tx.DeleteSessionsOf(actor.User.ID, actor.Session.ID)
		if err != nil || n == 0 {
			return err
		}
		return tx.InsertAudit(access.AuditEntry(ctx, dam.AuditSessionEnded, actor.User.Email, fmt.Sprintf("%d other sessions", n)))
	})
}

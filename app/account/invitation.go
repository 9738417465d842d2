package account

import (
	"context"
	"fmt"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// InvitationLife is how long an invitation is valid.
const InvitationLife = 7 * 24 * time.Hour

// Invited is a user with a new invitation. The secret is not stored.
type Invited struct {
	User      *dam.User
	Secret    string
	ExpiresAt time.Time
}

var (
	errInvitation = dam.Errorf(dam.NotFound, "Invitation not found.")
	errEmailTaken = dam.InvalidField("email", "The email has already been taken.")
)

// InviteNew adds a user without a password, and creates an invitation to choose
// one.
func (a *Accounts) InviteNew(ctx context.Context, actor dam.Actor, u *dam.User) (inv *Invited, err error) {
	if err := access.MayManageUsers(actor); err != nil {
		return nil, err
	}
	if err := a.prepareUser(ctx, u, ""); err != nil {
		return nil, err
	}
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if err := insertUser(ctx, tx, u); err != nil {
			return takenEmail(err)
		}
		inv, err = invite(ctx, tx, u)
		return err
	})
	return inv, err
}

// takenEmail converts a conflict into the error that the email is taken.
func takenEmail(err error) error {
	if dam.KindOf(err) == dam.Conflict {
		return errEmailTaken
	}
	return err
}

// Invite creates an invitation for a user, with or without a password, and ends an
// older one. With revokeTokens it revokes all tokens of the user immediately. Users
// cannot invite themselves: anyone at an unattended browser could take over the account.
func (a *Accounts) Invite(ctx context.Context, actor dam.Actor, id int64, revokeTokens bool) (*Invited, error) {
	if err := access.MayManageUsers(actor); err != nil {
		return nil, err
	}
	if actor.User.ID == id {
		return nil, dam.Errorf(dam.Conflict, "Change your own password in your account.")
	}
	return a.inviteFound(ctx, revokeTokens, func(tx *storage.Tx) (*dam.User, error) { return tx.User(id) })
}

// InviteByEmail is Invite for the command line.
func (a *Accounts) InviteByEmail(ctx context.Context, email string, revokeTokens bool) (*Invited, error) {
	return a.inviteFound(ctx, revokeTokens, func(tx *storage.Tx) (*dam.User, error) { return tx.UserByEmail(email) })
}

func (a *Accounts) inviteFound(
	ctx context.Context, revokeTokens bool, find func(*storage.Tx) (*dam.User, error),
) (inv *Invited, err error) {
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		u, err := find(tx)
		if err != nil {
			return err
		}
		if inv, err = invite(ctx, tx, u); err != nil || !revokeTokens {
			return err
		}
		return a.revokeTokens(ctx, tx, u)
	})
	return inv, err
}

func invite(ctx context.Context, tx *storage.Tx, u *dam.User) (*Invited, error) {
	if u.DisabledAt != nil {
		return nil, dam.Errorf(dam.Conflict, "%s is disabled.", u.Email)
	}
	secret, until := RandomText(32), tx.Now().Add(InvitationLife)
	if err := tx.SetInvitation(&dam.Invitation{UserID: u.ID, Hash: HashOf(secret), ExpiresAt: until}); err != nil {
		return nil, err
	}
	u.InvitedUntil = &until
	return &Invited{u, secret, until}, tx.InsertAudit(access.AuditEntry(ctx, dam.AuditUserInvited, u.Email, fmt.Sprintf("user %d", u.ID)))
}

// Invitation returns the user that the secret of an invitation is for, and when it
// expires. If the secret is wrong, used, expired or of a disabled user, it returns
// NotFound.
func (a *Accounts) Invitation(ctx context.Context, secret string) (u *dam.User, until time.Time, err error) {
	if err := a.admitLink(ctx); err != nil {
		return nil, until, err
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		u, until, err = invited(tx, secret)
		return err
	})
	if dam.KindOf(err) == dam.NotFound {
		a.trail.RecordFailure(access.AuditEntry(ctx, dam.AuditLinkRefused, "", "invitation"))
	}
	return u, until, err
}

func invited(tx *storage.Tx, secret string) (u *dam.User, until time.Time, err error) {
	i, err := tx.Invitation(HashOf(secret))
	if err == nil {
		u, err = tx.User(i.UserID)
	}
	switch {
	case dam.KindOf(err) == dam.NotFound, err == nil && (u.DisabledAt != nil || !i.ExpiresAt.After(tx.Now())):
		return nil, until, errInvitation
	case err != nil:
		return nil, until, err
	}
	return u, i.ExpiresAt, nil
}

// AcceptInvitation sets the password of an invited user and signs in the browser;
// the user's other sessions end. It returns the value of the session cookie.
func (a *Accounts) AcceptInvitation(ctx context.Context, secret, password string) (cookie string, u *dam.User, err error) {
	if _, _, err := a.Invitation(ctx, secret); err != nil {
		return "", nil, err
	}
	hash, err := a.Passwords.Checked(ctx, password, MinPassword)
	if err != nil {
		return "", nil, err
	}
	ctx, cookie = access.ByNobody(ctx), RandomText(32)
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if u, _, err = invited(tx, secret); err != nil {
			return err
		}
		if err := changeUser(ctx, tx, u, func(u *dam.User) error { u.PasswordHash = hash; return nil }); err != nil {
			return err
		}
		if err := tx.InsertAudit(access.AuditEntry(ctx, dam.AuditInvitationUsed, u.Email, fmt.Sprintf("user %d", u.ID))); err != nil {
			return err
		}
		return openSession(ctx, tx, u, cookie)
	})
	return cookie, u, err
}

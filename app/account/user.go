package account

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// CreateUser adds a user. Without a password, the user can act only through
// tokens.
func (a *Accounts) CreateUser(ctx context.Context, u *dam.User, password string) error {
	if err := a.prepareUser(ctx, u, password); err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error { return insertUser(ctx, tx, u) })
}

// prepareUser validates a new user and hashes the password, if given.
func (a *Accounts) prepareUser(ctx context.Context, u *dam.User, password string) (err error) {
	u.Email, u.Name = strings.TrimSpace(u.Email), strings.TrimSpace(u.Name)
	if err := u.Validate(); err != nil || password == "" {
		return err
	}
	u.PasswordHash, err = a.Passwords.Checked(ctx, password, MinPassword)
	return err
}

// MaxUsers is the maximum number of users in a library.
const MaxUsers = 10_000

func insertUser(ctx context.Context, tx *storage.Tx, u *dam.User) error {
	n, err := tx.CountUsers()
	if err != nil {
		return err
	}
	if n >= MaxUsers {
		return dam.InvalidField("body", "A library can have at most %d users.", MaxUsers)
	}
	if err := tx.InsertUser(u); err != nil {
		return err
	}
	return tx.InsertAudit(access.AuditEntry(ctx, dam.AuditUserCreated, u.Email, fmt.Sprintf("user %d: %s", u.ID, u.Role)))
}

// Users lists all users.
func (a *Accounts) Users(ctx context.Context) (users []*dam.User, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		users, err = tx.Users()
		return err
	})
	return users, err
}

// UserByEmail returns the user with an email, regardless of case.
func (a *Accounts) UserByEmail(ctx context.Context, email string) (u *dam.User, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		u, err = tx.UserByEmail(email)
		return err
	})
	return u, err
}

// UpdateUser changes the user with an email using fn.
func (a *Accounts) UpdateUser(ctx context.Context, email string, fn func(*dam.User) error) error {
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		u, err := tx.UserByEmail(email)
		if err != nil {
			return err
		}
		return changeUser(ctx, tx, u, fn)
	})
}

// changeUser changes u with fn, and ends sessions and invitations that the change
// invalidates. A change of the user's rights ends the user's sessions, except the
// one that makes the change to its own account. The last enabled admin must remain
// an admin.
func changeUser(ctx context.Context, tx *storage.Tx, u *dam.User, fn func(*dam.User) error) error {
	before := *u
	if err := fn(u); err != nil {
		return err
	}
	if err := u.Validate(); err != nil {
		return err
	}
	if administers(&before) && !administers(u) {
		if others, err := tx.OtherAdmins(u.ID); err != nil || others == 0 {
			return cmp.Or[error](err, dam.Errorf(dam.Conflict, "%s is the last admin; make another one first.", u.Email))
		}
	}
	if err := tx.UpdateUser(u); err != nil {
		return err
	}
	if u.Email != before.Email {
		if err := tx.SetEmail(u); err != nil {
			return takenEmail(err)
		}
	}
	if err := endOld(ctx, tx, &before, u); err != nil {
		return err
	}
	return auditChanges(ctx, tx, &before, u)
}

// endOld ends the sessions and the invitation of a user that a change has
// invalidated.
func endOld(ctx context.Context, tx *storage.Tx, before, after *dam.User) error {
	lockedOut := before.DisabledAt == nil && after.DisabledAt != nil
	if lockedOut || after.PasswordHash != before.PasswordHash || after.Role != before.Role {
		var kept int64
		if s := access.CallerOf(ctx).Actor.Session; s != nil && !lockedOut {
			kept = s.ID // if it belongs to another user, this has no effect
		}
		if _, err := tx.DeleteSessionsOf(after.ID, kept); err != nil {
			return err
		}
	}
	if lockedOut || after.PasswordHash != before.PasswordHash || after.Email != before.Email {
		after.InvitedUntil = nil
		return tx.DeleteInvitation(after.ID)
	}
	return nil
}

// administers reports whether a user is an enabled admin.
func administers(u *dam.User) bool { return u.Role == dam.RoleAdmin && u.DisabledAt == nil }

// auditChanges adds an audit log entry for each change of a user.
func auditChanges(ctx context.Context, tx *storage.Tx, before, after *dam.User) error {
	target := fmt.Sprintf("user %d", after.ID)
	for _, c := range []struct {
		changed bool
		event   dam.AuditEvent
		target  string
	}{
		{before.Name != after.Name, dam.AuditUserRenamed, target + ": " + after.Name},
		{before.Email != after.Email, dam.AuditEmailChanged, fmt.Sprintf("%s: %s to %s", target, before.Email, after.Email)},
		{before.Role != after.Role, dam.AuditRoleChanged, fmt.Sprintf("%s: %s to %s", target, before.Role, after.Role)},
		{before.PasswordHash != after.PasswordHash, dam.AuditPasswordChanged, target},
		{before.DisabledAt == nil && after.DisabledAt != nil, dam.AuditUserDisabled, target},
		{before.DisabledAt != nil && after.DisabledAt == nil, dam.AuditUserEnabled, target},
	} {
		if !c.changed {
			continue
		}
		if err := tx.InsertAudit(access.AuditEntry(ctx, c.event, after.Email, c.target)); err != nil {
			return err
		}
	}
	return nil
}

// SetPassword sets a user's password and ends the user's sessions, and with
// revokeTokens also the user's tokens.
func (a *Accounts) SetPassword(ctx context.Context, email, password string, revokeTokens bool) error {
	hash, err := a.Passwords.Checked(ctx, password, MinPassword)
	if err != nil {
		return err
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		u, err := tx.UserByEmail(email)
		if err != nil {
			return err
		}
		err = changeUser(ctx, tx, u, func(u *dam.User) error { u.PasswordHash = hash; return nil })
		if err != nil || !revokeTokens {
			return err
		}
		return a.revokeTokens(ctx, tx, u)
	})
}

// UserList returns users by name, and their total number, for an actor who manages
// users: those whose name or email contains text, or all if it is "".
func (a *Accounts) UserList(ctx context.Context, actor dam.Actor, text string, p dam.Page) (users []*dam.User, total int, err error) {
	if err := access.MayManageUsers(actor); err != nil {
		return nil, 0, err
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		users, total, err = tx.PageOfUsers(text, p)
		return err
	})
	return users, total, err
}

// User returns a user for an actor who manages users.
func (a *Accounts) User(ctx context.Context, actor dam.Actor, id int64) (u *dam.User, err error) {
	if err := access.MayManageUsers(actor); err != nil {
		return nil, err
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		u, err = tx.User(id)
		return err
	})
	return u, err
}

// UserPatch contains changes of a user; fields that were not sent are kept.
type UserPatch struct {
	Name, Email dam.Opt[string]
	Role        dam.Opt[dam.Role]
	Disabled    dam.Opt[bool]
}

// ChangeUser changes a user for an actor who manages users: see changeUser.
func (a *Accounts) ChangeUser(ctx context.Context, actor dam.Actor, id int64, p UserPatch) (u *dam.User, err error) {
	if err := access.MayManageUsers(actor); err != nil {
		return nil, err
	}
	err = a.store.Update(ctx, func(tx *storage.Tx) error {
		if u, err = tx.User(id); err != nil {
			return err
		}
		return changeUser(ctx, tx, u, func(u *dam.User) error {
			p.apply(u, tx.Now())
			return nil
		})
	})
	return u, err
}

func (p *UserPatch) apply(u *dam.User, now time.Time) {
	if p.Name.Sent {
		u.Name = strings.TrimSpace(p.Name.Value)
	}
	if p.Email.Sent {
		u.Email = strings.TrimSpace(p.Email.Value)
	}
	if p.Role.Sent {
		u.Role = p.Role.Value
	}
	switch {
	case !p.Disabled.Sent:
	case !p.Disabled.Value:
		u.DisabledAt = nil
	case u.DisabledAt == nil:
		u.DisabledAt = &now
	}
}

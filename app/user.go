package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// CreateUser adds a user. Without a password, the user can act only through
// tokens.
func (a *Accounts) CreateUser(ctx context.Context, u *dam.User, password string) error {
	u.Email = strings.TrimSpace(u.Email)
	u.Name = strings.TrimSpace(u.Name)
	if err := u.Validate(); err != nil {
		return err
	}
	if password != "" {
		if err := checkPassword(password); err != nil {
			return err
		}
		hash, err := a.passwords.hash(ctx, password)
		if err != nil {
			return err
		}
		u.PasswordHash = hash
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		if err := tx.InsertUser(u); err != nil {
			return err
		}
		return tx.InsertAudit(auditEntry(ctx, dam.AuditUserCreated, u.Email, fmt.Sprintf("user %d: %s", u.ID, u.Role)))
	})
}

// Users lists all users.
func (a *Accounts) Users(ctx context.Context) (users []*dam.User, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		users, err = tx.Users()
		return err
	})
	return users, err
}

// UserByEmail returns the user with an email, in whatever case.
func (a *Accounts) UserByEmail(ctx context.Context, email string) (u *dam.User, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		u, err = tx.UserByEmail(email)
		return err
	})
	return u, err
}

// UpdateUser changes a user with fn and ends the user's sessions, whose rights
// may have changed. The last admin has to stay one.
func (a *Accounts) UpdateUser(ctx context.Context, email string, fn func(*dam.User) error) error {
	return a.store.Update(ctx, func(tx *storage.Tx) error {
		u, err := tx.UserByEmail(email)
		if err != nil {
			return err
		}
		before := *u
		if err := fn(u); err != nil {
			return err
		}
		if err := u.Validate(); err != nil {
			return err
		}
		if administers(&before) && !administers(u) {
			if others, err := tx.OtherAdmins(u.ID); err != nil || others == 0 {
				return either(err, dam.Errorf(dam.Conflict, "%s is the last admin; make another one first.", u.Email))
			}
		}
		if err := tx.UpdateUser(u); err != nil {
			return err
		}
		if err := tx.DeleteSessionsOf(u.ID); err != nil {
			return err
		}
		return auditChanges(ctx, tx, &before, u)
	})
}

// administers reports whether a user is an admin who is not disabled.
func administers(u *dam.User) bool { return u.Role == dam.RoleAdmin && u.DisabledAt == nil }

// auditChanges adds an entry to the audit trail for each change of a user.
func auditChanges(ctx context.Context, tx *storage.Tx, before, after *dam.User) error {
	target := fmt.Sprintf("user %d", after.ID)
	for _, c := range []struct {
		changed bool
		event   dam.AuditEvent
		target  string
	}{
		{before.Name != after.Name, dam.AuditUserRenamed, target + ": " + after.Name},
		{before.Role != after.Role, dam.AuditRoleChanged, fmt.Sprintf("%s: %s to %s", target, before.Role, after.Role)},
		{before.PasswordHash != after.PasswordHash, dam.AuditPasswordChanged, target},
		{before.DisabledAt == nil && after.DisabledAt != nil, dam.AuditUserDisabled, target},
		{before.DisabledAt != nil && after.DisabledAt == nil, dam.AuditUserEnabled, target},
	} {
		if !c.changed {
			continue
		}
		if err := tx.InsertAudit(auditEntry(ctx, c.event, after.Email, c.target)); err != nil {
			return err
		}
	}
	return nil
}

// SetPassword gives a user a new password and ends the user's sessions.
func (a *Accounts) SetPassword(ctx context.Context, email, password string) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	hash, err := a.passwords.hash(ctx, password)
	if err != nil {
		return err
	}
	return a.UpdateUser(ctx, email, func(u *dam.User) error {
		u.PasswordHash = hash
		return nil
	})
}

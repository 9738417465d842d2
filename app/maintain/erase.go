package maintain

import (
	"context"
	"fmt"
	"strings"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// PlanErasure returns what ErasePerson would do, without changing anything.
func (m *Maintenance) PlanErasure(ctx context.Context, email string, account bool) (e *dam.Erasure, err error) {
	email = strings.TrimSpace(email)
	if !dam.ValidEmail(email) {
		return nil, dam.InvalidField("email", "%s is not an email address.", dam.Printable(email))
	}
	e = &dam.Erasure{Email: email}
	err = m.Store.View(ctx, func(tx *storage.Tx) error {
		if e.Account, err = tx.UserByEmail(email); dam.KindOf(err) == dam.NotFound {
			e.Account, err = nil, nil
		}
		if err != nil {
			return err
		}
		if e.Erased, err = tx.CountErasures(personOf(e, account)); err != nil {
			return err
		}
		e.Left, err = tx.Naming(email, false)
		return err
	})
	return e, err
}

// ErasePerson removes the person with an email address from the database, see
// storage.erasures, and keeps the records of their actions. With account, a disabled
// account with that address is anonymized; without it, any account with that address is an
// error, as an enabled account always is. An interrupted erasure can be repeated. With
// compact, nothing remains in the free space of the database either.
func (m *Maintenance) ErasePerson(ctx context.Context, email string, account, compact bool) (*dam.Erasure, error) {
	e, err := m.PlanErasure(ctx, email, account)
	if err != nil {
		return nil, err
	}
	if err := erasable(e.Account, account); err != nil {
		return nil, err
	}
	planned := e.Rows()
	p := personOf(e, account)
	if e.Erased, err = m.Store.Erase(ctx, p); err != nil {
		return nil, err
	}
	if planned > 0 || e.Rows() > 0 || e.Account != nil {
		if err := m.endErasure(ctx, e, p); err != nil {
			return nil, err
		}
	}
	now := m.Now().UTC()
	e.At = &now
	if err := m.Store.View(ctx, func(tx *storage.Tx) error {
		e.Left, err = tx.Naming(e.Email, true)
		return err
	}); err != nil {
		return nil, err
	}
	if compact {
		if err := m.Store.Compact(ctx); err != nil {
			return e, fmt.Errorf("the person was erased, but the database could not be written anew; run it again: %w", err)
		}
	}
	return e, nil
}

// erasable returns an error if a person with an account, nil for none, cannot be erased.
func erasable(u *dam.User, account bool) error {
	switch {
	case u == nil:
	case u.DisabledAt == nil:
		return dam.Errorf(dam.Conflict, "%s has an account that is not disabled: disable it first.", u.Email)
	case !account:
		return dam.Errorf(dam.Conflict, "%s has an account: it is erased only with --account.", u.Email)
	}
	return nil
}

// endErasure anonymizes the account and records in the audit log that a person was erased.
func (m *Maintenance) endErasure(ctx context.Context, e *dam.Erasure, p storage.Person) error {
	return m.Store.Update(ctx, func(tx *storage.Tx) error {
		target := fmt.Sprintf("%d records", e.Rows())
		if p.User != 0 {
			u, err := tx.User(p.User)
			if err != nil {
				return err
			}
			if err := erasable(u, true); err != nil { // enabled again in the meantime
				return err
			}
			if err := tx.EraseAccount(u); err != nil {
				return err
			}
			target += fmt.Sprintf(", user %d", u.ID)
			tx.OnCommit(m.Accounts.TokensRevoked)
		}
		return tx.InsertAudit(access.AuditEntry(ctx, dam.AuditPersonErased, "", target))
	})
}

// personOf returns the identifiers of the person in the database.
func personOf(e *dam.Erasure, account bool) storage.Person {
	p := storage.Person{Email: e.Email}
	if account && e.Account != nil {
		p.User = e.Account.ID
	}
	return p
}

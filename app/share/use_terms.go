package share

import (
	"context"
	"fmt"
	"io"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/export"
	"github.com/digital-asset-library/dal/storage"
)

// ErrTermsFirst is returned to users until they accept the current terms of use.
var ErrTermsFirst = &dam.Error{Kind: dam.Denied, Code: dam.TermsNotAccepted, Abilities: []dam.Ability{},
	Msg: "The terms of use have to be accepted first."}

var errNoTerms = dam.Errorf(dam.NotFound, "There are no terms of use.")

// SetUseTerms puts terms of use into effect that everyone must accept in a browser, and
// reports whether they are new: setting the same text again changes nothing.
func (sh *Shares) SetUseTerms(ctx context.Context, text string) (t *dam.UseTerms, isNew bool, err error) {
	if text, err = dam.CleanUseTerms(text); err != nil {
		return nil, false, err
	}
	err = sh.Store.Update(ctx, func(tx *storage.Tx) error {
		isNew = false
		if t, err = tx.UseTerms(0); err == nil && t.Text == text {
			return nil
		} else if err != nil && dam.KindOf(err) != dam.NotFound {
			return err
		}
		if _, err := tx.EndUseTerms(); err != nil {
			return err
		}
		t, isNew = &dam.UseTerms{Text: text}, true
		if err := tx.InsertUseTerms(t); err != nil {
			return err
		}
		return tx.InsertAudit(access.AuditEntry(ctx, dam.AuditTermsSet, "", fmt.Sprintf("version %d", t.Version)))
	})
	return t, isNew, err
}

// ClearUseTerms removes the terms of use, and reports whether there were any.
func (sh *Shares) ClearUseTerms(ctx context.Context) (had bool, err error) {
	err = sh.Store.Update(ctx, func(tx *storage.Tx) error {
		if had, err = tx.EndUseTerms(); err != nil || !had {
			return err
		}
		return tx.InsertAudit(access.AuditEntry(ctx, dam.AuditTermsCleared, "", ""))
	})
	return had, err
}

// UseTerms returns a version of the terms of use, or the current one if version is 0.
func (sh *Shares) UseTerms(ctx context.Context, version int64) (t *dam.UseTerms, err error) {
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		if t, err = tx.UseTerms(version); dam.KindOf(err) == dam.NotFound {
			err = errNoTerms
			if version != 0 {
				err = dam.Errorf(dam.NotFound, "There is no version %d of the terms of use.", version)
			}
		}
		return err
	})
	return t, err
}

// AllUseTerms returns all versions of the terms of use without their texts, newest first.
func (sh *Shares) AllUseTerms(ctx context.Context) (all []*dam.UseTerms, err error) {
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		all, err = tx.AllUseTerms()
		return err
	})
	return all, err
}

// OwnConsent returns the consent of the actor's user to a version of the terms of use, nil
// for none.
func (sh *Shares) OwnConsent(ctx context.Context, actor dam.Actor, version int64) (c *dam.Consent, err error) {
	err = sh.Store.View(ctx, func(tx *storage.Tx) error {
		if c, err = tx.UserConsent(actor.User.ID, version); dam.KindOf(err) == dam.NotFound {
			c, err = nil, nil
		}
		return err
	})
	return c, err
}

// AcceptTerms records that a user accepts the current version of the terms of use, which
// must be the given one. Accepting it again changes nothing.
func (sh *Shares) AcceptTerms(ctx context.Context, actor dam.Actor, version int64) (c *dam.Consent, err error) {
	if err := access.MayManageSelf(actor); err != nil {
		return nil, err
	}
	err = sh.Store.Update(ctx, func(tx *storage.Tx) error {
		t, err := tx.UseTerms(0)
		if dam.KindOf(err) == dam.NotFound {
			return errNoTerms
		}
		if err != nil {
			return err
		}
		if t.Version != version {
			return dam.Errorf(dam.Conflict, "The terms of use were changed: version %d is in force.", t.Version)
		}
		if c, err = tx.UserConsent(actor.User.ID, version); dam.KindOf(err) != dam.NotFound {
			return err
		}
		u, err := tx.User(actor.User.ID)
		if err != nil {
			return err
		}
		from := access.CallerOf(ctx)
		c = &dam.Consent{SubjectName: u.Name, SubjectEmail: u.Email, TermsVersion: version, TermsText: t.Text, Context: dam.ConsentUser,
			IP: from.IP, UserAgent: clipped(dam.Printable(from.UserAgent)), UserID: u.ID}
		if err := tx.InsertConsent(c); err != nil {
			return err
		}
		return tx.InsertAudit(access.AuditEntry(ctx, dam.AuditTermsAccepted, u.Email, fmt.Sprintf("version %d", version)))
	})
	return c, err
}

// consentChunk is the number of consents read per query while writing a table.
const consentChunk = 500

// ConsentTable returns a table of consents, newest first.
func (sh *Shares) ConsentTable(actor dam.Actor, f dam.ConsentFilter) (dam.WriteTable, error) {
	if err := access.MayReadConsents(actor); err != nil {
		return nil, err
	}
	return func(ctx context.Context, w io.Writer) error {
		table, err := export.NewConsents(w)
		if err != nil {
			return err
		}
		for last := int64(0); ; {
			var some []*dam.Consent
			if err := sh.Store.View(ctx, func(tx *storage.Tx) (err error) {
				some, err = tx.ConsentsBefore(f, last, consentChunk)
				return err
			}); err != nil {
				return err
			}
			for _, c := range some {
				if err := table.Add(c); err != nil {
					return err
				}
				last = c.ID
			}
			if err := table.Flush(); err != nil || len(some) < consentChunk {
				return err
			}
		}
	}, nil
}

package app

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// AuditTrail returns entries of the audit log, newest first, and their total
// number, if the actor may read it.
func (a *App) AuditTrail(ctx context.Context, actor dam.Actor, f dam.AuditFilter, p dam.Page) ([]*dam.AuditEntry, int, error) {
	if err := mayReadTrail(actor); err != nil {
		return nil, 0, err
	}
	return a.Trail.Entries(ctx, f, p)
}

// auditEntry returns an entry for an action of the caller of ctx on an account. The
// time is set on writing.
func auditEntry(ctx context.Context, event dam.AuditEvent, account, target string) *dam.AuditEntry {
	c := callerOf(ctx)
	e := &dam.AuditEntry{Event: event, Account: account, Target: target, RequestID: c.RequestID, Method: c.Method, Path: c.Path, IP: c.IP}
	if c.Actor.User != nil {
		e.UserID = c.Actor.User.ID
	}
	if c.Actor.Token != nil {
		e.TokenID = c.Actor.Token.ID
	}
	return e
}

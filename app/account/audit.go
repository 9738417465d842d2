package account

import (
	"context"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
)

// AuditTrail returns entries of the audit log, newest first, and their total
// number, if the actor may read it.
func (a *Accounts) AuditTrail(ctx context.Context, actor dam.Actor, f dam.AuditFilter, p dam.Page) ([]*dam.AuditEntry, int, error) {
	if err := access.MayReadTrail(actor); err != nil {
		return nil, 0, err
	}
	return a.trail.Entries(ctx, f, p)
}

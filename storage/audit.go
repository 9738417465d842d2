package storage

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const auditColumns = `id, at, event, request_id, user_id, token_id, account, target, count, method, path, status, duration_us, ip`

// InsertAudit appends to the audit log. The account is stored in its canonical form, and
// an entry without a time gets the transaction's.
func (tx *Tx) InsertAudit(e *dam.AuditEntry) error {
	event := e.Event
	if event == "" {
		event = dam.AuditRequest
	}
	at := e.At
	if at.IsZero() {
		at = tx.now
	}
	_, err := tx.exec("Audit entry", `INSERT INTO audit_logs
		(at, event, request_id, user_id, token_id, account, target, count, method, path, status, duration_us, ip)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		msec(at), event, e.RequestID, e.UserID, ref(e.TokenID), auditAccount(e.Account), dam.Printable(e.Target), max(1, e.Count),
		e.Method, e.Path, e.Status, e.Duration.Microseconds(), e.IP)
	return err
}

// auditAccount returns an email in the form that the audit log stores.
func auditAccount(email string) string { return dam.Printable(EmailKey(email)) }

// Audit returns entries of the audit log, newest first, and their total number.
func (tx *Tx) Audit(f dam.AuditFilter, p dam.Page) ([]*dam.AuditEntry, int, error) {
	where := ` FROM audit_logs WHERE ?1 IN (0, user_id) AND ?2 IN (0, token_id) AND ?3 IN ('', method) AND ?4 IN (0, status)
		AND at >= ?5 AND at < ?6 AND ?7 IN ('', event) AND ?8 IN ('', account)
		AND (NOT ?9 OR event <> 'request' OR method NOT IN ('GET', 'HEAD'))`
	to := int64(1) << 62
	if !f.To.IsZero() {
		to = msec(f.To)
	}
	from := int64(0)
	if !f.From.IsZero() {
		from = msec(f.From)
	}
	args := []any{f.UserID, f.TokenID, f.Method, f.Status, from, to, f.Event, auditAccount(f.Account), f.Changes}
	total, err := one[int](tx, "", `SELECT count(*)`+where, args...)
	if err != nil {
		return nil, 0, err
	}
	entries, err := list(tx, func(r row) (*dam.AuditEntry, error) {
		var e dam.AuditEntry
		var us int64
		err := r.Scan(&e.ID, timeCol{&e.At}, &e.Event, &e.RequestID, &e.UserID, refCol{&e.TokenID}, &e.Account, &e.Target, &e.Count,
			&e.Method, &e.Path, &e.Status, &us, &e.IP)
		e.Duration = time.Duration(us) * time.Microsecond
		return &e, err
	}, `SELECT `+auditColumns+where+` ORDER BY id DESC LIMIT ?10 OFFSET ?11`, append(args, p.Limit, p.Offset)...)
	return entries, total, err
}

// TrimAudit deletes up to limit entries older than before and returns the number of
// deleted entries.
func (tx *Tx) TrimAudit(before time.Time, limit int) (int64, error) {
	return tx.exec("", `DELETE FROM audit_logs WHERE id IN (SELECT id FROM audit_logs WHERE at < ? ORDER BY at LIMIT ?)`, msec(before), limit)
}

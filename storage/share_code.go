package storage

import "github.com/digital-asset-library/dal/app/dam"

const codeColumns = `c.id, c.visit_id, v.share_id, c.email, c.ip, c.language, c.hash, c.tries, c.failed, c.expires_at, c.created_at
	FROM share_codes c JOIN share_visits v ON v.id = c.visit_id`

func scanCode(r row) (*dam.ShareCode, error) {
	var c dam.ShareCode
	err := r.Scan(&c.ID, &c.VisitID, &c.ShareID, &c.Email, &c.IP, &c.Language, &c.Hash, &c.Tries, &c.Failed, timeCol{&c.ExpiresAt},
		timeCol{&c.CreatedAt})
	return &c, wrap(err, "Code")
}

// ShareCode returns a code by its ID.
func (tx *Tx) ShareCode(id int64) (*dam.ShareCode, error) {
	return scanCode(tx.tx.QueryRowContext(tx.ctx, `SELECT `+codeColumns+` WHERE c.id = ?`, id))
}

// CodeOfVisit returns the pending code of a visit.
func (tx *Tx) CodeOfVisit(visit int64) (*dam.ShareCode, error) {
	return scanCode(tx.tx.QueryRowContext(tx.ctx, `SELECT `+codeColumns+` WHERE c.visit_id = ?`, visit))
}

// InsertCode adds a code, replacing the pending one of the visit, and sets its ID.
func (tx *Tx) InsertCode(c *dam.ShareCode) (err error) {
	if err := tx.DeleteCode(c.VisitID); err != nil {
		return err
	}
	c.CreatedAt = tx.now
	c.ID, err = one[int64](tx, "Code", `INSERT INTO share_codes (visit_id, email, ip, language, expires_at, created_at)
		VALUES (?,?,?,?,?,?) RETURNING id`, c.VisitID, c.Email, c.IP, c.Language, msec(c.ExpiresAt), msec(tx.now))
	return err
}

// SetCode writes the state of a code: whether it was sent, and the number of tries.
func (tx *Tx) SetCode(c *dam.ShareCode) error {
	return tx.must("Code", `UPDATE share_codes SET hash = ?, tries = ?, failed = ?, expires_at = ? WHERE id = ?`,
		c.Hash, c.Tries, c.Failed, msec(c.ExpiresAt), c.ID)
}

// DeleteCode deletes the pending code of a visit, if there is one.
func (tx *Tx) DeleteCode(visit int64) error {
	_, err := tx.exec("Code", `DELETE FROM share_codes WHERE visit_id = ?`, visit)
	return err
}

package storage

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const sessionColumns = `id, hash, user_id, user_agent, ip, created_at, used_at, expires_at`

func scanSession(r row) (*dam.Session, error) {
	var s dam.Session
	err := r.Scan(&s.ID, &s.Hash, &s.UserID, &s.UserAgent, &s.IP, timeCol{&s.CreatedAt}, timeCol{&s.UsedAt}, timeCol{&s.ExpiresAt})
	return &s, wrap(err, "Session")
}

// InsertSession adds a session and sets its ID.
func (tx *Tx) InsertSession(s *dam.Session) (err error) {
	s.ID, err = one[int64](tx, "Session", `INSERT INTO sessions (hash, user_id, user_agent, ip, created_at, used_at, expires_at)
		VALUES (?,?,?,?,?,?,?) RETURNING id`, s.Hash, s.UserID, s.UserAgent, s.IP, msec(s.CreatedAt), msec(s.UsedAt), msec(s.ExpiresAt))
	return err
}

// Session returns the session with the given hash, expired or not.
func (tx *Tx) Session(hash []byte) (*dam.Session, error) {
	return scanSession(tx.tx.QueryRowContext(tx.ctx, `SELECT `+sessionColumns+` FROM sessions WHERE hash = ?`, hash))
}

// Sessions returns the unexpired sessions of a user, most recently used first, and their
// total number.
func (tx *Tx) Sessions(user int64, p dam.Page) ([]*dam.Session, int, error) {
	const where = ` FROM sessions WHERE user_id = ?1 AND expires_at > ?2`
	total, err := one[int](tx, "", `SELECT count(*)`+where, user, msec(tx.now))
	if err != nil {
		return nil, 0, err
	}
	sessions, err := list(tx, scanSession, `SELECT `+sessionColumns+where+` ORDER BY used_at DESC, id DESC LIMIT ?3 OFFSET ?4`,
		user, msec(tx.now), p.Limit, p.Offset)
	return sessions, total, err
}

// TouchSession records the last use of a session. It ignores a session that has ended.
func (tx *Tx) TouchSession(id int64, at time.Time, ip string) error {
	if _, err := tx.exec("Session", `UPDATE sessions SET used_at = max(used_at, ?), ip = ? WHERE id = ?`, msec(at), ip, id); err != nil {
		return err
	}
	return tx.seen(`SELECT user_id FROM sessions WHERE id = ?1`, id, at)
}

// seen records the last activity of a user, whom the query selects by id.
func (tx *Tx) seen(user string, id int64, at time.Time) error {
	_, err := tx.exec("User", `UPDATE users SET seen_at = ?2 WHERE id = (`+user+`) AND (seen_at IS NULL OR seen_at < ?2)`, id, msec(at))
	return err
}

// DeleteSession ends a session, if it exists.
func (tx *Tx) DeleteSession(hash []byte) error {
	tx.touch(TouchedAccounts, 0)
	_, err := tx.exec("Session", `DELETE FROM sessions WHERE hash = ?`, hash)
	return err
}

// EndSession ends a session of a user by its ID. It returns NotFound if the user has no
// such session.
func (tx *Tx) EndSession(user, id int64) error {
	tx.touch(TouchedAccounts, 0)
	return tx.must("Session", `DELETE FROM sessions WHERE user_id = ? AND id = ? AND expires_at > ?`, user, id, msec(tx.now))
}

// TrimSessions ends the oldest sessions of a user, keeping the newest keep.
func (tx *Tx) TrimSessions(user int64, keep int) error {
	_, err := tx.exec("Session", `DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE user_id = ?
		ORDER BY expires_at > ? DESC, created_at DESC, hash LIMIT -1 OFFSET ?)`, user, msec(tx.now), keep)
	return err
}

// DeleteSessionsOf ends all sessions of a user but one, 0 for none, and returns the
// number of ended sessions.
func (tx *Tx) DeleteSessionsOf(user, except int64) (int64, error) {
	tx.touch(TouchedAccounts, 0)
	return tx.exec("Session", `DELETE FROM sessions WHERE user_id = ? AND id <> ?`, user, except)
}

// DeleteExpiredSessions deletes expired sessions.
func (tx *Tx) DeleteExpiredSessions() error {
	_, err := tx.exec("Session", `DELETE FROM sessions WHERE expires_at <= ?`, msec(tx.now))
	return err
}

// NetworkKnown reports whether a user has signed in from the network with a hash.
func (tx *Tx) NetworkKnown(user int64, hash []byte) (known bool, err error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM known_networks WHERE user_id = ? AND hash = ?)`, user, hash)
}

// KnowNetwork records that a user signed in from a network, and deletes all but the keep
// most recent ones.
func (tx *Tx) KnowNetwork(user int64, hash []byte, keep int) error {
	if _, err := tx.exec("", `INSERT INTO known_networks (user_id, hash, used_at) VALUES (?,?,?)
		ON CONFLICT (user_id, hash) DO UPDATE SET used_at = excluded.used_at`, user, hash, msec(tx.now)); err != nil {
		return err
	}
	_, err := tx.exec("", `DELETE FROM known_networks WHERE user_id = ?1 AND hash IN (SELECT hash FROM known_networks
		WHERE user_id = ?1 ORDER BY used_at DESC, hash = ?2 DESC LIMIT -1 OFFSET ?3)`, user, hash, keep)
	return err
}

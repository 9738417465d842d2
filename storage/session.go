package storage

import "github.com/digital-asset-library/dal/app/dam"

// InsertSession adds a browser's log-in.
func (tx *Tx) InsertSession(s *dam.Session) error {
	_, err := tx.exec("Session", `INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES (?,?,?,?)`,
		s.Hash, s.UserID, msec(s.CreatedAt), msec(s.ExpiresAt))
	return err
}

// Session returns the log-in with the given hash, expired or not.
func (tx *Tx) Session(hash []byte) (*dam.Session, error) {
	s := dam.Session{Hash: hash}
	err := tx.tx.QueryRowContext(tx.ctx, `SELECT user_id, created_at, expires_at FROM sessions WHERE hash = ?`, hash).
		Scan(&s.UserID, timeCol{&s.CreatedAt}, timeCol{&s.ExpiresAt})
	return &s, wrap(err, "Session")
}

// DeleteSession ends a log-in, if it is there.
func (tx *Tx) DeleteSession(hash []byte) error {
	tx.touch(TouchedAccounts, 0)
	_, err := tx.exec("Session", `DELETE FROM sessions WHERE hash = ?`, hash)
	return err
}

// TrimSessions ends the oldest log-ins of a user beyond the newest keep.
func (tx *Tx) TrimSessions(user int64, keep int) error {
	_, err := tx.exec("Session", `DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE user_id = ?
		ORDER BY expires_at > ? DESC, created_at DESC, hash LIMIT -1 OFFSET ?)`, user, msec(tx.now), keep)
	return err
}

// DeleteSessionsOf ends all log-ins of a user.
func (tx *Tx) DeleteSessionsOf(user int64) error {
	tx.touch(TouchedAccounts, 0)
	_, err := tx.exec("Session", `DELETE FROM sessions WHERE user_id = ?`, user)
	return err
}

// DeleteExpiredSessions forgets the log-ins that have ended.
func (tx *Tx) DeleteExpiredSessions() error {
	_, err := tx.exec("Session", `DELETE FROM sessions WHERE expires_at <= ?`, msec(tx.now))
	return err
}

// NetworkKnown reports whether a user has logged in from a network, which a
// hash stands for.
func (tx *Tx) NetworkKnown(user int64, hash []byte) (known bool, err error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM known_networks WHERE user_id = ? AND hash = ?)`, user, hash)
}

// KnowNetwork notes that a user logs in from a network, and forgets all but the
// keep most recent ones.
func (tx *Tx) KnowNetwork(user int64, hash []byte, keep int) error {
	if _, err := tx.exec("", `INSERT INTO known_networks (user_id, hash, used_at) VALUES (?,?,?)
		ON CONFLICT (user_id, hash) DO UPDATE SET used_at = excluded.used_at`, user, hash, msec(tx.now)); err != nil {
		return err
	}
	_, err := tx.exec("", `DELETE FROM known_networks WHERE user_id = ?1 AND hash IN (SELECT hash FROM known_networks
		WHERE user_id = ?1 ORDER BY used_at DESC, hash = ?2 DESC LIMIT -1 OFFSET ?3)`, user, hash, keep)
	return err
}

package storage

import (
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const userColumns = `id, name, email, role, password_hash, disabled_at, created_at`

func scanUser(r row) (*dam.User, error) {
	var u dam.User
	err := r.Scan(&u.ID, &u.Name, &u.Email, &u.Role, &u.PasswordHash, optTimeCol{&u.DisabledAt}, timeCol{&u.CreatedAt})
	return &u, wrap(err, "User")
}

// InsertUser adds u and sets its ID. An email that is taken is a Conflict.
func (tx *Tx) InsertUser(u *dam.User) (err error) {
	u.CreatedAt = tx.now
	u.ID, err = one[int64](tx, "A user with that email", `INSERT INTO users (name, email, role, password_hash, created_at)
		VALUES (?,?,?,?,?) RETURNING id`, u.Name, u.Email, u.Role, u.PasswordHash, msec(u.CreatedAt))
	return err
}

// User returns the user with the given ID.
func (tx *Tx) User(id int64) (*dam.User, error) {
	return scanUser(tx.tx.QueryRowContext(tx.ctx, `SELECT `+userColumns+` FROM users WHERE id = ?`, id))
}

// UserByEmail returns the user with the given email in any case.
func (tx *Tx) UserByEmail(email string) (*dam.User, error) {
	return scanUser(tx.tx.QueryRowContext(tx.ctx, `SELECT `+userColumns+` FROM users WHERE email = ?`, email))
}

// Users lists all users by ID.
func (tx *Tx) Users() ([]*dam.User, error) {
	return list(tx, scanUser, `SELECT `+userColumns+` FROM users ORDER BY id`)
}

// CountUsers returns how many users there are, disabled ones included.
func (tx *Tx) CountUsers() (int, error) { return one[int](tx, "", `SELECT count(*) FROM users`) }

// UpdateUser writes the name, role, password and disabled time of u.
func (tx *Tx) UpdateUser(u *dam.User) error {
	return tx.must("User", `UPDATE users SET name = ?, role = ?, password_hash = ?, disabled_at = ? WHERE id = ?`,
		u.Name, u.Role, u.PasswordHash, msecPtr(u.DisabledAt), u.ID)
}

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

// DeleteSession ends a log-in.
func (tx *Tx) DeleteSession(hash []byte) error {
	_, err := tx.exec("Session", `DELETE FROM sessions WHERE hash = ?`, hash)
	return err
}

// DeleteSessionsOf ends all log-ins of a user.
func (tx *Tx) DeleteSessionsOf(user int64) error {
	_, err := tx.exec("Session", `DELETE FROM sessions WHERE user_id = ?`, user)
	return err
}

// DeleteExpiredSessions forgets the log-ins that have ended.
func (tx *Tx) DeleteExpiredSessions() error {
	_, err := tx.exec("Session", `DELETE FROM sessions WHERE expires_at <= ?`, msec(tx.now))
	return err
}

const tokenColumns = `id, user_id, name, description, abilities, hash, last_used_at, last_used_ip, expires_at, created_at`

func scanToken(r row) (*dam.Token, error) {
	var t dam.Token
	var abilities string
	err := r.Scan(&t.ID, &t.UserID, &t.Name, &t.Description, &abilities, &t.Hash,
		optTimeCol{&t.LastUsedAt}, &t.LastUsedIP, optTimeCol{&t.ExpiresAt}, timeCol{&t.CreatedAt})
	for a := range strings.SplitSeq(abilities, ",") {
		t.Abilities = append(t.Abilities, dam.Ability(a))
	}
	return &t, wrap(err, "Token")
}

// InsertToken adds t and sets its ID. The hash is set afterwards by
// SetTokenHash, for the plain text contains the ID.
func (tx *Tx) InsertToken(t *dam.Token) (err error) {
	t.CreatedAt = tx.now
	names := make([]string, len(t.Abilities))
	for i, a := range t.Abilities {
		names[i] = string(a)
	}
	t.ID, err = one[int64](tx, "Token", `INSERT INTO tokens (user_id, name, description, abilities, hash, expires_at, created_at)
		VALUES (?,?,?,?,zeroblob(32),?,?) RETURNING id`,
		t.UserID, t.Name, t.Description, strings.Join(names, ","), msecPtr(t.ExpiresAt), msec(t.CreatedAt))
	return err
}

// SetTokenHash writes the hash of a new token.
func (tx *Tx) SetTokenHash(t *dam.Token) error {
	return tx.must("Token", `UPDATE tokens SET hash = ? WHERE id = ?`, t.Hash, t.ID)
}

// Token returns the token with the given ID.
func (tx *Tx) Token(id int64) (*dam.Token, error) {
	return scanToken(tx.tx.QueryRowContext(tx.ctx, `SELECT `+tokenColumns+` FROM tokens WHERE id = ?`, id))
}

// Tokens lists the tokens of a user, or of all users when user is 0, newest
// first, and how many there are.
func (tx *Tx) Tokens(user int64, p Page) ([]*dam.Token, int, error) {
	total, err := one[int](tx, "", `SELECT count(*) FROM tokens WHERE ?1 IN (0, user_id)`, user)
	if err != nil {
		return nil, 0, err
	}
	tokens, err := list(tx, scanToken, `SELECT `+tokenColumns+` FROM tokens WHERE ?1 IN (0, user_id)
		ORDER BY id DESC LIMIT ?2 OFFSET ?3`, user, p.Limit, p.Offset)
	return tokens, total, err
}

// DeleteToken revokes a token.
func (tx *Tx) DeleteToken(id int64) error {
	return tx.must("Token", `DELETE FROM tokens WHERE id = ?`, id)
}

// TouchToken records the last use of a token. A token that is gone is left so.
func (tx *Tx) TouchToken(id int64, at time.Time, ip string) error {
	_, err := tx.exec("Token", `UPDATE tokens SET last_used_at = ?, last_used_ip = ? WHERE id = ?`, msec(at), ip, id)
	return err
}

package storage

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/digital-asset-library/dal/app/dam"
)

const userColumns = `id, name, email, role, password_hash, disabled_at, created_at`

func scanUser(r row) (*dam.User, error) {
	var u dam.User
	err := r.Scan(&u.ID, &u.Name, &u.Email, &u.Role, &u.PasswordHash, optTimeCol{&u.DisabledAt}, timeCol{&u.CreatedAt})
	return &u, wrap(err, "User")
}

// EmailKey is what accounts are compared and found by: an address without the
// spaces around it, regardless of case and of how its letters are composed (Unicode
// Standard 3.13, canonical caseless matching).
func EmailKey(email string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(strings.TrimSpace(email))))
}

// InsertUser adds u, with its email composed, and sets its ID. An email that is
// taken is a Conflict.
func (tx *Tx) InsertUser(u *dam.User) (err error) {
	u.CreatedAt = tx.now
	u.Email = norm.NFC.String(u.Email)
	u.ID, err = one[int64](tx, "A user with that email", `INSERT INTO users (name, email, email_key, role, password_hash, created_at)
		VALUES (?,?,?,?,?,?) RETURNING id`, u.Name, u.Email, EmailKey(u.Email), u.Role, u.PasswordHash, msec(u.CreatedAt))
	return err
}

// keyEmails fills in the keys of accounts that are older than keys, the oldest
// first. An account whose key is taken gets none.
func (tx *Tx) keyEmails() error {
	type account struct {
		id    int64
		email string
	}
	accounts, err := list(tx, func(r row) (a account, err error) { return a, r.Scan(&a.id, &a.email) }, `SELECT id, email FROM users
		ORDER BY id`)
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, a := range accounts {
		key := EmailKey(a.email)
		if key == "" || taken[key] {
			continue
		}
		taken[key] = true
		if _, err := tx.exec("User", `UPDATE users SET email_key = ? WHERE id = ?`, key, a.id); err != nil {
			return err
		}
	}
	return nil
}

// AmbiguousUsers returns the accounts whose address another account has in
// other letters. They are found by their exact spelling only.
func (tx *Tx) AmbiguousUsers() ([]*dam.User, error) {
	return list(tx, scanUser, `SELECT `+userColumns+` FROM users WHERE email_key = '' ORDER BY id`)
}

// User returns the user with the given ID.
func (tx *Tx) User(id int64) (*dam.User, error) {
	return scanUser(tx.tx.QueryRowContext(tx.ctx, `SELECT `+userColumns+` FROM users WHERE id = ?`, id))
}

// UserByEmail returns the user with an email: the one with that spelling, or else
// the one with the same canonical form.
func (tx *Tx) UserByEmail(email string) (*dam.User, error) {
	return scanUser(tx.tx.QueryRowContext(tx.ctx, `SELECT `+userColumns+` FROM users WHERE email = ?1 COLLATE BINARY OR email_key = ?2
		ORDER BY email = ?1 COLLATE BINARY DESC LIMIT 1`, strings.TrimSpace(email), EmailKey(email)))
}

// Users lists all users by ID.
func (tx *Tx) Users() ([]*dam.User, error) {
	return list(tx, scanUser, `SELECT `+userColumns+` FROM users ORDER BY id`)
}

// OtherAdmins returns how many admins there are that are not disabled, besides
// one user.
func (tx *Tx) OtherAdmins(user int64) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM users WHERE role = 'admin' AND disabled_at IS NULL AND id <> ?`, user)
}

// UpdateUser writes the name, role, password and disabled time of u.
func (tx *Tx) UpdateUser(u *dam.User) error {
	tx.touch(TouchedAccounts, 0)
	return tx.must("User", `UPDATE users SET name = ?, role = ?, password_hash = ?, disabled_at = ? WHERE id = ?`,
		u.Name, u.Role, u.PasswordHash, msecPtr(u.DisabledAt), u.ID)
}

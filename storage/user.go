package storage

import (
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/digital-asset-library/dal/app/dam"
)

const userColumns = `id, name, email, role, language, password_hash, disabled_at, created_at, seen_at,
	(SELECT expires_at FROM invitations WHERE user_id = users.id)`

func scanUser(r row) (*dam.User, error) {
	var u dam.User
	err := r.Scan(&u.ID, &u.Name, &u.Email, &u.Role, &u.Language, &u.PasswordHash, optTimeCol{&u.DisabledAt}, timeCol{&u.CreatedAt},
		optTimeCol{&u.SeenAt}, optTimeCol{&u.InvitedUntil})
	return &u, wrap(err, "User")
}

// EmailKey normalizes an email for comparing and finding accounts: without surrounding
// spaces, and ignoring case and composition (canonical caseless matching, section 3.13 of
// Unicode).
func EmailKey(email string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(strings.TrimSpace(email))))
}

// InsertUser adds u, with its email composed, and sets its ID. It returns Conflict if the
// email is taken.
func (tx *Tx) InsertUser(u *dam.User) (err error) {
	u.CreatedAt = tx.now
	u.Email = norm.NFC.String(u.Email)
	u.ID, err = one[int64](tx, "A user with that email", `INSERT INTO users (name, email, email_key, role, password_hash, created_at)
		VALUES (?,?,?,?,?,?) RETURNING id`, u.Name, u.Email, EmailKey(u.Email), u.Role, u.PasswordHash, msec(u.CreatedAt))
	return err
}

// keyEmails fills in the keys of accounts created before keys were introduced, oldest
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

// AmbiguousUsers returns the accounts whose email differs from another account's only in
// case or composition. They are found by their exact spelling only.
func (tx *Tx) AmbiguousUsers() ([]*dam.User, error) {
	return list(tx, scanUser, `SELECT `+userColumns+` FROM users WHERE email_key = '' ORDER BY id`)
}

// User returns the user with the given ID.
func (tx *Tx) User(id int64) (*dam.User, error) {
	return scanUser(tx.tx.QueryRowContext(tx.ctx, `SELECT `+userColumns+` FROM users WHERE id = ?`, id))
}

// FillUsers sets each user to the one with the ID beside it, and leaves those with ID 0.
func (tx *Tx) FillUsers(want map[*int64]**dam.User) (err error) {
	for id, to := range want {
		if *id == 0 {
			continue
		}
		if *to, err = tx.User(*id); err != nil {
			return err
		}
	}
	return nil
}

// UserByEmail returns the user with an email: the one with that spelling, or else the one
// with the same normalized form.
func (tx *Tx) UserByEmail(email string) (*dam.User, error) {
	return scanUser(tx.tx.QueryRowContext(tx.ctx, `SELECT `+userColumns+` FROM users WHERE email = ?1 COLLATE BINARY OR email_key = ?2
		ORDER BY email = ?1 COLLATE BINARY DESC LIMIT 1`, strings.TrimSpace(email), EmailKey(email)))
}

// Users returns all users by ID.
func (tx *Tx) Users() ([]*dam.User, error) {
	return list(tx, scanUser, `SELECT `+userColumns+` FROM users ORDER BY id`)
}

// CountUsers returns the number of users.
func (tx *Tx) CountUsers() (int, error) { return one[int](tx, "", `SELECT count(*) FROM users`) }

// HasUsers reports whether any users exist.
func (tx *Tx) HasUsers() (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM users)`)
}

// PageOfUsers returns the users whose name or email contains a text, ignoring case, by
// name, and their total number; "" matches all. It reads every user.
func (tx *Tx) PageOfUsers(text string, p dam.Page) ([]*dam.User, int, error) {
	users, err := list(tx, scanUser, `SELECT `+userColumns+` FROM users ORDER BY name COLLATE NOCASE, id`)
	key := EmailKey(text)
	users = slices.DeleteFunc(users, func(u *dam.User) bool {
		return !strings.Contains(EmailKey(u.Name), key) && !strings.Contains(EmailKey(u.Email), key)
	})
	total := len(users)
	from := min(p.Offset, total)
	return users[from:min(from+p.Limit, total)], total, err
}

// OtherAdmins counts the admins, except one user, that can sign in: they have a password
// and are not disabled.
func (tx *Tx) OtherAdmins(user int64) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM users WHERE role = 'admin' AND disabled_at IS NULL AND password_hash <> '' AND id <> ?`,
		user)
}

// UpdateUser writes the name, role, language, password and disabled time of u.
func (tx *Tx) UpdateUser(u *dam.User) error {
	tx.touch(TouchedAccounts, 0)
	return tx.must("User", `UPDATE users SET name = ?, role = ?, language = ?, password_hash = ?, disabled_at = ? WHERE id = ?`,
		u.Name, u.Role, u.Language, u.PasswordHash, msecPtr(u.DisabledAt), u.ID)
}

// SetEmail writes the email of u after composing it. It returns Conflict if the email is
// taken.
func (tx *Tx) SetEmail(u *dam.User) error {
	u.Email = norm.NFC.String(u.Email)
	return tx.must("A user with that email", `UPDATE users SET email = ?, email_key = ? WHERE id = ?`, u.Email, EmailKey(u.Email), u.ID)
}

// SetInvitation sets the invitation of a user, replacing an older one.
func (tx *Tx) SetInvitation(i *dam.Invitation) error {
	_, err := tx.exec("Invitation", `INSERT INTO invitations (user_id, hash, expires_at) VALUES (?,?,?)
		ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`, i.UserID, i.Hash, msec(i.ExpiresAt))
	return err
}

// Invitation returns the invitation with the given hash, expired or not.
func (tx *Tx) Invitation(hash []byte) (*dam.Invitation, error) {
	i := dam.Invitation{Hash: hash}
	err := tx.tx.QueryRowContext(tx.ctx, `SELECT user_id, expires_at FROM invitations WHERE hash = ?`, hash).
		Scan(&i.UserID, timeCol{&i.ExpiresAt})
	return &i, wrap(err, "Invitation")
}

// DeleteInvitation deletes the invitation of a user, if there is one.
func (tx *Tx) DeleteInvitation(user int64) error {
	_, err := tx.exec("Invitation", `DELETE FROM invitations WHERE user_id = ?`, user)
	return err
}

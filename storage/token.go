package storage

import (
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const tokenColumns = `id, user_id, parent_id, name, description, abilities, hash, last_used_at, last_used_ip, expires_at, created_at,
	rate_limit`

func scanToken(r row) (*dam.Token, error) {
	var t dam.Token
	var abilities string
	err := r.Scan(&t.ID, &t.UserID, refCol{&t.ParentID}, &t.Name, &t.Description, &abilities, &t.Hash,
		optTimeCol{&t.LastUsedAt}, &t.LastUsedIP, optTimeCol{&t.ExpiresAt}, timeCol{&t.CreatedAt}, &t.RateLimit)
	for a := range strings.SplitSeq(abilities, ",") {
		t.Abilities = append(t.Abilities, dam.Ability(a))
	}
	return &t, wrap(err, "Token")
}

// InsertToken adds t and sets its ID. Set the hash afterwards with SetTokenHash: the
// plain text contains the ID.
func (tx *Tx) InsertToken(t *dam.Token) (err error) {
	t.CreatedAt = tx.now
	names := make([]string, len(t.Abilities))
	for i, a := range t.Abilities {
		names[i] = string(a)
	}
	t.ID, err = one[int64](tx, "Token", `INSERT INTO tokens (user_id, parent_id, name, description, abilities, hash, expires_at, created_at,
		rate_limit) VALUES (?,?,?,?,?,zeroblob(32),?,?,?) RETURNING id`,
		t.UserID, ref(t.ParentID), t.Name, t.Description, strings.Join(names, ","), msecPtr(t.ExpiresAt), msec(t.CreatedAt), t.RateLimit)
	return err
}

// SetTokenHash writes the hash of a new token.
func (tx *Tx) SetTokenHash(t *dam.Token) error {
	return tx.must("Token", `UPDATE tokens SET hash = ? WHERE id = ?`, t.Hash, t.ID)
}

// SetTokenRate changes the rate limit of a token.
func (tx *Tx) SetTokenRate(t *dam.Token) error {
	return tx.must("Token", `UPDATE tokens SET rate_limit = ? WHERE id = ?`, t.RateLimit, t.ID)
}

// Token returns the token with the given ID.
func (tx *Tx) Token(id int64) (*dam.Token, error) {
	return scanToken(tx.tx.QueryRowContext(tx.ctx, `SELECT `+tokenColumns+` FROM tokens WHERE id = ?`, id))
}

// Tokens returns the tokens of a user, or of all users when user is 0, newest first, and
// their total number.
func (tx *Tx) Tokens(user int64, p dam.Page) ([]*dam.Token, int, error) {
	total, err := one[int](tx, "", `SELECT count(*) FROM tokens WHERE ?1 IN (0, user_id)`, user)
	if err != nil {
		return nil, 0, err
	}
	tokens, err := list(tx, scanToken, `SELECT `+tokenColumns+` FROM tokens WHERE ?1 IN (0, user_id)
		ORDER BY id DESC LIMIT ?2 OFFSET ?3`, user, p.Limit, p.Offset)
	return tokens, total, err
}

// CountLiveTokens returns the number of a user's tokens that have not expired.
func (tx *Tx) CountLiveTokens(user int64) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM tokens WHERE user_id = ? AND (expires_at IS NULL OR expires_at > ?)`, user, msec(tx.now))
}

// TrimExpiredTokens deletes the expired tokens of a user, except for the keep that
// expired last.
func (tx *Tx) TrimExpiredTokens(user int64, keep int) error {
	_, err := tx.exec("Token", `DELETE FROM tokens WHERE id IN (SELECT id FROM tokens WHERE user_id = ? AND expires_at <= ?
		ORDER BY expires_at DESC, id DESC LIMIT -1 OFFSET ?)`, user, msec(tx.now), keep)
	return err
}

// descendants selects a token and, recursively, all tokens created with it.
const descendants = `WITH RECURSIVE family (id) AS (SELECT ?1 UNION SELECT t.id FROM tokens t JOIN family ON t.parent_id = family.id)`

// DeleteToken revokes a token and its descendants. Their webhooks end too.
func (tx *Tx) DeleteToken(id int64) error {
	tx.touch(TouchedAccounts, 0)
	if _, err := tx.exec("Webhook", descendants+` UPDATE webhooks SET status = 'disabled', disabled_reason = ?2
		WHERE status <> 'inactive' AND token_id IN (SELECT id FROM family)`, id, dam.WebhookTokenRevoked); err != nil {
		return err
	}
	return tx.must("Token", `DELETE FROM tokens WHERE id = ?`, id) // deletes descendants through the foreign key
}

// DeleteTokensOf revokes all tokens of a user and returns how many there were. It
// disables their webhooks.
func (tx *Tx) DeleteTokensOf(user int64) (int64, error) {
	tx.touch(TouchedAccounts, 0)
	if _, err := tx.exec("Webhook", `UPDATE webhooks SET status = 'disabled', disabled_reason = ?2
		WHERE status <> 'inactive' AND token_id IN (SELECT id FROM tokens WHERE user_id = ?1)`, user, dam.WebhookTokenRevoked); err != nil {
		return 0, err
	}
	n, err := one[int64](tx, "Token", `SELECT count(*) FROM tokens WHERE user_id = ?`, user)
	if err != nil {
		return 0, err
	}
	_, err = tx.exec("Token", `DELETE FROM tokens WHERE user_id = ?`, user)
	return n, err
}

// TouchToken records the last use of a token. It ignores a revoked token.
func (tx *Tx) TouchToken(id int64, at time.Time, ip string) error {
	if _, err := tx.exec("Token", `UPDATE tokens SET last_used_at = ?, last_used_ip = ? WHERE id = ?`, msec(at), ip, id); err != nil {
		return err
	}
	return tx.seen(`SELECT user_id FROM tokens WHERE id = ?1`, id, at)
}

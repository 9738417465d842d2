package storage

import "time"

// IdempotencyKey is the record of a request that a user sent with an idempotency key.
type IdempotencyKey struct {
	RequestHash []byte // SHA-256
	Answer      []byte // sealed; nil if it was not stored
}

// keysTogether is the number of keys claimed between deletions of surplus ones.
const keysTogether = 100

// IdempotencyKey returns a user's key that was claimed no earlier than since, or nil.
func (tx *Tx) IdempotencyKey(user int64, key string, since time.Time) (*IdempotencyKey, error) {
	all, err := list(tx, func(r row) (*IdempotencyKey, error) {
		var k IdempotencyKey
		return &k, r.Scan(&k.RequestHash, &k.Answer)
	}, `SELECT request_hash, answer FROM idempotency_keys WHERE user_id = ? AND key = ? AND created_at >= ?`, user, key, msec(since))
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

// ClaimIdempotencyKey records a user's key for a request whose answer is not known yet,
// replacing an older record. It keeps the newest most keys of the user, and sometimes
// more for a while.
func (tx *Tx) ClaimIdempotencyKey(user int64, key string, hash []byte, most int) error {
	if err := tx.DeleteIdempotencyKey(user, key); err != nil {
		return err
	}
	id, err := one[int64](tx, "", `INSERT INTO idempotency_keys (user_id, key, request_hash, created_at) VALUES (?,?,?,?) RETURNING id`,
		user, key, hash, msec(tx.now))
	if err != nil || id%keysTogether != 0 {
		return err
	}
	_, err = tx.exec("", `DELETE FROM idempotency_keys WHERE user_id = ?1 AND id <= (
		SELECT id FROM idempotency_keys WHERE user_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`, user, most)
	return err
}

// AnswerIdempotencyKey stores the answer to the request of a key.
func (tx *Tx) AnswerIdempotencyKey(user int64, key string, k *IdempotencyKey) error {
	_, err := tx.exec("", `UPDATE idempotency_keys SET request_hash = ?, answer = ? WHERE user_id = ? AND key = ?`,
		k.RequestHash, k.Answer, user, key)
	return err
}

// DeleteIdempotencyKey deletes a key.
func (tx *Tx) DeleteIdempotencyKey(user int64, key string) error {
	_, err := tx.exec("", `DELETE FROM idempotency_keys WHERE user_id = ? AND key = ?`, user, key)
	return err
}

// TrimIdempotencyKeys deletes up to limit keys older than before and returns the number
// of deleted keys.
func (tx *Tx) TrimIdempotencyKeys(before time.Time, limit int) (int64, error) {
	return tx.exec("", `DELETE FROM idempotency_keys WHERE id IN (
		SELECT id FROM idempotency_keys WHERE created_at < ? ORDER BY created_at LIMIT ?)`, msec(before), limit)
}

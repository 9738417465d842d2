package storage

import "time"

// IdempotencyKey is a key under which a user's request has changed something.
type IdempotencyKey struct {
	RequestHash []byte // SHA-256
	Answer      []byte // sealed; nil if it was not stored
}

// keysTogether is how many keys are claimed before old ones are counted and deleted.
const keysTogether = 100

// IdempotencyKey returns what a user's key has stood for since a time, nil for
// nothing.
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

// ClaimIdempotencyKey notes that a user's key stands for a request whose answer is not
// known yet, in the place of an old one. Of the user's keys, it keeps the newest most,
// and at times some more.
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

// DeleteIdempotencyKey forgets a key.
func (tx *Tx) DeleteIdempotencyKey(user int64, key string) error {
	_, err := tx.exec("", `DELETE FROM idempotency_keys WHERE user_id = ? AND key = ?`, user, key)
	return err
}

// TrimIdempotencyKeys deletes up to limit keys older than before and reports how
// many.
func (tx *Tx) TrimIdempotencyKeys(before time.Time, limit int) (int64, error) {
	return tx.exec("", `DELETE FROM idempotency_keys WHERE id IN (
		SELECT id FROM idempotency_keys WHERE created_at < ? ORDER BY created_at LIMIT ?)`, msec(before), limit)
}

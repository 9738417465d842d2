package storage

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// checksKept is the number of checks whose results are kept.
const checksKept = 100

// InsertCheck records the result of a check and deletes the oldest records.
func (tx *Tx) InsertCheck(c *dam.Check) error {
	if _, err := tx.exec("Check", `INSERT INTO checks (started_at, ended_at, every_byte, files, problems) VALUES (?,?,?,?,?)`,
		msec(c.Started), msec(c.Ended), c.EveryByte, c.Files, c.Problems); err != nil {
		return err
	}
	_, err := tx.exec("Check", `DELETE FROM checks WHERE id NOT IN (SELECT id FROM checks ORDER BY id DESC LIMIT ?)`, checksKept)
	return err
}

// LastCheck returns the check that ended last, or NotFound.
func (tx *Tx) LastCheck() (*dam.Check, error) {
	var c dam.Check
	err := tx.tx.QueryRowContext(tx.ctx, `SELECT started_at, ended_at, every_byte, files, problems FROM checks ORDER BY id DESC LIMIT 1`).
		Scan(timeCol{&c.Started}, timeCol{&c.Ended}, &c.EveryByte, &c.Files, &c.Problems)
	return &c, wrap(err, "Check")
}

// Queue counts one kind of background work.
type Queue struct {
	Name                    string
	Waiting, Running, Spent int        // Spent have used up their attempts
	OldestAt                *time.Time // due time of the longest waiting; nil when nothing waits
}

// Queues returns the queues that are not empty: those of jobs, by kind, and "webhooks",
// which excludes deliveries of webhooks that are not active.
func (tx *Tx) Queues() ([]Queue, error) {
	return list(tx, func(r row) (q Queue, err error) {
		return q, r.Scan(&q.Name, &q.Waiting, &q.Running, &q.Spent, optTimeCol{&q.OldestAt})
	}, `SELECT kind, sum(state = 'ready'), sum(state = 'running'), sum(state = 'dead'), min(CASE WHEN state = 'ready' THEN run_at END)
			FROM jobs GROUP BY kind
		UNION ALL
		SELECT 'webhooks', count(*), 0, 0, min(due_at) FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
			WHERE d.due_at IS NOT NULL AND w.status = 'active' HAVING count(*) > 0`)
}

// CountDisabledWebhooks returns the number of webhooks disabled after repeated failures.
func (tx *Tx) CountDisabledWebhooks() (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM webhooks WHERE status = 'disabled'`)
}

// CountDamaged returns the number of files known to be damaged or missing.
func (tx *Tx) CountDamaged() (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM damaged_blobs`)
}

// ChangedSince returns the modification time of the first asset in the index queue after
// a sequence number, nil for none.
func (tx *Tx) ChangedSince(seq int64) (at *time.Time, err error) {
	err = each(tx, func(r row) error { return r.Scan(optTimeCol{&at}) },
		`SELECT a.updated_at FROM asset_changes c JOIN assets a ON a.id = c.asset_id WHERE c.seq > ? ORDER BY c.seq LIMIT 1`, seq)
	return at, err
}

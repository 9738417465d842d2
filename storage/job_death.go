package storage

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// NoteDeaths counts a death for each job of a kind that was running when the process
// died, without counting the attempt. No worker may be running. The jobs become suspects,
// or dead at their limit of deaths; the dead ones are returned. No suspect, old or new,
// is due before retry.
func (tx *Tx) NoteDeaths(kind dam.JobKind, limit int, retry time.Time) ([]*dam.Job, error) {
	jobs, err := list(tx, scanJob, `
		UPDATE jobs SET deaths = deaths + 1, lease_until = NULL, run_at = ?, max_attempts = max_attempts + 1,
		       last_error = 'the server stopped in the middle of the job',
		       state = CASE WHEN deaths + 1 < ? THEN 'ready' ELSE 'dead' END
		WHERE state = 'running' AND kind = ?
		RETURNING `+jobColumns, msec(retry), limit, kind)
	if err != nil {
		return nil, err
	}
	_, err = tx.exec("Job", `UPDATE jobs SET run_at = ?1 WHERE state = 'ready' AND deaths > 0 AND kind = ?2 AND run_at < ?1`,
		msec(retry), kind)
	return deadOf(jobs), err
}

// ClaimSuspect is ClaimJob for jobs during which a process died.
func (tx *Tx) ClaimSuspect(kind dam.JobKind, lease time.Duration) (*dam.Job, error) {
	return tx.claim(lease, `SELECT id FROM jobs WHERE state = 'ready' AND deaths > 0 AND kind = ?2 AND run_at <= ?3
		ORDER BY run_at, id LIMIT 1`, kind)
}

// SuspectDue reports whether a suspect is ready to be claimed.
func (tx *Tx) SuspectDue(kind dam.JobKind) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'ready' AND deaths > 0 AND kind = ? AND run_at <= ?)`,
		kind, msec(tx.now))
}

func deadOf(jobs []*dam.Job) []*dam.Job {
	dead := jobs[:0]
	for _, j := range jobs {
		if j.State == dam.JobDead {
			dead = append(dead, j)
		}
	}
	return dead
}

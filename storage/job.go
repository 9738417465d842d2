package storage

import (
	"errors"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// ErrLeaseLost is returned when a worker reports on a job it no longer holds.
var ErrLeaseLost = errors.New("the job's lease was lost")

// Enqueue adds a job with a maximum number of attempts. The meaning of subject, an ID,
// depends on the kind. The job becomes visible to workers when tx commits.
func (tx *Tx) Enqueue(kind dam.JobKind, subject int64, attempts int) error {
	_, err := tx.exec("Job", `INSERT INTO jobs (kind, subject, max_attempts, run_at, created_at) VALUES (?,?,?,?,?)`,
		kind, subject, attempts, msec(tx.now), msec(tx.now))
	return err
}

// EnqueueProxies adds a job for each video and audio asset outside the trash that
// browsers cannot play and that has neither a proxy nor such a job.
func (tx *Tx) EnqueueProxies(attempts int) error {
	_, err := tx.exec("Job", `INSERT INTO jobs (kind, subject, max_attempts, run_at, created_at)
		SELECT ?1, a.id, ?2, ?3, ?3 FROM assets a JOIN asset_details d ON d.asset_id = a.id
		WHERE a.file_category IN (?4, ?5) AND NOT a.has_proxy AND a.deleted_at IS NULL
		  AND (d.technical ->> '$.video.playable' = 0 OR d.technical ->> '$.audio.playable' = 0)
		  AND NOT EXISTS (SELECT 1 FROM jobs WHERE kind = ?1 AND subject = a.id)`,
		dam.JobProxy, attempts, msec(tx.now), dam.CategoryVideo, dam.CategoryAudio)
	return err
}

// ClaimJob leases the next due job of the given kind, or returns nil if none is due. It
// skips suspects: see ClaimSuspect.
func (tx *Tx) ClaimJob(kind dam.JobKind, lease time.Duration) (*dam.Job, error) {
	return tx.claim(lease, `SELECT id FROM jobs WHERE state = 'ready' AND deaths = 0 AND kind = ?2 AND run_at <= ?3
		ORDER BY priority, run_at, id LIMIT 1`, kind)
}

// claim leases the job of a kind that the query next selects.
func (tx *Tx) claim(lease time.Duration, next string, kind dam.JobKind, more ...any) (*dam.Job, error) {
	jobs, err := list(tx, scanJob, `UPDATE jobs SET state = 'running', attempt = attempt + 1, lease_until = ?1
		WHERE id = (`+next+`) RETURNING `+jobColumns,
		append([]any{msec(tx.now.Add(lease)), kind, msec(tx.now)}, more...)...)
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	return jobs[0], nil
}

const jobColumns = `id, kind, subject, state, attempt, max_attempts, run_at, last_error, deaths`

func scanJob(r row) (*dam.Job, error) {
	var j dam.Job
	err := r.Scan(&j.ID, &j.Kind, &j.Subject, &j.State, &j.Attempt, &j.MaxAttempts, timeCol{&j.RunAt}, &j.LastError, &j.Deaths)
	return &j, err
}

// ExpireLeases handles running jobs whose lease has expired. It requeues them, or marks
// them dead if their attempts are used up, and returns the dead ones. With all, every
// running job counts as expired: at startup no worker can be running.
func (tx *Tx) ExpireLeases(all bool) ([]*dam.Job, error) {
	before := msec(tx.now)
	if all {
		before = 1 << 62
	}
	jobs, err := list(tx, scanJob, `
		UPDATE jobs SET lease_until = NULL, last_error = 'the worker stopped in the middle of the job',
		       state = CASE WHEN attempt < max_attempts THEN 'ready' ELSE 'dead' END
		WHERE state = 'running' AND lease_until < ?
		RETURNING `+jobColumns, before)
	return deadOf(jobs), err
}

// held runs a statement on a job if the caller still holds its lease.
func (tx *Tx) held(j *dam.Job, query string, args ...any) error {
	n, err := tx.exec("Job", query+` WHERE id = ? AND state = 'running' AND attempt = ?`, append(args, j.ID, j.Attempt)...)
	if err == nil && n == 0 {
		return ErrLeaseLost
	}
	return err
}

// ExtendLease renews the lease of a job, starting now.
func (tx *Tx) ExtendLease(j *dam.Job, lease time.Duration) error {
	return tx.held(j, `UPDATE jobs SET lease_until = ?`, msec(tx.now.Add(lease)))
}

// CompleteJob removes a completed job.
func (tx *Tx) CompleteJob(j *dam.Job) error { return tx.held(j, `DELETE FROM jobs`) }

// RetryJob requeues a job to run at the given time. With uncounted, the attempt does not
// count towards the limit.
func (tx *Tx) RetryJob(j *dam.Job, at time.Time, reason string, uncounted bool) error {
	more := 0
	if uncounted {
		more = 1 // raise the limit; the attempt itself is the fencing token
	}
	return tx.held(j, `UPDATE jobs SET state = 'ready', lease_until = NULL, run_at = ?, last_error = ?, max_attempts = max_attempts + ?`,
		msec(at), reason, more)
}

// BuryJob marks a job dead.
func (tx *Tx) BuryJob(j *dam.Job, reason string) error {
	return tx.held(j, `UPDATE jobs SET state = 'dead', lease_until = NULL, last_error = ?`, reason)
}

// DropJobs removes the jobs of a kind about a subject. Workers that run one lose the
// lease.
func (tx *Tx) DropJobs(kind dam.JobKind, subject int64) error {
	_, err := tx.exec("Job", `DELETE FROM jobs WHERE kind = ? AND subject = ?`, kind, subject)
	return err
}

// DeadJobs returns up to limit dead jobs, oldest first.
func (tx *Tx) DeadJobs(limit int) ([]*dam.Job, error) {
	return list(tx, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE state = 'dead' ORDER BY id LIMIT ?`, limit)
}

// CountJobs returns the number of jobs of each kind in each state.
func (tx *Tx) CountJobs() (map[dam.JobKind]map[dam.JobState]int, error) {
	m := map[dam.JobKind]map[dam.JobState]int{}
	err := each(tx, func(r row) error {
		var k dam.JobKind
		var s dam.JobState
		var n int
		if err := r.Scan(&k, &s, &n); err != nil {
			return err
		}
		if m[k] == nil {
			m[k] = map[dam.JobState]int{}
		}
		m[k][s] = n
		return nil
	}, `SELECT kind, state, count(*) FROM jobs GROUP BY kind, state`)
	return m, err
}

// HasJob reports whether a job of a kind about a subject is waiting or running.
func (tx *Tx) HasJob(kind dam.JobKind, subject int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM jobs WHERE kind = ? AND subject = ? AND state <> 'dead')`, kind, subject)
}

// JobWaits reports whether a job of a kind about a subject is waiting to start.
func (tx *Tx) JobWaits(kind dam.JobKind, subject int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM jobs WHERE kind = ? AND subject = ? AND state = 'ready')`, kind, subject)
}

// JobDue reports whether a job of a kind, other than a suspect, is ready to be claimed.
func (tx *Tx) JobDue(kind dam.JobKind) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'ready' AND deaths = 0 AND kind = ? AND run_at <= ?)`,
		kind, msec(tx.now))
}

package storage

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// Files are read in turns: across owners, which are users and shares with guest uploads,
// and across the batches of each owner. The method is start-time fair queueing (Goyal,
// Vin and Cheng, 1996), with one file as the unit: a job gets the number after the last
// one of the same owner, but at least the number of the next job in the queue. So an
// owner with one file waits for at most one file of each other owner, however many files
// those have.
//
// A job has two numbers: its priority among all jobs, and its turn among the jobs of the
// same owner. When an owner is next by priority, the owner's job with the lowest turn
// runs, and the two jobs swap priorities.

const (
	ingestJobs = ` FROM jobs WHERE kind = 'ingest'`
	ingestNext = ingestJobs + ` AND state = 'ready' AND deaths = 0`
	// byOwner is ingestNext with the index for finding the next owner; SQLite would scan
	// all jobs otherwise.
	byOwner = ` FROM jobs INDEXED BY jobs_next WHERE kind = 'ingest' AND state = 'ready' AND deaths = 0`
)

// EnqueueFile adds a job that reads a batch file, after the jobs of the same owner and
// batch.
func (tx *Tx) EnqueueFile(file int64, attempts int) error {
	_, err := tx.exec("Job", `INSERT INTO jobs (kind, subject, max_attempts, run_at, created_at, owner, batch, priority, turn)
		SELECT 'ingest', ?1, ?2, ?3, ?3, o, b,
		       max(coalesce((SELECT min(priority)`+ingestNext+`), 0),
		           1 + coalesce((SELECT max(priority)`+ingestJobs+` AND owner = o), -1)),
		       max(coalesce((SELECT min(turn)`+ingestNext+` AND owner = o), 0),
		           1 + coalesce((SELECT max(turn)`+ingestJobs+` AND owner = o AND batch = b), -1))
		FROM (SELECT coalesce(-b.share_id, b.created_by) AS o, b.id AS b
		      FROM batch_files f JOIN upload_batches b ON b.id = f.batch_id WHERE f.id = ?1)`,
		file, attempts, msec(tx.now))
	return err
}

// A FairShare limits the number of files that are read concurrently.
type FairShare struct {
	Owner  int // files of one owner while others wait
	Guests int // guest uploads of all shares, even if nobody else waits
}

// ClaimFile is ClaimJob for the jobs that read files. Owners take turns.
func (tx *Tx) ClaimFile(share FairShare, lease time.Duration) (*dam.Job, error) {
	running, guests, err := tx.runningFiles()
	if err != nil {
		return nil, err
	}
	owner, found, err := tx.nextOwner(running, func(owner int64) bool { return owner >= 0 || guests < share.Guests }, share.Owner)
	if err != nil || !found {
		return nil, err
	}
	first, err := list(tx, scanNumbered, `SELECT id, priority`+ingestNext+` AND owner = ? AND run_at <= ? ORDER BY priority, id LIMIT 1`,
		owner, msec(tx.now))
	if err != nil || len(first) == 0 {
		return nil, err
	}
	next, err := list(tx, scanNumbered, `SELECT id, priority`+ingestNext+` AND owner = ? AND run_at <= ? ORDER BY turn, id LIMIT 1`,
		owner, msec(tx.now))
	if err != nil || len(next) == 0 {
		return nil, err
	}
	if first[0].id != next[0].id {
		for _, swap := range []struct{ id, priority int64 }{{first[0].id, next[0].number}, {next[0].id, first[0].number}} {
			if _, err := tx.exec("Job", `UPDATE jobs SET priority = ? WHERE id = ?`, swap.priority, swap.id); err != nil {
				return nil, err
			}
		}
	}
	return tx.claim(lease, `SELECT id FROM jobs WHERE id = ?4 AND kind = ?2 AND run_at <= ?3`, dam.JobIngest, next[0].id)
}

// runningFiles returns the number of files of each owner that are being read, and the
// number of guest uploads among them.
func (tx *Tx) runningFiles() (of map[int64]int, guests int, err error) {
	of = map[int64]int{}
	err = each(tx, func(r row) error {
		var owner int64
		var n int
		if err := r.Scan(&owner, &n); err != nil {
			return err
		}
		of[owner] = n
		if owner < 0 {
			guests += n
		}
		return nil
	}, `SELECT owner, count(*) FROM jobs INDEXED BY jobs_leased WHERE state = 'running' AND kind = ? GROUP BY owner`, dam.JobIngest)
	return of, guests, err
}

// nextOwner returns the owner whose turn it is among those that may run, preferring
// owners with fewer than most running files.
func (tx *Tx) nextOwner(running map[int64]int, may func(owner int64) bool, most int) (owner int64, found bool, err error) {
	type candidate struct {
		owner, priority int64
		full            bool
	}
	var best *candidate
	err = each(tx, func(r row) error {
		var c candidate
		var priority *int64 // nil if none of its jobs is due
		if err := r.Scan(&c.owner, &priority); err != nil || priority == nil || !may(c.owner) {
			return err
		}
		c.priority, c.full = *priority, running[c.owner] >= most
		if best == nil || best.full && !c.full || best.full == c.full && c.priority < best.priority {
			best = &c
		}
		return nil
	}, `WITH RECURSIVE owners (o) AS (
			SELECT * FROM (SELECT owner`+byOwner+` ORDER BY owner LIMIT 1)
			UNION ALL SELECT (SELECT owner`+byOwner+` AND owner > o ORDER BY owner LIMIT 1) FROM owners WHERE o IS NOT NULL)
		SELECT o, (SELECT priority`+ingestNext+` AND owner = o AND run_at <= ? ORDER BY priority, id LIMIT 1) FROM owners WHERE o IS NOT NULL`,
		msec(tx.now))
	if best == nil || err != nil {
		return 0, false, err
	}
	return best.owner, true, nil
}

// numbered is a job with one of its numbers.
type numbered struct{ id, number int64 }

func scanNumbered(r row) (n numbered, err error) {
	err = r.Scan(&n.id, &n.number)
	return n, err
}

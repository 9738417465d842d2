package app

import (
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
)

// jobs is the queue of background jobs with its runner.
type jobs struct {
	*job.Runner
	attempts int // attempts per job
}

// add queues a job, which runs as soon as the transaction is committed.
func (q *jobs) add(tx *storage.Tx, kind dam.JobKind, subject int64) error {
	q.wakeOn(tx, kind)
	return tx.Enqueue(kind, subject, q.attempts)
}

// addFile queues the ingestion of a batch file, like add.
func (q *jobs) addFile(tx *storage.Tx, file int64) error {
	q.wakeOn(tx, dam.JobIngest)
	return tx.EnqueueFile(file, q.attempts)
}

// addOnce queues a job unless an identical one exists.
func (q *jobs) addOnce(tx *storage.Tx, kind dam.JobKind, subject int64) error {
	if has, err := tx.HasJob(kind, subject); err != nil || has {
		return err
	}
	return q.add(tx, kind, subject)
}

// addNext queues a job unless an identical one is waiting. A running one does not count,
// since it may have read outdated data.
func (q *jobs) addNext(tx *storage.Tx, kind dam.JobKind, subject int64) error {
	if waits, err := tx.JobWaits(kind, subject); err != nil || waits {
		return err
	}
	return q.add(tx, kind, subject)
}

// wakeOn makes the runner check for jobs of a kind as soon as the transaction is
// committed.
func (q *jobs) wakeOn(tx *storage.Tx, kind dam.JobKind) { tx.OnCommit(func() { q.Wake(kind) }) }

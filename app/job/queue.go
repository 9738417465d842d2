package job

import (
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Queue is the queue of background jobs with its runner.
type Queue struct {
	*Runner
	Attempts int // attempts per job
}

// Add queues a job, which runs as soon as the transaction is committed.
func (q *Queue) Add(tx *storage.Tx, kind dam.JobKind, subject int64) error {
	q.WakeOn(tx, kind)
	return tx.Enqueue(kind, subject, q.Attempts)
}

// AddFile queues the ingestion of a batch file, like add.
func (q *Queue) AddFile(tx *storage.Tx, file int64) error {
	q.WakeOn(tx, dam.JobIngest)
	return tx.EnqueueFile(file, q.Attempts)
}

// AddOnce queues a job unless an identical one exists.
func (q *Queue) AddOnce(tx *storage.Tx, kind dam.JobKind, subject int64) error {
	if has, err := tx.HasJob(kind, subject); err != nil || has {
		return err
	}
	return q.Add(tx, kind, subject)
}

// AddNext queues a job unless an identical one is waiting. A running one does not count,
// since it may have read outdated data.
func (q *Queue) AddNext(tx *storage.Tx, kind dam.JobKind, subject int64) error {
	if waits, err := tx.JobWaits(kind, subject); err != nil || waits {
		return err
	}
	return q.Add(tx, kind, subject)
}

// WakeOn makes the runner check for jobs of a kind as soon as the transaction is
// committed.
func (q *Queue) WakeOn(tx *storage.Tx, kind dam.JobKind) { tx.OnCommit(func() { q.Wake(kind) }) }

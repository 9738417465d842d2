package storage

import "github.com/digital-asset-library/dal/app/dam"

// EnqueueAnalyses adds a job for each asset outside the trash for which a version has not
// done a task, and which has no such job.
func (tx *Tx) EnqueueAnalyses(task, version string, attempts int) error {
	_, err := tx.exec("Job", `INSERT INTO jobs (kind, subject, max_attempts, run_at, created_at)
		SELECT ?1, a.id, ?2, ?3, ?3 FROM assets a
		WHERE a.deleted_at IS NULL
		  AND NOT EXISTS (SELECT 1 FROM analyses WHERE asset_id = a.id AND task = ?4 AND version = ?5)
		  AND NOT EXISTS (SELECT 1 FROM jobs WHERE kind = ?1 AND subject = a.id)`,
		dam.JobOf(task), attempts, msec(tx.now), task, version)
	return err
}

// PutAnalysis notes that a version has done a task for an asset, or why it could not.
func (tx *Tx) PutAnalysis(asset int64, task, version, fault string) error {
	_, err := tx.exec("Analysis", `INSERT INTO analyses (asset_id, task, version, error, done_at) VALUES (?,?,?,?,?)
		ON CONFLICT (asset_id, task) DO UPDATE SET version = excluded.version, error = excluded.error, done_at = excluded.done_at`,
		asset, task, version, fault, msec(tx.now))
	return err
}

// Analyzed reports whether a version has done a task for an asset.
func (tx *Tx) Analyzed(asset int64, task, version string) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM analyses WHERE asset_id = ? AND task = ? AND version = ?)`, asset, task, version)
}

// Analyses returns what became of the tasks for an asset, those that wait included.
func (tx *Tx) Analyses(asset int64) ([]dam.Analysis, error) {
	return list(tx, func(r row) (a dam.Analysis, err error) {
		return a, r.Scan(&a.Task, &a.Pending, &a.Error, optTimeCol{&a.DoneAt})
	}, `SELECT t.task, EXISTS (SELECT 1 FROM jobs WHERE kind = t.task AND subject = ?1 AND state <> 'dead'), coalesce(a.error, ''), a.done_at
		FROM (SELECT 'ocr' AS task, 1 AS position UNION ALL SELECT 'tags', 2 UNION ALL SELECT 'caption', 3) t
		LEFT JOIN analyses a ON a.asset_id = ?1 AND a.task = t.task
		WHERE a.task IS NOT NULL OR EXISTS (SELECT 1 FROM jobs WHERE kind = t.task AND subject = ?1 AND state <> 'dead')
		ORDER BY t.position`, asset)
}

// ForgetAnalyses has all that is found out about a file found out anew: an asset has
// another one.
func (tx *Tx) ForgetAnalyses(asset int64) error {
	_, err := tx.exec("Analysis", `DELETE FROM analyses WHERE asset_id = ?`, asset)
	return err
}

package storage

import "github.com/digital-asset-library/dal/app/dam"

// EnqueueAnalyses adds a job for each asset outside the trash that has no analysis by the
// given version of a task and no such job yet.
func (tx *Tx) EnqueueAnalyses(task, version string, attempts int) error {
	_, err := tx.exec("Job", `INSERT INTO jobs (kind, subject, max_attempts, run_at, created_at)
		SELECT ?1, a.id, ?2, ?3, ?3 FROM assets a
		WHERE a.deleted_at IS NULL
		  AND NOT EXISTS (SELECT 1 FROM analyses WHERE asset_id = a.id AND task = ?4 AND version = ?5)
		  AND NOT EXISTS (SELECT 1 FROM jobs WHERE kind = ?1 AND subject = a.id)`,
		dam.JobOf(task), attempts, msec(tx.now), task, version)
	return err
}

// PutAnalysis records that a version of a task has processed an asset, or the error.
func (tx *Tx) PutAnalysis(asset int64, task, version, fault string) error {
	_, err := tx.exec("Analysis", `INSERT INTO analyses (asset_id, task, version, error, done_at) VALUES (?,?,?,?,?)
		ON CONFLICT (asset_id, task) DO UPDATE SET version = excluded.version, error = excluded.error, done_at = excluded.done_at`,
		asset, task, version, fault, msec(tx.now))
	return err
}

// Analyzed reports whether a version of a task has processed an asset.
func (tx *Tx) Analyzed(asset int64, task, version string) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM analyses WHERE asset_id = ? AND task = ? AND version = ?)`, asset, task, version)
}

// Analyses returns the results of the tasks for an asset, including pending ones.
func (tx *Tx) Analyses(asset int64) ([]dam.Analysis, error) {
	return list(tx, func(r row) (a dam.Analysis, err error) {
		return a, r.Scan(&a.Task, &a.Pending, &a.Error, optTimeCol{&a.DoneAt})
	}, `SELECT t.task, EXISTS (SELECT 1 FROM jobs WHERE kind = t.task AND subject = ?1 AND state <> 'dead'), coalesce(a.error, ''), a.done_at
		FROM (SELECT 'ocr' AS task, 1 AS position UNION ALL SELECT 'tags', 2 UNION ALL SELECT 'caption', 3) t
		LEFT JOIN analyses a ON a.asset_id = ?1 AND a.task = t.task
		WHERE a.task IS NOT NULL OR EXISTS (SELECT 1 FROM jobs WHERE kind = t.task AND subject = ?1 AND state <> 'dead')
		ORDER BY t.position`, asset)
}

// ForgetAnalyses deletes the results for an asset, so that its new file is analyzed
// again.
func (tx *Tx) ForgetAnalyses(asset int64) error {
	_, err := tx.exec("Analysis", `DELETE FROM analyses WHERE asset_id = ?`, asset)
	return err
}

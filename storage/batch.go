package storage

import (
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const batchColumns = `b.id, b.name, b.status, b.asset_class_id, b.collection_ids, b.metadata, b.expected_files, b.allow_duplicates,
	b.created_by, b.created_at, b.updated_at, b.closed_at, b.completed_at, b.version_of,
	b.share_id, b.visit_id, b.access_id`

func scanBatch(r row) (*dam.Batch, error) {
	var b dam.Batch
	err := r.Scan(&b.ID, &b.Name, &b.Status, refCol{&b.AssetClassID}, jsonCol{&b.CollectionIDs}, jsonCol{&b.Metadata}, &b.ExpectedFiles,
		&b.AllowDuplicates, &b.CreatedByID, timeCol{&b.CreatedAt}, timeCol{&b.UpdatedAt}, optTimeCol{&b.ClosedAt}, optTimeCol{&b.CompletedAt},
		&b.VersionOf, refCol{&b.ShareID}, refCol{&b.VisitID}, refCol{&b.AccessID})
	return &b, wrap(err, "Upload batch")
}

// InsertBatch adds an open batch and sets its ID.
func (tx *Tx) InsertBatch(b *dam.Batch) error {
	metadata, err := jsonText(b.Metadata)
	if err != nil {
		return err
	}
	b.Status, b.CreatedAt, b.UpdatedAt = dam.BatchOpen, tx.now, tx.now
	b.ID, err = one[int64](tx, "Upload batch", `INSERT INTO upload_batches (name, status, asset_class_id, collection_ids, metadata,
		expected_files, allow_duplicates, created_by, created_at, updated_at, last_file_at, version_of, share_id, visit_id, access_id)
			VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?9,?9,?10,?11,?12,?13) RETURNING id`,
		b.Name, b.Status, ref(b.AssetClassID), ids(b.CollectionIDs), metadata, b.ExpectedFiles, b.AllowDuplicates, b.CreatedByID, msec(tx.now),
		b.VersionOf, ref(b.ShareID), ref(b.VisitID), ref(b.AccessID))
	tx.touch(TouchedBatch, b.ID)
	return err
}

// Batch returns a batch with its counts, which takes a scan of all its files.
func (tx *Tx) Batch(id int64) (*dam.Batch, error) {
	b, err := tx.BatchUncounted(id)
	if err != nil {
		return nil, err
	}
	return b, tx.fillCounts([]*dam.Batch{b})
}

// BatchUncounted returns a batch without its counts.
func (tx *Tx) BatchUncounted(id int64) (*dam.Batch, error) {
	return scanBatch(tx.tx.QueryRowContext(tx.ctx, `SELECT `+batchColumns+` FROM upload_batches b WHERE id = ?`, id))
}

// HasOpenFiles reports whether a batch has files that are not in a final state.
func (tx *Tx) HasOpenFiles(batch int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM batch_files WHERE batch_id = ? AND status IN `+openFile+`)`, batch)
}

// openFile lists the states that are not final. Positive conditions like this one can use
// the index, unlike NOT IN.
var openFile = func() string {
	var states []string
	for _, s := range dam.FileReady.Values() {
		if !s.Terminal() {
			states = append(states, "'"+string(s)+"'")
		}
	}
	return "(" + strings.Join(states, ",") + ")"
}()

// Batches returns the batches of a user, or of all users when user is 0, newest first,
// and their total number.
func (tx *Tx) Batches(user int64, p dam.Page) ([]*dam.Batch, int, error) {
	total, err := one[int](tx, "", `SELECT count(*) FROM upload_batches WHERE ?1 IN (0, created_by)`, user)
	if err != nil {
		return nil, 0, err
	}
	batches, err := list(tx, scanBatch, `SELECT `+batchColumns+` FROM upload_batches b WHERE ?1 IN (0, created_by)
		ORDER BY id DESC LIMIT ?2 OFFSET ?3`, user, p.Limit, p.Offset)
	if err != nil {
		return nil, 0, err
	}
	return batches, total, tx.fillCounts(batches)
}

// BatchIDs returns the IDs of the batches of a user, ascending.
func (tx *Tx) BatchIDs(user int64) ([]int64, error) {
	return list(tx, scanID, `SELECT id FROM upload_batches WHERE created_by = ? ORDER BY id`, user)
}

// fillCounts counts the files of batches by state and sets the reasons why files wait.
func (tx *Tx) fillCounts(batches []*dam.Batch) error {
	byID := make(map[int64]*dam.Batch, len(batches))
	want := make([]int64, len(batches))
	for i, b := range batches {
		byID[b.ID], want[i] = b, b.ID
	}
	return each(tx, func(r row) error {
		var id int64
		var status dam.FileStatus
		var n int
		var waiting string
		if err := r.Scan(&id, &status, &n, &waiting); err != nil {
			return err
		}
		b := byID[id]
		c := &b.Counts
		c.Total += n
		switch status {
		case dam.FileQueued:
			c.Queued += n
		case dam.FileReady:
			c.Ready += n
		case dam.FileDuplicate:
			c.Duplicate += n
		case dam.FileRejected:
			c.Rejected += n
		case dam.FileFailed:
			c.Failed += n
		default:
			c.Processing += n
		}
		if !status.Terminal() && waiting != "" {
			b.Waiting = waiting
		}
		return nil
	}, `SELECT batch_id, status, count(*), coalesce(max(CASE WHEN status IN `+openFile+` THEN error_message END), '')
		FROM batch_files WHERE batch_id IN (SELECT value FROM json_each(?))
		GROUP BY batch_id, status`, ids(want))
}

// TakeFiles checks that a batch has room for n more files and records the time. It
// returns the batch with its previous counts.
func (tx *Tx) TakeFiles(id int64, n, maxFiles int) (*dam.Batch, error) {
	b, err := tx.Batch(id)
	if err != nil {
		return nil, err
	}
	if err := b.Takes(n, maxFiles); err != nil {
		return nil, err
	}
	_, err = tx.exec("Upload batch", `UPDATE upload_batches SET last_file_at = ?1, updated_at = ?1 WHERE id = ?2`, msec(tx.now), id)
	return b, err
}

// InsertBatchFile adds a file to a batch and sets its ID.
func (tx *Tx) InsertBatchFile(f *dam.BatchFile) (err error) {
	f.CreatedAt, f.UpdatedAt = tx.now, tx.now
	code, msg, retryable := fileError(f.Error)
	f.ID, err = one[int64](tx, "File", `INSERT INTO batch_files (batch_id, filename, size, sha256, status, error_code, error_message,
		error_retryable, gaid, created_at, updated_at, stem, own_only) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?) RETURNING id`,
		f.BatchID, f.Filename, f.Size, f.SHA256, f.Status, code, msg, retryable, f.GAID, msec(tx.now), msec(tx.now), f.Stem, f.OwnOnly)
	tx.touch(TouchedFile, f.ID)
	return err
}

func fileError(e *dam.FileError) (code, msg string, retryable bool) {
	if e == nil {
		return "", "", false
	}
	return string(e.Code), e.Message, e.Retryable
}

const fileColumns = `id, batch_id, filename, size, sha256, status, error_code, error_message, error_retryable, gaid,
	created_at, updated_at, stem, own_only, warning`

func scanFile(r row) (*dam.BatchFile, error) {
	var f dam.BatchFile
	var e dam.FileError
	err := r.Scan(&f.ID, &f.BatchID, &f.Filename, &f.Size, &f.SHA256, &f.Status, &e.Code, &e.Message, &e.Retryable, &f.GAID,
		timeCol{&f.CreatedAt}, timeCol{&f.UpdatedAt}, &f.Stem, &f.OwnOnly, &f.Warning)
	if e.Code != "" {
		f.Error = &e
	}
	return &f, wrap(err, "File")
}

// BatchFile returns a file by its ID.
func (tx *Tx) BatchFile(id int64) (*dam.BatchFile, error) {
	return scanFile(tx.tx.QueryRowContext(tx.ctx, `SELECT `+fileColumns+` FROM batch_files WHERE id = ?`, id))
}

// BatchFiles returns the files of a batch in order of arrival, all of them or those with
// a status unless it is "", and their total number.
func (tx *Tx) BatchFiles(batch int64, status dam.FileStatus, p dam.Page) ([]*dam.BatchFile, int, error) {
	where := ` FROM batch_files WHERE batch_id = ?1 AND ?2 IN ('', status)`
	total, err := one[int](tx, "", `SELECT count(*)`+where, batch, status)
	if err != nil {
		return nil, 0, err
	}
	files, err := list(tx, scanFile, `SELECT `+fileColumns+where+` ORDER BY id LIMIT ?3 OFFSET ?4`, batch, status, p.Limit, p.Offset)
	return files, total, err
}

// Siblings returns the assets of up to 10 other files of a batch that have the same stem.
func (tx *Tx) Siblings(batch int64, stem string, besides int64) ([]dam.GAID, error) {
	return list(tx, func(r row) (gaid dam.GAID, err error) { return gaid, r.Scan(&gaid) }, `SELECT DISTINCT gaid FROM batch_files
		WHERE batch_id = ? AND stem = ? AND stem <> '' AND id <> ? AND status = 'ready' AND gaid <> '' LIMIT 10`, batch, stem, besides)
}

// BatchParts counts the files of a batch that are ready but are not assets themselves:
// parts of other files' assets, and sidecars.
func (tx *Tx) BatchParts(batch int64) (parts, sidecars int, err error) {
	err = tx.tx.QueryRowContext(tx.ctx, `SELECT coalesce(sum(NOT beside), 0) - count(DISTINCT CASE WHEN NOT beside THEN gaid END),
			coalesce(sum(beside), 0)
		FROM (SELECT f.gaid, lower(f.filename) LIKE '%.xmp'
				AND NOT EXISTS (SELECT 1 FROM assets a WHERE a.gaid = f.gaid AND a.original_filename = f.filename) AS beside
			FROM batch_files f WHERE f.batch_id = ? AND f.status = 'ready')`, batch).Scan(&parts, &sidecars)
	return parts, sidecars, wrap(err, "Batch")
}

// SetFileState writes the state, the error, the asset and the stored bytes of a file. It
// returns Conflict if the file is in a final state.
func (tx *Tx) SetFileState(f *dam.BatchFile) error {
	tx.touch(TouchedFile, f.ID)
	code, msg, retryable := fileError(f.Error)
	n, err := tx.exec("File", `UPDATE batch_files
		SET status = ?, error_code = ?, error_message = ?, error_retryable = ?, gaid = ?, sha256 = ?, warning = ?, updated_at = ?
		WHERE id = ? AND status NOT IN ('ready','duplicate','rejected','failed')`,
		f.Status, code, msg, retryable, f.GAID, f.SHA256, f.Warning, msec(tx.now), f.ID)
	if err == nil && n == 0 {
		err = dam.Errorf(dam.Conflict, "The file has ended.")
	}
	return err
}

// RequeueFile puts a failed file back in the queue, and a batch that has ended back to
// processing.
func (tx *Tx) RequeueFile(f *dam.BatchFile) error {
	tx.touch(TouchedFile, f.ID)
	if err := tx.must("File", `UPDATE batch_files
		SET status = 'queued', error_code = '', error_message = '', error_retryable = 0, updated_at = ?
		WHERE id = ? AND status = 'failed'`, msec(tx.now), f.ID); err != nil {
		return err
	}
	_, err := tx.exec("Upload batch", `UPDATE upload_batches SET status = 'processing', completed_at = NULL, updated_at = ?
		WHERE id = ? AND status IN ('completed','completed_with_errors','failed')`, msec(tx.now), f.BatchID)
	return err
}

// OpenFiles returns the files of a batch that are not in a final state.
func (tx *Tx) OpenFiles(batch int64) ([]*dam.BatchFile, error) {
	return list(tx, scanFile, `SELECT `+fileColumns+` FROM batch_files WHERE batch_id = ?
		AND status NOT IN ('ready','duplicate','rejected','failed') ORDER BY id`, batch)
}

// CloseBatch closes a batch, which then accepts no more files.
func (tx *Tx) CloseBatch(id int64) error {
	tx.touch(TouchedBatch, id)
	_, err := tx.exec("Upload batch", `UPDATE upload_batches SET status = 'processing', closed_at = ?1, updated_at = ?1 WHERE id = ?2
		AND status = 'open'`, msec(tx.now), id)
	return err
}

// EndBatch puts a closed batch in a final state, and reports whether this is the first
// time it ends.
func (tx *Tx) EndBatch(id int64, status dam.BatchStatus) (first bool, err error) {
	tx.touch(TouchedBatch, id)
	first, err = one[bool](tx, "Upload batch", `SELECT announced = 0 FROM upload_batches WHERE id = ?`, id)
	if err != nil {
		return false, err
	}
	return first, tx.must("Upload batch", `UPDATE upload_batches
		SET status = ?1, closed_at = coalesce(closed_at, ?2), completed_at = ?2, updated_at = ?2, announced = 1 WHERE id = ?3`,
		status, msec(tx.now), id)
}

// IdleBatches returns up to limit open batches that have received no bytes since a time
// and have no unfinished upload.
func (tx *Tx) IdleBatches(since time.Time, limit int) ([]int64, error) {
	return list(tx, scanID, `SELECT id FROM upload_batches b WHERE status = 'open' AND last_file_at < ?
		AND NOT EXISTS (SELECT 1 FROM resumable_uploads WHERE batch_id = b.id AND file_id IS NULL) ORDER BY last_file_at LIMIT ?`,
		msec(since), limit)
}

// InfectedFiles returns up to limit infected files whose bytes are not yet in quarantine.
func (tx *Tx) InfectedFiles(limit int) ([]*dam.BatchFile, error) {
	return list(tx, scanFile, `SELECT `+fileColumns+` FROM batch_files WHERE sha256 <> '' AND error_code = 'infected' LIMIT ?`, limit)
}

// StaleFailures returns up to limit files that failed before a time and whose bytes are
// still kept for a retry.
func (tx *Tx) StaleFailures(before time.Time, limit int) ([]*dam.BatchFile, error) {
	return list(tx, scanFile, `SELECT `+fileColumns+` FROM batch_files WHERE sha256 <> '' AND status = 'failed' AND updated_at < ? LIMIT ?`,
		msec(before), limit)
}

// ForgetFileBytes records that the bytes of a file in a final state were removed, so it
// cannot be retried.
func (tx *Tx) ForgetFileBytes(id int64) error {
	return tx.must("File", `UPDATE batch_files SET sha256 = '', error_retryable = 0 WHERE id = ?`, id)
}

// ForgetAssetFile removes a permanently deleted asset from the files of batches.
func (tx *Tx) ForgetAssetFile(gaid dam.GAID) error {
	_, err := tx.exec("File", `UPDATE batch_files SET gaid = '' WHERE gaid = ?`, gaid)
	return err
}

// WaitingFile returns the first batch file with this checksum that is not in a final
// state.
func (tx *Tx) WaitingFile(sha256 string) (*dam.BatchFile, error) {
	return scanFile(tx.tx.QueryRowContext(tx.ctx, `SELECT `+fileColumns+` FROM batch_files
		WHERE sha256 = ? AND sha256 <> '' AND status NOT IN ('ready','duplicate','rejected','failed') ORDER BY id LIMIT 1`, sha256))
}

// FilledByBatch returns those of some collections to which an asset from the batch was
// added since the batch was created.
func (tx *Tx) FilledByBatch(b *dam.Batch, collections []int64) ([]int64, error) {
	return list(tx, scanID, `SELECT value FROM json_each(?1) WHERE EXISTS (
		SELECT 1 FROM batch_files f JOIN assets a ON a.gaid = f.gaid JOIN collection_assets m ON m.asset_id = a.id
		WHERE f.batch_id = ?2 AND m.collection_id = value AND m.added_at >= ?3)`, ids(collections), b.ID, msec(b.CreatedAt))
}

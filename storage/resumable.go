package storage

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const resumableNoun = "Upload"

const resumableColumns = `id, batch_id, filename, metadata, size, received, hash, file_id, created_by, created_at, touched_at`

func scanResumable(r row) (*dam.Resumable, error) {
	var u dam.Resumable
	err := r.Scan(&u.ID, &u.BatchID, &u.Filename, &u.Metadata, &u.Size, &u.Received, &u.Hash, refCol{&u.FileID}, &u.CreatedByID,
		timeCol{&u.CreatedAt}, timeCol{&u.TouchedAt})
	return &u, wrap(err, resumableNoun)
}

func scanText(r row) (text string, err error) { return text, r.Scan(&text) }

// InsertResumable adds an upload without any bytes.
func (tx *Tx) InsertResumable(u *dam.Resumable) error {
	u.CreatedAt, u.TouchedAt = tx.now, tx.now
	_, err := tx.exec(resumableNoun, `INSERT INTO resumable_uploads
		(id, batch_id, filename, metadata, size, created_by, created_at, touched_at) VALUES (?1,?2,?3,?4,?5,?6,?7,?7)`,
		u.ID, u.BatchID, u.Filename, u.Metadata, u.Size, u.CreatedByID, msec(tx.now))
	return err
}

// Resumable returns an upload of a batch.
func (tx *Tx) Resumable(batch int64, id string) (*dam.Resumable, error) {
	return scanResumable(tx.tx.QueryRowContext(tx.ctx,
		`SELECT `+resumableColumns+` FROM resumable_uploads WHERE id = ? AND batch_id = ?`, id, batch))
}

// Advance records that u has received a total number of bytes, and the state of their
// SHA-256. It returns NotFound if the upload no longer exists.
func (tx *Tx) Advance(u *dam.Resumable, received int64, hash []byte) error {
	if err := tx.must(resumableNoun, `UPDATE resumable_uploads SET received = ?, hash = ?, touched_at = ?
		WHERE id = ? AND received = ? AND file_id IS NULL`, received, hash, msec(tx.now), u.ID, u.Received); err != nil {
		return err
	}
	u.Received, u.Hash, u.TouchedAt = received, hash, tx.now
	return nil
}

// FinishResumable records the batch file that u became. It returns NotFound if the upload
// no longer exists.
func (tx *Tx) FinishResumable(u *dam.Resumable, file int64) error {
	if err := tx.must(resumableNoun, `UPDATE resumable_uploads SET received = size, hash = NULL, file_id = ?, touched_at = ?
		WHERE id = ? AND file_id IS NULL`, file, msec(tx.now), u.ID); err != nil {
		return err
	}
	u.Received, u.Hash, u.FileID, u.TouchedAt = u.Size, nil, file, tx.now
	return nil
}

// DeleteResumable deletes an upload.
func (tx *Tx) DeleteResumable(id string) error {
	return tx.must(resumableNoun, `DELETE FROM resumable_uploads WHERE id = ?`, id)
}

// CountResumables returns the number of unfinished uploads of a batch, and those of a
// user, not counting guest uploads.
func (tx *Tx) CountResumables(batch, user int64) (ofBatch, ofUser int, err error) {
	if ofBatch, err = one[int](tx, "",
		`SELECT count(*) FROM resumable_uploads WHERE batch_id = ? AND file_id IS NULL`, batch); err != nil {
		return 0, 0, err
	}
	ofUser, err = one[int](tx, "", `SELECT count(*) FROM resumable_uploads u WHERE created_by = ? AND file_id IS NULL
		AND NOT EXISTS (SELECT 1 FROM upload_batches b WHERE b.id = u.batch_id AND b.share_id IS NOT NULL)`, user)
	return ofBatch, ofUser, err
}

// StaleResumables returns up to limit uploads that have received no bytes since a time,
// guest uploads since another, empty guest uploads since a third, and uploads that cannot
// be finished because their batch is closed.
func (tx *Tx) StaleResumables(since, guests, empty time.Time, limit int) ([]string, error) {
	return list(tx, scanText, `SELECT id FROM resumable_uploads WHERE touched_at < ?1
		UNION SELECT u.id FROM resumable_uploads u JOIN upload_batches b ON b.id = u.batch_id WHERE u.file_id IS NULL
			AND (b.status <> 'open' OR b.share_id IS NOT NULL AND (u.touched_at < ?2 OR u.received = 0 AND u.touched_at < ?3))
		LIMIT ?4`, msec(since), msec(guests), msec(empty), limit)
}

// UnfinishedResumables returns those of the named uploads that exist and are unfinished.
func (tx *Tx) UnfinishedResumables(names []string) ([]string, error) {
	text, err := jsonText(names)
	if err != nil {
		return nil, err
	}
	return list(tx, scanText, `SELECT id FROM resumable_uploads WHERE file_id IS NULL AND id IN (SELECT value FROM json_each(?))`, text)
}

package storage

import (
	"maps"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// HandedIn returns the guest uploads of a share: the number of files, regardless of their
// result, and their bytes, including the received bytes of unfinished uploads. Uploads
// without any bytes do not count.
func (tx *Tx) HandedIn(share int64) (h dam.HandedIn, err error) {
	err = tx.tx.QueryRowContext(tx.ctx, `SELECT count(*), coalesce(sum(size), 0) FROM (
		SELECT f.size FROM upload_batches b JOIN batch_files f ON f.batch_id = b.id WHERE b.share_id = ?1
		UNION ALL SELECT u.received FROM upload_batches b JOIN resumable_uploads u ON u.batch_id = b.id
			WHERE b.share_id = ?1 AND u.file_id IS NULL AND u.received > 0)`, share).Scan(&h.Files, &h.Bytes)
	return h, wrap(err, "Share")
}

// EmptyUploads returns the number of uploads through a share that were created since a
// time and have received no bytes, by the IP address from which the visit started to
// upload.
func (tx *Tx) EmptyUploads(share int64, since time.Time) (map[string]int, error) {
	byIP := map[string]int{}
	return byIP, each(tx, func(r row) error {
		var ip string
		var n int
		err := r.Scan(&ip, &n)
		byIP[ip] = n
		return err
	}, `SELECT coalesce(a.ip, ''), count(*) FROM upload_batches b JOIN resumable_uploads u ON u.batch_id = b.id
		LEFT JOIN share_access a ON a.id = b.access_id
		WHERE b.share_id = ?1 AND u.file_id IS NULL AND u.received = 0 AND u.touched_at >= ?2 GROUP BY 1`, share, msec(since))
}

// VisitBatch returns the open batch of a visit.
func (tx *Tx) VisitBatch(share, visit int64) (*dam.Batch, error) {
	return scanBatch(tx.tx.QueryRowContext(tx.ctx, `SELECT `+batchColumns+` FROM upload_batches b
		WHERE share_id = ? AND visit_id = ? AND status = 'open' ORDER BY id DESC LIMIT 1`, share, visit))
}

// VisitFiles returns the latest files uploaded during a visit, newest first.
func (tx *Tx) VisitFiles(share, visit int64, limit int) ([]*dam.BatchFile, error) {
	return list(tx, scanFile, `SELECT `+fileColumns+` FROM batch_files
		WHERE batch_id IN (SELECT id FROM upload_batches WHERE share_id = ? AND visit_id = ?) ORDER BY id DESC LIMIT ?`, share, visit, limit)
}

// VisitUploads returns the unfinished uploads of a visit, newest first.
func (tx *Tx) VisitUploads(share, visit int64, limit int) ([]*dam.Resumable, error) {
	return list(tx, scanResumable, `SELECT `+resumableColumns+` FROM resumable_uploads WHERE file_id IS NULL
		AND batch_id IN (SELECT id FROM upload_batches WHERE share_id = ? AND visit_id = ?) ORDER BY created_at DESC LIMIT ?`,
		share, visit, limit)
}

// VisitUpload returns an upload of a visit.
func (tx *Tx) VisitUpload(share, visit int64, id string) (*dam.Resumable, error) {
	return scanResumable(tx.tx.QueryRowContext(tx.ctx, `SELECT `+resumableColumns+` FROM resumable_uploads WHERE id = ?
		AND batch_id IN (SELECT id FROM upload_batches WHERE share_id = ? AND visit_id = ?)`, id, share, visit))
}

// ShareFiles returns the files that guests have uploaded through a share, newest first,
// and their total number.
func (tx *Tx) ShareFiles(share int64, p dam.Page) ([]*dam.ShareFile, int, error) {
	total, err := one[int](tx, "", `SELECT count(*) FROM upload_batches b JOIN batch_files f ON f.batch_id = b.id
		WHERE b.share_id = ?`, share)
	if err != nil {
		return nil, 0, err
	}
	files, err := list(tx, scanFile, `SELECT `+fileColumns+` FROM batch_files
		WHERE batch_id IN (SELECT id FROM upload_batches WHERE share_id = ?) ORDER BY id DESC LIMIT ? OFFSET ?`, share, p.Limit, p.Offset)
	if err != nil {
		return nil, 0, err
	}
	all, byBatch := make([]*dam.ShareFile, len(files)), map[int64][]*dam.ShareFile{}
	for i, f := range files {
		all[i] = &dam.ShareFile{BatchFile: f}
		byBatch[f.BatchID] = append(byBatch[f.BatchID], all[i])
	}
	err = each(tx, func(r row) error {
		var batch, visit int64
		var email string
		err := r.Scan(&batch, &visit, &email)
		for _, f := range byBatch[batch] {
			f.VisitID, f.Email = visit, email
		}
		return err
	}, `SELECT b.id, b.visit_id, coalesce(a.email, '') FROM upload_batches b LEFT JOIN share_access a ON a.id = b.access_id
		WHERE b.id IN (SELECT value FROM json_each(?))`, ids(slices.Collect(maps.Keys(byBatch))))
	return all, total, err
}

// EndedHandIns returns up to limit open batches of guests whose share accepts no more
// files, or that have received none since a time and have no unfinished upload.
func (tx *Tx) EndedHandIns(since time.Time, limit int) ([]int64, error) {
	return list(tx, scanID, `SELECT b.id FROM upload_batches b JOIN shares s ON s.id = b.share_id JOIN users u ON u.id = s.created_by
		WHERE b.status = 'open' AND (s.revoked_at IS NOT NULL OR s.expires_at <= ?1 OR s.collection_id IS NULL OR u.disabled_at IS NOT NULL
			OR b.last_file_at < ?2 AND NOT EXISTS (SELECT 1 FROM resumable_uploads r WHERE r.batch_id = b.id AND r.file_id IS NULL))
		LIMIT ?3`, msec(tx.now), msec(since), limit)
}

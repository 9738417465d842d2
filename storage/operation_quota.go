package storage

import "github.com/digital-asset-library/dal/app/dam"

// ExportUse returns the number of a user's exports that have a file or have not ended,
// and the total size of those files in bytes.
func (tx *Tx) ExportUse(user int64) (exports int, bytes int64, err error) {
	err = each(tx, func(r row) error { return r.Scan(&exports, &bytes) },
		`SELECT count(*), coalesce(sum(file_size), 0) FROM operations
		WHERE created_by = ? AND type = 'export' AND (finished_at IS NULL OR file_sha256 <> '')`, user)
	return exports, bytes, err
}

// OriginalBytes returns the total size in bytes of the originals of an operation's assets
// outside the trash.
func (tx *Tx) OriginalBytes(op *dam.Operation) (int64, error) {
	return one[int64](tx, "", `SELECT coalesce(sum(a.file_size), 0) FROM operation_items i JOIN assets a ON a.id = i.asset_id
		WHERE i.operation_id = ? AND a.deleted_at IS NULL`, op.ID)
}

// CountOpenBatches returns the number of a user's upload batches that have not ended,
// without those of guests.
func (tx *Tx) CountOpenBatches(user int64) (int, error) {
	return one[int](tx, "", `SELECT count(*) FROM upload_batches WHERE created_by = ? AND status IN ('open','processing')
		AND share_id IS NULL`, user)
}

package storage

import "github.com/digital-asset-library/dal/app/dam"

// ShareGuest returns the guest of a visit.
func (tx *Tx) ShareGuest(share, visit int64) (*dam.ShareGuest, error) {
	var g dam.ShareGuest
	err := tx.tx.QueryRowContext(tx.ctx, `SELECT id, name, email FROM share_guests WHERE share_id = ? AND visit_id = ?`, share, visit).
		Scan(&g.ID, &g.Name, &g.Email)
	return &g, wrap(err, "Guest")
}

// PutShareGuest adds or updates the guest of a visit, and sets its ID.
func (tx *Tx) PutShareGuest(share, visit int64, g *dam.ShareGuest) (err error) {
	g.ID, err = one[int64](tx, "Guest", `INSERT INTO share_guests (share_id, visit_id, name, email, created_at) VALUES (?,?,?,?,?)
		ON CONFLICT (share_id, visit_id) DO UPDATE SET name = excluded.name, email = excluded.email RETURNING id`,
		share, visit, g.Name, g.Email, msec(tx.now))
	return err
}

const feedbackColumns = `f.id, f.share_id, f.picked, f.rating, f.comment, f.revision, f.changed_at`

// GuestFeedback returns a guest's feedback on an asset, without the guest.
func (tx *Tx) GuestFeedback(guest, asset int64) (*dam.ShareFeedback, error) {
	var f dam.ShareFeedback
	err := tx.tx.QueryRowContext(tx.ctx, `SELECT `+feedbackColumns+` FROM share_feedback f WHERE f.guest_id = ? AND f.asset_id = ?`,
		guest, asset).Scan(&f.ID, &f.ShareID, &f.Picked, &f.Rating, &f.Comment, &f.Revision, timeCol{&f.ChangedAt})
	return &f, wrap(err, "Feedback")
}

// PutFeedback adds or replaces a guest's feedback on an asset, given by its row number.
func (tx *Tx) PutFeedback(f *dam.ShareFeedback, asset int64) (err error) {
	f.ChangedAt = tx.now
	f.ID, err = one[int64](tx, "Feedback", `INSERT INTO share_feedback
		(share_id, guest_id, asset_id, picked, rating, comment, revision, changed_at) VALUES (?,?,?,?,?,?,?,?)
		ON CONFLICT (guest_id, asset_id) DO UPDATE SET picked = excluded.picked, rating = excluded.rating, comment = excluded.comment,
			revision = excluded.revision, changed_at = excluded.changed_at RETURNING id`,
		f.ShareID, f.Guest.ID, asset, f.Picked, f.Rating, f.Comment, f.Revision, msec(tx.now))
	return err
}

// CountFeedback returns the number of feedback records of a share, and of one of its
// guests.
func (tx *Tx) CountFeedback(share, guest int64) (all, own int, err error) {
	if all, err = one[int](tx, "", `SELECT count(*) FROM share_feedback WHERE share_id = ?`, share); err != nil {
		return 0, 0, err
	}
	own, err = one[int](tx, "", `SELECT count(*) FROM share_feedback WHERE guest_id = ?`, guest)
	return all, own, err
}

// saidAbout selects the feedback on assets outside the trash, without records that guests
// have cleared.
const saidAbout = ` FROM share_feedback f JOIN assets a ON a.id = f.asset_id JOIN share_guests g ON g.id = f.guest_id
	WHERE f.share_id = ?1 AND a.deleted_at IS NULL AND (f.picked OR f.rating > 0 OR f.comment <> '')`

// saidAs is saidAbout filtered by a query.
const saidAs = saidAbout + ` AND ?2 IN ('', a.gaid) AND (?3 IS NULL OR f.picked = ?3) AND f.rating >= ?4`

const selectFeedback = `SELECT ` + feedbackColumns + `, a.gaid, a.title, g.id, g.name, g.email` + saidAs

func feedbackArgs(share int64, q *dam.ShareFeedbackQuery) []any {
	var picked any
	if q.Picked != nil {
		picked = *q.Picked
	}
	return []any{share, q.GAID, picked, q.MinRating}
}

func scanFeedback(r row) (*dam.ShareFeedback, error) {
	var f dam.ShareFeedback
	err := r.Scan(&f.ID, &f.ShareID, &f.Picked, &f.Rating, &f.Comment, &f.Revision, timeCol{&f.ChangedAt}, &f.GAID, &f.Title,
		&f.Guest.ID, &f.Guest.Name, &f.Guest.Email)
	return &f, err
}

// ShareFeedback returns a share's feedback on assets outside the trash, most recently
// changed first, and the total number of records.
func (tx *Tx) ShareFeedback(share int64, q *dam.ShareFeedbackQuery) ([]*dam.ShareFeedback, int, error) {
	args := feedbackArgs(share, q)
	total, err := one[int](tx, "", `SELECT count(*)`+saidAs, args...)
	if err != nil {
		return nil, 0, err
	}
	all, err := list(tx, scanFeedback, selectFeedback+` ORDER BY f.changed_at DESC, f.id DESC LIMIT ?5 OFFSET ?6`,
		append(args, q.Limit, q.Offset)...)
	return all, total, err
}

// FeedbackBefore returns up to limit records of ShareFeedback older than the one with an
// ID, newest first; 0 starts at the newest.
func (tx *Tx) FeedbackBefore(share int64, q *dam.ShareFeedbackQuery, id int64, limit int) ([]*dam.ShareFeedback, error) {
	return list(tx, scanFeedback, selectFeedback+` AND (?5 = 0 OR f.id < ?5) ORDER BY f.id DESC LIMIT ?6`,
		append(feedbackArgs(share, q), id, limit)...)
}

// FeedbackTotals returns the totals of a share's feedback on each asset outside the
// trash, most picked first, and the number of such assets.
func (tx *Tx) FeedbackTotals(share int64, p dam.Page) ([]*dam.FeedbackTotal, int, error) {
	total, err := one[int](tx, "", `SELECT count(DISTINCT f.asset_id)`+saidAbout, share)
	if err != nil {
		return nil, 0, err
	}
	all, err := list(tx, func(r row) (*dam.FeedbackTotal, error) {
		var t dam.FeedbackTotal
		err := r.Scan(&t.GAID, &t.Title, &t.Picks, &t.Ratings, &t.AverageRating, &t.Comments, timeCol{&t.ChangedAt})
		return &t, err
	}, `SELECT a.gaid, a.title, sum(f.picked), count(nullif(f.rating, 0)), ifnull(round(avg(nullif(f.rating, 0)), 2), 0.0) AS average,
		sum(f.comment <> ''), max(f.changed_at)`+saidAbout+`
		GROUP BY f.asset_id ORDER BY sum(f.picked) DESC, average DESC, a.id LIMIT ?2 OFFSET ?3`, share, p.Limit, p.Offset)
	return all, total, err
}

// PickedIn returns the row numbers of the assets that guests of a share have picked.
func (tx *Tx) PickedIn(share int64) ([]int64, error) {
	return list(tx, func(r row) (id int64, err error) { return id, r.Scan(&id) },
		`SELECT DISTINCT asset_id FROM share_feedback WHERE share_id = ? AND picked`, share)
}

// TakeOverFeedback copies the feedback on other assets to an asset: the latest of each
// guest, for guests without feedback on it.
func (tx *Tx) TakeOverFeedback(asset int64, others []int64) error {
	_, err := tx.exec("Feedback", `INSERT OR IGNORE INTO share_feedback
			(share_id, guest_id, asset_id, picked, rating, comment, revision, changed_at)
		SELECT share_id, guest_id, ?1, picked, rating, comment, revision, max(changed_at) FROM share_feedback
		WHERE asset_id IN (SELECT value FROM json_each(?2)) GROUP BY guest_id`, asset, ids(others))
	return err
}

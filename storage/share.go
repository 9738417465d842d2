package storage

import (
	"encoding/json"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const shareColumns = `s.id, s.token, s.type, s.name, s.collection_id, s.include_metadata, s.allow_download, s.allow_original, s.watermark,
	s.max_resolution, s.password_hash, s.password_version, s.access, s.max_views, s.max_downloads, s.terms_text, s.terms_version,
	s.view_count, s.download_count, s.last_accessed_at, s.expires_at, s.revoked_at, s.created_by, s.created_at, s.embed, s.preview_card,
	s.upload`

func scanShare(r row) (*dam.Share, error) {
	var s dam.Share
	var access string
	var views, downloads *int64
	err := r.Scan(&s.ID, &s.Token, &s.Type, &s.Name, refCol{&s.CollectionID}, &s.IncludeMetadata, &s.AllowDownload, &s.AllowOriginal,
		jsonCol{&s.Watermark}, &s.MaxResolution, &s.PasswordHash, &s.PasswordVersion, &access, &views, &downloads, &s.TermsText,
		&s.TermsVersion, &s.ViewCount, &s.DownloadCount, optTimeCol{&s.LastAccessedAt}, optTimeCol{&s.ExpiresAt}, optTimeCol{&s.RevokedAt},
		&s.CreatedByID, timeCol{&s.CreatedAt}, jsonCol{&s.Embed}, &s.PreviewCard, jsonCol{&s.Upload})
	if err == nil {
		err = json.Unmarshal([]byte(access), &s.Access)
	}
	if w := s.Watermark; w != nil && w.Placement == "" { // from an older dal
		w.Placement = dam.MarkTiled
	}
	s.Access.MaxViews, s.Access.MaxDownloads, s.HasPassword = views, downloads, s.PasswordHash != ""
	return &s, wrap(err, "Share")
}

// shareValues returns the editable values of a share, in the order of shareSets.
func shareValues(s *dam.Share) ([]any, error) {
	access := s.Access
	access.MaxViews, access.MaxDownloads = nil, nil // they have columns
	text, err := jsonText(access)
	if err != nil {
		return nil, err
	}
	var mark, embed, upload any
	if s.Watermark != nil {
		mark = jsonCol{s.Watermark}
	}
	if s.Embed != nil {
		embed = jsonCol{s.Embed}
	}
	if s.Upload != nil {
		upload = jsonCol{s.Upload}
	}
	return []any{s.Name, ref(s.CollectionID), s.IncludeMetadata, s.AllowDownload, s.AllowOriginal, mark, s.MaxResolution,
		s.PasswordHash, s.PasswordVersion, text, s.Access.MaxViews, s.Access.MaxDownloads, s.TermsText, s.TermsVersion,
		msecPtr(s.ExpiresAt), embed, s.PreviewCard, upload}, nil
}

const shareSets = `name, collection_id, include_metadata, allow_download, allow_original, watermark, max_resolution,
	password_hash, password_version, access, max_views, max_downloads, terms_text, terms_version, expires_at, embed, preview_card, upload`

// InsertShare adds s with its assets, given by their row numbers in order, and sets its
// ID. The hash is that of the token.
func (tx *Tx) InsertShare(s *dam.Share, hash []byte, assets []int64) error {
	values, err := shareValues(s)
	if err != nil {
		return err
	}
	s.CreatedAt = tx.now
	s.ID, err = one[int64](tx, "Share", `INSERT INTO shares (`+shareSets+`, token, token_hash, type, created_by, created_at)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) RETURNING id`,
		append(values, s.Token, hash, s.Type, s.CreatedByID, msec(tx.now))...)
	if err != nil {
		return err
	}
	return tx.SetShareAssets(s.ID, assets)
}

// UpdateShare writes the editable values of s, without its assets.
func (tx *Tx) UpdateShare(s *dam.Share) error {
	values, err := shareValues(s)
	if err != nil {
		return err
	}
	return tx.must("Share", `UPDATE shares SET (`+shareSets+`) = (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) WHERE id = ?`, append(values, s.ID)...)
}

// SetShareAssets writes the assets of a share, given by their row numbers in order.
func (tx *Tx) SetShareAssets(share int64, assets []int64) error {
	if _, err := tx.exec("Share", `DELETE FROM share_assets WHERE share_id = ?`, share); err != nil {
		return err
	}
	_, err := tx.exec("Share", `INSERT OR IGNORE INTO share_assets (share_id, asset_id, position) SELECT ?1, value, key FROM json_each(?2)`,
		share, ids(assets))
	return err
}

// RevokeShare permanently ends a share and the visits of its guests.
func (tx *Tx) RevokeShare(id int64) error {
	if err := tx.must("Share", `UPDATE shares SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL`, msec(tx.now), id); err != nil {
		return err
	}
	_, err := tx.exec("Share", `DELETE FROM share_visits WHERE share_id = ?`, id)
	return err
}

// Share returns a share with the GAIDs of its assets outside the trash.
func (tx *Tx) Share(id int64) (*dam.Share, error) {
	return tx.withGAIDs(scanShare(tx.tx.QueryRowContext(tx.ctx, `SELECT `+shareColumns+` FROM shares s WHERE s.id = ?`, id)))
}

// OpenShare returns the share of a token, given by its hash. It returns NotFound if the
// token is unknown, if the share was revoked or has expired, or if its owner is disabled
// or has none of the roles. One query covers all cases.
func (tx *Tx) OpenShare(hash []byte, roles []dam.Role) (*dam.Share, error) {
	return scanShare(tx.tx.QueryRowContext(tx.ctx, `SELECT `+shareColumns+` FROM shares s JOIN users u ON u.id = s.created_by
		WHERE s.token_hash = ?1 AND s.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ?2) AND u.disabled_at IS NULL
			AND u.role IN (SELECT value FROM json_each(?3))`, hash, msec(tx.now), jsonCol{roles}))
}

func (tx *Tx) withGAIDs(s *dam.Share, err error) (*dam.Share, error) {
	if err != nil || s.Type == dam.ShareCollection {
		return s, err
	}
	if s.Type == dam.ShareHandIn {
		s.HandedIn, err = tx.HandedIn(s.ID)
		return s, err
	}
	s.GAIDs, err = list(tx, func(r row) (g dam.GAID, err error) { return g, r.Scan(&g) },
		`SELECT a.gaid FROM share_assets m JOIN assets a ON a.id = m.asset_id WHERE m.share_id = ? AND a.deleted_at IS NULL
		ORDER BY m.position, a.id`, s.ID)
	return s, err
}

// ofType is the condition for the shares of a type; "" is all types but embeds.
const ofType = ` FROM shares s WHERE ?1 IN (0, s.created_by) AND CASE WHEN ?2 = '' THEN s.type <> 'embed' ELSE s.type = ?2 END`

// Shares returns the shares of a user, or of all users when user is 0, newest first, and
// their total number. The type restricts them; "" is all types but embeds.
func (tx *Tx) Shares(user int64, of dam.ShareType, p dam.Page) ([]*dam.Share, int, error) {
	total, err := tx.CountShares(user, of)
	if err != nil {
		return nil, 0, err
	}
	all, err := list(tx, scanShare, `SELECT `+shareColumns+ofType+` ORDER BY s.id DESC LIMIT ?3 OFFSET ?4`, user, of, p.Limit, p.Offset)
	for _, s := range all {
		if _, err := tx.withGAIDs(s, nil); err != nil {
			return nil, 0, err
		}
	}
	return all, total, err
}

// CountShares returns the total number of Shares.
func (tx *Tx) CountShares(user int64, of dam.ShareType) (int, error) {
	return one[int](tx, "", `SELECT count(*)`+ofType, user, of)
}

// EmbedOf returns the latest embed of an asset that a user has created and that has not
// ended.
func (tx *Tx) EmbedOf(user int64, gaid dam.GAID) (*dam.Share, error) {
	return tx.withGAIDs(scanShare(tx.tx.QueryRowContext(tx.ctx, `SELECT `+shareColumns+` FROM assets a
		JOIN share_assets m ON m.asset_id = a.id JOIN shares s ON s.id = m.share_id
		WHERE a.gaid = ?1 AND s.created_by = ?2 AND s.type = 'embed' AND s.revoked_at IS NULL AND s.expires_at > ?3
		ORDER BY s.id DESC LIMIT 1`, gaid, user, msec(tx.now))))
}

// ShareAssets returns the assets outside the trash that a share lists, in its order, and
// their total number.
func (tx *Tx) ShareAssets(share int64, p dam.Page) (assets []*dam.Asset, total int, err error) {
	const from = ` FROM share_assets m JOIN assets a ON a.id = m.asset_id WHERE m.share_id = ?1 AND a.deleted_at IS NULL`
	if total, err = one[int](tx, "", `SELECT count(*)`+from, share); err != nil {
		return nil, 0, err
	}
	gaids, err := list(tx, func(r row) (g dam.GAID, err error) { return g, r.Scan(&g) },
		`SELECT a.gaid`+from+` ORDER BY m.position, a.id LIMIT ?2 OFFSET ?3`, share, p.Limit, p.Offset)
	for _, g := range gaids {
		asset, err := tx.Asset(g)
		if err != nil {
			return nil, 0, err
		}
		assets = append(assets, asset)
	}
	return assets, total, err
}

// ShareNames reports whether a share lists an asset.
func (tx *Tx) ShareNames(share, asset int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM share_assets WHERE share_id = ? AND asset_id = ?)`, share, asset)
}

// CollectionHas reports whether people have added an asset to a collection.
func (tx *Tx) CollectionHas(collection, asset int64) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM collection_assets WHERE collection_id = ? AND asset_id = ?)`, collection, asset)
}

// TakeOverShares adds an asset to the shares that list others.
func (tx *Tx) TakeOverShares(asset int64, others []int64) error {
	_, err := tx.exec("Share", `INSERT OR IGNORE INTO share_assets (share_id, asset_id, position)
		SELECT share_id, ?1, min(position) FROM share_assets WHERE asset_id IN (SELECT value FROM json_each(?2)) GROUP BY share_id`,
		asset, ids(others))
	return err
}

// CountView counts a visit to a share, or returns false if the maximum is reached.
func (tx *Tx) CountView(share int64) (bool, error) {
	n, err := tx.exec("Share", `UPDATE shares SET view_count = view_count + 1, last_accessed_at = ?2
		WHERE id = ?1 AND (max_views IS NULL OR view_count < max_views)`, share, msec(tx.now))
	return n > 0, err
}

// CountDownload counts a download from a share, or returns false if the maximum is
// reached.
func (tx *Tx) CountDownload(share int64) (bool, error) {
	n, err := tx.exec("Share", `UPDATE shares SET download_count = download_count + 1, last_accessed_at = ?2
		WHERE id = ?1 AND (max_downloads IS NULL OR download_count < max_downloads)`, share, msec(tx.now))
	return n > 0, err
}

// ShareVisit returns the visit of a browser, given by the hash of its cookie.
func (tx *Tx) ShareVisit(share int64, hash []byte) (*dam.ShareVisit, error) {
	var v dam.ShareVisit
	err := tx.tx.QueryRowContext(tx.ctx, `SELECT id, share_id, hash, password_version, terms_version, email, email_verified, counted,
			expires_at
		FROM share_visits WHERE share_id = ? AND hash = ? AND expires_at > ?`, share, hash, msec(tx.now)).Scan(
		&v.ID, &v.ShareID, &v.Hash, &v.PasswordVersion, &v.TermsVersion, &v.Email, &v.EmailVerified, &v.Counted, timeCol{&v.ExpiresAt})
	return &v, wrap(err, "Visit")
}

// PutShareVisit adds or updates a visit.
func (tx *Tx) PutShareVisit(v *dam.ShareVisit) (err error) {
	v.ID, err = one[int64](tx, "Visit", `INSERT INTO share_visits
		(share_id, hash, password_version, terms_version, email, email_verified, counted, expires_at) VALUES (?,?,?,?,?,?,?,?)
		ON CONFLICT (share_id, hash) DO UPDATE SET password_version = excluded.password_version, terms_version = excluded.terms_version,
			email = excluded.email, email_verified = excluded.email_verified, counted = excluded.counted RETURNING id`,
		v.ShareID, v.Hash, v.PasswordVersion, v.TermsVersion, v.Email, v.EmailVerified, v.Counted, msec(v.ExpiresAt))
	return err
}

// InsertShareEntry appends to the access log of a share.
func (tx *Tx) InsertShareEntry(e *dam.ShareEntry) (err error) {
	e.CreatedAt = tx.now
	e.ID, err = one[int64](tx, "Entry", `INSERT INTO share_access
		(share_id, action, gaid, email, email_verified, ip, user_agent, visit_id, created_at) VALUES (?,?,?,?,?,?,?,?,?) RETURNING id`,
		e.ShareID, e.Action, e.GAID, e.Email, e.EmailVerified, e.IP, e.UserAgent, ref(e.VisitID), msec(tx.now))
	return err
}

// HasPlayed reports whether the guest of an entry has played its asset after a time.
// Browsers without a visit are recognized by IP address and user agent.
func (tx *Tx) HasPlayed(e *dam.ShareEntry, after time.Time) (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM share_access WHERE share_id = ?1 AND action = 'play' AND gaid = ?2
		AND created_at > ?3 AND visit_id IS ?4 AND (?4 IS NOT NULL OR ip = ?5 AND user_agent = ?6))`,
		e.ShareID, e.GAID, msec(after), ref(e.VisitID), e.IP, e.UserAgent)
}

// TrimShareLog deletes all but the newest entries of an action in the access log of a
// share. Limits apply per action, so a guest who repeats one does not displace the
// others.
func (tx *Tx) TrimShareLog(share int64, of dam.ShareAction, keep int) error {
	_, err := tx.exec("", `DELETE FROM share_access WHERE share_id = ?1 AND action = ?2 AND id <=
		(SELECT id FROM share_access WHERE share_id = ?1 AND action = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)`, share, of, keep)
	return err
}

// TrimShareVisits deletes the surplus visits to a share, beyond keep, that have no
// feedback or uploads: first those without a passed check, and the oldest first. Guests
// with feedback or uploads are kept: the share's own limits bound their number.
func (tx *Tx) TrimShareVisits(share int64, keep int) error {
	_, err := tx.exec("", `DELETE FROM share_visits WHERE id IN (SELECT id FROM share_visits WHERE share_id = ?1
		AND id NOT IN (SELECT visit_id FROM share_guests WHERE share_id = ?1)
		AND id NOT IN (SELECT b.visit_id FROM upload_batches b WHERE b.share_id = ?1 AND b.visit_id IS NOT NULL
			AND (EXISTS (SELECT 1 FROM batch_files f WHERE f.batch_id = b.id)
				OR EXISTS (SELECT 1 FROM resumable_uploads u WHERE u.batch_id = b.id)))
		ORDER BY password_version > 0 OR terms_version > 0 OR email <> '' DESC, id DESC LIMIT -1 OFFSET ?2)`, share, keep)
	return err
}

// ShareEntries returns the access log of a share, newest first, and the number of its
// entries.
func (tx *Tx) ShareEntries(share int64, p dam.Page) ([]*dam.ShareEntry, int, error) {
	total, err := one[int](tx, "", `SELECT count(*) FROM share_access WHERE share_id = ?`, share)
	if err != nil {
		return nil, 0, err
	}
	all, err := list(tx, func(r row) (*dam.ShareEntry, error) {
		var e dam.ShareEntry
		err := r.Scan(&e.ID, &e.ShareID, &e.Action, &e.GAID, &e.Email, &e.EmailVerified, &e.IP, &e.UserAgent, timeCol{&e.CreatedAt})
		return &e, err
	}, `SELECT id, share_id, action, gaid, email, email_verified, ip, user_agent, created_at FROM share_access WHERE share_id = ?
		ORDER BY id DESC LIMIT ? OFFSET ?`, share, p.Limit, p.Offset)
	return all, total, err
}

// TrimShareEntries deletes up to limit access log entries older than before, and up to
// limit visits that have ended. It returns the larger number.
func (tx *Tx) TrimShareEntries(before time.Time, limit int) (int64, error) {
	n, err := tx.exec("", `DELETE FROM share_access WHERE id IN (SELECT id FROM share_access WHERE created_at < ? LIMIT ?)`,
		msec(before), limit)
	if err != nil {
		return 0, err
	}
	ended, err := tx.exec("", `DELETE FROM share_visits WHERE id IN (SELECT id FROM share_visits WHERE expires_at <= ? LIMIT ?)`,
		msec(tx.now), limit)
	return max(n, ended), err
}

const consentColumns = `id, subject_name, subject_email, email_verified, terms_version, terms_text_hash, context, share_id, ip,
	user_agent, accepted_at, user_id, erased_at`

func scanConsent(r row) (*dam.Consent, error) {
	var c dam.Consent
	err := r.Scan(&c.ID, &c.SubjectName, &c.SubjectEmail, &c.EmailVerified, &c.TermsVersion, &c.TermsTextHash, &c.Context, refCol{&c.ShareID},
		&c.IP, &c.UserAgent, timeCol{&c.AcceptedAt}, refCol{&c.UserID}, optTimeCol{&c.ErasedAt})
	return &c, wrap(err, "Consent")
}

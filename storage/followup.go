package storage

import (
	"time"
)

// Pending follow-up work for an asset, as bits.
const (
	followAnnounce = 1
	followIndex    = 2
	followOffset   = 4
	followPeople   = 8
)

// AnnounceLater marks assets that have changed without an event so far.
func (tx *Tx) AnnounceLater(assets []int64) error { return tx.followLater(assets, followAnnounce) }

// IndexLater marks assets that have yet to be added to the index queue.
func (tx *Tx) IndexLater(assets []int64) error { return tx.followLater(assets, followIndex) }

func (tx *Tx) followLater(assets []int64, what int) error {
	_, err := tx.exec("", `INSERT INTO asset_followups (asset_id, what) SELECT value, ?1 FROM json_each(?2) WHERE true
		ON CONFLICT (asset_id) DO UPDATE SET what = what | excluded.what`, what, ids(assets))
	return err
}

// ToAnnounce returns up to limit assets marked by AnnounceLater, by ID.
func (tx *Tx) ToAnnounce(limit int) ([]int64, error) {
	return tx.toFollow(followAnnounce, limit)
}

// ToIndex returns up to limit assets marked by IndexLater, by ID.
func (tx *Tx) ToIndex(limit int) ([]int64, error) {
	return tx.toFollow(followIndex, limit)
}

func (tx *Tx) toFollow(what, limit int) ([]int64, error) {
	return list(tx, scanID, `SELECT asset_id FROM asset_followups WHERE what & ? ORDER BY asset_id LIMIT ?`, what, limit)
}

// Announced clears the marks of AnnounceLater up to an asset ID.
func (tx *Tx) Announced(upTo int64) error { return tx.followed(upTo, followAnnounce) }

// Indexed clears the marks of IndexLater up to an asset ID.
func (tx *Tx) Indexed(upTo int64) error { return tx.followed(upTo, followIndex) }

func (tx *Tx) followed(upTo int64, what int) error {
	if _, err := tx.exec("", `DELETE FROM asset_followups WHERE asset_id <= ? AND what = ?`, upTo, what); err != nil {
		return err
	}
	_, err := tx.exec("", `UPDATE asset_followups SET what = what - ?2 WHERE asset_id <= ?1 AND what & ?2`, upTo, what)
	return err
}

// HasFollowups reports whether any assets are marked for follow-up work.
func (tx *Tx) HasFollowups() (bool, error) {
	return one[bool](tx, "", `SELECT EXISTS (SELECT 1 FROM asset_followups)`)
}

// CaptureSource contains the facts from which the UTC offset of a capture date is found.
type CaptureSource struct {
	AssetID   int64
	At        time.Time // zero for an asset without a date or with a known offset
	Technical map[string]any
	Edited    bool // somebody has changed the date, as far back as the history goes
}

// ToFindOffset returns up to limit assets that migration 54 left without an offset, by
// ID.
func (tx *Tx) ToFindOffset(limit int) ([]CaptureSource, error) {
	return list(tx, func(r row) (CaptureSource, error) {
		var s CaptureSource
		var at *time.Time
		err := r.Scan(&s.AssetID, optTimeCol{&at}, jsonCol{&s.Technical}, &s.Edited)
		if at != nil {
			s.At = *at
		}
		return s, err
	}, `SELECT f.asset_id, a.capture_date, d.technical,
			EXISTS (SELECT 1 FROM asset_history h WHERE h.asset_id = f.asset_id AND h.changes LIKE '%"field":"capture_date"%')
		FROM asset_followups f
		LEFT JOIN assets a ON a.id = f.asset_id AND a.capture_offset IS NULL
		LEFT JOIN asset_details d ON d.asset_id = a.id
		WHERE f.what & ? ORDER BY f.asset_id LIMIT ?`, followOffset, limit)
}

// SetOffsets writes the offsets of capture dates that have not changed meanwhile. found
// omits assets whose offset is unknown.
func (tx *Tx) SetOffsets(from []CaptureSource, found map[int64]int) error {
	var changed []int64
	for _, s := range from {
		minutes, ok := found[s.AssetID]
		if !ok {
			continue
		}
		n, err := tx.exec("Asset", `UPDATE assets SET capture_offset = ?, version = version + 1
			WHERE id = ? AND capture_date = ? AND capture_offset IS NULL`, minutes, s.AssetID, msec(s.At))
		if err != nil {
			return err
		}
		if n > 0 {
			changed = append(changed, s.AssetID)
		}
	}
	if err := tx.AllChanged(changed); err != nil {
		return err
	}
	return tx.followed(from[len(from)-1].AssetID, followOffset)
}

// ToReadPeople returns up to limit pictures that migration 58 marked because the people in
// them had not been read from their files, by ID.
func (tx *Tx) ToReadPeople(limit int) ([]int64, error) { return tx.toFollow(followPeople, limit) }

// WithoutPeople returns those of the assets that have no people, and whose people nobody has
// edited, as far back as the history goes.
func (tx *Tx) WithoutPeople(assets []int64) ([]int64, error) {
	return list(tx, scanID, `SELECT id FROM assets WHERE id IN (SELECT value FROM json_each(?))
		AND NOT EXISTS (SELECT 1 FROM asset_words w WHERE w.asset_id = id AND w.kind = 'person')
		AND NOT EXISTS (SELECT 1 FROM asset_history h WHERE h.asset_id = assets.id AND h.changes LIKE '%"field":"people"%')`, ids(assets))
}

// AddPeople adds people to an asset that has none.
func (tx *Tx) AddPeople(asset int64, names []string) error {
	if err := tx.putWords(asset, wordKind("people"), names); err != nil {
		return err
	}
	if _, err := tx.exec("Asset", `UPDATE assets SET version = version + 1 WHERE id = ?`, asset); err != nil {
		return err
	}
	return tx.AllChanged([]int64{asset})
}

// PeopleRead clears the marks of migration 58 up to an asset ID.
func (tx *Tx) PeopleRead(upTo int64) error { return tx.followed(upTo, followPeople) }

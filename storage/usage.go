package storage

import (
	"math"
	"time"
)

// usageClockSlack is how far the clock may go back without dates being announced again.
const usageClockSlack = time.Hour

// A UsageTurn is the start or the end of the usage period of an asset.
type UsageTurn struct {
	At      time.Time
	AssetID int64
}

// startUsageTold marks all dates before now as announced.
func (tx *Tx) startUsageTold() error { return tx.SetUsageTold(UsageTurn{tx.now, math.MaxInt64}) }

// SetUsageTold records the last announced turn.
func (tx *Tx) SetUsageTold(last UsageTurn) error {
	_, err := tx.exec("", `INSERT INTO usage_told (id, at, asset_id) VALUES (1, ?, ?)
		ON CONFLICT (id) DO UPDATE SET at = excluded.at, asset_id = excluded.asset_id`, msec(last.At), last.AssetID)
	return err
}

// UsageTold returns the last announced turn. If the clock was far ahead then, it returns
// the current time instead.
func (tx *Tx) UsageTold() (t UsageTurn, err error) {
	err = wrap(tx.tx.QueryRowContext(tx.ctx, `SELECT at, asset_id FROM usage_told`).Scan(timeCol{&t.At}, &t.AssetID), "Usage")
	if t.At.After(tx.now.Add(usageClockSlack)) {
		t = UsageTurn{tx.now, math.MaxInt64}
	}
	return t, err
}

// UsageTurns returns up to limit turns of assets outside the trash, after one up to now,
// in order.
func (tx *Tx) UsageTurns(after UsageTurn, limit int) ([]UsageTurn, error) {
	return list(tx, func(r row) (t UsageTurn, err error) { return t, r.Scan(timeCol{&t.At}, &t.AssetID) }, `
		SELECT * FROM (SELECT usage_from AS at, id FROM assets
			WHERE (usage_from, id) > (?1, ?2) AND usage_from <= ?3 AND deleted_at IS NULL ORDER BY usage_from, id LIMIT ?4)
		UNION ALL
		SELECT * FROM (SELECT usage_until AS at, id FROM assets
			WHERE (usage_until, id) > (?1, ?2) AND usage_until <= ?3 AND deleted_at IS NULL ORDER BY usage_until, id LIMIT ?4)
		ORDER BY at, id LIMIT ?4`, msec(after.At), after.AssetID, msec(tx.now), limit)
}

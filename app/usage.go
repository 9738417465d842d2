package app

import (
	"io"
	"math"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// A Usage says when an asset may be used, and whether that is now.
type Usage struct {
	State       dam.UsageState
	From, Until *time.Time // nil for no bound
}

func usageOf(asset *dam.Asset, now time.Time) Usage {
	return Usage{asset.UsageAt(now), asset.UsageFrom, asset.UsageUntil}
}

// Deliverable reports whether files of an asset may leave the house at a time: whether they may
// be sent to somebody who has no right of their own to download them, but the URL of a picture, a
// share or an embed. An asset in the trash may not, nor one outside the dates of its usage.
func Deliverable(asset *dam.Asset, now time.Time) bool {
	return asset.DeletedAt == nil && asset.UsageAt(now) == dam.UsageActive
}

// DeliverableFor returns for how long after now, but not longer than most, others may keep what
// has been delivered of an asset: 0 for one that is not Deliverable.
func DeliverableFor(asset *dam.Asset, now time.Time, most time.Duration) time.Duration {
	switch {
	case !Deliverable(asset, now):
		return 0
	case asset.UsageUntil == nil:
		return most
	}
	return min(most, asset.UsageUntil.Sub(now))
}

// WhileDeliverable returns content of an asset that cannot be read beyond the end of its usage,
// as it was when the content was opened: a transfer under way breaks off then.
func WhileDeliverable(content io.ReadSeekCloser, asset *dam.Asset, now func() time.Time) io.ReadSeekCloser {
	if asset.UsageUntil == nil {
		return content
	}
	return &untilEnd{content, *asset.UsageUntil, now}
}

var errUsageEnded = dam.Errorf(dam.NotFound, "The usage of the asset has ended.")

type untilEnd struct {
	io.ReadSeekCloser
	until time.Time
	now   func() time.Time
}

// Read fails once the usage has ended.
func (u *untilEnd) Read(b []byte) (int, error) {
	if !u.now().Before(u.until) {
		return 0, errUsageEnded
	}
	return u.ReadSeekCloser.Read(b)
}

// usageTellEvery is how often it is noted that nothing has begun or ended.
const usageTellEvery = time.Hour

// tellUsage writes asset.updated for assets whose usage has begun or ended since it last did, up
// to limit beginnings and ends, of each of them once. It returns how many there were. What has
// begun and ended meanwhile is told once; what is in the trash is not told.
func (f *followups) tellUsage(tx *storage.Tx, limit int) (int64, error) {
	told, err := tx.UsageTold()
	if err != nil {
		return 0, err
	}
	turns, err := tx.UsageTurns(told, limit)
	if err != nil || len(turns) == 0 && tx.Now().Sub(told.At) < usageTellEvery {
		return 0, err
	}
	var assets []int64
	seen := map[int64]bool{}
	for _, t := range turns {
		if !seen[t.AssetID] {
			seen[t.AssetID] = true
			assets = append(assets, t.AssetID)
		}
	}
	if err := f.touched(tx, assets); err != nil {
		return 0, err
	}
	last := storage.UsageTurn{At: tx.Now(), AssetID: math.MaxInt64}
	if len(turns) == limit { // there may be more
		last = turns[limit-1]
	}
	return int64(len(turns)), tx.SetUsageTold(last)
}

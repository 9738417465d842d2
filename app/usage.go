package app

import (
	"io"
	"math"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// A Usage is the period in which an asset may be used, and its current state.
type Usage struct {
	State       dam.UsageState
	From, Until *time.Time // nil for no limit
}

func usageOf(asset *dam.Asset, now time.Time) Usage {
	return Usage{asset.UsageAt(now), asset.UsageFrom, asset.UsageUntil}
}

// Deliverable reports whether files of an asset may be delivered at a given time to
// recipients with only the URL of a picture, a share or an embed, and without the right to
// download them. Assets in the trash may not, nor may those outside their usage period.
func Deliverable(asset *dam.Asset, now time.Time) bool {
	return asset.DeletedAt == nil && asset.UsageAt(now) == dam.UsageActive
}

// DeliverableFor returns for how long after now, at most most, recipients may cache
// delivered files of an asset: 0 if it is not Deliverable.
func DeliverableFor(asset *dam.Asset, now time.Time, most time.Duration) time.Duration {
	switch {
	case !Deliverable(asset, now):
		return 0
	case asset.UsageUntil == nil:
		return most
	}
	return min(most, asset.UsageUntil.Sub(now))
}

// WhileDeliverable returns content of an asset that cannot be read after the end of its
// usage period, as known when the content was opened: a running transfer is interrupted
// then.
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

// Read fails once the usage period has ended.
func (u *untilEnd) Read(b []byte) (int, error) {
	if !u.now().Before(u.until) {
		return 0, errUsageEnded
	}
	return u.ReadSeekCloser.Read(b)
}

// usageTellEvery is the interval at which progress is recorded even if no usage period has
// begun or ended.
const usageTellEvery = time.Hour

// tellUsage emits asset.updated for assets whose usage period has begun or ended since the
// last call, up to limit beginnings and ends, once per asset. It returns their number. A
// period that has both begun and ended is reported once; assets in the trash are not
// reported.
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

package dam

import (
	"io"
	"time"
)

// A Usage is the period in which an asset may be used, and its current state.
type Usage struct {
	State       UsageState
	From, Until *time.Time // nil for no limit
}

// UsageOf returns the usage period of an asset and its state at a given time.
func UsageOf(asset *Asset, now time.Time) Usage {
	return Usage{asset.UsageAt(now), asset.UsageFrom, asset.UsageUntil}
}

// Deliverable reports whether files of an asset may be delivered at a given time to
// recipients with only the URL of a picture, a share or an embed, and without the right to
// download them. Assets in the trash may not, nor may those outside their usage period.
func Deliverable(asset *Asset, now time.Time) bool {
	return asset.DeletedAt == nil && asset.UsageAt(now) == UsageActive
}

// DeliverableFor returns for how long after now, at most most, recipients may cache
// delivered files of an asset: 0 if it is not Deliverable.
func DeliverableFor(asset *Asset, now time.Time, most time.Duration) time.Duration {
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
func WhileDeliverable(content io.ReadSeekCloser, asset *Asset, now func() time.Time) io.ReadSeekCloser {
	if asset.UsageUntil == nil {
		return content
	}
	return &untilEnd{content, *asset.UsageUntil, now}
}

var errUsageEnded = Errorf(NotFound, "The usage of the asset has ended.")

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

package dam

import "time"

// The offsets from UTC that zones have, in minutes.
const (
	MinOffset = -12 * 60
	MaxOffset = 14 * 60
)

// AtOffset returns t with an offset from UTC in minutes, so that its clock is that of the place.
func AtOffset(t time.Time, minutes int) time.Time { return t.In(time.FixedZone("", minutes*60)) }

// OffsetOf returns the offset of a capture date from UTC in minutes, and whether it is known.
func OffsetOf(t time.Time) (minutes int, known bool) {
	_, seconds := t.Zone()
	return seconds / 60, t.Location() != time.UTC
}

// LocalTime returns what the clock at the place showed at t, as if that place were in UTC. Without a
// known offset it is t, which then is what the camera's clock showed.
func LocalTime(t time.Time) time.Time {
	minutes, _ := OffsetOf(t)
	return t.UTC().Add(time.Duration(minutes) * time.Minute)
}

// CaptureLocalTime writes the clock at the place where the picture was taken:
// "2023-12-31T22:00:00.05", "" without a capture date.
func (a *Asset) CaptureLocalTime() string {
	if a.CaptureDate == nil {
		return ""
	}
	return LocalTime(*a.CaptureDate).Format("2006-01-02T15:04:05.999")
}

// CaptureUTCOffset writes the offset of that clock: "-08:00", "" if it is not known.
func (a *Asset) CaptureUTCOffset() string {
	if a.CaptureDate == nil {
		return ""
	}
	minutes, known := OffsetOf(*a.CaptureDate)
	if !known {
		return ""
	}
	return AtOffset(*a.CaptureDate, minutes).Format("-07:00")
}

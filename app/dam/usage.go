package dam

import "time"

// UsageState tells whether an asset may be used according to its usage dates.
type UsageState string

// The usage states. An asset without dates is active.
const (
	UsageUpcoming UsageState = "upcoming" // before UsageFrom
	UsageActive   UsageState = "active"
	UsageExpired  UsageState = "expired" // from UsageUntil on
)

// Values lists the usage states.
func (UsageState) Values() []UsageState {
	return []UsageState{UsageUpcoming, UsageActive, UsageExpired}
}

// UsageAt returns the usage state at a time. UsageFrom is inclusive and UsageUntil
// exclusive.
func (a *Asset) UsageAt(at time.Time) UsageState {
	switch {
	case a.UsageUntil != nil && !at.Before(*a.UsageUntil):
		return UsageExpired
	case a.UsageFrom != nil && at.Before(*a.UsageFrom):
		return UsageUpcoming
	}
	return UsageActive
}

func startOfDay(day time.Time) time.Time { return day }

// endOfDay returns the last millisecond of a day in UTC: usage until a day includes that
// day, and filters for the day match it.
func endOfDay(day time.Time) time.Time { return day.AddDate(0, 0, 1).Add(-time.Millisecond) }

package dam

import "time"

// UsageState says whether an asset may be used, by the dates of its usage.
type UsageState string

// The states of usage. An asset without dates is active.
const (
	UsageUpcoming UsageState = "upcoming" // before UsageFrom
	UsageActive   UsageState = "active"
	UsageExpired  UsageState = "expired" // from UsageUntil on
)

// Values lists the states of usage.
func (UsageState) Values() []UsageState {
	return []UsageState{UsageUpcoming, UsageActive, UsageExpired}
}

// UsageAt returns whether an asset may be used at a time: from UsageFrom, to just before
// UsageUntil.
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

// endOfDay returns the last millisecond of a day in UTC: a usage until a day includes it,
// and rules about the day find it.
func endOfDay(day time.Time) time.Time { return day.AddDate(0, 0, 1).Add(-time.Millisecond) }

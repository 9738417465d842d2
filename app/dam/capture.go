package dam

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// CaptureTime is when a picture was taken, to the millisecond. Its location is the offset of the
// camera's clock from UTC. While that is unknown, the location is time.UTC, and the time is what the
// clock showed, as if the place were in UTC.
type CaptureTime struct{ time.Time }

// The offsets from UTC that zones have, in minutes.
const (
	MinOffset = -12 * 60
	MaxOffset = 14 * 60
)

// CaptureAt returns t as a capture time, with the offset that t has unless its location is time.UTC. An
// offset that no zone has is unknown.
func CaptureAt(t time.Time) CaptureTime {
	minutes, known := OffsetOf(t)
	t = t.UTC().Truncate(time.Millisecond)
	if known && minutes >= MinOffset && minutes <= MaxOffset {
		t = AtOffset(t, minutes)
	}
	return CaptureTime{t}
}

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

// ClockAt returns when a clock at an offset from UTC, in minutes, shows what another in UTC does at t.
func ClockAt(t time.Time, minutes int) time.Time {
	return AtOffset(t.Add(-time.Duration(minutes)*time.Minute), minutes)
}

const localLayout = "2006-01-02T15:04:05.999"

// Text writes a capture time as XMP has dates: the local time, with the offset if it is known.
func (c CaptureTime) Text() string {
	if _, known := OffsetOf(c.Time); known {
		return c.Format(localLayout + "-07:00")
	}
	return c.Format(localLayout)
}

// MarshalJSON writes a time of RFC 3339, which ends in Z if the offset is unknown.
func (c CaptureTime) MarshalJSON() ([]byte, error) {
	if y := c.Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("a capture time in the year %d", y)
	}
	layout := localLayout + "Z07:00"
	if _, known := OffsetOf(c.Time); known {
		layout = localLayout + "-07:00"
	}
	return strconv.AppendQuote(nil, c.Format(layout)), nil
}

// UnmarshalJSON reads a time of RFC 3339. One that ends in Z is without an offset.
func (c *CaptureTime) UnmarshalJSON(b []byte) error {
	var t time.Time
	if err := t.UnmarshalJSON(b); err != nil {
		return err
	}
	*c = CaptureAt(t)
	return nil
}

// CaptureLocalTime writes the clock at the place where the picture was taken:
// "2023-12-31T22:00:00.05", "" without a capture date.
func (a *Asset) CaptureLocalTime() string {
	if a.CaptureDate == nil {
		return ""
	}
	return a.CaptureDate.Format(localLayout)
}

// CaptureUTCOffset writes the offset of that clock: "-08:00", "" if it is not known.
func (a *Asset) CaptureUTCOffset() string {
	if a.CaptureDate == nil {
		return ""
	}
	if _, known := OffsetOf(a.CaptureDate.Time); !known {
		return ""
	}
	return a.CaptureDate.Format("-07:00")
}

var utcOffset = regexp.MustCompile(`^[+-]([01][0-9]|2[0-3]):[0-5][0-9]$`)

// parseOffset reads an offset from UTC, such as "-08:00", in minutes.
func parseOffset(s string) (minutes int, ok bool) {
	if !utcOffset.MatchString(s) {
		return 0, false
	}
	t, err := time.Parse("-07:00", s)
	minutes, _ = OffsetOf(t)
	return minutes, err == nil && minutes >= MinOffset && minutes <= MaxOffset
}

// maxShiftDays bounds shifts of capture times: about a century.
const maxShiftDays = 36_525

var shiftText = regexp.MustCompile(`^([+-]?)P(\d{1,6}W)?(\d{1,6}D)?(?:T(\d{1,9}H)?(\d{1,9}M)?(\d{1,9}(?:[.,]\d{1,3})?S)?)?$`)

// ParseShift reads a duration of ISO 8601 with or without a sign. It has weeks, days, hours, minutes and
// seconds, but no months and years, which are of no certain length.
func ParseShift(s string) (time.Duration, bool) {
	m := shiftText.FindStringSubmatch(s)
	if m == nil || strings.HasSuffix(s, "P") || strings.HasSuffix(s, "T") {
		return 0, false
	}
	seconds := 0.0
	for i, unit := range []float64{7 * 24 * 3600, 24 * 3600, 3600, 60, 1} {
		if part := m[i+2]; part != "" {
			n, _ := strconv.ParseFloat(strings.Replace(part[:len(part)-1], ",", ".", 1), 64)
			seconds += n * unit
		}
	}
	if seconds > maxShiftDays*24*3600 {
		return 0, false
	}
	shift := time.Duration(math.Round(seconds*1000)) * time.Millisecond
	if m[1] == "-" {
		shift = -shift
	}
	return shift, true
}

// captureFields are the fields about when a picture was taken: the instant, the offset of the camera's
// clock, and, for the history, what that showed. Lists are filtered by the instant.
func captureFields() []AssetField {
	return []AssetField{
		{
			Name: "capture_date", Filter: FilterDate,
			value: func(a *Asset) any {
				if a.CaptureDate == nil {
					return nil
				}
				t := a.CaptureDate.UTC()
				return &t
			},
			sent:  func(p *AssetPatch) bool { return p.CaptureDate.Sent },
			apply: applyCaptureDate,
			check: func(a *Asset, p *Problems) {
				if c := a.CaptureDate; c != nil && (min(c.Year(), c.UTC().Year()) < 1 || max(c.Year(), c.UTC().Year()) > 9999) {
					p.Add("capture_date", "capture_date must be in the years 1 to 9999.")
				}
			},
		},
		{
			Name: "capture_utc_offset", Filter: FilterNone,
			value: func(a *Asset) any { return a.CaptureUTCOffset() },
			sent:  func(p *AssetPatch) bool { return p.CaptureUTCOffset.Sent },
			apply: applyCaptureOffset,
		},
		{
			Name: "capture_local_time", Filter: FilterNone,
			value: func(a *Asset) any { return a.CaptureLocalTime() },
			sent:  func(*AssetPatch) bool { return false }, // it follows from the others
		},
	}
}

// applyCaptureDate sets the instant. The offset is that of the value, else that which is sent with it,
// else it stays.
func applyCaptureDate(p *AssetPatch, a *Asset, wrong *Problems) {
	if p.CaptureDate.Null {
		a.CaptureDate = nil
		return
	}
	c, sent, now := p.CaptureDate.Value, p.CaptureUTCOffset, a.CaptureUTCOffset()
	own, known := OffsetOf(c.Time)
	other := sent.Sent && sent.Value != now && sent.Value != c.Format("-07:00")
	switch minutes, ok := parseOffset(sent.to(now)); {
	case known && (own < MinOffset || own > MaxOffset):
		wrong.Add("capture_date", "capture_date must have an offset between -12:00 and +14:00.")
	case known && other:
		wrong.Add("capture_utc_offset", "capture_utc_offset is not the offset that capture_date has.")
	case known:
	case ok && p.isClock:
		c.Time = ClockAt(c.Time, minutes)
	case ok:
		c.Time = AtOffset(c.Time, minutes)
	case sent.Sent && !sent.Null:
		wrong.badOffset("")
	}
	c = CaptureAt(c.Time)
	a.CaptureDate = &c
}

// applyCaptureOffset sets the offset alone: the clock showed what it did, so the instant moves.
func applyCaptureOffset(p *AssetPatch, a *Asset, wrong *Problems) {
	sent := p.CaptureUTCOffset
	minutes, ok := parseOffset(sent.Value)
	switch {
	case p.CaptureDate.Sent: // see applyCaptureDate
	case !sent.Null && !ok:
		wrong.badOffset("")
	case a.CaptureDate == nil && ok:
		wrong.Add("capture_utc_offset", "capture_utc_offset needs a capture_date.")
	case a.CaptureDate != nil:
		c := CaptureTime{LocalTime(a.CaptureDate.Time)}
		if ok {
			c.Time = ClockAt(c.Time, minutes)
		}
		a.CaptureDate = &c
	}
}

func (p *Problems) badOffset(within string) {
	p.Add(within+"capture_utc_offset", "capture_utc_offset must be an offset between -12:00 and +14:00, such as -08:00.")
}

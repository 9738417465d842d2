package dam

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// CaptureTime is the time when a picture was taken, with millisecond precision. Its
// location is the camera's offset from UTC. If the offset is unknown, the location is
// time.UTC and the time is the camera's local time.
type CaptureTime struct{ time.Time }

// The range of UTC offsets of time zones, in minutes.
const (
	MinOffset = -12 * 60
	MaxOffset = 14 * 60
)

// CaptureAt returns t as a capture time. It keeps the offset of t unless the location is
// time.UTC or no time zone has that offset; it is then unknown.
func CaptureAt(t time.Time) CaptureTime {
	minutes, known := OffsetOf(t)
	t = t.UTC().Truncate(time.Millisecond)
	if known && minutes >= MinOffset && minutes <= MaxOffset {
		t = AtOffset(t, minutes)
	}
	return CaptureTime{t}
}

// AtOffset returns the same instant at an offset from UTC in minutes.
func AtOffset(t time.Time, minutes int) time.Time { return t.In(time.FixedZone("", minutes*60)) }

// OffsetOf returns the UTC offset of a capture date in minutes and whether it is known.
func OffsetOf(t time.Time) (minutes int, known bool) {
	_, seconds := t.Zone()
	return seconds / 60, t.Location() != time.UTC
}

// LocalTime returns the local time at t, expressed in UTC. If the offset is unknown, it
// returns t, which is the camera's local time.
func LocalTime(t time.Time) time.Time {
	minutes, _ := OffsetOf(t)
	return t.UTC().Add(time.Duration(minutes) * time.Minute)
}

// ClockAt returns the instant when a clock at an offset of minutes shows the clock time of
// t in UTC.
func ClockAt(t time.Time, minutes int) time.Time {
	return AtOffset(t.Add(-time.Duration(minutes)*time.Minute), minutes)
}

const localLayout = "2006-01-02T15:04:05.999"

// Text formats a capture time like an XMP date: the local time, with the offset if known.
func (c CaptureTime) Text() string {
	if _, known := OffsetOf(c.Time); known {
		return c.Format(localLayout + "-07:00")
	}
	return c.Format(localLayout)
}

// MarshalJSON writes an RFC 3339 time, which ends in Z if the offset is unknown.
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

// UnmarshalJSON reads an RFC 3339 time. A Z means an unknown offset.
func (c *CaptureTime) UnmarshalJSON(b []byte) error {
	var t time.Time
	if err := t.UnmarshalJSON(b); err != nil {
		return err
	}
	*c = CaptureAt(t)
	return nil
}

// CaptureLocalTime formats the local time of the capture date, such as
// "2023-12-31T22:00:00.05"; "" without a capture date.
func (a *Asset) CaptureLocalTime() string {
	if a.CaptureDate == nil {
		return ""
	}
	return a.CaptureDate.Format(localLayout)
}

// CaptureUTCOffset formats the offset of the capture date, such as "-08:00"; "" if unknown.
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

// parseOffset parses a UTC offset such as "-08:00" to minutes.
func parseOffset(s string) (minutes int, ok bool) {
	if !utcOffset.MatchString(s) {
		return 0, false
	}
	t, err := time.Parse("-07:00", s)
	minutes, _ = OffsetOf(t)
	return minutes, err == nil && minutes >= MinOffset && minutes <= MaxOffset
}

// maxShiftDays limits shifts of capture times to about a century.
const maxShiftDays = 36_525

var shiftText = regexp.MustCompile(`^([+-]?)P(\d{1,6}W)?(\d{1,6}D)?(?:T(\d{1,9}H)?(\d{1,9}M)?(\d{1,9}(?:[.,]\d{1,3})?S)?)?$`)

// ParseShift parses an ISO 8601 duration with an optional sign. It accepts weeks, days,
// hours, minutes and seconds, but no months or years, whose length varies.
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

// captureFields are the capture date fields: the instant, the UTC offset, and, for the
// history, the local time. Filters use the instant.
func captureFields() []AssetField {
	return []AssetField{
		{
			Name: "capture_date", Filter: FilterDay,
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
			sent:  func(*AssetPatch) bool { return false }, // derived from the other two
		},
	}
}

// applyCaptureDate sets the instant. The offset is that of the value, otherwise the offset
// sent with it, otherwise the current one.
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

// applyCaptureOffset sets the offset alone. The local time stays the same, so the instant
// moves.
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

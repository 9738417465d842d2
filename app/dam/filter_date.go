package dam

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// MaxFilterDays is the maximum distance of a relative date from now.
const MaxFilterDays = 36_500

// relativeDate matches a date relative to now: "now" or "today", with an optional number of
// days before or after it, such as "today+30d".
var relativeDate = regexp.MustCompile(`^(now|today)(?:([+-][0-9]{1,5})d)?$`)

// parseRelative parses a date relative to a time. today is a day in UTC. now is an instant
// rounded down to the second, so that results can be cached for that long.
func parseRelative(text string, now time.Time) (DateRange, bool) {
	m := relativeDate.FindStringSubmatch(text)
	if m == nil {
		return DateRange{}, false
	}
	days := 0
	if m[2] != "" {
		days, _ = strconv.Atoi(m[2])
	}
	if days > MaxFilterDays || days < -MaxFilterDays {
		return DateRange{}, false
	}
	at := now.UTC().Truncate(time.Second).AddDate(0, 0, days)
	if m[1] == "now" {
		return DateRange{From: at.UnixMilli(), To: at.UnixMilli() + 1}, true
	}
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	return DateRange{day.UnixMilli(), day.AddDate(0, 0, 1).UnixMilli(), true}, true
}

// date appends a parsed date to v.
func (p *filterParser) date(s string, v *FilterValue) bool {
	r, ok := ParseDateRange(s)
	if !ok {
		if r, ok = parseRelative(s, p.schema.now()); ok {
			v.Moves = true
		}
	}
	if ok {
		v.Dates = append(v.Dates, r)
	}
	return ok
}

// Moves returns the values of the relative dates of f, which may be nil. When they change,
// f may match other assets. It returns "" for a filter without relative dates.
func (f *Filter) Moves() string {
	var b strings.Builder
	for _, r := range f.Leaves() {
		if r.Value.Moves {
			fmt.Fprint(&b, r.Value.Dates)
		}
	}
	return b.String()
}

// now returns the reference time of relative dates.
func (s *Schema) now() time.Time {
	if s == nil || s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

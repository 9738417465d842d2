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

// parseRelative parses a date relative to a time. today is the day in the time zone of now:
// its first to its last instant or, for a field with days, the day of that name. now is an
// instant rounded down to the second, so that results can be cached for that long.
func parseRelative(text string, now time.Time, t FilterType) (DateRange, bool) {
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
	if m[1] == "now" {
		at := now.UTC().Truncate(time.Second).AddDate(0, 0, days)
		return DateRange{From: at.UnixMilli(), To: at.UnixMilli() + 1}, true
	}
	zone := time.UTC
	if t == FilterDate {
		zone = now.Location()
	}
	midnight := func(day int) int64 {
		return time.Date(now.Year(), now.Month(), now.Day()+day, 0, 0, 0, 0, zone).UnixMilli()
	}
	return DateRange{midnight(days), midnight(days + 1), t != FilterDate}, true
}

// date appends a parsed date for a type of field to v.
func (p *filterParser) date(s string, t FilterType, v *FilterValue) bool {
	r, ok := ParseDateRange(s)
	if !ok {
		if r, ok = parseRelative(s, p.schema.now(), t); ok {
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

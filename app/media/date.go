package media

import (
	"strings"
	"time"
)

// captured works out when the picture was taken, in UTC. It uses the first of
// these: the camera's clock with the zone that EXIF gives; XMP's date with its
// zone; the camera's clock with the zone that GPS time implies; the camera's clock
// as if it were UTC. Where the zone comes from is kept in exif as
// "date_time_zone".
func (c *collector) captured() *time.Time {
	clock, ok := exifTime(c.exif.text("DateTimeOriginal"), c.exif.text("SubSecTimeOriginal"))
	if !ok {
		clock, ok = exifTime(c.exif.text("CreateDate"), c.exif.text("SubSecTimeDigitized"))
	}
	zone := first(c.exif.text("OffsetTimeOriginal"), c.exif.text("OffsetTimeDigitized"), c.exif.text("OffsetTime"))
	if off, err := time.Parse("-07:00", strings.Replace(zone, "Z", "+00:00", 1)); ok && err == nil {
		_, seconds := off.Zone()
		return c.zoned(clock.Add(-time.Duration(seconds)*time.Second), zone)
	}
	for _, name := range []string{"DateTimeOriginal", "DateCreated", "CreateDate"} {
		t, hasZone, okXMP := xmpTime(c.xmp.text(name))
		if okXMP && hasZone && (!ok || name == "DateTimeOriginal" || sameClock(t, clock)) {
			return c.zoned(t, "XMP")
		}
		if okXMP && !ok && !hasZone {
			clock, ok = t, true
		}
	}
	if !ok {
		t, hasZone, okIPTC := iptcTime(c.iptc.text("DateCreated"), c.iptc.text("TimeCreated"))
		if okIPTC && hasZone {
			return c.zoned(t, "IPTC")
		}
		clock, ok = t, okIPTC
	}
	if !ok {
		return nil
	}
	gps, okGPS := exifTime(c.gps.text("GPSDateStamp")+" "+c.gps.text("GPSTimeStamp"), "")
	if diff := clock.Sub(gps); okGPS && diff.Abs() <= 15*time.Hour {
		off := diff.Round(15 * time.Minute)
		return c.zoned(clock.Add(-off), "GPS")
	}
	return c.zoned(clock, "unknown")
}

// zoned notes where the zone of a capture date comes from.
func (c *collector) zoned(t time.Time, source string) *time.Time {
	c.exif["date_time_zone"] = source
	t = t.UTC().Truncate(time.Millisecond)
	return &t
}

// sameClock reports whether a time shows the same wall clock as clock, which is
// in UTC, or nearly.
func sameClock(t, clock time.Time) bool {
	_, off := t.Zone()
	return t.Add(time.Duration(off)*time.Second).Sub(clock).Abs() < 2*time.Second
}

// exifTime reads "2006:01:02 15:04:05" with fractions of a second apart.
func exifTime(s, fraction string) (time.Time, bool) {
	if i := strings.IndexByte(s, '.'); i >= 0 {
		s = s[:i]
	}
	t, err := time.Parse("2006:01:02 15:04:05", s)
	if err != nil || !plausible(t) {
		return t, false
	}
	// imagemeta has turned the fraction into a number, so how many zeros a short one
	// began with is lost.
	if f, ok := number("0." + strings.TrimSpace(fraction)); ok && f < 1 && len(fraction) >= 3 && len(fraction) <= 9 {
		t = t.Add(time.Duration(f * float64(time.Second)))
	}
	return t, true
}

// xmpTime reads the forms of ISO 8601 that XMP has (XMP part 1, section 8.2.1.2).
func xmpTime(s string) (t time.Time, zone, ok bool) {
	for _, layout := range []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true, plausible(t)
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, false, plausible(t)
		}
	}
	return t, false, false
}

// iptcTime reads IPTC's "20060102" and "150405±0700".
func iptcTime(date, clock string) (t time.Time, zone, ok bool) {
	date, clock = strings.NewReplacer("-", "", ":", "").Replace(date), strings.ReplaceAll(clock, ":", "")
	if t, err := time.Parse("20060102150405-0700", date+clock); err == nil {
		return t.UTC(), true, plausible(t)
	}
	for _, s := range []string{date + clock, date} {
		if t, err := time.Parse("20060102150405"[:min(len(s), 14)], s); err == nil && len(s) >= 8 {
			return t, false, plausible(t)
		}
	}
	return t, false, false
}

// plausible reports whether a picture can have been taken at that time: not before
// the first photo, and not so late that the clock must be wrong.
func plausible(t time.Time) bool { return t.Year() >= 1826 && t.Year() < 2100 }

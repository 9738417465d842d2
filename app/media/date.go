package media

import (
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// captured determines when the picture was taken. The location of the result is the offset
// of the camera's clock, or time.UTC if that is unknown. The sources, in order of
// preference: the camera's clock with the zone in EXIF; the XMP date with its zone; the
// camera's clock with the zone implied by GPS time; the camera's clock taken as UTC; GPS
// time alone. The source of the zone is stored in exif as "date_time_zone".
func (c *collector) captured() *dam.CaptureTime {
	if was := c.xmp.text("ReplacesDateTimeOriginal"); was != "" && was == ReplacedDate(c.exif) { // written by dal
		if t, _, ok := xmpTime(c.xmp.text("DateTimeOriginal")); ok {
			return c.zoned(t, "XMP")
		}
		return nil
	}
	clock, ok := exifTime(c.exif.text("DateTimeOriginal"), c.exif.text("SubSecTimeOriginal"))
	if !ok {
		clock, ok = exifTime(c.exif.text("CreateDate"), c.exif.text("SubSecTimeDigitized"))
	}
	zone := first(c.exif.text("OffsetTimeOriginal"), c.exif.text("OffsetTimeDigitized"), c.exif.text("OffsetTime"))
	if off, err := time.Parse("-07:00", strings.Replace(zone, "Z", "+00:00", 1)); ok && err == nil {
		_, seconds := off.Zone()
		if minutes := seconds / 60; minutes >= dam.MinOffset && minutes <= dam.MaxOffset {
			return c.zoned(dam.ClockAt(clock, minutes), zone)
		}
	}
	for _, name := range []string{"DateTimeOriginal", "DateCreated", "CreateDate"} {
		t, hasZone, okXMP := xmpTime(c.xmp.text(name))
		if okXMP && hasZone && (!ok || name == "DateTimeOriginal" || sameClock(t, clock)) {
			if _, known := dam.OffsetOf(t); ok && !known { // in UTC; the local clock is in EXIF
				if minutes, real := offsetBetween(clock, t); real && minutes != 0 {
					t = dam.AtOffset(t, minutes)
				}
			}
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
	gps, okGPS := c.gpsTime()
	switch {
	case !ok && !okGPS:
		return nil
	case !ok:
		return c.zoned(gps, "GPS time")
	case okGPS:
		if minutes, ok := offsetBetween(clock, gps); ok {
			return c.zoned(dam.ClockAt(clock, minutes), "GPS")
		}
	}
	return c.zoned(clock, "unknown")
}

// ReplacedDate returns the value of dam.XMPReplacedDate for a file with the given EXIF.
func ReplacedDate(exif map[string]any) string {
	return first(tags(exif).text("DateTimeOriginal"), tags(exif).text("CreateDate"), "none")
}

// gpsTime returns the time of the GPS fix, which is UTC.
func (c *collector) gpsTime() (time.Time, bool) {
	stamp, fraction, _ := strings.Cut(c.gps.text("GPSTimeStamp"), ".")
	if t, ok := exifTime(c.gps.text("GPSDateStamp")+" "+stamp, fraction); ok {
		return t, true
	}
	t, _, ok := xmpTime(c.xmp.text("GPSTimeStamp"))
	return t.UTC(), ok && strings.Contains(c.xmp.text("GPSTimeStamp"), ":")
}

// partHours are the offsets, in minutes, that are not whole hours and that some zone has
// used in the era of digital cameras (IANA time zone database).
var partHours = []int{-570, -270, -210, -150, 210, 270, 330, 345, 390, 510, 525, 570, 630, 645, 765, 825}

// offsetBetween returns the offset between a camera's clock and the time of its GPS fix, in
// minutes, if a zone with that offset exists. Cameras without a current fix repeat the last
// one, so the fix is often earlier than the picture.
func offsetBetween(clock, gps time.Time) (minutes int, ok bool) {
	const slack = 2 * time.Minute
	diff := clock.Sub(gps)
	minutes = int(diff.Round(15 * time.Minute).Minutes())
	if minutes < dam.MinOffset || minutes > dam.MaxOffset || minutes%60 != 0 && !slices.Contains(partHours, minutes) {
		return 0, false
	}
	return minutes, (diff - time.Duration(minutes)*time.Minute).Abs() <= slack
}

// zoned records the source of a capture date's zone.
func (c *collector) zoned(t time.Time, source string) *dam.CaptureTime {
	c.exif["date_time_zone"] = source
	return capturedAt(t)
}

func capturedAt(t time.Time) *dam.CaptureTime {
	c := dam.CaptureAt(t)
	return &c
}

// sameClock reports whether the wall-clock time of t is within two seconds of clock, which
// is in UTC.
func sameClock(t, clock time.Time) bool { return dam.LocalTime(t).Sub(clock).Abs() < 2*time.Second }

// exifTime parses "2006:01:02 15:04:05" with the digits of the fractional second given
// separately: "05" is 0.05 s.
func exifTime(s, fraction string) (time.Time, bool) {
	if i := strings.IndexByte(s, '.'); i >= 0 {
		s = s[:i]
	}
	t, err := time.Parse("2006:01:02 15:04:05", s)
	if err != nil || !plausible(t) {
		return t, false
	}
	digits := strings.TrimSpace(fraction)
	if d, err := time.ParseDuration("0." + digits + "s"); err == nil && strings.Trim(digits, "0123456789") == "" {
		t = t.Add(d)
	}
	return t, true
}

// xmpTime parses the ISO 8601 forms that XMP allows (XMP part 1, section 8.2.1.2).
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

// iptcTime parses the IPTC forms "20060102" and "150405±0700".
func iptcTime(date, clock string) (t time.Time, zone, ok bool) {
	date, clock = strings.NewReplacer("-", "", ":", "").Replace(date), strings.ReplaceAll(clock, ":", "")
	if t, err := time.Parse("20060102150405-0700", date+clock); err == nil {
		return t, true, plausible(t)
	}
	for _, s := range []string{date + clock, date} {
		if t, err := time.Parse("20060102150405"[:min(len(s), 14)], s); err == nil && len(s) >= 8 {
			return t, false, plausible(t)
		}
	}
	return t, false, false
}

// plausible reports whether a picture can have been taken at that time: not before the
// first photograph, and not so far in the future that the clock must be wrong.
func plausible(t time.Time) bool { return t.Year() >= 1826 && t.Year() < 2100 }

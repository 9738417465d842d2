package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/bep/imagemeta"

	"github.com/digital-asset-library/dal/app/dam"
)

// metadata is what a file says of itself. Bad metadata is never a fault of the
// file: it is told in problem.
type metadata struct {
	orientation int
	captureDate *time.Time
	title       string
	creator     string
	copyright   string
	keywords    []string
	technical   map[string]any
	problem     string
}

// The bounds of metadata.
const (
	maxTags      = 400  // kept of each namespace
	maxTagText   = 2000 // bytes of one
	metaTimeout  = 5 * time.Second
	maxTagsRead  = 5000
	maxTagLength = 10_000
)

// tags are the values of one namespace by name.
type tags map[string]any

// readMetadata reads EXIF, IPTC and XMP.
func readMetadata(r io.ReaderAt, size int64, t Type) metadata {
	c := collector{exif: tags{}, iptc: tags{}, xmp: tags{}, gps: tags{}}
	err := c.decode(io.NewSectionReader(r, 0, size), t)
	if t.MIME == "image/png" {
		packet, xmpErr := pngXMP(r)
		if xmpErr == nil && len(packet) > 0 {
			xmpErr = c.decodeXMP(packet)
		}
		err = errors.Join(err, xmpErr)
	}
	return c.metadata(err)
}

// collector takes the tags that imagemeta finds.
type collector struct {
	exif, iptc, xmp, gps tags
}

func (c *collector) decode(r io.ReadSeeker, t Type) (err error) {
	format, ok := map[string]imagemeta.ImageFormat{"image/jpeg": imagemeta.JPEG, "image/png": imagemeta.PNG,
		"image/webp": imagemeta.WebP, "image/tiff": imagemeta.TIFF}[t.MIME]
	if !ok {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the metadata cannot be read: %v", p)
		}
	}()
	_, err = imagemeta.Decode(imagemeta.Options{R: r, ImageFormat: format, Sources: imagemeta.EXIF | imagemeta.IPTC | imagemeta.XMP,
		ShouldHandleTag: wanted, HandleTag: c.add, Timeout: metaTimeout, LimitNumTags: maxTagsRead, LimitTagSize: maxTagLength})
	return err
}

// decodeXMP reads a packet of XMP, for which imagemeta has no entry of its own:
// as the only chunk of a WebP.
func (c *collector) decodeXMP(packet []byte) error {
	var b bytes.Buffer
	b.WriteString("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00XMP ")
	binary.Write(&b, binary.LittleEndian, uint32(len(packet)))
	b.Write(packet)
	if len(packet)%2 == 1 {
		b.WriteByte(0)
	}
	binary.LittleEndian.PutUint32(b.Bytes()[4:], uint32(b.Len()-8))
	return c.decode(bytes.NewReader(b.Bytes()), Type{MIME: "image/webp"})
}

// wanted leaves out what is of no use to anybody: embedded thumbnails, makers'
// own notes, other binary data.
func wanted(t imagemeta.TagInfo) bool {
	if t.Source != imagemeta.EXIF {
		return true
	}
	return !strings.HasPrefix(t.Namespace, "IFD1") && !strings.HasPrefix(t.Tag, "MakerNote") && !strings.HasPrefix(t.Tag, imagemeta.UnknownPrefix) &&
		!strings.Contains(t.Namespace, "InteroperabilityIFD")
}

func (c *collector) add(t imagemeta.TagInfo) error {
	to := c.exif
	switch {
	case t.Source == imagemeta.IPTC:
		to = c.iptc
	case t.Source == imagemeta.XMP:
		to = c.xmp
	case strings.HasSuffix(t.Namespace, "GPSInfoIFD"):
		to = c.gps
	}
	if v := plain(t.Value); v != nil && (len(to) < maxTags || to[t.Tag] != nil) {
		if old, ok := to[t.Tag]; ok && t.Source == imagemeta.IPTC { // repeatable
			v = append(texts(old), texts(v)...)
		} else if ok {
			return nil // the first folder counts
		}
		to[t.Tag] = v
	}
	return nil
}

// plain turns a tag's value into text, a number or a list of texts, or nil if
// there is nothing to show.
func plain(v any) any {
	switch v := v.(type) {
	case string:
		if s := cleanText(v); s != "" {
			return s
		}
		return nil
	case []string:
		var list []string
		for _, s := range v[:min(len(v), maxTags)] {
			if s = cleanText(s); s != "" {
				list = append(list, s)
			}
		}
		if list == nil {
			return nil
		}
		return list
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return v
	case float32:
		return plain(float64(v))
	case int, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool:
		return v
	case time.Time:
		return v.UTC().Format(time.RFC3339)
	case []byte:
		return nil
	case fmt.Stringer:
		return plain(v.String())
	}
	return plain(fmt.Sprint(v))
}

// cleanText returns a text without control characters, valid, trimmed and
// bounded.
func cleanText(s string) string {
	if len(s) > maxTagText {
		s = s[:maxTagText]
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(s)
}

// texts returns a value as texts.
func texts(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case []string:
		return v
	}
	return []string{fmt.Sprint(v)}
}

// text returns a tag as one text.
func (t tags) text(name string) string { return strings.Join(texts(t[name]), ", ") }

func (c *collector) metadata(err error) metadata {
	m := metadata{orientation: 1, technical: map[string]any{}}
	if err != nil {
		m.problem = cleanText(err.Error())
	}
	if n, ok := c.exif["Orientation"].(uint16); ok && n >= 1 && n <= 8 {
		m.orientation = int(n)
	}
	// XMP is what people wrote last, then IPTC, then EXIF: the order that the
	// Metadata Working Group advises for reading.
	m.title = first(c.xmp.text("Title"), c.iptc.text("ObjectName"), c.iptc.text("Headline"), description(c.exif.text("ImageDescription")))
	m.creator = first(c.xmp.text("Creator"), c.iptc.text("By-line"), c.exif.text("Artist"))
	m.copyright = first(c.xmp.text("Rights"), c.iptc.text("CopyrightNotice"), c.exif.text("Copyright"))
	for _, k := range append(texts(c.xmp["Subject"]), texts(c.iptc["Keywords"])...) {
		for w := range strings.SplitSeq(k, ";") {
			m.keywords = append(m.keywords, w)
		}
	}
	m.keywords = dam.CleanWords(m.keywords)
	m.captureDate = c.captured()
	c.position()
	for name, t := range map[string]tags{"exif": c.exif, "iptc": c.iptc, "xmp": c.xmp, "gps": c.gps} {
		if len(t) > 0 {
			m.technical[name] = map[string]any(t)
		}
	}
	return m
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// description returns an EXIF description unless it is what cameras write into
// every picture.
func description(s string) string {
	upper := strings.ToUpper(s)
	if strings.Contains(upper, "DIGITAL CAMERA") || strings.HasPrefix(upper, "SONY DSC") || strings.HasPrefix(upper, "DIGITAL STILL CAMERA") ||
		strings.HasPrefix(upper, "DCIM") || len(s) < 3 {
		return ""
	}
	return s
}

// position puts latitude, longitude and altitude into the gps namespace as
// signed decimal degrees and metres, or takes impossible ones out.
func (c *collector) position() {
	lat, ok1 := c.gps["GPSLatitude"].(float64)
	long, ok2 := c.gps["GPSLongitude"].(float64)
	if strings.HasPrefix(c.gps.text("GPSLatitudeRef"), "S") {
		lat = -math.Abs(lat)
	}
	if strings.HasPrefix(c.gps.text("GPSLongitudeRef"), "W") {
		long = -math.Abs(long)
	}
	if ok1 && ok2 && math.Abs(lat) <= 90 && math.Abs(long) <= 180 {
		c.gps["latitude"], c.gps["longitude"] = round6(lat), round6(long)
	}
	if alt, ok := number(c.gps["GPSAltitude"]); ok && math.Abs(alt) < 100_000 {
		if c.gps.text("GPSAltitudeRef") == "1" {
			alt = -math.Abs(alt)
		}
		c.gps["altitude"] = alt
	}
}

func round6(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// number reads a number or a fraction.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		var n, d float64 = 0, 1
		if k, _ := fmt.Sscanf(v, "%g/%g", &n, &d); k >= 1 && d != 0 {
			return n / d, true
		}
	}
	return 0, false
}

// captured works out when the picture was taken, UTC: the camera's clock with
// the zone that EXIF gives; XMP's date with its zone; the camera's clock with
// the zone that GPS time implies; the camera's clock as if it were UTC. Where
// the zone comes from is told in exif as "date_time_zone".
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
		clock, ok = iptcTime(c.iptc.text("DateCreated"), c.iptc.text("TimeCreated"))
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
	if len(c.exif) > 0 {
		c.exif["date_time_zone"] = source
	}
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
	if f, ok := number("0." + strings.TrimSpace(fraction)); ok && f < 1 && len(fraction) <= 9 {
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
func iptcTime(date, clock string) (time.Time, bool) {
	date, clock = strings.NewReplacer("-", "", ":", "").Replace(date), strings.ReplaceAll(clock, ":", "")
	if t, err := time.Parse("20060102150405-0700", date+clock); err == nil {
		return t.UTC(), plausible(t)
	}
	t, err := time.Parse("20060102", date)
	return t, err == nil && plausible(t)
}

// plausible reports whether a picture can have been taken then: since the
// first one, and before clocks are plainly wrong.
func plausible(t time.Time) bool { return t.Year() >= 1826 && t.Year() < 2100 }

// fileFacts are what technical.file tells.
func fileFacts(h header, problem string) map[string]any {
	f := map[string]any{"stored_width": h.width, "stored_height": h.height}
	if h.frames > 1 {
		f["frames"] = h.frames
	}
	if h.orientation > 1 {
		f["orientation"] = h.orientation
	}
	if h.profile != "" {
		f["color_profile"] = h.profile
	}
	if problem != "" {
		f["metadata_error"] = problem
	}
	return f
}

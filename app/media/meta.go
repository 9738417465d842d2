package media

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bep/imagemeta"

	"github.com/digital-asset-library/dal/app/dam"
)

// metadata is the metadata read from a file. Bad metadata is never a fault of the file;
// problem describes it.
type metadata struct {
	orientation int
	captureDate *dam.CaptureTime
	title       string
	creator     string
	copyright   string
	description string
	keywords    []string
	people      []string
	rating      *int64
	location    *dam.Location
	usageTerms  string
	properties  map[string][]string
	said        said
	technical   map[string]any
	problem     string
}

// The limits of metadata.
const (
	maxTags      = 400       // per namespace
	maxTagText   = 2000      // bytes per text
	maxTagList   = 16 << 10  // bytes of all texts of one tag
	maxTechnical = 128 << 10 // bytes of all tags that are kept, as JSON
	metaTimeout  = 5 * time.Second
	maxTagsRead  = 5000
	maxTagLength = 10_000 // bytes
)

// tags are the values of one namespace, by name.
type tags map[string]any

// readMetadata reads EXIF, IPTC and XMP within metaTimeout. A reader that exceeds it is
// abandoned: it shares nothing, its reads fail from then on, and imagemeta cannot be
// stopped in any other way.
func readMetadata(s source, f format) metadata {
	ctx, cancel := context.WithTimeout(s.ctx, metaTimeout)
	defer cancel()
	s.ctx = ctx
	done := make(chan metadata, 1)
	go func() { done <- readTags(s, f) }()
	select {
	case m := <-done:
		return m
	case <-ctx.Done():
		return newCollector().metadata(errors.New("reading the metadata took too long"))
	}
}

func readTags(s source, f format) (m metadata) {
	defer func() {
		if p := recover(); p != nil {
			m = newCollector().metadata(fmt.Errorf("the metadata cannot be read: %v", p))
		}
	}()
	if f.metadata == nil {
		return newCollector().metadata(nil)
	}
	c, err := f.metadata(s)
	return c.metadata(err)
}

// collector accumulates tags.
type collector struct {
	exif, iptc, xmp, gps tags
	pdf                  tags // a document's own properties, outside XMP

	xmpCore map[string]bool // tags in xmp that come from a namespace in xmpFirst
	size    int             // bytes of all tags, as JSON

	properties map[string][]string // of XMP, by path: see embed.Read
	faces      []string            // names of face regions in XMP
	left       int                 // number of tags omitted for lack of room
}

func newCollector() *collector {
	return &collector{exif: tags{}, iptc: tags{}, xmp: tags{}, gps: tags{}, pdf: tags{}, xmpCore: map[string]bool{}}
}

// keep stores a tag in a namespace, replacing one with the same name, if there is room.
func (c *collector) keep(to tags, name string, v any) {
	if list, ok := v.([]string); ok {
		v = shortened(list)
	}
	n := jsonLen(name) + jsonLen(v) + 2
	if old, ok := to[name]; ok {
		n -= jsonLen(name) + jsonLen(old) + 2
	}
	if c.size+n > maxTechnical {
		c.left++
		return
	}
	c.size += n
	to[name] = v
}

// drop removes a tag from a namespace.
func (c *collector) drop(from tags, name string) {
	if old, ok := from[name]; ok {
		c.size -= jsonLen(name) + jsonLen(old) + 2
		delete(from, name)
	}
}

// shortened returns the first texts of a list, up to maxTagList bytes.
func shortened(list []string) []string {
	n := 0
	for i, s := range list {
		if n += len(s); n > maxTagList {
			return list[:i]
		}
	}
	return list
}

// jsonLen returns the length of v as JSON, in bytes.
func jsonLen(v any) int {
	text, _ := json.Marshal(v) // cannot fail for texts and numbers
	return len(text)
}

// wanted excludes useless tags: embedded thumbnails, makers' notes and other binary data.
func wanted(t imagemeta.TagInfo) bool {
	if t.Source != imagemeta.EXIF {
		return true
	}
	return !strings.HasPrefix(t.Namespace, "IFD1") && !strings.Contains(t.Namespace, "InteroperabilityIFD") &&
		!strings.HasPrefix(t.Tag, "MakerNote") && !strings.HasPrefix(t.Tag, imagemeta.UnknownPrefix)
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
			list := append(texts(old), texts(v)...)
			v = list[:min(len(list), maxTags)]
		} else if ok {
			return nil // the first directory counts
		}
		c.keep(to, t.Tag, v)
	}
	return nil
}

// plain converts a tag's value to a text, a number or a list of texts, or to nil if it has
// no content.
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

// cleanText returns a text without control characters, in valid UTF-8, trimmed and
// truncated.
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

// texts returns a value as a list of texts.
func texts(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case []string:
		return v
	}
	return []string{fmt.Sprint(v)}
}

// text returns a tag as a single text.
func (t tags) text(name string) string { return strings.Join(texts(t[name]), ", ") }

// alternative returns the first translation of a text, which is the default (XMP part 1,
// section 8.2.2.4).
func (t tags) alternative(name string) string { return first(texts(t[name])...) }

func (c *collector) metadata(err error) metadata {
	m := metadata{orientation: 1, technical: map[string]any{}}
	if err != nil {
		m.problem = cleanText(strings.ReplaceAll(err.Error(), "\n", "; "))
	} else if c.left > 0 {
		m.problem = fmt.Sprintf("%d tags were left out: the library keeps %d KiB of them", c.left, maxTechnical>>10)
	}
	if n, ok := c.exif["Orientation"].(uint16); ok && n >= 1 && n <= 8 {
		m.orientation = int(n)
	}
	// XMP is usually the most recent, IPTC older and EXIF the oldest, so the Metadata Working
	// Group recommends reading them in this order.
	m.title = first(c.xmp.alternative("Title"), c.iptc.text("ObjectName"), c.iptc.text("Headline"),
		c.exif.text("XPTitle"), c.pdf.text("Title"), description(c.exif.text("ImageDescription")))
	m.creator = first(c.xmp.text("Creator"), c.iptc.text("By-line"), c.exif.text("Artist"), c.exif.text("XPAuthor"),
		c.pdf.text("Author"))
	m.copyright = first(c.xmp.alternative("Rights"), c.iptc.text("CopyrightNotice"), c.exif.text("Copyright"))
	m.keywords, m.people = c.keywords(), c.people()
	m.properties = c.properties
	if paths := KeywordPaths(c.properties); len(paths) > 0 {
		m.technical["keywords"] = map[string]any{"paths": paths}
	}
	said := description(c.exif.text("ImageDescription"))
	m.description = first(description(c.xmp.alternative("Description")), description(c.iptc.text("Caption-Abstract")), c.pdf.text("Subject"))
	if long := utf8.RuneCountInString(said) > dam.MaxTitle; m.description == "" && (said != m.title || long) {
		m.description = said
	}
	m.usageTerms = c.xmp.alternative("UsageTerms")
	m.rating = c.rating()
	m.captureDate = c.captured()
	c.position()
	m.location = c.location()
	m.said = c.said()
	for name, t := range map[string]tags{"exif": c.exif, "iptc": c.iptc, "xmp": c.xmp, "gps": c.gps} {
		if len(t) > 0 {
			m.technical[name] = map[string]any(t)
		}
	}
	return m
}

// first returns the first text that is not empty.
func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// description returns the description of a picture, or "" for a default text that cameras
// and programs write into every file. Programs copy it from EXIF to XMP and IPTC.
func description(s string) string {
	upper := strings.ToUpper(strings.TrimSpace(s))
	switch upper {
	case "SAMSUNG", "SAMSUNG CAMERA PICTURES", "KODAK DIGITAL STILL CAMERA", "DIGITAL CAMERA", "EXIF_JPEG_PICTURE", "JPEG", "DEFAULT",
		"UNTITLED", "BINARY COMMENT", "CREATED WITH GIMP", "LEAD TECHNOLOGIES INC. V1.01", "FILE WRITTEN BY ADOBE PHOTOSHOP",
		"COF", "FHR", "HDR", "HDRPL", "NOR", "OZNOR", "RHDR", "SDR", "DAV", "PTR", "EDF", "MDE", "BTF": // the last are smartphone camera modes
		return ""
	}
	if len(s) < 3 || strings.HasSuffix(upper, "DIGITAL CAMERA") && s == strings.ToUpper(s) || strings.HasPrefix(upper, "SONY DSC") ||
		strings.HasPrefix(upper, "DIGITAL STILL CAMERA") || strings.HasPrefix(upper, "DCIM") || strings.HasPrefix(upper, "OPLUS_") ||
		strings.HasPrefix(upper, "<DIGIMAX") || strings.HasPrefix(upper, "CHARSET=") {
		return ""
	}
	return s
}

// position adds latitude, longitude and altitude to the gps namespace, as signed decimal
// degrees and metres, unless they are impossible.
func (c *collector) position() {
	lat, long, ok1, ok2 := c.exifPosition()
	isUnknown := ok1 && ok2 && lat == 0 && long == 0 // what receivers write before the first fix
	if !c.positionOfXMP() && ok1 && ok2 && !isUnknown && math.Abs(lat) <= 90 && math.Abs(long) <= 180 {
		c.gps["latitude"], c.gps["longitude"] = round6(lat), round6(long)
	}
	if alt, ok := number(c.gps["GPSAltitude"]); ok && !isUnknown && math.Abs(alt) < 100_000 {
		if c.gps.text("GPSAltitudeRef") == "1" {
			alt = -math.Abs(alt)
		}
		c.gps["altitude"] = alt
	}
}

// exifPosition returns the coordinates in EXIF, signed.
func (c *collector) exifPosition() (lat, long float64, ok1, ok2 bool) {
	lat, ok1 = c.gps["GPSLatitude"].(float64)
	long, ok2 = c.gps["GPSLongitude"].(float64)
	if strings.HasPrefix(c.gps.text("GPSLatitudeRef"), "S") {
		lat = -math.Abs(lat)
	}
	if strings.HasPrefix(c.gps.text("GPSLongitudeRef"), "W") {
		long = -math.Abs(long)
	}
	return lat, long, ok1, ok2
}

// positionOfXMP takes latitude and longitude from XMP, and reports whether they are
// present.
func (c *collector) positionOfXMP() bool {
	lat, ok1 := c.xmp["GPSLatitude"].(float64)
	long, ok2 := c.xmp["GPSLongitude"].(float64)
	ok := ok1 && ok2 && (lat != 0 || long != 0) && math.Abs(lat) <= 90 && math.Abs(long) <= 180
	if ok {
		c.gps["latitude"], c.gps["longitude"] = round6(lat), round6(long)
	}
	return ok
}

func round6(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// number parses a number or a fraction.
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

// fileFacts returns the content of technical.file.
func fileFacts(h header, m metadata, profile string) map[string]any {
	f := map[string]any{}
	if h.width > 0 {
		f["stored_width"], f["stored_height"] = h.width, h.height
	}
	if h.frames > 1 {
		f["frames"] = h.frames
	}
	if h.frames > 1 && h.pages == 0 {
		f["duration"], f["plays"] = h.seconds, h.plays
	}
	if m.orientation > 1 {
		f["orientation"] = m.orientation
	}
	if profile != "" {
		f["color_profile"] = profile
	}
	if m.problem != "" {
		f["metadata_error"] = m.problem
	}
	if h.warning != "" {
		f["warning"] = h.warning
	}
	return f
}

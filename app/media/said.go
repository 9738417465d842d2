package media

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Statement is the value of a field according to one source.
type Statement struct {
	Source string // "sidecar", "xmp", "iptc", "exif"
	Value  any    // a text, a number, or a list of texts
}

// said are statements by field, the most trusted source first.
type said map[string][]Statement

// The limits of reported conflicts.
const (
	maxConflicts    = 50
	maxConflictText = 500 // characters per value
)

// said returns the statements of XMP, IPTC and EXIF for the fields that all of them
// support.
func (c *collector) said() said {
	all := said{}
	note := func(field, source, text string) {
		if text != "" {
			all[field] = append(all[field], Statement{source, text})
		}
	}
	note("title", "xmp", c.xmp.alternative("Title"))
	note("title", "iptc", c.iptc.text("ObjectName"))
	note("title", "exif", c.exif.text("XPTitle"))
	note("creator", "xmp", c.xmp.text("Creator"))
	note("creator", "iptc", c.iptc.text("By-line"))
	note("creator", "exif", first(c.exif.text("Artist"), c.exif.text("XPAuthor")))
	note("copyright", "xmp", c.xmp.alternative("Rights"))
	note("copyright", "iptc", c.iptc.text("CopyrightNotice"))
	note("copyright", "exif", c.exif.text("Copyright"))
	note("description", "xmp", description(c.xmp.alternative("Description")))
	note("description", "iptc", description(c.iptc.text("Caption-Abstract")))
	note("description", "exif", description(c.exif.text("ImageDescription")))
	for source, s := range map[string]string{"xmp": c.xmp.text("Rating"), "exif": c.exif.text("Rating")} {
		if n, says := stars(s); says && n != nil {
			all["rating"] = append(all["rating"], Statement{source, *n})
		}
	}
	slices.SortFunc(all["rating"], func(a, b Statement) int { return strings.Compare(b.Source, a.Source) })
	lat, ok1 := c.xmp["GPSLatitude"].(float64)
	long, ok2 := c.xmp["GPSLongitude"].(float64)
	lat2, long2, ok3, ok4 := c.exifPosition()
	if ok1 && ok2 && ok3 && ok4 {
		all["location"] = []Statement{{"xmp", position(lat, long)}, {"exif", position(lat2, long2)}}
	}
	return all
}

// position formats coordinates with a precision of about a metre.
func position(lat, long float64) string { return fmt.Sprintf("%.5f, %.5f", lat, long) }

// tell records in technical where sources disagree.
func (all said) tell(technical map[string]any) {
	if list := Conflicts(all); len(list) > 0 {
		technical["conflicts"] = list
	}
}

// Conflicts lists the fields on which sources disagree, with the value from each. The first
// source wins. IPTC and EXIF may truncate a value or support fewer characters.
func Conflicts(all map[string][]Statement) []any {
	var list []any
	for _, field := range slices.Sorted(maps.Keys(all)) {
		statements := all[field]
		if len(list) >= maxConflicts || len(statements) < 2 {
			continue
		}
		agree := !slices.ContainsFunc(statements[1:], func(s Statement) bool { return !sameStatement(statements[0], s) })
		if agree {
			continue
		}
		var sources []any
		for _, s := range statements {
			sources = append(sources, map[string]any{"source": s.Source, "value": told(s.Value)})
		}
		list = append(list, map[string]any{"field": field, "chosen": statements[0].Source, "sources": sources})
	}
	return list
}

// sameStatement reports whether b, the less trusted statement, does not contradict a.
func sameStatement(a, b Statement) bool {
	x, isText := a.Value.(string)
	y, isText2 := b.Value.(string)
	if !isText || !isText2 {
		return fmt.Sprint(a.Value) == fmt.Sprint(b.Value)
	}
	x, y = strings.Join(strings.Fields(x), " "), strings.Join(strings.Fields(y), " ")
	if strings.EqualFold(x, y) || len(y) >= 30 && strings.HasPrefix(x, y) {
		return true
	}
	if b.Source != "exif" && b.Source != "iptc" {
		return false
	}
	return isASCII(y) && strings.EqualFold(asciiOf(x), strings.ReplaceAll(y, "?", ""))
}

// asciiOf removes non-ASCII characters, which some programs replace with question marks,
// and question marks.
func asciiOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf || r == '?' {
			return -1
		}
		return r
	}, s)
}

func isASCII(s string) bool { return asciiOf(s) == strings.ReplaceAll(s, "?", "") }

// told shortens a value for display.
func told(v any) any {
	switch v := v.(type) {
	case string:
		if r := []rune(v); len(r) > maxConflictText {
			return string(r[:maxConflictText]) + "…"
		}
	case []string:
		return told(strings.Join(v, ", "))
	}
	return v
}

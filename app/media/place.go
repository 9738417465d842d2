package media

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// rating returns the star rating of the picture from XMP, or the one that Windows writes
// into EXIF. Programs write 0 for no rating and -1 for rejected.
func (c *collector) rating() *int64 {
	percent := first(c.properties["MicrosoftPhoto:Rating"]...)
	if n, says := stars(c.xmp.text("Rating")); says && (percent == "" || c.properties["xmp:Rating"] != nil) {
		return n
	}
	if n, says := starsOfPercent(percent); says {
		return n
	}
	if n, says := stars(c.exif.text("Rating")); says {
		return n
	}
	n, _ := starsOfPercent(c.exif.text("RatingPercent"))
	return n
}

// starsOfPercent parses a rating as Windows stores it: 1, 25, 50, 75 and 99 are 1 to 5
// stars.
func starsOfPercent(s string) (n *int64, says bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return nil, false
	}
	if v == 0 {
		return nil, true
	}
	whole := 1 + int64(math.Round(v/25))
	return &whole, true
}

// stars parses a rating, nil for none, and reports whether it is valid.
func stars(s string) (n *int64, says bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= -1 && v <= dam.MaxRating) {
		return nil, false
	}
	if v > 0 {
		whole := int64(max(1, math.Round(v)))
		n = &whole
	}
	return n, true
}

// location returns where the picture was taken: the coordinates found by position, and the
// place name in XMP or IPTC.
func (c *collector) location() *dam.Location {
	var l dam.Location
	lat, ok1 := c.gps["latitude"].(float64)
	long, ok2 := c.gps["longitude"].(float64)
	if ok1 && ok2 {
		l.Latitude, l.Longitude = &lat, &long
	}
	l.Place = first(c.xmp.place("Location", "City", "State", "Country"),
		c.iptc.place("Sub-location", "City", "Province-State", "Country-PrimaryLocationName"))
	if l == (dam.Location{}) {
		return nil
	}
	return &l
}

// place joins the names of a place, smallest first, without repetition.
func (t tags) place(names ...string) string {
	var parts []string
	for _, name := range names {
		if s := t.text(name); s != "" && !slices.Contains(parts, s) {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

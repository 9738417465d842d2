package asset

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/media/embed"
)

// copyOf computes the properties that must be rewritten in a copy of a file.
type copyOf struct {
	asset  *dam.Asset
	file   *media.Facts
	fresh  *dam.Asset // the asset as the file alone would define it
	schema *dam.Schema
	list   []embed.Property
}

// changes returns the properties to change in a copy of a file so that they match the asset
// in the library. All other properties keep their values.
func changes(d *dam.Asset, file *media.Facts, s *dam.Schema) []embed.Property {
	c := &copyOf{asset: d, file: file, schema: s, fresh: &dam.Asset{OriginalFilename: d.OriginalFilename}}
	Says(c.fresh, file)
	c.fresh.Clamp()
	c.text("dc:title", d.Title, c.fresh.Title)
	c.text("dc:description", d.Description, c.fresh.Description)
	c.text("dc:creator", d.Creator, c.fresh.Creator)
	c.text("dc:rights", d.Copyright, c.fresh.Copyright)
	c.text("xmpRights:UsageTerms", d.UsageTerms, c.fresh.UsageTerms)
	c.date()
	c.rating()
	c.location()
	c.keywords()
	if path := "Iptc4xmpExt:PersonInImage"; !slices.Equal(c.asset.People, c.fresh.People) && !c.isField(path) {
		c.set(path, c.asset.People...)
	}
	for _, f := range s.Fields {
		if f.XMPPath != "" && f.XMPPath != dam.XMPHierarchy {
			c.field(f)
		}
	}
	return c.list
}

func (c *copyOf) set(path string, texts ...string) {
	c.list = append(c.list, embed.Property{Path: path, Texts: texts})
}

func (c *copyOf) text(path, want, have string) {
	switch {
	case want == have:
	case want == "":
		c.set(path)
	default:
		c.set(path, want)
	}
}

// date writes the capture date, with the offset if known.
func (c *copyOf) date() {
	text := func(t *dam.CaptureTime) string {
		if t == nil {
			return ""
		}
		return t.Text()
	}
	want, have := text(c.asset.CaptureDate), text(c.fresh.CaptureDate)
	if want == have || c.isField("exif:DateTimeOriginal") {
		return
	}
	exif, _ := c.file.Technical["exif"].(map[string]any)
	c.set(dam.XMPReplacedDate, media.ReplacedDate(exif))
	for _, path := range []string{"exif:DateTimeOriginal", "photoshop:DateCreated"} {
		if !c.isField(path) {
			c.text(path, want, have)
		}
	}
}

// isField reports whether a custom field is mapped to a property.
func (c *copyOf) isField(path string) bool {
	return slices.ContainsFunc(c.schema.Fields, func(f *dam.Field) bool { return f.XMPPath == path })
}

// rating writes the stars. A removed rating is written as 0 if the file has an EXIF rating,
// and deleted otherwise.
func (c *copyOf) rating() {
	stars := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	want := stars(c.asset.Rating)
	if want == stars(c.fresh.Rating) {
		return
	}
	exif, _ := c.file.Technical["exif"].(map[string]any)
	if want == 0 && exif["Rating"] == nil {
		c.set("xmp:Rating")
		return
	}
	c.set("xmp:Rating", strconv.FormatInt(want, 10))
}

// location writes coordinates and the place name. The library stores the place as a single
// text; once that has changed, the separate parts would contradict it.
func (c *copyOf) location() {
	var want, have dam.Location
	if c.asset.Location != nil {
		want = *c.asset.Location
	}
	if c.fresh.Location != nil {
		have = *c.fresh.Location
	}
	if !sameDegrees(want.Latitude, have.Latitude) || !sameDegrees(want.Longitude, have.Longitude) {
		if want.Latitude == nil || want.Longitude == nil {
			c.set("exif:GPSLatitude")
			c.set("exif:GPSLongitude")
		} else {
			c.set("exif:GPSLatitude", degrees(*want.Latitude, "N", "S"))
			c.set("exif:GPSLongitude", degrees(*want.Longitude, "E", "W"))
		}
	}
	if want.Place == have.Place {
		return
	}
	c.text("Iptc4xmpCore:Location", want.Place, have.Place)
	for _, path := range []string{"photoshop:City", "photoshop:State", "photoshop:Country"} {
		if len(c.file.Properties[path]) > 0 && !c.isField(path) {
			c.set(path)
		}
	}
}

func sameDegrees(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return degrees(*a, "+", "-") == degrees(*b, "+", "-")
}

// degrees formats a coordinate as degrees and minutes (XMP part 2, section 3.3.7).
func degrees(v float64, plus, minus string) string {
	sign := plus
	if v < 0 {
		v, sign = -v, minus
	}
	const units = 60 * 10_000_000 // per degree; ten-millionths of minutes
	n := int64(v*units + 0.5)
	minutes := strconv.FormatFloat(float64(n%units)/10_000_000, 'f', 7, 64)
	return strconv.FormatInt(n/units, 10) + "," + strings.TrimSuffix(strings.TrimRight(minutes, "0"), ".") + sign
}

// keywords writes the keywords and the hierarchical keywords. Of the latter it keeps those
// whose last word is still among the keywords.
func (c *copyOf) keywords() {
	if !slices.Equal(c.asset.Keywords, c.fresh.Keywords) {
		c.set("dc:subject", c.asset.Keywords...)
	}
	have := media.KeywordPaths(c.file.Properties)
	want := have
	if part, ok := c.asset.Technical["keywords"].(map[string]any); ok {
		want = textList(part["paths"])
	}
	words := map[string]bool{}
	for _, w := range c.asset.Keywords {
		words[dam.WordKey(w)] = true
	}
	want = slices.DeleteFunc(slices.Clone(want), func(path string) bool {
		return !words[dam.WordKey(path[strings.LastIndexByte(path, '|')+1:])]
	})
	if i := slices.IndexFunc(c.schema.Fields, func(f *dam.Field) bool { return f.XMPPath == dam.XMPHierarchy }); i >= 0 {
		want = c.terms(c.schema.Fields[i], want)
	}
	if slices.Equal(want, have) {
		return
	}
	c.set(dam.XMPHierarchy, want...)
	if c.file.Properties[dam.XMPTagsList] != nil {
		list := make([]string, len(want))
		for i, path := range want {
			list[i] = strings.ReplaceAll(path, "|", "/")
		}
		c.set(dam.XMPTagsList, list...)
	}
}

// terms returns the hierarchical keywords of a field, or given if they need not change.
func (c *copyOf) terms(f *dam.Field, given []string) []string {
	v, has := c.asset.Metadata[f.Key]
	if !has && !c.filled(f) {
		return given
	}
	if fresh, problem := c.schema.FromXMP(f, media.KeywordPaths(c.file.Properties)); problem == "" && reflect.DeepEqual(fresh, v) {
		return given
	}
	return c.schema.ToXMP(f, v)
}

// filled reports whether a field was filled from the file or its sidecar.
func (c *copyOf) filled(f *dam.Field) bool {
	from, _ := c.asset.Technical[TechnicalFields].(map[string]any)
	return from[f.Key] == f.XMPPath
}

// field writes a custom field. A property that the library never imported is kept.
func (c *copyOf) field(f *dam.Field) {
	texts := c.file.Properties[f.XMPPath]
	v, has := c.asset.Metadata[f.Key]
	if !has {
		if len(texts) > 0 && c.filled(f) {
			c.set(f.XMPPath)
		}
		return
	}
	if fresh, problem := c.schema.FromXMP(f, texts); problem != "" || !reflect.DeepEqual(fresh, v) {
		c.set(f.XMPPath, c.schema.ToXMP(f, v)...)
	}
}

// textList returns a list of strings, which may have been decoded from JSON.
func textList(v any) (list []string) {
	switch v := v.(type) {
	case []string:
		return v
	case []any:
		for _, x := range v {
			if s, ok := x.(string); ok {
				list = append(list, s)
			}
		}
	}
	return list
}

// TechnicalFields is the key in technical metadata of the fields that XMP in a file has
// set, by their properties.
const TechnicalFields = "xmp_fields"

// Says sets the user-editable fields of an asset from the metadata of a file.
func Says(asset *dam.Asset, f *media.Facts) {
	asset.Title, asset.CaptureDate, asset.Creator, asset.Copyright = f.Title, f.CaptureDate, f.Creator, f.Copyright
	asset.Description, asset.Rating, asset.Location, asset.UsageTerms = f.Description, f.Rating, f.Location, f.UsageTerms
	asset.Keywords, asset.People = dam.CleanWords(f.Keywords), dam.CleanWords(f.People)
}

package media

import (
	"encoding/xml"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxKeywordPaths limits how many hierarchical keywords of a file are kept.
const maxKeywordPaths = 500

// keywords returns the keywords in XMP, IPTC and EXIF. Hierarchical keywords are reduced to
// their last level.
func (c *collector) keywords() (words []string) {
	for _, k := range append(texts(c.xmp["Subject"]), append(texts(c.iptc["Keywords"]), texts(c.exif["XPKeywords"])...)...) {
		for w := range strings.SplitSeq(k, ";") {
			words = append(words, leaf(w))
		}
	}
	for _, path := range KeywordPaths(c.properties) {
		words = append(words, leaf(path))
	}
	for _, path := range categories(c.properties) {
		words = append(words, path[len(path)-1])
	}
	return dam.CleanWords(words)
}

// leaf returns the last level of a keyword path.
func leaf(path string) string { return path[strings.LastIndexByte(path, '|')+1:] }

// hierarchies are the properties that contain hierarchical keywords, with the separator
// each of them uses. A slash in a plain keyword is only a slash.
var hierarchies = []struct{ path, between string }{
	{dam.XMPHierarchy, "|"}, {"mediapro:CatalogSets", "|"},
	{dam.XMPTagsList, "/"}, {"MicrosoftPhoto:LastKeywordXMP", "/"}, {"dc:subject", "|"},
}

// KeywordPaths returns the hierarchical keywords of a packet, such as
// "Places|Europe|France", merged from all properties and deduplicated regardless of
// spelling.
func KeywordPaths(properties map[string][]string) (paths []string) {
	seen := map[string]bool{}
	for _, h := range hierarchies {
		for _, text := range properties[h.path] {
			var words []string
			for w := range strings.SplitSeq(text, h.between) {
				if w = strings.Join(strings.Fields(strings.ReplaceAll(w, "|", " ")), " "); w != "" {
					words = append(words, w)
				}
			}
			isPath := len(words) > 1 || h.path == dam.XMPHierarchy
			path := strings.Join(words, "|")
			if key := dam.WordKey(path); isPath && path != "" && !seen[key] && len(paths) < maxKeywordPaths {
				seen[key] = true
				paths = append(paths, path)
			}
		}
	}
	for _, words := range categories(properties) {
		path := strings.Join(words, "|")
		if key := dam.WordKey(path); len(words) > 1 && !seen[key] && len(paths) < maxKeywordPaths {
			seen[key] = true
			paths = append(paths, path)
		}
	}
	return slices.Clip(paths)
}

// acdseeCategories is the property that contains an XML document as text: <Categories><Category
// Assigned="0">Places<Category Assigned="1">France</Category></Category></Categories>.
const acdseeCategories = "acdsee:categories"

// maxCategoryDepth limits the nesting of ACDSee categories.
const maxCategoryDepth = 20

// categories returns the paths of the ACDSee categories assigned to a file. In a damaged
// document it stops at the damage.
func categories(properties map[string][]string) (paths [][]string) {
	type category struct {
		name     strings.Builder
		assigned bool
	}
	d := xml.NewDecoder(strings.NewReader(first(properties[acdseeCategories]...)))
	var open []*category
	for len(paths) < maxKeywordPaths {
		t, err := d.Token()
		if err != nil {
			break
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(open) > maxCategoryDepth {
				return paths
			}
			open = append(open, &category{assigned: slices.ContainsFunc(t.Attr, func(a xml.Attr) bool {
				return a.Name.Local == "Assigned" && a.Value == "1"
			})})
		case xml.CharData:
			if n := len(open); n > 0 && open[n-1].name.Len() == 0 {
				open[n-1].name.Write(t[:min(len(t), maxTagText)])
			}
		case xml.EndElement:
			var path []string
			for _, c := range open {
				if w := strings.Join(strings.Fields(strings.ReplaceAll(c.name.String(), "|", " ")), " "); w != "" {
					path = append(path, w)
				}
			}
			if last := open[len(open)-1]; last.assigned && len(path) > 0 {
				paths = append(paths, path)
			}
			open = open[:len(open)-1]
		}
	}
	return paths
}

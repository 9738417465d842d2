package media

import (
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxKeywordPaths is how many keywords of a file are kept with those that they are below.
const maxKeywordPaths = 500

// keywords returns the words that XMP, IPTC and EXIF have, each by itself: of one that is
// below others, the last.
func (c *collector) keywords() (words []string) {
	for _, k := range append(texts(c.xmp["Subject"]), append(texts(c.iptc["Keywords"]), texts(c.exif["XPKeywords"])...)...) {
		for w := range strings.SplitSeq(k, ";") {
			words = append(words, leaf(w))
		}
	}
	for _, path := range KeywordPaths(c.properties) {
		words = append(words, leaf(path))
	}
	return dam.CleanWords(words)
}

// leaf returns the last word of a path.
func leaf(path string) string { return path[strings.LastIndexByte(path, '|')+1:] }

// hierarchies are the properties with keywords below others, and what is between them
// there. A slash in a plain keyword is only a slash.
var hierarchies = []struct{ path, between string }{
	{dam.XMPHierarchy, "|"}, {"mediapro:CatalogSets", "|"},
	{dam.XMPTagsList, "/"}, {"MicrosoftPhoto:LastKeywordXMP", "/"}, {"dc:subject", "|"},
}

// KeywordPaths returns the keywords of a packet that are below others, as "Places|Europe|
// France", each once in any spelling; of those in several properties, all.
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
	return slices.Clip(paths)
}

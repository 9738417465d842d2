package dam

import (
	"slices"
	"strings"
)

// FacetValue is the number of assets in a result that have a value. Values that differ only
// in case or accents are counted together under the most frequent spelling.
type FacetValue struct {
	Value any // string, float64 or bool; int64 for an id
	Count int
}

// maxFacets is the maximum number of facets of a query.
const maxFacets = 20

// FacetFields lists the fields that can be facets, except for "metadata.{key}".
func FacetFields() []string {
	return []string{"file_category", "mime_type", "extension", "workflow_status", "processing_status", "creator", "copyright",
		"rating", "asset_class_id", "ingestion_batch_id", "keywords", "people", "ai_tags", "collections", "folder", "availability", "camera",
		"lens"}
}

// parseFacets parses a comma-separated list of fields and drops duplicates.
func parseFacets(list string, s *Schema) ([]string, error) {
	var fields []string
	for f := range strings.SplitSeq(list, ",") {
		f = strings.TrimSpace(f)
		key, custom := strings.CutPrefix(f, "metadata.")
		switch {
		case f == "" || slices.Contains(fields, f):
		case !slices.Contains(FacetFields(), f) && (!custom || !ValidMetadataKey(key)):
			return nil, InvalidField("facets", "The facet %q is not known: it is one of %s, metadata.{key}.", f, strings.Join(FacetFields(), ", "))
		case custom && s.Countable(key) != "":
			return nil, InvalidField("facets", "%s", s.Countable(key))
		default:
			fields = append(fields, f)
		}
	}
	if len(fields) > maxFacets {
		return nil, InvalidField("facets", "facets may not have more than %d fields.", maxFacets)
	}
	return fields, nil
}

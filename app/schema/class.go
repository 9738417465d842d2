package schema

import (
	"fmt"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// classUse describes how many assets and upload batches have a class.
func classUse(n int) string { return fmt.Sprintf("%d assets and upload batches have it", n) }

// fieldFor returns the key of a field limited to a class, "" for none.
func fieldFor(fields []*dam.Field, class int64) string {
	for _, f := range fields {
		if slices.Contains(f.AssetClassIDs, class) {
			return f.Key
		}
	}
	return ""
}

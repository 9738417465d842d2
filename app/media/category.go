package media

import (
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// CategoryOf returns the category of the files that have an extension; "" for one that the
// library does not know.
func CategoryOf(extension string) dam.FileCategory {
	i := slices.IndexFunc(formats, func(f format) bool { return slices.Contains(f.Extensions, extension) })
	if i < 0 {
		return ""
	}
	return formats[i].Category
}

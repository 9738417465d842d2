package media

import (
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// CategoryOf returns the category of files with an extension; "" for an unknown extension.
func CategoryOf(extension string) dam.FileCategory {
	i := slices.IndexFunc(formats, func(f format) bool { return slices.Contains(f.Extensions, extension) })
	if i < 0 {
		return ""
	}
	return formats[i].Category
}

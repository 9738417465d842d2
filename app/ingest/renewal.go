package ingest

import "github.com/digital-asset-library/dal/app/dam"

// movedOn returns the error for a batch file whose file in an external library has
// changed.
func movedOn() *dam.FileError {
	return &dam.FileError{Code: dam.CodeInternal, Message: "The file in place was changed, moved or deleted while it was read."}
}

// renewal holds the parts and sidecars of an asset whose file in an external library has
// new content.
type renewal struct {
	parts    []*dam.Part
	sidecars []sidecarData
}

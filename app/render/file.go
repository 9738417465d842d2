package render

import (
	"io"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/embed"
)

// FileWish specifies a file of an asset.
type FileWish struct {
	Rendition dam.Rendition // "" for the original
	Preset    string        // name of a preset, instead of a rendition; "" for none
	Page      int           // from 1, for the rendition page only; 0 is the first
	Metadata  bool          // whether to write the library's metadata of the asset into the file
}

// File is an open file of an asset. The caller closes Content.
type File struct {
	Content  io.ReadSeekCloser
	Name     string // suggested file name for saving
	MIMEType string
	Showable bool   // whether browsers can show it without running its content
	ETag     string // strong, quoted
	ModTime  time.Time
	Usage    dam.Usage // usage period and state of the asset
}

// SharedKind takes the place of a rendition in the names of cached shared pictures.
const SharedKind = "shared"

// SharedVersion is incremented when the way of making shared pictures changes, to
// invalidate those made by an older dal.
const SharedVersion = 1

// DescribedCopy is a copy with metadata. Closing it closes the source.
type DescribedCopy struct {
	*embed.Copy
	io.Closer
}

// TilesKind takes the place of a rendition in the names of cached pyramids.
const TilesKind = "tiles"

// TilesVersion is incremented when the way of building pyramids changes, to invalidate
// those built by an older dal.
const TilesVersion = 2

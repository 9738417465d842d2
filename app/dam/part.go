package dam

import "time"

// PartRole says what a part is to its asset.
type PartRole string

// The roles of parts.
const (
	PartRaw     PartRole = "raw"     // the RAW file of a photo
	PartVideo   PartRole = "video"   // the moving part of a live photo
	PartImage   PartRole = "image"   // another picture of the same
	PartSidecar PartRole = "sidecar" // metadata
)

// Values lists the roles.
func (PartRole) Values() []PartRole { return []PartRole{PartRaw, PartVideo, PartImage, PartSidecar} }

// MaxParts is how many parts an asset may have.
const MaxParts = 20

// Part is a file that an asset has beside the one that is shown.
type Part struct {
	ID        int64
	Role      PartRole
	Filename  string // see CleanFilename
	MIMEType  string
	Extension string // of its type, without the dot
	SHA256    string // lower-case hex; names the blob
	Size      int64  // bytes
	CreatedAt time.Time
}

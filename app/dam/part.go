package dam

import "time"

// PartRole is the role of a part of an asset.
type PartRole string

// The roles of parts.
const (
	PartRaw     PartRole = "raw"     // RAW file of a photo
	PartVideo   PartRole = "video"   // video of a live photo
	PartImage   PartRole = "image"   // another picture of the same shot
	PartSidecar PartRole = "sidecar" // metadata
)

// Values lists the roles.
func (PartRole) Values() []PartRole { return []PartRole{PartRaw, PartVideo, PartImage, PartSidecar} }

// MaxParts is the maximum number of parts of an asset.
const MaxParts = 20

// Part is an additional file of an asset that is not its main file.
type Part struct {
	ID        int64
	Role      PartRole
	Filename  string // see CleanFilename
	MIMEType  string
	Extension string // of its MIME type, without the dot
	SHA256    string // lower-case hex; names the blob
	Size      int64  // bytes
	CreatedAt time.Time
}

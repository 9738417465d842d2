// Package dam defines the nouns of dal: what an asset, an upload batch, a user
// or a job is and which rules it keeps, independent of how it is stored,
// searched or served. It uses nothing but the standard library and Unicode normalisation.
package dam

import (
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// A GAID is the Global Asset ID: a ULID, 26 characters of Crockford's base 32.
// It is public, stable and never used again.
type GAID string

// FileCategory is the broad kind of a file.
type FileCategory string

// The file categories of the interface.
const (
	CategoryImage    FileCategory = "Image"
	CategoryVideo    FileCategory = "Video"
	CategoryAudio    FileCategory = "Audio"
	CategoryDocument FileCategory = "Document"
)

// Values lists the file categories.
func (FileCategory) Values() []FileCategory {
	return []FileCategory{CategoryImage, CategoryVideo, CategoryAudio, CategoryDocument}
}

// WorkflowStatus is where people have brought an asset.
type WorkflowStatus string

// The workflow statuses. A new asset is a draft.
const (
	WorkflowDraft    WorkflowStatus = "draft"
	WorkflowInReview WorkflowStatus = "in_review"
	WorkflowApproved WorkflowStatus = "approved"
	WorkflowRejected WorkflowStatus = "rejected"
	WorkflowArchived WorkflowStatus = "archived"
)

// Values lists the workflow statuses.
func (WorkflowStatus) Values() []WorkflowStatus {
	return []WorkflowStatus{WorkflowDraft, WorkflowInReview, WorkflowApproved, WorkflowRejected, WorkflowArchived}
}

// ProcessingStatus is where the machine has brought an asset.
type ProcessingStatus string

// The processing statuses.
const (
	ProcessingRunning ProcessingStatus = "processing"
	ProcessingReady   ProcessingStatus = "ready"
	ProcessingFailed  ProcessingStatus = "failed"
	ProcessingDamaged ProcessingStatus = "damaged" // the file is not what it was: see Damage
)

// Values lists the processing statuses.
func (ProcessingStatus) Values() []ProcessingStatus {
	return []ProcessingStatus{ProcessingRunning, ProcessingReady, ProcessingFailed, ProcessingDamaged}
}

// Color is one of the dominant colours of an asset.
type Color struct {
	Hex   string  `json:"hex"`   // "#rrggbb", sRGB, lower case
	Share float64 `json:"share"` // part of the picture's area, above 0 to 1
}

// Asset is one file in the library with what is known about it. What people can
// change of it is in assetFields, and Metadata.
//
// Texts that nobody has set are "", numbers that do not apply are 0; the API
// shows both as null.
type Asset struct {
	ID               int64 // row number: for indexes, never shown
	GAID             GAID
	Title            string
	OriginalFilename string
	MIMEType         string
	FileCategory     FileCategory
	Extension        string // lower case, without the dot
	Width, Height    int    // pixels as seen, after orientation
	DurationMS       int64
	PageCount        int
	FileSize         int64  // bytes
	SHA256           string // lower-case hex; names the blob
	AssetClassID     int64
	BatchID          int64
	CaptureDate      *CaptureTime
	Creator          string
	Copyright        string
	Description      string
	Keywords         []string
	People           []string // who is in it, by name
	FocalPoint       *FocalPoint
	Rating           *int64 // 0 to MaxRating; nil for none
	Location         *Location
	UsageFrom        *time.Time // when the file may be used; see UsageAt
	UsageUntil       *time.Time // after UsageFrom
	UsageTerms       string
	AICaption        string
	AITags           []string
	OCRText          string
	WorkflowStatus   WorkflowStatus
	ProcessingStatus ProcessingStatus
	Colors           []Color
	ThumbHash        []byte     // https://evanw.github.io/thumbhash/; empty without a picture
	PHash            uint64     // perceptual hash; 0 when there is none
	HasProxy         bool       // whether there is a copy that browsers play; see RenditionProxy
	FileVersion      int64      // which of its files it has: see FileVersion
	FileAt           *time.Time // since when, nil if since it was created
	FileByID         int64      // who brought that, 0 if it came with the asset
	Metadata         map[string]any
	Technical        map[string]any // namespaced: "exif", "iptc", "xmp", "gps", "file"
	Findings         Findings       // what models have said about it
	OwnerID          int64
	CreatedByID      int64
	UpdatedByID      int64
	Version          int64 // 1 when created, one more with each change
	CreatedAt        time.Time
	UpdatedAt        time.Time
	DeletedAt        *time.Time // set while the asset is in the trash

	// Of a file in place: one that was not copied into the library.
	RootID       int64  // the root that has it; 0 for a file that lies in the library only
	Folder       string // the root's name and the folder in it, with slashes; "" for none
	Availability Availability

	// Collections are those with the asset that the reader may view. They are
	// filled in where one asset is shown, not in lists.
	Collections []CollectionRef
	// Recognized is what was read in its pictures. It is filled in where one asset is shown, and
	// kept apart from the rest.
	Recognized *Recognized `json:"-"`
}

// HasPicture reports whether there is something to see of the file: whether it
// has renditions.
func (a *Asset) HasPicture() bool { return len(a.ThumbHash) > 0 }

// Plays reports whether browsers play a video or a sound, as far as its file says.
func (a *Asset) Plays() bool {
	for _, kind := range []string{"video", "audio"} {
		if facts, ok := a.Technical[kind].(map[string]any); ok && facts["playable"] == false {
			return false
		}
	}
	return true
}

// CollectionRef names a collection.
type CollectionRef struct {
	ID   int64
	Name string
}

// AssetPatch changes an asset: what is absent stays, what is null is cleared.
// Each member but Metadata has a line in assetFields.
type AssetPatch struct {
	Title          Opt[string] // null means the file's name
	Creator        Opt[string]
	Copyright      Opt[string]
	Description    Opt[string]
	Keywords       Opt[[]string]
	People         Opt[[]string]
	CaptureDate    Opt[CaptureTime] // its location is time.UTC if the value has no offset
	FocalPoint     Opt[FocalPoint]
	Rating         Opt[int64]
	Location       Opt[LocationPatch]
	UsageFrom      Opt[time.Time]
	UsageUntil     Opt[time.Time]
	UsageTerms     Opt[string]
	WorkflowStatus Opt[WorkflowStatus] // null means draft
	AssetClassID   Opt[int64]
	OwnerID        Opt[int64]
	AICaption      Opt[string]
	AITags         Opt[[]string]
	// CaptureUTCOffset is an offset such as "-08:00", null for unknown. Alone, it leaves what the
	// camera's clock showed as it is.
	CaptureUTCOffset Opt[string]
	// Metadata changes single keys; a null value removes the key, and null for
	// the whole removes all.
	Metadata Opt[map[string]any]

	isClock bool // CaptureDate is what the camera's clock showed, as if it were in UTC
}

// The bounds of the fields of an asset, in characters and items.
const (
	MaxTitle    = 500
	MaxFilename = 255 // also in bytes
	MaxLine     = 1000
	MaxProse    = 10_000
	MaxText     = 100_000
	MaxKeyword  = 255
	MaxKeywords = 500
	MaxMetaKeys = 200
)

// assetFields are the fields of an asset that people can change, but for the
// metadata, which the Schema knows. Validation, patches, differences, filters,
// the columns of the search and the bounds in the API's document come from it.
var assetFields = slices.Concat([]AssetField{
	{
		Name: "title", Filter: FilterText, MaxLength: MaxTitle,
		value: func(a *Asset) any { return a.Title },
		sent:  func(p *AssetPatch) bool { return p.Title.Sent },
		apply: applyTitle,
		check: func(a *Asset, p *Problems) { p.length("title", a.Title, 1, MaxTitle) },
		clamp: func(a *Asset) { a.Title = cut(Visible(a.Title), MaxTitle) },
	},
	textField("creator", MaxLine, func(a *Asset) *string { return &a.Creator }, func(p *AssetPatch) *Opt[string] { return &p.Creator }),
	textField("copyright", MaxLine, func(a *Asset) *string { return &a.Copyright }, func(p *AssetPatch) *Opt[string] { return &p.Copyright }),
	wordsField("keywords", func(a *Asset) *[]string { return &a.Keywords }, func(p *AssetPatch) *Opt[[]string] { return &p.Keywords }),
	wordsField("people", func(a *Asset) *[]string { return &a.People }, func(p *AssetPatch) *Opt[[]string] { return &p.People }),
	proseField("description", func(a *Asset) *string { return &a.Description }, func(p *AssetPatch) *Opt[string] { return &p.Description }),
}, captureFields(), []AssetField{
	focalPointField(),
	ratingField(),
	locationField(),
	timeField("usage_from", func(a *Asset) **time.Time { return &a.UsageFrom }, func(p *AssetPatch) *Opt[time.Time] { return &p.UsageFrom }),
	usageUntilField(),
	proseField("usage_terms", func(a *Asset) *string { return &a.UsageTerms }, func(p *AssetPatch) *Opt[string] { return &p.UsageTerms }),
	{
		Name: "workflow_status", Filter: FilterEnum,
		value: func(a *Asset) any { return a.WorkflowStatus },
		sent:  func(p *AssetPatch) bool { return p.WorkflowStatus.Sent },
		apply: applyWorkflowStatus,
		check: func(a *Asset, p *Problems) { oneOf(p, "workflow_status", a.WorkflowStatus, Values[WorkflowStatus]()) },
	},
	anyField("asset_class_id", FilterNumber,
		func(a *Asset) *int64 { return &a.AssetClassID }, func(p *AssetPatch) *Opt[int64] { return &p.AssetClassID }),
	anyField("owner_id", FilterNone, func(a *Asset) *int64 { return &a.OwnerID }, func(p *AssetPatch) *Opt[int64] { return &p.OwnerID }),
	longField("ai_caption", MaxText,
		func(a *Asset) *string { return &a.AICaption }, func(p *AssetPatch) *Opt[string] { return &p.AICaption }),
	aiTagsField(),
})

// Validate reports what is wrong with the fields of a that people set. It does
// not know the definitions of metadata.
func (a *Asset) Validate() error {
	var p Problems
	a.validate(&p)
	p.metadata("metadata", a.Metadata)
	return p.Err()
}

func (a *Asset) validate(p *Problems) {
	for _, f := range assetFields {
		if f.check != nil {
			f.check(a, p)
		}
	}
}

// Clamp cuts what a file says about itself to the bounds of Validate, without
// what people cannot see. A title that shows nothing becomes one made from the
// file's name.
func (a *Asset) Clamp() {
	for _, f := range assetFields {
		if f.clamp != nil {
			f.clamp(a)
		}
	}
	if Unseen(a.Title) {
		a.Title = cut(TitleFromFilename(a.OriginalFilename), MaxTitle)
	}
}

// cut returns valid UTF-8 of at most n characters.
func cut(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// CleanWords trims and composes words, drops empty ones and those that came before in
// another spelling, and keeps the order.
func CleanWords(words []string) []string {
	out := make([]string, 0, len(words))
	seen := make(map[string]bool, len(words))
	for _, w := range words {
		w = norm.NFC.String(strings.Join(strings.Fields(w), " "))
		if k := WordKey(w); w != "" && !seen[k] {
			seen[k] = true
			out = append(out, w)
		}
	}
	return out
}

// WordKey returns what all spellings of a keyword, a tag or the label of a term have in
// common: in any case, composed or not. ß and ss are different.
func WordKey(w string) string {
	return norm.NFC.String(strings.ReplaceAll(strings.ToLower(norm.NFC.String(w)), "ς", "σ"))
}

func sameWord(a, b string) bool { return WordKey(a) == WordKey(b) }

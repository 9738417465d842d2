// Package dam defines the nouns of dal, such as assets, upload batches, users and jobs, and
// their rules, independently of storage, search and the API. It depends only on the
// standard library and Unicode normalization.
package dam

import (
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// A GAID is the Global Asset ID: a ULID, 26 characters of Crockford's base 32. It is
// public, stable and never reused.
type GAID string

// FileCategory is the broad kind of a file.
type FileCategory string

// The file categories of the API.
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

// WorkflowStatus is the state of an asset in the editorial workflow.
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

// ProcessingStatus is the state of the automatic processing of an asset.
type ProcessingStatus string

// The processing statuses.
const (
	ProcessingRunning ProcessingStatus = "processing"
	ProcessingReady   ProcessingStatus = "ready"
	ProcessingFailed  ProcessingStatus = "failed"
	ProcessingDamaged ProcessingStatus = "damaged" // the file no longer matches its record: see Damage
)

// Values lists the processing statuses.
func (ProcessingStatus) Values() []ProcessingStatus {
	return []ProcessingStatus{ProcessingRunning, ProcessingReady, ProcessingFailed, ProcessingDamaged}
}

// Color is one of the dominant colors of an asset.
type Color struct {
	Hex   string  `json:"hex"`   // "#rrggbb", sRGB, lower case
	Share float64 `json:"share"` // fraction of the picture's area, above 0 to 1
}

// Asset is one file in the library with its metadata. Users can change the fields in
// assetFields, and Metadata.
//
// Unset texts are "", and numbers that do not apply are 0; the API returns both as null.
type Asset struct {
	ID               int64 // row number, for indexes; never exposed
	GAID             GAID
	Title            string
	OriginalFilename string
	MIMEType         string
	FileCategory     FileCategory
	Extension        string // lower case, without the dot
	Width, Height    int    // pixels after orientation
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
	People           []string // names of the people in it
	FocalPoint       *FocalPoint
	Rating           *int64 // 0 to MaxRating; nil for none
	Location         *Location
	UsageFrom        *time.Time // see UsageAt
	UsageUntil       *time.Time // after UsageFrom
	UsageTerms       string
	AICaption        string
	AITags           []string
	OCRText          string
	WorkflowStatus   WorkflowStatus
	ProcessingStatus ProcessingStatus
	Colors           []Color
	ThumbHash        []byte     // https://evanw.github.io/thumbhash/; empty without a picture
	PHash            uint64     // perceptual hash; 0 for none
	HasProxy         bool       // has a copy that browsers can play; see RenditionProxy
	FileVersion      int64      // current version of the file: see FileVersion
	FileAt           *time.Time // when that version was added; nil if at creation
	FileByID         int64      // user who added that version; 0 if it came with the asset
	Metadata         map[string]any
	Technical        map[string]any // namespaced: "exif", "iptc", "xmp", "gps", "file"
	Findings         Findings       // results of models
	OwnerID          int64
	CreatedByID      int64
	UpdatedByID      int64
	Version          int64 // 1 at creation, incremented by each change
	CreatedAt        time.Time
	UpdatedAt        time.Time
	DeletedAt        *time.Time // set while the asset is in the trash

	// For files of an external library, which are not copied into dal's storage.
	RootID       int64  // the external library; 0 for a file in dal's storage only
	Folder       string // name of the external library and the folder in it, with slashes; "" for none
	Availability Availability

	// Collections are those collections with the asset that the reader may view. They are
	// loaded for a single asset, not for lists.
	Collections []CollectionRef
	// Recognized is the text found by OCR. It is stored separately and loaded for a single
	// asset only.
	Recognized *Recognized `json:"-"`
}

// HasPicture reports whether the file has a picture, and so renditions.
func (a *Asset) HasPicture() bool { return len(a.ThumbHash) > 0 }

// Plays reports whether browsers can play a video or audio file, according to its technical
// metadata.
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

// AssetPatch changes an asset: absent fields are kept, null clears a field. Each field but
// Metadata has an entry in assetFields.
type AssetPatch struct {
	Title          Opt[string] // null means the file's name
	Creator        Opt[string]
	Copyright      Opt[string]
	Description    Opt[string]
	Keywords       Opt[[]string]
	People         Opt[[]string]
	CaptureDate    Opt[CaptureTime] // in time.UTC if the value has no offset
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
	// CaptureUTCOffset is an offset such as "-08:00", or null for unknown. Sent without
	// CaptureDate, it keeps the local time.
	CaptureUTCOffset Opt[string]
	// Metadata changes individual keys. A null value removes its key; null for the whole
	// object removes all of them.
	Metadata Opt[map[string]any]

	isClock bool // CaptureDate is the camera's local time, expressed in UTC
}

// The limits of asset fields, in characters and items.
const (
	MaxTitle    = 500
	MaxFilename = 255 // also the limit in bytes
	MaxLine     = 1000
	MaxProse    = 10_000
	MaxText     = 100_000
	MaxKeyword  = 255
	MaxKeywords = 500
	MaxMetaKeys = 200
)

// assetFields are the editable fields of an asset except for custom metadata, which is
// defined by Schema. Validation, patches, diffs, filters, search columns and the limits in
// the OpenAPI document are derived from it.
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

// Validate checks the editable fields of a. It does not check custom metadata against its
// definitions.
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

// Clamp truncates values from the file's embedded metadata to the limits of Validate and
// removes invisible characters. A title without visible characters is replaced by one
// derived from the file name.
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

// cut truncates s to n characters and replaces invalid UTF-8.
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

// CleanWords trims the words and normalizes them to NFC. It drops empty words and repeated
// spellings of a word, and keeps the order.
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

// WordKey returns the key that all spellings of a keyword, a tag or a term label share,
// regardless of case and Unicode normalization. ß and ss remain distinct.
func WordKey(w string) string {
	return norm.NFC.String(strings.ReplaceAll(strings.ToLower(norm.NFC.String(w)), "ς", "σ"))
}

func sameWord(a, b string) bool { return WordKey(a) == WordKey(b) }

// Distinct returns a list without duplicates.
func Distinct(gaids []GAID) []GAID {
	list := make([]GAID, 0, len(gaids))
	seen := make(map[GAID]bool, len(gaids))
	for _, g := range gaids {
		if !seen[g] {
			seen[g] = true
			list = append(list, g)
		}
	}
	return list
}

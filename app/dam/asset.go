// Package dam defines the nouns of dal: what an asset, an upload batch, a user
// or a job is and which rules it keeps, independent of how it is stored,
// searched or served. It uses nothing but the standard library.
package dam

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
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

// Rendition names a derived picture of an asset.
type Rendition string

// The renditions of an image: both fit a square of that many pixels, never
// enlarge, are upright JPEG in sRGB, and show transparency as white.
const (
	RenditionThumbnail Rendition = "thumbnail" // 320 px
	RenditionPreview   Rendition = "preview"   // 1600 px
)

// Values lists the renditions.
func (Rendition) Values() []Rendition { return []Rendition{RenditionThumbnail, RenditionPreview} }

// Color is one of the dominant colours of an asset.
type Color struct {
	Hex   string  `json:"hex"`   // "#rrggbb", sRGB, lower case
	Share float64 `json:"share"` // part of the picture's area, above 0 to 1
}

// Asset is one file in the library with what is known of it.
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
	CaptureDate      *time.Time
	Creator          string
	Copyright        string
	Keywords         []string
	AICaption        string
	AITags           []string
	OCRText          string
	WorkflowStatus   WorkflowStatus
	ProcessingStatus ProcessingStatus
	Colors           []Color
	ThumbHash        []byte // https://evanw.github.io/thumbhash/
	PHash            uint64 // perceptual hash; 0 when there is none
	Metadata         map[string]any
	Technical        map[string]any // namespaced: "exif", "iptc", "xmp", "gps", "file"
	OwnerID          int64
	CreatedByID      int64
	UpdatedByID      int64
	Version          int64 // 1 when created, one more with each change
	CreatedAt        time.Time
	UpdatedAt        time.Time
	DeletedAt        *time.Time // set while the asset is in the trash

	// Collections are those with the asset that whoever is shown it may view.
	// It is filled where one asset is shown, not in lists.
	Collections []CollectionRef
}

// CollectionRef names a collection.
type CollectionRef struct {
	ID   int64
	Name string
}

// Field bounds of an asset, in characters.
const (
	MaxTitle    = 500
	MaxFilename = 255 // also in bytes
	MaxLine     = 1000
	MaxText     = 100_000
	MaxKeyword  = 255
	MaxKeywords = 500
	MaxMetaKeys = 200
)

var metadataKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// ValidMetadataKey reports whether a custom field may have that key.
func ValidMetadataKey(key string) bool { return metadataKey.MatchString(key) }

// Validate reports what is wrong with the fields of a that people set. It does
// not know the definitions of metadata.
func (a *Asset) Validate() error {
	var p Problems
	a.validate(&p)
	p.metadata("metadata", a.Metadata)
	return p.Err()
}

func (a *Asset) validate(p *Problems) {
	p.length("title", a.Title, 1, MaxTitle)
	p.length("creator", a.Creator, 0, MaxLine)
	p.length("copyright", a.Copyright, 0, MaxLine)
	p.length("ai_caption", a.AICaption, 0, MaxText)
	p.words("keywords", a.Keywords)
	p.words("ai_tags", a.AITags)
	switch a.WorkflowStatus {
	case WorkflowDraft, WorkflowInReview, WorkflowApproved, WorkflowRejected, WorkflowArchived:
	default:
		p.Add("workflow_status", "The selected workflow status is invalid.")
	}
}

// Clamp cuts what a file said of itself to the bounds of Validate, without what
// people cannot see. A title that shows nothing becomes that of the file's name.
func (a *Asset) Clamp() {
	a.Title = cut(Visible(a.Title), MaxTitle)
	if Unseen(a.Title) {
		a.Title = cut(TitleFromFilename(a.OriginalFilename), MaxTitle)
	}
	a.Creator = cut(Visible(a.Creator), MaxLine)
	a.Copyright = cut(Visible(a.Copyright), MaxLine)
	for i, k := range a.Keywords {
		a.Keywords[i] = cut(Visible(k), MaxKeyword)
	}
	a.Keywords = CleanWords(a.Keywords)
	a.Keywords = a.Keywords[:min(len(a.Keywords), MaxKeywords)]
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

func (p *Problems) words(field string, words []string) {
	if len(words) > MaxKeywords {
		p.Add(field, "The %s field must not have more than %d items.", strings.ReplaceAll(field, "_", " "), MaxKeywords)
		return
	}
	for i, w := range words {
		p.length(field+"."+itoa(i), w, 1, MaxKeyword)
	}
}

// metadata checks keys and the shape of values: text, number, boolean, or a
// list of texts.
func (p *Problems) metadata(field string, m map[string]any) {
	if len(m) > MaxMetaKeys {
		p.Add(field, "The metadata field must not have more than %d items.", MaxMetaKeys)
		return
	}
	for _, k := range sortedKeys(m) {
		path := field + "." + k
		if !metadataKey.MatchString(k) {
			p.Add(path, "A metadata key has lower-case letters, digits and underscores, starts with a letter and has at most 64 characters.")
			continue
		}
		switch v := m[k].(type) {
		case string:
			p.length(path, v, 0, MaxText)
		case bool, float64, int64, int, json.Number:
		case []string:
			p.words(path, v)
		case []any:
			if len(v) > MaxKeywords {
				p.Add(path, "The %s field must not have more than %d items.", k, MaxKeywords)
				continue
			}
			for i, x := range v {
				if s, ok := x.(string); !ok {
					p.Add(path+"."+itoa(i), "The item must be a text.")
				} else {
					p.length(path+"."+itoa(i), s, 0, MaxKeyword)
				}
			}
		default:
			p.Add(path, "The value must be a text, a number, a boolean or a list of texts.")
		}
	}
}

// CleanWords trims words, drops empty ones and those that came before in
// another case, and keeps the order.
func CleanWords(words []string) []string {
	out := make([]string, 0, len(words))
	seen := make(map[string]bool, len(words))
	for _, w := range words {
		w = strings.Join(strings.Fields(w), " ")
		if k := strings.ToLower(w); w != "" && !seen[k] {
			seen[k] = true
			out = append(out, w)
		}
	}
	return out
}

func itoa(i int) string { return strconv.Itoa(i) }

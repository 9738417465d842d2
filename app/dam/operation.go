package dam

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// OperationType is the type of an operation.
type OperationType string

// The types of operation.
const (
	OperationUpdate   OperationType = "bulk_update"
	OperationDelete   OperationType = "bulk_delete"
	OperationAnalysis OperationType = "ai_analysis"
	OperationExport   OperationType = "export"
	OperationImport   OperationType = "metadata_import"
)

// Values lists the types of operation.
func (OperationType) Values() []OperationType {
	return []OperationType{OperationUpdate, OperationDelete, OperationAnalysis, OperationExport, OperationImport}
}

// OperationState is the state of an operation.
type OperationState string

// The states of an operation. The states from OperationCancelled on are final.
const (
	OperationPending    OperationState = "pending"
	OperationRunning    OperationState = "running"
	OperationCancelling OperationState = "cancelling" // asked to stop, still running
	OperationCancelled  OperationState = "cancelled"
	OperationDone       OperationState = "completed"
	OperationPartly     OperationState = "completed_with_errors" // some assets failed
	OperationFailed     OperationState = "failed"                // aborted, or every asset failed
)

// Values lists the states of an operation.
func (OperationState) Values() []OperationState {
	return []OperationState{OperationPending, OperationRunning, OperationCancelling, OperationCancelled, OperationDone, OperationPartly,
		OperationFailed}
}

// Terminal reports whether s is final.
func (s OperationState) Terminal() bool {
	return s != OperationPending && s != OperationRunning && s != OperationCancelling
}

// Operation is background work on many assets. Its items are determined when it starts and
// processed in order.
type Operation struct {
	ID          int64
	Type        OperationType
	State       OperationState
	Spec        OperationSpec
	Total       int // items
	Done        int // successful items, including unchanged ones
	Unchanged   int // items of Done that needed no change
	Failed      int
	Error       *OperationError // reason why it was aborted
	File        *OperationFile  // of a completed export
	CreatedByID int64
	CreatedBy   *User `json:"-"` // name and address
	CreatedAt   time.Time
	UpdatedAt   time.Time
	StartedAt   *time.Time
	FinishedAt  *time.Time
}

// Next returns the position of the next item.
func (o *Operation) Next() int { return o.Done + o.Failed }

// Percent returns the progress, 0 to 100.
func (o *Operation) Percent() int {
	switch {
	case o.State == OperationDone || o.State == OperationPartly:
		return 100
	case o.Total == 0:
		return 0
	}
	return 100 * o.Next() / o.Total
}

// OperationFile is the file created by an export.
type OperationFile struct {
	Size      int64
	SHA256    string // lower-case hex
	ExpiresAt time.Time
	// Collections are the collections named in the file. Users without access to all of
	// them may not download it.
	Collections []int64
}

// OperationError is the reason why an operation or an item failed.
type OperationError struct {
	Code    OperationErrorCode
	Message string
	Field   string // asset field of the first problem of an item; "" if it does not concern a field
}

// OperationErrorCode classifies the failures of operations.
type OperationErrorCode string

// The error codes.
const (
	CodeNotFound    OperationErrorCode = "not_found"    // missing or trashed asset
	CodeInvalid     OperationErrorCode = "invalid"      // the change breaks a rule
	CodeAmbiguous   OperationErrorCode = "ambiguous"    // a row matches more than one asset
	CodeRepeated    OperationErrorCode = "repeated"     // an earlier row matches the same asset
	CodeNoRendition OperationErrorCode = "no_rendition" // the file has no such rendition
	CodeFileMissing OperationErrorCode = "file_missing" // the asset's file is missing
	CodeFileDamaged OperationErrorCode = "file_damaged" // the asset's file is damaged
	CodeRefused     OperationErrorCode = "refused"      // by the model
	CodeNoSpace     OperationErrorCode = "no_space"     // the disk is full
	CodeQuota       OperationErrorCode = "quota"        // above the user's limit for exports
	CodeDenied      OperationErrorCode = "denied"       // the user who started it no longer has the permission
	CodeAllFailed   OperationErrorCode = "all_failed"   // every asset failed
	CodeBroken      OperationErrorCode = "internal"     // see the log
)

// Values lists the error codes.
func (OperationErrorCode) Values() []OperationErrorCode {
	return []OperationErrorCode{
		CodeNotFound, CodeInvalid, CodeAmbiguous, CodeRepeated, CodeNoRendition, CodeFileMissing, CodeFileDamaged, CodeRefused, CodeNoSpace,
		CodeQuota, CodeDenied, CodeAllFailed, CodeBroken,
	}
}

// ItemState is the state of one asset of an operation.
type ItemState string

// The states of an item. Skipped is not stored: pending items of a finished operation are
// reported as skipped.
const (
	ItemPending   ItemState = "pending"
	ItemDone      ItemState = "done"
	ItemUnchanged ItemState = "unchanged" // needed no change
	ItemFailed    ItemState = "failed"
	ItemSkipped   ItemState = "skipped" // the operation ended before this item
)

// Values lists the states of an item.
func (ItemState) Values() []ItemState {
	return []ItemState{ItemPending, ItemDone, ItemUnchanged, ItemFailed, ItemSkipped}
}

// OperationItem is one asset of an operation.
type OperationItem struct {
	Position int   // from 0
	AssetID  int64 // 0 if it never existed
	GAID     GAID
	Title    string // current title; "" if permanently deleted or not requested
	State    ItemState
	Error    *OperationError // reason of the failure; for a pending item, of the expected failure
	Line     int             // line in the table of a metadata_import, from 1; 0 for other operations
	Row      *ImportRow      // row at that line, while the item is processed
}

// The limits of an operation.
const (
	MaxOperationGAIDs   = 100_000
	MaxOperationItems   = 1_000_000
	MaxExportFiles      = 200_000 // for an export with files: a ZIP's directory is kept in memory
	MaxOperationChanges = 1 << 20 // bytes of the changes as JSON
	MaxIdempotencyKey   = 255     // characters
	MaxBulkCollections  = 50      // collections that a bulk_update adds to, and that it removes from
)

// ExportFormat is the format of an export.
type ExportFormat string

// The formats of an export.
const (
	ExportZIP  ExportFormat = "zip"
	ExportCSV  ExportFormat = "csv"
	ExportJSON ExportFormat = "json"
)

// Values lists the formats of an export.
func (ExportFormat) Values() []ExportFormat { return []ExportFormat{ExportZIP, ExportCSV, ExportJSON} }

// OperationSpec is the specification of an operation.
type OperationSpec struct {
	Type      OperationType `json:"-"`
	Selection Selection

	Changes    *BulkChanges    `json:",omitempty"` // of a bulk_update
	RawChanges json.RawMessage `json:",omitempty"` // Changes as sent by the client
	Force      bool            `json:",omitempty"` // of a bulk_delete: delete permanently
	Tasks      []string        `json:",omitempty"` // of an ai_analysis
	Format     ExportFormat    `json:",omitempty"` // of an export
	Rendition  Rendition       `json:",omitempty"` // of an export: use this instead of the originals
	Import     *ImportSpec     `json:",omitempty"` // of a metadata_import

	// Granted are the abilities of the token that started the operation and limit the
	// operation; nil if it was not started by a token.
	Granted []Ability `json:",omitempty"`
	// TokenID is that token; the operation ends with it. 0 if the operation was not started
	// by a token, and in older records.
	TokenID int64 `json:",omitempty"`
}

// Selection selects the assets of an operation: either listed assets or the results of a
// query.
type Selection struct {
	GAIDs   []GAID  `json:"-"`          // stored as items
	Filters string  `json:",omitempty"` // filter document; "" for none
	Q       string  `json:",omitempty"`
	Meaning bool    `json:",omitempty"` // include results of the semantic search for Q
	Trashed Trashed `json:",omitempty"`
}

// Params returns the list parameters of a selection by query.
func (sel *Selection) Params() QueryParams {
	return QueryParams{Q: sel.Q, WordsOnly: !sel.Meaning, Filters: sel.Filters, Trashed: sel.Trashed, Exact: true}
}

// OperationFilter selects operations for a list; zero values match all.
type OperationFilter struct {
	User  int64
	State OperationState
	Type  OperationType
}

// BulkChanges applies the same changes to many assets.
type BulkChanges struct {
	AssetPatch
	AddKeywords    []string `json:",omitempty"`
	RemoveKeywords []string `json:",omitempty"` // matches any spelling
	AddPeople      []string `json:",omitempty"`
	RemovePeople   []string `json:",omitempty"` // matches any spelling

	// CaptureShift is the correction of the camera's clock as a signed ISO 8601 duration,
	// such as "-PT1H"; see ParseShift. It is added before CaptureUTCOffset is set.
	CaptureShift string `json:",omitempty"`

	AddCollectionIDs    []int64 `json:",omitempty"`
	RemoveCollectionIDs []int64 `json:",omitempty"`
}

// Apply changes the fields of a like AssetPatch.Apply.
func (c *BulkChanges) Apply(a *Asset, s *Schema) error { return c.patch(a).Apply(a, s) }

// Try applies the changes to an empty asset. It returns the asset, or the problems that the
// changes have for any asset. Required fields and the classes of fields are checked for
// each asset when it is processed.
func (c *BulkChanges) Try(s *Schema) (*Asset, error) {
	a := &Asset{Title: "-", OriginalFilename: "-", WorkflowStatus: WorkflowDraft, AssetClassID: anyClass}
	var wrong Problems
	c.patch(a).apply(a, s, &wrong)
	if a.AssetClassID == anyClass {
		a.AssetClassID = 0
	}
	return a, wrong.Err()
}

// patch returns the changes for a. Capture date changes do not apply to an asset without
// one.
func (c *BulkChanges) patch(a *Asset) *AssetPatch {
	p := c.AssetPatch
	if shift, ok := ParseShift(c.CaptureShift); ok && a.CaptureDate != nil {
		p.CaptureDate = Opt[CaptureTime]{Sent: true, Value: CaptureTime{LocalTime(a.CaptureDate.Time).Add(shift)}}
		p.isClock = true
	}
	if a.CaptureDate == nil && !p.CaptureDate.Sent {
		p.CaptureUTCOffset = Opt[string]{}
	}
	if len(c.AddKeywords)+len(c.RemoveKeywords) > 0 {
		p.Keywords = Opt[[]string]{Sent: true, Value: withWords(a.Keywords, c.AddKeywords, c.RemoveKeywords)}
	}
	if len(c.AddPeople)+len(c.RemovePeople) > 0 {
		p.People = Opt[[]string]{Sent: true, Value: withWords(a.People, c.AddPeople, c.RemovePeople)}
	}
	return &p
}

// withWords returns words without those in remove, in any spelling, followed by those in
// add.
func withWords(words, add, remove []string) []string {
	drop := map[string]bool{}
	for _, w := range CleanWords(remove) {
		drop[WordKey(w)] = true
	}
	var kept []string
	for _, w := range words {
		if !drop[WordKey(w)] {
			kept = append(kept, w)
		}
	}
	return append(kept, add...)
}

// Validate checks s. It does not parse the filter document, and changes must also pass
// BulkChanges.Try.
func (s *OperationSpec) Validate() error {
	var p Problems
	if s.Type == OperationImport {
		s.checkImport(&p)
		return p.Err()
	}
	s.Selection.check(&p)
	if s.Selection.Trashed != TrashedWithout && !s.Force {
		p.Add("selection.trashed", "Only a bulk_delete with force reaches the trash.")
	}
	s.validateType(&p)
	return p.Err()
}

// Validate checks sel. It does not parse the filter document.
func (sel *Selection) Validate() error {
	var p Problems
	sel.check(&p)
	return p.Err()
}

func (sel *Selection) check(p *Problems) {
	switch byQuery := sel.Filters != "" || strings.TrimSpace(sel.Q) != "" || sel.Trashed != TrashedWithout; {
	case sel.GAIDs != nil && byQuery:
		p.Add("selection", "The selection is either gaids or a query of filters and q, not both.")
	case sel.GAIDs == nil && sel.Filters == "" && strings.TrimSpace(sel.Q) == "":
		p.Add("selection", "selection needs gaids, filters or q. A group without rules as filters selects every asset.")
	case sel.GAIDs != nil && len(sel.GAIDs) == 0:
		p.Add("selection.gaids", "selection.gaids may not be empty.")
	case len(sel.GAIDs) > MaxOperationGAIDs:
		p.Add("selection.gaids", "selection.gaids may not have more than %d items; select by filters instead.", MaxOperationGAIDs)
	}
	for i, g := range sel.GAIDs {
		if len(g) == 0 || len(g) > 26 || !utf8.ValidString(string(g)) {
			p.Add("selection.gaids."+itoa(i), "The item must be a GAID.")
			break
		}
	}
	p.length("selection.q", sel.Q, 0, MaxQueryText)
	p.size("selection.filters", len(sel.Filters), MaxFilterBytes)
	if t := sel.Trashed; t != TrashedWithout {
		oneOf(p, "selection.trashed", t, t.Values())
	}
}

// validateType checks the fields that depend on the type.
func (s *OperationSpec) validateType(p *Problems) {
	alien := func(field string, is bool, of OperationType) {
		if is && s.Type != of {
			p.Add(field, "%s does not go with %s.", field, s.Type)
		}
	}
	alien("changes", s.Changes != nil, OperationUpdate)
	alien("force", s.Force, OperationDelete)
	alien("tasks", s.Tasks != nil, OperationAnalysis)
	alien("format", s.Format != "", OperationExport)
	alien("rendition", s.Rendition != "", OperationExport)
	alien("file_id", s.Import != nil, OperationImport)
	switch s.Type {
	case OperationUpdate:
		s.validateChanges(p)
	case OperationAnalysis:
		if len(s.Tasks) == 0 {
			p.required("tasks")
		}
		for i, t := range s.Tasks {
			switch at := "tasks." + itoa(i); {
			case !slices.Contains(Tasks(), t):
				p.Add(at, "The selected task %q is invalid; it must be one of %s.", t, strings.Join(Tasks(), ", "))
			case slices.Contains(s.Tasks[:i], t):
				p.Add(at, "The task %s is there already.", t)
			}
		}
	case OperationExport:
		if s.Format == "" {
			p.required("format")
		}
		p.oneOf("format", string(s.Format), words[ExportFormat]()...)
		if s.Rendition != "" {
			oneOf(p, "rendition", s.Rendition, s.Rendition.Values())
		}
		if s.Rendition == RenditionPage {
			p.Add("rendition", "An export has no pages: ask for a page at the asset.")
		}
		if s.Rendition == RenditionProxy {
			p.Add("rendition", "An export has no copies for browsers, only originals.")
		}
		if s.Rendition != "" && s.Format != ExportZIP {
			p.Add("rendition", "Only the format %s has files.", ExportZIP)
		}
	case OperationDelete, OperationImport:
	default:
		p.Add("type", "The selected type is invalid.")
	}
}

// checkImport checks a metadata_import, whose assets are selected by the table.
func (s *OperationSpec) checkImport(p *Problems) {
	if sel := &s.Selection; sel.GAIDs != nil || sel.Filters != "" || sel.Q != "" || sel.Trashed != TrashedWithout {
		p.Add("selection", "selection does not go with %s: the rows of the file say which assets.", s.Type)
	}
	im := ImportSpec{Empty: EmptyKeep}
	if s.Import != nil {
		im = *s.Import
	}
	im.check(p)
	s.validateType(p)
}

// validateChanges checks the parts of the changes that do not depend on definitions: see
// BulkChanges.Try.
func (s *OperationSpec) validateChanges(p *Problems) {
	c := s.Changes
	switch {
	case c == nil || !c.TouchesAssets() && !c.MovesAssets():
		p.required("changes")
		return
	case len(s.RawChanges) > MaxOperationChanges:
		p.size("changes", len(s.RawChanges), MaxOperationChanges)
		return
	case c.Keywords.Sent && len(c.AddKeywords)+len(c.RemoveKeywords) > 0:
		p.Add("changes.keywords", "keywords does not go with add_keywords and remove_keywords.")
		return
	case c.People.Sent && len(c.AddPeople)+len(c.RemovePeople) > 0:
		p.Add("changes.people", "people does not go with add_people and remove_people.")
		return
	}
	if o := c.CaptureUTCOffset; o.Sent && !o.Null {
		if _, ok := parseOffset(o.Value); !ok {
			p.badOffset("changes.")
		}
	}
	switch _, ok := ParseShift(c.CaptureShift); {
	case c.CaptureShift == "":
	case !ok:
		p.Add("changes.capture_shift", "capture_shift must be a duration such as PT1H or -P1DT30M, %d days at most.", maxShiftDays)
	case c.CaptureDate.Sent:
		p.Add("changes.capture_shift", "capture_shift does not go with capture_date.")
	}
	p.words("changes.add_keywords", c.AddKeywords)
	p.words("changes.remove_keywords", c.RemoveKeywords)
	p.words("changes.add_people", c.AddPeople)
	p.words("changes.remove_people", c.RemovePeople)
	p.items("changes.add_collection_ids", len(c.AddCollectionIDs), MaxBulkCollections)
	p.items("changes.remove_collection_ids", len(c.RemoveCollectionIDs), MaxBulkCollections)
	for i, id := range c.RemoveCollectionIDs {
		if slices.Contains(c.AddCollectionIDs, id) {
			p.Add("changes.remove_collection_ids."+itoa(i), "The collection %d is in add_collection_ids too.", id)
		}
	}
}

// MovesAssets reports whether c adds assets to collections or removes them.
func (c *BulkChanges) MovesAssets() bool {
	return c != nil && len(c.AddCollectionIDs)+len(c.RemoveCollectionIDs) > 0
}

// TouchesAssets reports whether c changes the fields of assets.
func (c *BulkChanges) TouchesAssets() bool {
	words := len(c.AddKeywords) + len(c.RemoveKeywords) + len(c.AddPeople) + len(c.RemovePeople)
	return words+len(c.CaptureShift) > 0 || c.TouchesFields() || c.Metadata.Sent
}

// ValidateIdempotencyKey checks the format of a key.
func ValidateIdempotencyKey(key string) error {
	const field = "Idempotency-Key"
	switch n := utf8.RuneCountInString(key); {
	case n == 0:
		return InvalidField(field, "%s is required.", field)
	case n > MaxIdempotencyKey:
		return InvalidField(field, "%s may not have more than %d characters.", field, MaxIdempotencyKey)
	}
	if !utf8.ValidString(key) || strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return InvalidField(field, "%s may have printable characters only.", field)
	}
	return nil
}

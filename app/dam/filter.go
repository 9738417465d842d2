package dam

import (
	"iter"
	"slices"
)

// Filter is a node of the filter language: a group of rules, or a single rule.
type Filter struct {
	// Group marks a group. All of Rules must match, or, with Any, at least one. A group
	// without rules matches every asset, or, with Any, none.
	Group, Any bool
	// Not inverts a group: none of Rules may match. Any is then ignored.
	Not   bool
	Rules []*Filter

	// For a single rule. The form of the value depends on the type of the field and on the
	// operator; see FilterValue.
	Field    FilterField
	Operator FilterOperator
	Value    FilterValue
}

// FilterField is the field of a rule.
type FilterField struct {
	Name string // without "asset." or "metadata."; "" for the field asset, all text
	Type FilterType
}

// FilterType is the type of a field and determines its operators.
type FilterType uint8

// The types of fields.
const (
	FilterText     FilterType = iota // a single text
	FilterPlain                      // a single text outside the full-text search
	FilterEnum                       // one of a fixed set of words
	FilterNumber                     // an optional number
	FilterDate                       // an optional instant
	FilterDay                        // an optional local time, or a day without a time zone
	FilterSet                        // a set of texts
	FilterIDs                        // a set of ids
	FilterTree                       // ids of collections that contain the asset, directly or in descendants
	FilterPicks                      // shares whose guests picked the asset
	FilterUsers                      // a user id
	FilterKey                        // a text shared by few assets, such as the GAID
	FilterShared                     // whether the asset is in an active share
	FilterUses                       // number of uses, in total or in the last days
	FilterColors                     // dominant colors
	FilterAll                        // all text of an asset
	FilterMetadata                   // custom field: a text, a number, a boolean, or a set of texts
	FilterNone                       // not available in rules
)

// FilterOperator is the comparison of a rule.
type FilterOperator string

// The operators. Each negative operator matches exactly the assets that its positive one
// does not, including assets without a value.
const (
	OpEquals             FilterOperator = "equals"
	OpNotEquals          FilterOperator = "not_equals"
	OpContains           FilterOperator = "contains"
	OpNotContains        FilterOperator = "not_contains"
	OpStartsWith         FilterOperator = "starts_with"
	OpEndsWith           FilterOperator = "ends_with"
	OpGreaterThan        FilterOperator = "greater_than"
	OpGreaterThanOrEqual FilterOperator = "greater_than_or_equal"
	OpLessThan           FilterOperator = "less_than"
	OpLessThanOrEqual    FilterOperator = "less_than_or_equal"
	OpIn                 FilterOperator = "in"
	OpNotIn              FilterOperator = "not_in"
	OpBetween            FilterOperator = "between"
	OpIsEmpty            FilterOperator = "is_empty"
	OpIsNotEmpty         FilterOperator = "is_not_empty"
	OpHybridSearch       FilterOperator = "hybrid_search"
	OpExactSearch        FilterOperator = "exact_search"
	OpColorEquals        FilterOperator = "color_equals"
	OpColorNear          FilterOperator = "color_near"
)

// Values lists the operators in the order of the API's documentation.
func (FilterOperator) Values() []FilterOperator {
	return []FilterOperator{
		OpEquals, OpNotEquals, OpContains, OpNotContains, OpStartsWith, OpEndsWith,
		OpGreaterThan, OpGreaterThanOrEqual, OpLessThan, OpLessThanOrEqual,
		OpIn, OpNotIn, OpBetween, OpIsEmpty, OpIsNotEmpty,
		OpHybridSearch, OpExactSearch, OpColorEquals, OpColorNear,
	}
}

// Positive returns the operator without its negation and whether it was negated.
func (o FilterOperator) Positive() (FilterOperator, bool) {
	switch o {
	case OpNotEquals:
		return OpEquals, true
	case OpNotContains:
		return OpContains, true
	case OpNotIn:
		return OpIn, true
	case OpIsNotEmpty:
		return OpIsEmpty, true
	}
	return o, false
}

// FilterValue is the value of a rule. Exactly one of the slices is set. For an undeclared
// custom field, several are set if the value can be parsed as several types. All are empty
// for is_empty. Multiple items are the choices of in, the set of equals, or the two ends of
// between.
type FilterValue struct {
	Texts   []string
	Numbers []float64
	Dates   []DateRange
	Moves   bool // some of Dates are relative to now
	IDs     []int64
	Bools   []bool
	Days    int // for rules over uses: number of days up to today; 0 for all
	Color   *ColorRange
}

// DateRange is the time range of a date: a day or one millisecond. It includes From and
// excludes To, both in milliseconds since 1970. Days are in UTC, or, for capture dates, in
// local time. Relative days of instants are ranges without IsDay.
type DateRange struct {
	From, To int64
	IsDay    bool
}

// ColorRange is the set of colors within a distance (CIEDE2000) of a color.
type ColorRange struct {
	R, G, B  uint8 // sRGB
	Distance float64
}

// The limits of a filter document.
const (
	MaxFilterDepth  = 10 // nested groups
	MaxFilterRules  = 200
	MaxFilterText   = 1000    // characters of a value
	MaxFilterValues = 1000    // items of a value
	MaxFilterTerms  = 200_000 // terms in all rules, including their descendants

	// The maximum distances (CIEDE2000) of equal colors, and by default of near colors.
	ColorEqualDistance = 5
	ColorNearDistance  = 20
)

// filterFields are the filterable fields except for metadata.{key}: the editable fields and
// the derived ones.
var filterFields = func() map[string]FilterType {
	fields := map[string]FilterType{
		"asset":                    FilterAll,
		"asset.original_filename":  FilterText,
		"asset.ocr_text":           FilterText,
		"asset.mime_type":          FilterPlain,
		"asset.extension":          FilterPlain,
		"asset.file_category":      FilterEnum,
		"asset.processing_status":  FilterEnum,
		"asset.availability":       FilterEnum,
		"asset.folder":             FilterPlain,
		"asset.width":              FilterNumber,
		"asset.height":             FilterNumber,
		"asset.duration":           FilterNumber,
		"asset.page_count":         FilterNumber,
		"asset.file_size":          FilterNumber,
		"asset.ingestion_batch_id": FilterNumber,
		"asset.location.latitude":  FilterNumber,
		"asset.location.longitude": FilterNumber,
		"asset.place":              FilterText,
		"asset.created_at":         FilterDate,
		"asset.updated_at":         FilterDate,
		"asset.collections":        FilterIDs,
		"asset.colors":             FilterColors,
		"asset.picked_in":          FilterPicks,
		"asset.collection_tree":    FilterTree,
		"asset.owner":              FilterUsers,
		"asset.created_by":         FilterUsers,
		"asset.updated_by":         FilterUsers,
		"asset.orientation":        FilterEnum,
		"asset.aspect_ratio":       FilterNumber,
		"asset.megapixels":         FilterNumber,
		"asset.camera":             FilterPlain,
		"asset.lens":               FilterPlain,
		"asset.iso":                FilterNumber,
		"asset.focal_length":       FilterNumber,
		"asset.file_version":       FilterNumber,
		"asset.deleted_at":         FilterDate,
		"asset.gaid":               FilterKey,
		"asset.checksum_sha256":    FilterKey,
		"asset.shared":             FilterShared,
		"asset.downloads":          FilterUses,
		"asset.views":              FilterUses,
	}
	for _, f := range assetFields {
		if f.Filter != FilterNone {
			fields["asset."+f.Name] = f.Filter
		}
	}
	return fields
}()

// operators returns the operators of a type in the order of the API's documentation.
func (t FilterType) operators() []FilterOperator {
	var (
		same  = []FilterOperator{OpEquals, OpNotEquals}
		part  = []FilterOperator{OpContains, OpNotContains}
		ends  = []FilterOperator{OpStartsWith, OpEndsWith}
		order = []FilterOperator{OpGreaterThan, OpGreaterThanOrEqual, OpLessThan, OpLessThanOrEqual}
		many  = []FilterOperator{OpIn, OpNotIn}
		empty = []FilterOperator{OpIsEmpty, OpIsNotEmpty}
		text  = []FilterOperator{OpHybridSearch, OpExactSearch}
		span  = []FilterOperator{OpBetween}
	)
	switch t {
	case FilterText, FilterSet:
		return slices.Concat(same, part, ends, many, empty, text)
	case FilterPlain:
		return slices.Concat(same, part, ends, many, empty)
	case FilterEnum:
		return slices.Concat(same, many, empty)
	case FilterNumber, FilterDate, FilterDay:
		return slices.Concat(same, order, many, span, empty)
	case FilterIDs:
		return slices.Concat(same, part, many, empty)
	case FilterPicks, FilterTree:
		return many
	case FilterUsers:
		return slices.Concat(same, many, empty)
	case FilterKey:
		return slices.Concat(same, many)
	case FilterShared:
		return same
	case FilterUses:
		return slices.Concat(same, order, many, span)
	case FilterColors:
		return slices.Concat(empty, []FilterOperator{OpColorEquals, OpColorNear})
	case FilterAll:
		return text
	default:
		return slices.Concat(same, part, ends, order, many, span, empty, text)
	}
}

// enumValues returns the values of a field of type FilterEnum.
func enumValues(field string) []string {
	switch field {
	case "file_category":
		return words[FileCategory]()
	case "workflow_status":
		return words[WorkflowStatus]()
	case "availability":
		return words[Availability]()
	case "orientation":
		return words[Orientation]()
	default:
		return words[ProcessingStatus]()
	}
}

// Leaves yields the rules of f, which may be nil, each with its path in the document: ""
// for f itself, otherwise a path like ".rules.0.rules.2".
func (f *Filter) Leaves() iter.Seq2[string, *Filter] {
	return func(yield func(string, *Filter) bool) { f.leaves("", yield) }
}

func (f *Filter) leaves(path string, yield func(string, *Filter) bool) bool {
	switch {
	case f == nil:
		return true
	case !f.Group:
		return yield(path, f)
	}
	for i, r := range f.Rules {
		if !r.leaves(path+".rules."+itoa(i), yield) {
			return false
		}
	}
	return true
}

// some reports whether is returns true for any rule of f, which may be nil.
func (f *Filter) some(is func(*Filter) bool) bool {
	for _, r := range f.Leaves() {
		if is(r) {
			return true
		}
	}
	return false
}

// Searches reports whether f, which may be nil, has a search rule.
func (f *Filter) Searches() bool {
	return f.some(func(r *Filter) bool { return r.Operator == OpHybridSearch || r.Operator == OpExactSearch })
}

// AboutCollections reports whether f, which may be nil, has a collection rule.
func (f *Filter) AboutCollections() bool {
	return f.some(func(r *Filter) bool { return r.Field.Type == FilterIDs || r.Field.Type == FilterTree })
}

// AboutBatches reports whether f, which may be nil, has an upload batch rule.
func (f *Filter) AboutBatches() bool {
	return f.some(func(r *Filter) bool { return r.Field == FilterField{"ingestion_batch_id", FilterNumber} })
}

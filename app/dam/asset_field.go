package dam

import (
	"reflect"
	"strings"
)

// AssetField is an editable field of an asset.
type AssetField struct {
	Name      string     // name in the API and the database
	Filter    FilterType // type of its filter rules; FilterNone for none
	MaxLength int        // characters of a text, or of each item of a list; 0 for other types
	MaxItems  int        // items of a list; 0 for other types
	Long      bool       // too long to keep in memory for every asset

	value func(*Asset) any
	sent  func(*AssetPatch) bool
	apply func(*AssetPatch, *Asset, *Problems) // called only if the field was sent
	check func(*Asset, *Problems)              // nil if every value is valid
	clamp func(*Asset)                         // nil if files do not embed the field
}

// AssetFields returns the editable fields of an asset except for custom metadata.
func AssetFields() []AssetField { return assetFields }

// Value returns the field's value in an asset, in the type of its struct field.
func (f *AssetField) Value(a *Asset) any { return f.value(a) }

// Text returns the value of a string field, which may have an enumerated type.
func (f *AssetField) Text(a *Asset) string { return reflect.ValueOf(f.value(a)).String() }

// anyField is a field whose null is the zero value of its type.
func anyField[T any](name string, filter FilterType, asset func(*Asset) *T, patch func(*AssetPatch) *Opt[T]) AssetField {
	return AssetField{
		Name: name, Filter: filter,
		value: func(a *Asset) any { return *asset(a) },
		sent:  func(p *AssetPatch) bool { return patch(p).Sent },
		apply: func(p *AssetPatch, a *Asset, _ *Problems) { *asset(a) = patch(p).to(*asset(a)) },
	}
}

// textField is a filterable text of at most the given number of characters.
func textField(name string, most int, asset func(*Asset) *string, patch func(*AssetPatch) *Opt[string]) AssetField {
	f := anyField(name, FilterText, asset, patch)
	f.MaxLength = most
	f.check = func(a *Asset, p *Problems) { p.length(name, *asset(a), 0, most) }
	f.clamp = func(a *Asset) { *asset(a) = cut(Visible(*asset(a)), most) }
	return f
}

// longField is a textField for texts that may be pages long.
func longField(name string, most int, asset func(*Asset) *string, patch func(*AssetPatch) *Opt[string]) AssetField {
	f := textField(name, most, asset, patch)
	f.Long = true
	return f
}

// proseField is a text of a few paragraphs.
func proseField(name string, asset func(*Asset) *string, patch func(*AssetPatch) *Opt[string]) AssetField {
	f := longField(name, MaxProse, asset, patch)
	f.clamp = func(a *Asset) { *asset(a) = cut(VisibleLines(*asset(a)), MaxProse) }
	return f
}

// wordsField is a list of keywords without repeated spellings.
func wordsField(name string, asset func(*Asset) *[]string, patch func(*AssetPatch) *Opt[[]string]) AssetField {
	f := anyField(name, FilterSet, asset, patch)
	f.MaxLength, f.MaxItems = MaxKeyword, MaxKeywords
	f.check = func(a *Asset, p *Problems) { p.words(name, *asset(a)) }
	f.apply = func(p *AssetPatch, a *Asset, wrong *Problems) {
		before := *asset(a)
		*asset(a) = nilIfEmpty(CleanWords(patch(p).to(nil)))
		wrong.newWords(name, before, *asset(a))
	}
	f.clamp = func(a *Asset) {
		words := *asset(a)
		for i, w := range words {
			words[i] = cut(Visible(w), MaxKeyword)
		}
		words = CleanWords(words)
		*asset(a) = words[:min(len(words), MaxKeywords)]
	}
	return f
}

// aiTagsField is the field of tags from models. A tag that a user removes is not suggested
// again.
func aiTagsField() AssetField {
	f := wordsField("ai_tags", func(a *Asset) *[]string { return &a.AITags }, func(p *AssetPatch) *Opt[[]string] { return &p.AITags })
	apply := f.apply
	f.apply = func(p *AssetPatch, a *Asset, wrong *Problems) {
		before := a.AITags
		apply(p, a, wrong)
		a.Findings.noteTags(before, a.AITags)
	}
	return f
}

func nilIfEmpty(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return words
}

// applyTitle trims the title. Null restores a title derived from the file name.
func applyTitle(p *AssetPatch, a *Asset, wrong *Problems) {
	if p.Title.Null {
		a.Title = TitleFromFilename(a.OriginalFilename)
		return
	}
	a.Title = strings.TrimSpace(p.Title.Value)
	wrong.title(a.Title)
}

func applyWorkflowStatus(p *AssetPatch, a *Asset, _ *Problems) {
	a.WorkflowStatus = p.WorkflowStatus.Value
	if p.WorkflowStatus.Null {
		a.WorkflowStatus = WorkflowDraft
	}
}

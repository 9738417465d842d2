package dam

import (
	"slices"

	"golang.org/x/text/unicode/norm"
)

// Findings are the results of models for an asset: the origins of its tags and its caption,
// and the tags that users removed, which models must not add again.
type Findings struct {
	Tags    []FoundTag `json:"tags,omitempty"`
	Caption string     `json:"caption,omitempty"` // original text of the model
	Model   string     `json:"model,omitempty"`   // model of the caption
}

// A FoundTag is a tag chosen by a model or removed by a user.
type FoundTag struct {
	Tag     string    `json:"tag"`
	Score   float64   `json:"score,omitempty"` // confidence of the model, up to 1; 0 if unknown
	Source  TagSource `json:"source"`
	Model   string    `json:"model,omitempty"`
	Removed bool      `json:"removed,omitempty"`
}

// TagSource is the origin of a tag.
type TagSource string

// The sources of tags.
const (
	TagBuiltin  TagSource = "builtin"  // the model built into dal
	TagEndpoint TagSource = "endpoint" // the model at the AI endpoint
	TagPerson   TagSource = "person"
)

// Values lists the sources.
func (TagSource) Values() []TagSource { return []TagSource{TagBuiltin, TagEndpoint, TagPerson} }

// maxFoundTags is the maximum number of tags recorded for an asset, including removed ones.
const maxFoundTags = 2 * MaxKeywords

// TagDetails returns the origin of each of the asset's AITags.
func (a *Asset) TagDetails() []FoundTag {
	list := make([]FoundTag, len(a.AITags))
	for i, tag := range a.AITags {
		list[i] = FoundTag{Tag: tag, Source: TagPerson}
		if at := a.Findings.index(tag); at >= 0 && !a.Findings.Tags[at].Removed {
			list[i] = a.Findings.Tags[at]
		}
	}
	return list
}

// index returns the index of a tag in any spelling, -1 if it is unknown.
func (f *Findings) index(tag string) int {
	return slices.IndexFunc(f.Tags, func(t FoundTag) bool { return sameWord(t.Tag, tag) })
}

// FindTags replaces the tags of a source by the tags it found. It keeps the tags of other
// sources and does not add tags that users removed. It reports whether the asset changed.
func (a *Asset) FindTags(source TagSource, model string, found []FoundTag) bool {
	before, had := slices.Clone(a.Findings.Tags), slices.Clone(a.AITags)
	gone := func(t FoundTag) bool {
		return t.Source == source && !t.Removed &&
			!slices.ContainsFunc(found, func(n FoundTag) bool { return sameWord(n.Tag, t.Tag) })
	}
	tags := slices.Clone(a.AITags)
	for _, t := range before {
		if gone(t) {
			tags = slices.DeleteFunc(tags, func(tag string) bool { return sameWord(tag, t.Tag) })
		}
	}
	details := slices.DeleteFunc(slices.Clone(before), gone)
	f := Findings{Tags: details}
	for _, t := range found {
		t.Tag = cut(norm.NFC.String(Visible(t.Tag)), MaxKeyword)
		t.Source, t.Model, t.Removed = source, model, false
		at := f.index(t.Tag)
		there := slices.ContainsFunc(tags, func(tag string) bool { return sameWord(tag, t.Tag) })
		switch {
		case Unseen(t.Tag):
		case at >= 0 && (f.Tags[at].Removed || f.Tags[at].Source != source):
		case at >= 0:
			t.Tag = f.Tags[at].Tag
			f.Tags[at] = t
		case there: // chosen by a user
		case len(tags) < MaxKeywords && len(f.Tags) < maxFoundTags:
			tags, f.Tags = append(tags, t.Tag), append(f.Tags, t)
		}
	}
	a.AITags, a.Findings.Tags = nilIfEmpty(CleanWords(tags)), nil
	if len(f.Tags) > 0 {
		a.Findings.Tags = f.Tags
	}
	return !slices.Equal(had, a.AITags) || !slices.Equal(before, a.Findings.Tags)
}

// noteTags records which of the former tags a user removed.
func (f *Findings) noteTags(before, after []string) {
	is := func(list []string, tag string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return sameWord(s, tag) })
	}
	tags := slices.Clone(f.Tags)
	for i := range tags {
		if is(after, tags[i].Tag) {
			tags[i].Removed = false
		} else if is(before, tags[i].Tag) {
			tags[i].Removed = true
		}
	}
	for _, tag := range before {
		if !is(after, tag) && f.index(tag) < 0 {
			tags = append(tags, FoundTag{Tag: tag, Source: TagPerson, Removed: true})
		}
	}
	// Above the limit, the earliest removed tags are dropped.
	for over := len(tags) - maxFoundTags; over > 0; over-- {
		at := slices.IndexFunc(tags, func(t FoundTag) bool { return t.Removed })
		tags = slices.Delete(tags, max(at, 0), max(at, 0)+1)
	}
	f.Tags = nil
	if len(tags) > 0 {
		f.Tags = tags
	}
}

// FindCaption sets a model's caption unless a user changed or removed the previous one. It
// reports whether the asset changed.
func (a *Asset) FindCaption(model, caption string) bool {
	caption = cut(Visible(caption), MaxProse)
	if caption == "" || a.AICaption != a.Findings.Caption || caption == a.AICaption && model == a.Findings.Model {
		return false
	}
	a.AICaption, a.Findings.Caption, a.Findings.Model = caption, caption, model
	return true
}

// FindText sets the text that a model read in a picture, unless the asset already has text.
// It reports whether the asset changed.
func (a *Asset) FindText(text string) bool {
	if text = cut(text, MaxText); a.OCRText != "" || Unseen(text) {
		return false
	}
	a.OCRText = text
	return true
}

package dam

import (
	"slices"

	"golang.org/x/text/unicode/norm"
)

// Findings is what models have said about an asset: why its tags and its caption are what
// they are, and which tags people have removed, so that no model brings them back.
type Findings struct {
	Tags    []FoundTag `json:"tags,omitempty"`
	Caption string     `json:"caption,omitempty"` // as the model wrote it
	Model   string     `json:"model,omitempty"`   // that wrote the caption
}

// A FoundTag is a tag that a model has chosen, or one that people have removed.
type FoundTag struct {
	Tag     string    `json:"tag"`
	Score   float64   `json:"score,omitempty"` // how sure the model is, up to 1; 0 if it does not say
	Source  TagSource `json:"source"`
	Model   string    `json:"model,omitempty"`
	Removed bool      `json:"removed,omitempty"`
}

// TagSource says who chose a tag.
type TagSource string

// The sources of tags.
const (
	TagBuiltin  TagSource = "builtin"  // the model that is part of dal
	TagEndpoint TagSource = "endpoint" // the model of the AI endpoint
	TagPerson   TagSource = "person"
)

// Values lists the sources.
func (TagSource) Values() []TagSource { return []TagSource{TagBuiltin, TagEndpoint, TagPerson} }

// maxFoundTags is how many tags are remembered of an asset, those that were removed included.
const maxFoundTags = 2 * MaxKeywords

// TagDetails says of each of an asset's AITags who chose it.
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

// index returns where a tag is in any spelling, -1 if it is not known.
func (f *Findings) index(tag string) int {
	return slices.IndexFunc(f.Tags, func(t FoundTag) bool { return sameWord(t.Tag, tag) })
}

// FindTags makes tags those that a source has found. Tags that people have removed stay
// away, and those of other sources stay. It reports whether it has changed the asset.
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
		case there: // a person has chosen it
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

// noteTags remembers which of the tags an asset had were removed by a person.
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
	// Beyond the bound, what was removed first is forgotten.
	for over := len(tags) - maxFoundTags; over > 0; over-- {
		at := slices.IndexFunc(tags, func(t FoundTag) bool { return t.Removed })
		tags = slices.Delete(tags, max(at, 0), max(at, 0)+1)
	}
	f.Tags = nil
	if len(tags) > 0 {
		f.Tags = tags
	}
}

// FindCaption makes a model's caption the asset's, unless a person has changed or removed
// the one before. It reports whether it has changed the asset.
func (a *Asset) FindCaption(model, caption string) bool {
	caption = cut(Visible(caption), MaxProse)
	if caption == "" || a.AICaption != a.Findings.Caption || caption == a.AICaption && model == a.Findings.Model {
		return false
	}
	a.AICaption, a.Findings.Caption, a.Findings.Model = caption, caption, model
	return true
}

// FindText makes the text that a model has read in a picture the asset's, which is to have
// none yet. It reports whether it has changed the asset.
func (a *Asset) FindText(text string) bool {
	if text = cut(text, MaxText); a.OCRText != "" || Unseen(text) {
		return false
	}
	a.OCRText = text
	return true
}

package dam

import (
	"maps"
	"reflect"
	"strings"
	"time"
)

// Opt is a field of a change: absent, null or a value.
type Opt[T any] struct {
	Sent, Null bool
	Value      T
}

// to returns what a field becomes: v when the field is absent, zero when it is
// null.
func (o Opt[T]) to(v T) T {
	switch {
	case !o.Sent:
		return v
	case o.Null:
		var zero T
		return zero
	}
	return o.Value
}

// AssetPatch changes an asset: what is absent stays, what is null is cleared.
type AssetPatch struct {
	Title          Opt[string] // null means the file's name
	Creator        Opt[string]
	Copyright      Opt[string]
	Keywords       Opt[[]string]
	CaptureDate    Opt[time.Time]
	WorkflowStatus Opt[WorkflowStatus] // null means draft
	AssetClassID   Opt[int64]
	OwnerID        Opt[int64]
	AICaption      Opt[string]
	AITags         Opt[[]string]
	// Metadata changes single keys; a null value removes the key, and null for
	// the whole removes all.
	Metadata Opt[map[string]any]
}

// Apply changes a, or returns what is wrong with the change. What it changes of
// the metadata has to fit the definitions in s. Setting the class fills in the
// defaults of fields without a value; writing metadata or the class asks for
// the required fields of the class.
func (p *AssetPatch) Apply(a *Asset, s *Schema) error {
	class := a.AssetClassID
	var wrong Problems
	p.apply(a, s, &wrong)
	if (p.Metadata.Sent || a.AssetClassID != class) && wrong.Err() == nil {
		s.required(&wrong, a.AssetClassID, a.Metadata)
	}
	return wrong.Err()
}

// TouchesFields reports whether p says something of a field other than the
// metadata.
func (p *AssetPatch) TouchesFields() bool {
	return p.Title.Sent || p.Creator.Sent || p.Copyright.Sent || p.Keywords.Sent || p.CaptureDate.Sent || p.WorkflowStatus.Sent ||
		p.AssetClassID.Sent || p.OwnerID.Sent || p.AICaption.Sent || p.AITags.Sent
}

// TouchesMetadata reports whether p says something else of the metadata of a
// than it is.
func (p *AssetPatch) TouchesMetadata(a *Asset) bool {
	if !p.Metadata.Sent || p.Metadata.Null {
		return p.Metadata.Sent && len(a.Metadata) > 0
	}
	for k, v := range p.Metadata.Value {
		if had, ok := a.Metadata[k]; ok != (v != nil) || ok && !reflect.DeepEqual(had, v) {
			return true
		}
	}
	return false
}

// apply is Apply without asking for required fields.
func (p *AssetPatch) apply(a *Asset, s *Schema, wrong *Problems) {
	before, class := a.Metadata, a.AssetClassID
	if p.Title.Sent {
		a.Title = strings.TrimSpace(p.Title.Value)
		wrong.title(a.Title, p.Title.Null)
	}
	if p.Title.Null {
		a.Title = TitleFromFilename(a.OriginalFilename)
	}
	a.Creator = p.Creator.to(a.Creator)
	a.Copyright = p.Copyright.to(a.Copyright)
	if p.Keywords.Sent {
		had := a.Keywords
		a.Keywords = nilIfEmpty(CleanWords(p.Keywords.to(nil)))
		wrong.unseen("keywords", had, a.Keywords)
	}
	if p.AITags.Sent {
		had := a.AITags
		a.AITags = nilIfEmpty(CleanWords(p.AITags.to(nil)))
		wrong.unseen("ai_tags", had, a.AITags)
	}
	if p.CaptureDate.Sent {
		a.CaptureDate = nil
		if !p.CaptureDate.Null {
			t := p.CaptureDate.Value.UTC().Truncate(time.Millisecond)
			a.CaptureDate = &t
		}
	}
	a.WorkflowStatus = p.WorkflowStatus.to(a.WorkflowStatus)
	if p.WorkflowStatus.Null {
		a.WorkflowStatus = WorkflowDraft
	}
	a.AssetClassID = p.AssetClassID.to(a.AssetClassID)
	a.OwnerID = p.OwnerID.to(a.OwnerID)
	a.AICaption = p.AICaption.to(a.AICaption)
	if p.Metadata.Sent {
		var m map[string]any
		if !p.Metadata.Null {
			m = maps.Clone(a.Metadata)
		}
		for k, v := range p.Metadata.Value {
			if m == nil {
				m = map[string]any{}
			}
			m[k] = v
			if v == nil {
				delete(m, k)
			}
		}
		if len(m) == 0 {
			m = nil
		}
		a.Metadata = m
	}
	a.validate(wrong)
	if m := s.check(wrong, a.AssetClassID, before, a.Metadata); len(m) > 0 {
		a.Metadata = m
	} else {
		a.Metadata = nil
	}
	if a.AssetClassID != class {
		a.Metadata = s.fill(a.AssetClassID, a.Metadata, p.Metadata.Value)
	}
}

func nilIfEmpty(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return words
}

package ingest

import (
	"github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/app/schema"
	"github.com/digital-asset-library/dal/storage"
)

// Limits on metadata from files in custom fields.
const (
	maxNewTerms = 100 // terms that a file may add to vocabularies
	maxUnfit    = 50  // properties reported as not fitting their fields
)

// Keys in an asset's technical data about custom fields: the property that filled each
// field, and the properties that did not fit.
const (
	technicalUnfit = "xmp_unfit"
)

// fromXMP returns metadata extended by the values of XMP properties for the fields of a
// class. Existing values take precedence. It records the properties used in the technical
// data. New terms are added to vocabularies that accept them; the returned definitions
// include these.
func fromXMP(
	tx *storage.Tx, s *dam.Schema, class int64, metadata map[string]any, properties map[string][]string, technical map[string]any,
) (map[string]any, *dam.Schema, error) {
	from, unfit := map[string]any{}, []any{}
	out := map[string]any{}
	left, committed := maxNewTerms, s
	for _, field := range s.Fields {
		texts := textsFor(field, properties)
		if field.XMPPath == "" || len(texts) == 0 || !field.AppliesTo(class) {
			continue
		}
		var err error
		if s, err = addTerms(tx, committed, s, field, texts, &left); err != nil {
			return nil, nil, err
		}
		v, problem := s.FromXMP(field, texts)
		switch _, given := metadata[field.Key]; {
		case problem == "":
			if from[field.Key] = field.XMPPath; !given {
				out[field.Key] = v
			}
			if unknown := s.UnknownInXMP(field, texts); len(unknown) > 0 && len(unfit) < maxUnfit {
				unfit = append(unfit, map[string]any{
					"field": field.Key, "path": field.XMPPath, "value": schema.Shortened(unknown[0]), "problem": "has no such term in its vocabulary.",
				})
			}
		case len(unfit) < maxUnfit:
			unfit = append(unfit, map[string]any{
				"field": field.Key, "path": field.XMPPath, "value": schema.Shortened(texts[0]), "problem": problem,
			})
		}
	}
	note(technical, asset.TechnicalFields, from, len(from))
	note(technical, technicalUnfit, unfit, len(unfit))
	for key, v := range metadata {
		out[key] = v
	}
	return out, s, nil
}

// note sets a part of the technical data, or removes it if it is empty.
func note(technical map[string]any, part string, v any, n int) {
	if n > 0 {
		technical[part] = v
	} else {
		delete(technical, part)
	}
}

// textsFor returns the values of XMP properties for a field. Hierarchical keywords have
// several encodings.
func textsFor(f *dam.Field, properties map[string][]string) []string {
	if f.XMPPath == dam.XMPHierarchy {
		return media.KeywordPaths(properties)
	}
	return properties[f.XMPPath]
}

// addTerms adds the terms that are missing in the vocabulary of a field, and returns the
// definitions with them. The version of a vocabulary changes only once per transaction, so
// only committed definitions can be reused.
func addTerms(tx *storage.Tx, committed, s *dam.Schema, f *dam.Field, texts []string, left *int) (*dam.Schema, error) {
	for *left > 0 {
		parent, list := s.NewTerms(f, texts, *left)
		if len(list) == 0 {
			return s, nil
		}
		n, err := tx.CountTerms()
		if err != nil || n+len(list) > dam.MaxAllTerms {
			return s, err
		}
		above := int64(0)
		if parent != nil {
			above = parent.ID
		}
		for _, t := range list {
			t.ParentID = above
			if err := t.Validate(s.Vocabulary(f)); err != nil && above == 0 {
				return s, nil //nolint:nilerr // a label that no term can have: the value does not fit
			}
			if err := tx.InsertTerm(t); err != nil {
				return s, err
			}
			above = t.ID
		}
		*left -= len(list)
		if s, err = index.LoadSchema(tx, 0, committed); err != nil {
			return s, err
		}
	}
	return s, nil
}

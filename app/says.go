package app

import (
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/storage"
)

// The bounds of what files say in custom fields.
const (
	maxNewTerms = 100 // that a file adds to vocabularies
	maxUnfit    = 50  // properties that are told not to fit their fields
)

// The parts of an asset's technical data about custom fields: which property filled each,
// and what did not fit.
const (
	technicalFields = "xmp_fields"
	technicalUnfit  = "xmp_unfit"
)

// fromXMP returns metadata with the values that properties of XMP have for the fields of a
// class, apart from those that it has already, and notes in the technical data which they
// are. New terms are added to vocabularies that take them; the definitions are those of then.
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
					"field": field.Key, "path": field.XMPPath, "value": shortened(unknown[0]), "problem": "has no such term in its vocabulary.",
				})
			}
		case len(unfit) < maxUnfit:
			unfit = append(unfit, map[string]any{
				"field": field.Key, "path": field.XMPPath, "value": shortened(texts[0]), "problem": problem,
			})
		}
	}
	note(technical, technicalFields, from, len(from))
	note(technical, technicalUnfit, unfit, len(unfit))
	for key, v := range metadata {
		out[key] = v
	}
	return out, s, nil
}

// note puts a part into technical data, or takes it out if there is nothing in it.
func note(technical map[string]any, part string, v any, n int) {
	if n > 0 {
		technical[part] = v
	} else {
		delete(technical, part)
	}
}

// textsFor returns what properties of XMP say for a field. Keywords below others are written
// in several ways.
func textsFor(f *dam.Field, properties map[string][]string) []string {
	if f.XMPPath == dam.XMPHierarchy {
		return media.KeywordPaths(properties)
	}
	return properties[f.XMPPath]
}

// addTerms adds the terms that the vocabulary of a field lacks, and returns the definitions
// with them. The version of a vocabulary changes once in a transaction, so only what was
// committed before is not read again.
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
		if s, err = loadSchema(tx, 0, committed); err != nil {
			return s, err
		}
	}
	return s, nil
}

// says sets what a file says about itself in an asset, as far as people can change it.
func says(asset *dam.Asset, f *media.Facts) {
	asset.Title, asset.CaptureDate, asset.Creator, asset.Copyright = f.Title, f.CaptureDate, f.Creator, f.Copyright
	asset.Description, asset.Rating, asset.Location, asset.UsageTerms = f.Description, f.Rating, f.Location, f.UsageTerms
	asset.Keywords, asset.People = dam.CleanWords(f.Keywords), dam.CleanWords(f.People)
}

package web

import (
	"context"
	"strconv"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/schema"
)

// Vocabulary is a list of terms.
type Vocabulary struct {
	ID          int64   `json:"id" example:"2"`
	Key         string  `json:"key" doc:"Key of the vocabulary, which never changes." example:"regions"`
	Name        string  `json:"name" example:"Regions"`
	Description *string `json:"description" example:"Continents, countries and cities."`
	TermsCount  int     `json:"terms_count" doc:"Number of terms, including inactive ones." example:"240"`
	CreatedAt   Time    `json:"created_at"`
	UpdatedAt   Time    `json:"updated_at" doc:"When the vocabulary or one of its terms last changed."`
}

// Term is a value that a vocabulary allows.
type Term struct {
	ID            int64  `json:"id" example:"17"`
	Key           string `json:"key" doc:"Key of the term, stored as the metadata value. It never changes." example:"fr"`
	Label         string `json:"label" doc:"Displayed and searchable label." example:"France"`
	ParentID      *int64 `json:"parent_id" doc:"Id of the parent term; null at the top level." example:"3"`
	Position      int    `json:"position" doc:"Position among its siblings." example:"0"`
	ChildrenCount int    `json:"children_count" minimum:"0" doc:"Number of direct children." example:"4"`
	IsActive      bool   `json:"is_active" doc:"Whether the term can be assigned. Assets that already have it keep it." example:"true"`
}

func toVocabulary(v *dam.Vocabulary) Vocabulary {
	return Vocabulary{ID: v.ID, Key: v.Key, Name: v.Name, Description: text(v.Description), TermsCount: len(v.Terms),
		CreatedAt: Time{v.CreatedAt}, UpdatedAt: Time{v.UpdatedAt}}
}

func toTerm(t *dam.Term) Term {
	return Term{ID: t.ID, Key: t.Key, Label: t.Label, ParentID: number(t.ParentID), Position: t.Position,
		ChildrenCount: t.Children, IsActive: t.IsActive}
}

type (
	// VocabularyInput names a vocabulary in the path.
	VocabularyInput struct {
		Vocabulary string `path:"vocabulary" maxLength:"64" doc:"Id or key of the vocabulary." example:"regions"`
	}
	createVocabularyInput struct {
		Body struct {
			Key         string      `json:"key" example:"regions"`
			Name        string      `json:"name" doc:"1 to 255 characters." example:"Regions"`
			Description Opt[string] `json:"description,omitempty" doc:"Up to 2000 characters." example:"Continents, countries and cities."`
		} `contentType:"application/json" nameHint:"CreateVocabulary"`
	}
	updateVocabularyInput struct {
		VocabularyInput
		ReturnedInput
		Body *struct {
			Name        Opt[string] `json:"name,omitempty" nullable:"false" doc:"1 to 255 characters." example:"Regions"`
			Description Opt[string] `json:"description,omitempty" doc:"Up to 2000 characters." example:"Continents, countries and cities."`
		} `contentType:"application/json" nameHint:"UpdateVocabulary"`
	}

	termsInput struct {
		VocabularyInput
		PageInput
		Q        string `query:"q" maxLength:"255" doc:"Terms whose label or key contains this, ignoring case." example:"fra"`
		ParentID int64  `query:"parent_id" minimum:"1" doc:"Direct children of this term." example:"3"`
		Top      bool   `query:"top" doc:"Only top-level terms." example:"true"`
		IsActive Flag   `query:"is_active" doc:"true: only active terms; false: only inactive ones." example:"true"`
	}
	// TermInput names a term in the path.
	TermInput struct {
		VocabularyInput
		Term int64 `path:"term" doc:"The term's id." example:"17"`
	}
	createTermInput struct {
		VocabularyInput
		Body struct {
			Key      string     `json:"key" example:"fr"`
			Label    string     `json:"label" doc:"1 to 255 characters." example:"France"`
			ParentID Opt[int64] `json:"parent_id,omitempty" minimum:"0" doc:"Id of the parent term." example:"3"`
			Position Opt[int]   `json:"position,omitempty" minimum:"0" doc:"Position among its siblings; last if omitted." example:"0"`
			IsActive Opt[bool]  `json:"is_active,omitempty" nullable:"false" doc:"Whether the term can be assigned. Default true." example:"true"`
		} `contentType:"application/json" nameHint:"CreateTerm"`
	}
	updateTermInput struct {
		TermInput
		ReturnedInput
		Body *struct {
			Label    Opt[string] `json:"label,omitempty" nullable:"false" example:"France"`
			ParentID Opt[int64]  `json:"parent_id,omitempty" minimum:"0" doc:"Id of the parent term; null for the top level." example:"3"`
			Position Opt[int]    `json:"position,omitempty" nullable:"false" minimum:"0" example:"0"`
			IsActive Opt[bool]   `json:"is_active,omitempty" nullable:"false" example:"false"`
		} `contentType:"application/json" nameHint:"UpdateTerm"`
	}
)

func (s *Server) vocabularyRoutes() {
	vocabularies := definitions{group{tag: "Metadata", path: "/metadata/vocabularies"}}
	register(s, vocabularies.route("listVocabularies", "GET", "", "List vocabularies"), s.listVocabularies)
	register(s, vocabularies.route("createVocabulary", "POST", "", "Create a vocabulary"), s.createVocabulary)
	register(s, vocabularies.route("showVocabulary", "GET", "/{vocabulary}", "Show a vocabulary"), s.showVocabulary)
	registerPut(s, vocabularies.route("updateVocabulary", "PUT", "/{vocabulary}", "Update a vocabulary"),
		s.vocabularyAsShown, s.updateVocabulary)
	registerChange(s, vocabularies.route("deleteVocabulary", "DELETE", "/{vocabulary}", "Delete a vocabulary"),
		shownBy(s.showVocabulary), s.deleteVocabulary)
}

func (s *Server) termRoutes() {
	terms := definitions{group{tag: "Metadata", path: "/metadata/vocabularies/{vocabulary}/terms"}}
	register(s, terms.route("listTerms", "GET", "", "List terms"), s.listTerms)
	register(s, terms.route("createTerm", "POST", "", "Create a term"), s.createTerm)
	register(s, terms.route("showTerm", "GET", "/{term}", "Show a term"), s.showTerm)
	registerPut(s, terms.route("updateTerm", "PUT", "/{term}", "Update a term"), s.termAsShown, s.updateTerm)
	registerChange(s, terms.route("deleteTerm", "DELETE", "/{term}", "Delete a term"), shownBy(s.showTerm), s.deleteTerm)
}

// ref converts the path parameter: keys start with a letter, ids do not.
func (in *VocabularyInput) ref() schema.VocabularyRef {
	if id, err := strconv.ParseInt(in.Vocabulary, 10, 64); err == nil && id > 0 {
		return schema.VocabularyRef{ID: id}
	}
	return schema.VocabularyRef{Key: in.Vocabulary}
}

func (s *Server) listVocabularies(ctx context.Context, in *PageInput) (*listOutput[Vocabulary], error) {
	schema, err := s.app.Definitions.Definitions(ctx, requestOf(ctx).actor)
	if err != nil {
		return nil, err
	}
	all := schema.Vocabularies
	return &listOutput[Vocabulary]{*paginate(ctx, in, mapped(pageOf(in, all), toVocabulary), len(all))}, nil
}

func (s *Server) createVocabulary(ctx context.Context, in *createVocabularyInput) (*created[Vocabulary], error) {
	v := &dam.Vocabulary{Key: in.Body.Key, Name: strings.TrimSpace(in.Body.Name), Description: in.Body.Description.Value}
	if err := s.app.Definitions.CreateVocabulary(ctx, requestOf(ctx).actor, v); err != nil {
		return nil, err
	}
	return made(ctx, "/metadata/vocabularies/"+v.Key, toVocabulary(v)), nil
}

func (s *Server) showVocabulary(ctx context.Context, in *VocabularyInput) (*oneOutput[Vocabulary], error) {
	return answer(toVocabulary)(s.app.Definitions.Vocabulary(ctx, requestOf(ctx).actor, in.ref()))
}

func (s *Server) vocabularyAsShown(ctx context.Context, in *updateVocabularyInput) (any, error) {
	v, err := s.app.Definitions.Vocabulary(ctx, requestOf(ctx).actor, in.ref())
	if err != nil {
		return nil, err
	}
	return toVocabulary(v), nil
}

func (s *Server) updateVocabulary(ctx context.Context, in *updateVocabularyInput) (*oneOutput[Vocabulary], error) {
	return answer(toVocabulary)(s.app.Definitions.UpdateVocabulary(ctx, requestOf(ctx).actor, in.ref(), func(v *dam.Vocabulary) {
		if in.Body != nil {
			set(&v.Name, in.Body.Name)
			set(&v.Description, in.Body.Description)
			v.Name = strings.TrimSpace(v.Name)
		}
	}))
}

func (s *Server) deleteVocabulary(ctx context.Context, in *VocabularyInput) (*messageOutput, error) {
	return done("Vocabulary deleted.", s.app.Definitions.DeleteVocabulary(ctx, requestOf(ctx).actor, in.ref()))
}

func (s *Server) listTerms(ctx context.Context, in *termsInput) (*listOutput[Term], error) {
	v, err := s.app.Definitions.Vocabulary(ctx, requestOf(ctx).actor, in.ref())
	if err != nil {
		return nil, err
	}
	want := strings.ToLower(strings.TrimSpace(in.Q))
	found := v.Terms
	if want != "" || in.ParentID != 0 || in.Top || in.IsActive != "" {
		found = nil
		for _, t := range v.Terms {
			if (in.ParentID == 0 || t.ParentID == in.ParentID) && (!in.Top || t.ParentID == 0) &&
				(in.IsActive == "" || t.IsActive == in.IsActive.isTrue()) &&
				(want == "" || strings.Contains(strings.ToLower(t.Label), want) || strings.Contains(t.Key, want)) {
				found = append(found, t)
			}
		}
	}
	return &listOutput[Term]{*paginate(ctx, &in.PageInput, mapped(pageOf(&in.PageInput, found), toTerm), len(found))}, nil
}

func (s *Server) createTerm(ctx context.Context, in *createTermInput) (*created[Term], error) {
	b := &in.Body
	t := &dam.Term{Key: b.Key, Label: strings.TrimSpace(b.Label), ParentID: b.ParentID.Value, Position: position(b.Position),
		IsActive: orTrue(b.IsActive)}
	if err := s.app.Definitions.CreateTerm(ctx, requestOf(ctx).actor, in.ref(), t); err != nil {
		return nil, err
	}
	return made(ctx, "/metadata/vocabularies/"+in.Vocabulary+"/terms/"+itoa(t.ID), toTerm(t)), nil
}

func (s *Server) showTerm(ctx context.Context, in *TermInput) (*oneOutput[Term], error) {
	return answer(toTerm)(s.app.Definitions.Term(ctx, requestOf(ctx).actor, in.ref(), in.Term))
}

func (s *Server) termAsShown(ctx context.Context, in *updateTermInput) (any, error) {
	t, err := s.app.Definitions.Term(ctx, requestOf(ctx).actor, in.ref(), in.Term)
	if err != nil {
		return nil, err
	}
	return toTerm(t), nil
}

func (s *Server) updateTerm(ctx context.Context, in *updateTermInput) (*oneOutput[Term], error) {
	return answer(toTerm)(s.app.Definitions.UpdateTerm(ctx, requestOf(ctx).actor, in.ref(), in.Term, func(t *dam.Term) {
		if b := in.Body; b != nil {
			set(&t.Label, b.Label)
			set(&t.ParentID, b.ParentID)
			set(&t.Position, b.Position)
			set(&t.IsActive, b.IsActive)
			t.Label = strings.TrimSpace(t.Label)
		}
	}))
}

func (s *Server) deleteTerm(ctx context.Context, in *TermInput) (*messageOutput, error) {
	return done("Term deleted.", s.app.Definitions.DeleteTerm(ctx, requestOf(ctx).actor, in.ref(), in.Term))
}

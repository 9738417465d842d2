package dam

// SuggestionType names what a suggestion is.
type SuggestionType string

// The types of suggestions.
const (
	SuggestSavedSearch SuggestionType = "saved_search"
	SuggestCollection  SuggestionType = "collection"
	SuggestKeyword     SuggestionType = "keyword"
	SuggestTitle       SuggestionType = "title"
)

// Values lists the types of suggestions, in the order in which they are shown.
func (SuggestionType) Values() []SuggestionType {
	return []SuggestionType{SuggestSavedSearch, SuggestCollection, SuggestKeyword, SuggestTitle}
}

// Suggestion is something that begins with what somebody has typed.
type Suggestion struct {
	Type  SuggestionType
	Text  string
	GAID  GAID  // of a title
	ID    int64 // of a collection or a saved search
	Count int   // of a keyword: how many assets have it
}

package dam

// SuggestionType is the type of a suggestion.
type SuggestionType string

// The types of suggestions.
const (
	SuggestSavedSearch SuggestionType = "saved_search"
	SuggestCollection  SuggestionType = "collection"
	SuggestKeyword     SuggestionType = "keyword"
	SuggestTitle       SuggestionType = "title"
)

// Values lists the types of suggestions in display order.
func (SuggestionType) Values() []SuggestionType {
	return []SuggestionType{SuggestSavedSearch, SuggestCollection, SuggestKeyword, SuggestTitle}
}

// Suggestion is a completion of the text that a user has entered.
type Suggestion struct {
	Type  SuggestionType
	Text  string
	GAID  GAID  // for a title
	ID    int64 // for a collection or a saved search
	Count int   // number of assets with a keyword
}

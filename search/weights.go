package search

import "github.com/digital-asset-library/dal/app/dam"

// The numbers that decide what is found and in which order. Before you change
// one, run "dal bench relevance" on collections of your own, tune on one half
// (--part 1/2) and judge on the other. What these reach is in
// web/docs/guide/figures.md, under "Relevance".
//
// "Tuned" below means: chosen on every second query of two judged collections,
// 4,000 picture captions, each asked for with another person's caption, and
// Cranfield, 1,400 abstracts on aerodynamics with 225 questions. Their documents
// are a single text, indexed as ocr_text, so they say nothing about how the
// fields compare: those weights were chosen by hand, and the tests of words and
// ranking hold what they are for.

// field is a text field of an asset.
type field struct {
	name string // in the interface
	// boost is how much a match in it counts, and length how much the length of
	// the text matters (the b of BM25): that a title is short says less than that
	// a page is.
	boost  float64
	length float32
	texts  func(*dam.Asset) []string // what an asset has in it
}

// textFields lists the fields that a text is looked for in. Only the length of
// the last one is tuned.
func textFields() []field {
	return []field{
		{"title", 4, 0.3, func(a *dam.Asset) []string { return []string{a.Title} }},
		{fieldKeywords, 3, 0.3, func(a *dam.Asset) []string { return a.Keywords }},
		{fieldFilename, 2.5, 0.3, func(a *dam.Asset) []string { return []string{a.OriginalFilename} }},
		{fieldAITags, 1.5, 0.3, func(a *dam.Asset) []string { return a.AITags }},
		{"description", 2, 0.75, func(a *dam.Asset) []string { return []string{a.Description} }},
		{fieldPlace, 2, 0.3, func(a *dam.Asset) []string { return []string{placeOf(a)} }},
		{fieldAICaption, 1.5, 0.75, func(a *dam.Asset) []string { return []string{a.AICaption} }},
		{"creator", 1.5, 0.3, func(a *dam.Asset) []string { return []string{a.Creator} }},
		{"metadata", 1.5, 0.5, metadataTexts},
		{"copyright", 1, 0.3, func(a *dam.Asset) []string { return []string{a.Copyright} }},
		{"usage_terms", 0.5, 0.75, func(a *dam.Asset) []string { return []string{a.UsageTerms} }},
		{fieldOCRText, 1, 0.75, func(a *dam.Asset) []string { return []string{a.OCRText} }},
	}
}

// Words are ranked by BM25F (Robertson, Zaragoza: The Probabilistic Relevance
// Framework, 2009, section 3.6): the frequencies of a word in all fields are
// summed, each by the weight of its field and the length of its text, before
// they saturate. Tuned, except where it says otherwise.
const (
	bm25K1 = 1.5 // how late a frequency saturates

	exactWeight  = 0.25 // of the very form of a word, beside its stem
	prefixWeight = 0.2  // of a longer word that begins with the last one
	typoWeight   = 0.5  // of a word that is one edit away; by hand: it counts only where the word itself is nowhere
	gaidPoints   = 1000 // by hand: a GAID finds its asset and nothing above it
)

// The bounds of what one word becomes. They are about cost and noise, and not
// tuned.
const (
	minPrefix = 2   // characters of a word that is completed
	maxPrefix = 100 // words of a field that begin with it
	minTypo   = 5   // characters of a word that is corrected
	longTypo  = 64  // and at most: the automaton of a longer one has too many states
	maxTypo   = 20  // words of a field that it may have been
)

// Words and meaning are put together by reciprocal rank fusion (Cormack, Clarke,
// Büttcher, 2009): what is high in either list is high in the result. Tuned.
const (
	fusionK       = 20.0
	textWeight    = 1.0
	meaningWeight = 0.5
)

// How close two meanings have to be differs between models and between queries,
// so each query is first compared with texts that have nothing to do with it or
// with each other. The floors are how many standard deviations closer than those
// an asset has to be.
const (
	// helpDeviations lifts what also matches by its words. Tuned.
	helpDeviations = 1.0
	// enoughDeviations finds an asset for its meaning alone. By hand: at 3, short
	// queries ("xmas", "head of the company") found their pictures and nothing
	// else, and of random pairs of long captions 6 in 100 pass.
	enoughDeviations = 3.0
	// maxNear is how many assets a search finds by meaning at most. Tuned.
	maxNear = 300
)

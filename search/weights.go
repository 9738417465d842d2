package search

import "github.com/digital-asset-library/dal/app/dam"

// The parameters of matching and ranking. Before you change one, run "dal bench
// relevance" on your own collections, tune on one half (--part 1/2) and judge on the
// other. The results of these values are in web/docs/guide/figures.md, under "Relevance".
//
// "Tuned" below means: chosen on every second query of two judged collections, 4,000
// picture captions, each queried with another person's caption, and Cranfield, 1,400
// abstracts on aerodynamics with 225 questions. Their documents are a single text,
// indexed as ocr_text, so they do not compare the fields: those weights were chosen by
// hand, and the tests of words and ranking check their purpose.

// field is a text field of an asset.
type field struct {
	name string // name in the API
	// boost is the weight of a match in the field, and length the influence of the text's
	// length (the b of BM25): the shortness of a title says less than that of a page.
	boost  float64
	length float32
	texts  func(*dam.Asset) []string // values of an asset
}

// textFields returns the fields that a text is searched in. Only the length of the last
// one is tuned.
func textFields() []field {
	return []field{
		{"title", 4, 0.3, func(a *dam.Asset) []string { return []string{a.Title} }},
		{fieldKeywords, 3, 0.3, func(a *dam.Asset) []string { return a.Keywords }},
		{fieldFilename, 2.5, 0.3, func(a *dam.Asset) []string { return []string{a.OriginalFilename} }},
		{fieldPeople, 3, 0.3, func(a *dam.Asset) []string { return a.People }},
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

// Words are ranked by BM25F (Robertson, Zaragoza: The Probabilistic Relevance Framework,
// 2009, section 3.6): the frequencies of a word in all fields are summed, weighted by
// field and length of the text, before they saturate. Tuned, except where noted.
const (
	bm25K1 = 1.5 // saturation of frequencies

	exactWeight  = 0.25 // exact form of a word, in addition to its stem
	prefixWeight = 0.2  // longer word that begins with the last one
	typoWeight   = 0.5  // word one edit away; by hand: used only if the word itself is not found
	gaidPoints   = 1000 // by hand: ranks the asset of a GAID above all others
)

// Limits for the expansion of a word. They bound cost and noise, and are not tuned.
const (
	minPrefix = 2   // minimum characters of a prefix
	maxPrefix = 100 // words of a field that begin with it
	minTypo   = 5   // minimum characters of a word that is corrected
	longTypo  = 64  // maximum: the automaton of a longer word has too many states
	maxTypo   = 20  // possible corrections in a field
)

// Keyword and semantic results are combined by score: the points of the words, plus
// meaningWeight times the amount by which the similarity exceeds the best one that no
// longer counts. The weight grows like the points of a rare word, with the logarithm of
// the number of assets. Rank fusion instead lost the distinction between rare and
// frequent words, and made short queries worse than words alone. Tuned: 3.6 corresponds
// to 30 for 4,000 assets; 20 is better for short queries, 40 for long ones.
const meaningWeight = 3.6

// synonymWeight is the weight of a synonym, by its rarity, in assets without any word of
// the query. It ranks them above those with only a similar meaning. Because the meaning
// must also be similar, by helpDeviations, the right sense of an ambiguous word is
// selected. Chosen like enoughBoth.
const synonymWeight = 1.0

// Typical similarities differ between models and between queries. So each query is first
// compared with texts that are unrelated to it and to each other, and with the library,
// because similarity to everything is meaningless. The thresholds are relative to these
// typical similarities.
const (
	// helpDeviations is the threshold above which similarity improves the ranking of a
	// keyword match, in standard deviations above the mean of the unrelated texts. Tuned.
	helpDeviations = 1.0
	// An asset is found by meaning alone if its similarity is enoughUnrelated standard
	// deviations above the mean of the unrelated texts, and enoughBoth in the sum of this
	// distance and the one above the median of the library. The latter is in spreads of
	// the library's lower half, because the upper half may be relevant. In a library about
	// one subject the first distance is more informative, in a large one the second.
	// Chosen with 116 synonyms (canine, nuptials), over 4,000, 1,000 and 190 captions and
	// two libraries of short titles, to maximize the queries with results, while about 7
	// in 10 of the first results are relevant and at most 3 of 50 codes and nonsense words
	// find anything. TestMeaningOfTitles and TestMeaningOfCaptions verify this.
	enoughUnrelated = 2.5
	enoughBoth      = 6.5
	// fewAssets is the number of assets from which enoughBoth applies fully; without any
	// it is one less, because in a small library few assets are similar by chance. By
	// hand.
	fewAssets = 50
	// strangeNearness is the similarity to nonsense from which a query counts as nonsense,
	// unless it is more similar to something else. By hand.
	strangeNearness = 0.5
	// likeDeviations is the threshold for similar assets. By hand: 6 in 100 random pairs
	// of long captions exceed it.
	likeDeviations = 3.0
	// floorSample is the approximate number of assets that represent the library.
	floorSample = 1000
	// maxNear is the maximum number of semantic results of a search. Tuned.
	maxNear = 300
)

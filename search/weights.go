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

// Words and meaning are put together by their scores: the points of the words, and
// meaningWeight times what the nearness in meaning is above that of the first that
// does not help any more. It grows like the points of a rare word do, with the
// logarithm of the number of assets. Fusing the ranks instead threw away that a rare
// word says more than a frequent one, and made short queries worse than words alone.
// Tuned: 3.6 is 30 for 4,000 assets; 20 is better for short queries, 40 for long.
const meaningWeight = 3.6

// synonymWeight is how much a word that stands for one of the query counts, by how
// rare it is, where no word of the query is. It puts what has such words before what
// is only near. That the meaning has to agree, by helpDeviations, tells which of the
// meanings of a word an asset has. Chosen as enoughBoth is.
const synonymWeight = 1.0

// How near two meanings have to be differs between models and between queries, so
// each query is first compared with texts that have nothing to do with it or with
// each other, and with the library: what is near to everything tells nothing. The
// floors are how far above the usual nearness an asset has to be.
const (
	// helpDeviations lifts what also matches by its words: standard deviations above
	// the mean of the unrelated texts. Tuned.
	helpDeviations = 1.0
	// An asset is found for its meaning alone if it is enoughUnrelated standard
	// deviations above the mean of the unrelated texts, and enoughBoth together with
	// how far it is above the middle of the library, in spreads of the library's
	// lower half: the upper half may be what the query asks for. In a library about
	// one thing the first says more, in a large one the second. Chosen
	// with 116 words that stand for others (canine, nuptials), over 4,000, 1,000 and
	// 190 captions and two libraries of short titles: for as many as possible that
	// find something, while about 7 in 10 of what they find first is right and at
	// most 3 of 50 codes and nonsense words find anything. TestMeaningOfTitles and
	// TestMeaningOfCaptions hold that.
	enoughUnrelated = 2.5
	enoughBoth      = 6.5
	// fewAssets is from how many assets on enoughBoth is whole; without any it is one
	// less, because where there is little, little is near by chance. By hand.
	fewAssets = 50
	// strangeNearness to nonsense makes a query nonsense, if it is not nearer to
	// something else. By hand.
	strangeNearness = 0.5
	// likeDeviations finds an asset for being like another one. By hand: of random
	// pairs of long captions 6 in 100 pass.
	likeDeviations = 3.0
	// floorSample is about how many assets stand for the library.
	floorSample = 1000
	// maxNear is how many assets a search finds by meaning at most. Tuned.
	maxNear = 300
)

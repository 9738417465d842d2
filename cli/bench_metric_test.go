package cli

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"slices"
	"testing"
	"time"
)

// Metrics match values calculated by hand. log2 of ranks plus one: 1, 1.585, 2, 2.3219,
// 2.585.
func TestRelevanceMetrics(t *testing.T) {
	t.Parallel()
	grades := map[docID]float64{"a": 3, "b": 2, "c": 1, "no": 0, "minus": -1}
	relevant := []float64{1, 3, 2}
	ideal := 3 + 2/1.5849625 + 1/2.0 // 4.76186
	long := []docID{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a"}
	for _, tt := range []struct {
		name             string
		found            []docID
		ndcg, recall, rr float64
	}{
		{"the best order", []docID{"a", "b", "c"}, 1, 1, 1},
		{"the worst order", []docID{"c", "b", "a"}, (1 + 2/1.5849625 + 3/2.0) / ideal, 1, 1}, // 3.76186/4.76186
		{"one at rank 2", []docID{"x", "a"}, 3 / 1.5849625 / ideal, 1.0 / 3, 0.5},
		{"grade 0 and below is not relevant", []docID{"no", "minus", "b"}, 2 / 2.0 / ideal, 1.0 / 3, 1.0 / 3},
		{"twice counts once", []docID{"b", "b", "c"}, (2 + 1/2.0) / ideal, 2.0 / 3, 1},
		{"rank 11 does not count", long, 0, 0, 0},
		{"rank 10 counts", append(slices.Clone(long[:9]), "a"), 3 / math.Log2(11) / ideal, 1.0 / 3, 0.1},
		{"nothing", nil, 0, 0, 0},
	} {
		ndcg, recall, rr := score(tt.found, grades, relevant)
		if math.Abs(ndcg-tt.ndcg) > 1e-6 || math.Abs(recall-tt.recall) > 1e-9 || math.Abs(rr-tt.rr) > 1e-9 {
			t.Errorf("%s: nDCG %.6f, recall %.6f, RR %.6f; want %.6f, %.6f, %.6f", tt.name, ndcg, recall, rr, tt.ndcg, tt.recall, tt.rr)
		}
	}
	// With more than 10 relevant documents, the ideal order contains 10 of them, and recall
	// counts all: 10 of 20.
	many, all := map[docID]float64{}, []float64{}
	for i := range 20 {
		many[docID(rune('a'+i))] = 1
		all = append(all, 1)
	}
	var ten []docID
	for i := range 10 {
		ten = append(ten, docID(rune('a'+i)))
	}
	if ndcg, recall, _ := score(ten, many, all); math.Abs(ndcg-1) > 1e-9 || recall != 0.5 {
		t.Errorf("10 of 20: nDCG %f, recall %f", ndcg, recall)
	}
}

// Means are over the queries with a relevant document, in one part or in all.
func TestRelevanceMeans(t *testing.T) {
	t.Parallel()
	c := func() *judged {
		return &judged{docs: []judgedText{{"a", ""}, {"b", ""}},
			queries: []judgedText{{"1", "first"}, {"2", "unjudged"}, {"3", "second"}, {"4", "irrelevant"}},
			grades:  map[string]map[docID]float64{"1": {"a": 1}, "3": {"b": 4}, "4": {"a": 0}}}
	}
	find := func(query string, k int) ([]docID, error) {
		if k != relevanceDepth {
			t.Errorf("asked for %d", k)
		}
		return []docID{"a", "b"}, nil
	}
	for part, want := range map[[2]int]relevance{
		{1, 1}: {NDCG: (1 + 1/1.5849625) / 2, Recall: 1, MRR: 0.75, Queries: 2, Docs: 2},
		{1, 2}: {NDCG: (1 + 1/1.5849625) / 2, Recall: 1, MRR: 0.75, Queries: 2, Docs: 2}, // 1 and 3
		{2, 2}: {Docs: 2},                                                                // 2 and 4
		{3, 3}: {NDCG: 1 / 1.5849625, Recall: 1, MRR: 0.5, Queries: 1, Docs: 2},          // 3 only
		{1, 3}: {NDCG: 1, Recall: 1, MRR: 1, Queries: 1, Docs: 2},                        // 1 and 4
	} {
		c := c()
		c.part(part[0], part[1])
		r, err := c.measure(find)
		same := r.Recall == want.Recall && r.MRR == want.MRR && r.Queries == want.Queries && r.Docs == want.Docs
		if err != nil || math.Abs(r.NDCG-want.NDCG) > 1e-6 || !same {
			t.Errorf("part %v: %+v, %v; want %+v", part, r, err, want)
		}
	}
	failed := errors.New("no")
	if _, err := c().measure(func(string, int) ([]docID, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	for _, s := range []string{"", "1", "0/2", "3/2", "a/b", "1/2/3", "-1/2"} {
		if _, _, err := parsePart(s); err == nil {
			t.Errorf("part %q is accepted", s)
		}
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	list := make([]int, 100)
	for i := range list {
		list[i] = 100 - i
	}
	for q, want := range map[float64]int{0: 1, 0.5: 50, 0.95: 95, 0.99: 99, 1: 100} {
		if got := quantile(list, q); got != want {
			t.Errorf("%g of 1…100 is %d, not %d", q, got, want)
		}
	}
	if got := quantile([]int{30, 10, 20}, 0.5); got != 20 {
		t.Errorf("the median of three is %d", got)
	}
	if got := quantile([]time.Duration(nil), 0.5); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
	if got := quantile([]int{7}, 0.95); got != 7 {
		t.Errorf("of one: %d", got)
	}
}

// The vocabulary has the specified size, contains no word twice, and is deterministic.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	v := newVocabulary()
	seen := map[string]bool{}
	for _, w := range v.words {
		if seen[w] || w == "" {
			t.Errorf("%q comes twice", w)
		}
		seen[w] = true
	}
	if len(v.words) != vocabularySize || !slices.Equal(v.words, newVocabulary().words) {
		t.Errorf("%d words", len(v.words))
	}
	for w, want := range map[string]string{
		"run":   "running",
		"dance": "dancing",
		"play":  "playing",
		"open":  "opening",
		"tie":   "tying",
		"see":   "seeing",
		"mix":   "mixing",
	} {
		if got := participle(w); got != want {
			t.Errorf("%s: %s, not %s", w, got, want)
		}
	}
	for w, want := range map[string]string{"berry": "berries", "toy": "toys", "fox": "foxes", "beach": "beaches", "car": "cars"} {
		if got := pluralOf(w); got != want {
			t.Errorf("%s: %s, not %s", w, got, want)
		}
	}
}

func TestBenchFile(t *testing.T) {
	t.Parallel()
	if img, err := png.Decode(bytes.NewReader(benchFile())); err != nil || img.Bounds().Dx() != 1 || img.Bounds().Dy() != 1 {
		t.Errorf("%v", err)
	}
}

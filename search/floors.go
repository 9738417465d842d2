package search

import (
	"context"
	"errors"
	"math"
	"slices"
)

// probe is a query embedding with its score thresholds. The score is the product with
// values: from help on, it counts in the ranking, and from enough on, an asset is found
// by meaning alone.
type probe struct {
	values       []float32
	help, enough float32
}

// least prevents division by zero if all scores are equal.
const least = 1e-6

// aboutText wraps a query for the model, which was trained on sentences and understands
// single words better in one.
func aboutText(text string) string { return "this is about " + text }

// newProbe expects the embedding of a query less the mean of query embeddings, so that a
// text close to every query does not count as close to this one. The threshold help is
// relative to the unrelated texts, and enough also to a sample of the library, whose
// scores are given. For a query that resembles nonsense, enough is infinite.
func newProbe(values []float32, b *background, library []float32) probe {
	p := probe{values: values}
	noise := products(p.values, b.texts)
	mean, deviation := spread(noise)
	p.help = mean + helpDeviations*deviation
	all := slices.Concat(noise, library)
	slices.Sort(all)
	middle := all[len(all)/2]
	lower := max(least, middle-all[len(all)*16/100])
	deviation = max(least, deviation)
	both := enoughBoth - max(0, 1-float32(len(library))/fewAssets)
	both = (both + middle/lower + mean/deviation) / (1/lower + 1/deviation)
	p.enough = max(both, mean+enoughUnrelated*deviation)
	length := float32(math.Sqrt(float64(dot(p.values, p.values))))
	strange := slices.Max(products(p.values, b.nonsense)) / length
	if strange > strangeNearness && strange > slices.Max(products(p.values, b.queries))/length {
		p.enough = float32(math.Inf(1))
	}
	return p
}

// likeProbe returns a probe for assets similar to one.
func likeProbe(asset []float32, b *background) probe {
	mean, deviation := spread(products(asset, b.texts))
	return probe{asset, mean + helpDeviations*deviation, mean + likeDeviations*deviation}
}

// less returns v minus part.
func less(v, part []float32) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = x - part[i]
	}
	return out
}

// products returns the product of a vector with each of a list.
func products(q []float32, list [][]float32) []float32 {
	out := make([]float32, 0, len(list))
	for _, x := range list {
		if len(x) == len(q) {
			out = append(out, dot(q, x))
		}
	}
	return out
}

// spread returns the mean and the standard deviation of numbers.
func spread(list []float32) (mean, deviation float32) {
	var sum, squares float64
	for _, x := range list {
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	n := float64(len(list))
	return float32(sum / n), float32(math.Sqrt(max(0, squares/n-sum/n*sum/n)))
}

// sample returns the approximate products of a query with up to floorSample vectors from
// the whole library.
func (v *vectors) sample(query []float32) []float32 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.table == nil || v.table.Dimension() != len(query) {
		return nil
	}
	q := v.table.Query(query)
	list := make([]float32, 0, floorSample)
	for id, step := uint32(0), max(1, v.table.IDs()/floorSample); id < v.table.IDs(); id += step {
		if c, ok := v.table.Of(q, id); ok {
			list = append(list, c)
		}
	}
	return list
}

// background contains the embeddings that thresholds are based on.
type background struct {
	texts [][]float32 // embeddings of unrelatedTexts
	mean  []float32   // of queries for such texts

	// Embeddings of queries for such texts, and for nonsense, less the mean and normalized
	// to length one.
	queries, nonsense [][]float32
}

// unrelatedChunk is the number of texts that a model embeds within queryTimeout.
const unrelatedChunk = 16

// unrelated returns the background, and computes it on first use.
func (v *vectors) unrelated(ctx context.Context) (*background, error) {
	v.mu.RLock()
	b := v.background
	v.mu.RUnlock()
	if b != nil {
		return b, nil
	}
	texts := unrelatedTexts()
	n := len(texts)
	for _, text := range texts[:n] {
		texts = append(texts, aboutText(text))
	}
	m := len(texts)
	for _, text := range nonsenseTexts() {
		texts = append(texts, aboutText(text))
	}
	var list [][]float32
	for chunk := range slices.Chunk(texts, unrelatedChunk) {
		limited, cancel := context.WithTimeout(ctx, queryTimeout)
		some, err := v.embedder.Embed(limited, chunk)
		cancel()
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	if len(list) != len(texts) || slices.ContainsFunc(list, func(x []float32) bool { return len(x) == 0 || len(x) != len(list[0]) }) {
		return nil, errors.New("the model does not understand plain texts")
	}
	b = &background{texts: list[:n], mean: make([]float32, len(list[0]))}
	for _, x := range list[n:m] {
		for i := range x {
			b.mean[i] += x[i] / float32(m-n)
		}
	}
	b.queries, b.nonsense = b.above(list[n:m]), b.above(list[m:])
	v.mu.Lock()
	defer v.mu.Unlock()
	v.background = b
	return b, nil
}

// above returns query embeddings less the mean, normalized to length one.
func (b *background) above(queries [][]float32) [][]float32 {
	out := make([][]float32, len(queries))
	for i, q := range queries {
		out[i] = less(q, b.mean)
		length := float32(math.Sqrt(float64(dot(out[i], out[i]))))
		for j := range out[i] {
			out[i][j] /= length
		}
	}
	return out
}

// unrelatedTexts returns short texts about many different subjects.
func unrelatedTexts() []string {
	return []string{
		"a red bicycle leaning on a wall", "quarterly sales report", "two dogs playing in the snow", "portrait of an old man",
		"city skyline at night", "a bowl of fruit on a kitchen table", "wedding couple in a garden", "company logo on white",
		"mountain lake in autumn", "children in a classroom", "invoice for office furniture", "football players on a field",
		"a cat asleep on a sofa", "construction site with cranes", "concert crowd and stage lights", "map of the underground",
		"doctor with a patient", "beach with palm trees", "old wooden boat in the harbour", "screenshot of a web page",
		"airplane taking off", "close-up of a circuit board", "horse jumping a fence", "snow on a forest path",
		"woman speaking at a conference", "product photo of running shoes", "birthday cake with candles",
		"train arriving at the station", "abstract pattern of blue lines", "castle on a hill",
		"user manual for a washing machine", "people waiting for a bus", "fields of yellow flowers",
		"satellite picture of a storm", "chef cutting vegetables", "interview recorded in a studio",
		"bridge over a river in fog", "baby holding a toy", "meeting minutes of the board", "fireworks above the sea",
		"empty street in the rain", "ancient statue in a museum", "bird feeding its young", "glass of wine at sunset",
		"motorcycle race", "terms and conditions", "library full of books", "sheep on a green meadow",
	}
}

// nonsenseTexts returns random typing without a meaning.
func nonsenseTexts() []string {
	return []string{"qzx vlkr", "jfjf", "ghjkl", "uiop", "wert", "brrp", "zonk", "mlem", "gnarf", "splork", "yxcv", "dfgh rtz"}
}

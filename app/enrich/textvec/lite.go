package textvec

import (
	"context"
	"sync"
	"unicode"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

// LiteModel names the vectors of Lite. It must change with them.
const LiteModel = "use-lite-en/0.2.0"

const (
	maxLiteText    = 64 << 10 // bytes; what comes after is not read
	maxLiteWorkers = 16
)

// Lite is the Universal Sentence Encoder Lite: English, 512 numbers a vector. It is
// part of the program and is read at the first use; until then it takes neither
// time nor memory. Several goroutines may use it.
type Lite struct {
	load func() (*model, error)
	free chan *scratch // as many as may calculate at once; nil for one not yet made
}

// NewLite returns the embedder. At most workers (1 to 16) texts are calculated at
// the same time, each on one processor and with 1.8 MB; more wait.
func NewLite(workers int) *Lite {
	workers = min(max(workers, 1), maxLiteWorkers)
	l := &Lite{free: make(chan *scratch, workers)}
	l.load = sync.OnceValues(func() (*model, error) { return parseModel(liteFile) })
	for range workers {
		l.free <- nil
	}
	return l
}

// Model returns LiteModel.
func (l *Lite) Model() string { return LiteModel }

// Embed returns a vector for each text, in order. A text in which the model reads
// nothing has none, nil: an empty one, one of unknown signs, or one with fewer than a
// quarter of its letters Latin. A text longer than the model reads at once (128
// tokens, about 100 words) is read in parts that end with a sentence where possible,
// and gets the mean of their vectors, each counting by its length; of a text of more
// than 64 parts or 64 KiB only the beginning counts. The only error is the context's.
func (l *Lite) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m, err := l.load()
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if vectors[i], err = l.embed(ctx, m, text); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// Reads reports whether a text has a vector.
func (l *Lite) Reads(text string) bool {
	m, err := l.load()
	return err != nil || m.tokensOf(text) != nil // Embed tells the error
}

// tokensOf returns what the model reads in a text, nil for nothing.
func (m *model) tokensOf(text string) []uint16 {
	text = clean(text, maxLiteText)
	ids := m.vocabulary.encode(text)
	if !m.vocabulary.means(ids) || !latin(text) {
		return nil
	}
	return ids
}

func (l *Lite) embed(ctx context.Context, m *model, text string) ([]float32, error) {
	ids := m.tokensOf(text)
	if ids == nil {
		return nil, ctx.Err()
	}
	sum := make([]float32, dim)
	for _, part := range m.vocabulary.windows(ids) {
		// Waiting for each window anew lets a short text pass between the windows of
		// a long one.
		s, err := l.take(ctx)
		if err != nil {
			return nil, err
		}
		addScaled(sum, m.encode(s, part), float32(len(part)))
		l.free <- s
	}
	scale(sum)
	return sum, nil
}

func (l *Lite) take(ctx context.Context) (*scratch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case s := <-l.free:
		if s == nil {
			s = newScratch(matrix.Fastest())
		}
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// latin reports whether at least a quarter of a text's letters are Latin, or it has
// no letters. Of other scripts the model knows some letters and no words.
func latin(text string) bool {
	letters, latin := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	return 4*latin >= letters
}

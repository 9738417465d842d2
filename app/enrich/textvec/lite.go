package textvec

import (
	"context"
	"sync"
	"unicode"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

// LiteModel identifies the vectors of Lite. It must change with them.
const LiteModel = "use-lite-en/0.2.0"

const (
	maxLiteText    = 64 << 10 // bytes; the rest is ignored
	maxLiteWorkers = 16
)

// Lite is the Universal Sentence Encoder Lite for English, with vectors of 512 numbers. It
// is built into the program and loaded at the first use; until then it takes neither time
// nor memory. It is safe for concurrent use.
type Lite struct {
	load func() (*model, error)
	free chan *scratch // one per concurrent calculation; nil before its first use
}

// NewLite returns the embedder. At most workers (1 to 16) texts are processed concurrently,
// each on one processor and with 1.8 MB; further ones wait.
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

// Embed returns a vector for each text, in order. The vector is nil for a text that the
// model does not understand: an empty one, one of unknown characters, or one in which less
// than a quarter of the letters are Latin. A text above the model's limit (128 tokens,
// about 100 words) is read in parts that end at a sentence if possible; its vector is the
// mean of the parts' vectors weighted by length. Only the first 64 parts and 64 KiB of a
// text are used. The only error is the context's.
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

// Reads reports whether Embed returns a vector for the text.
func (l *Lite) Reads(text string) bool {
	m, err := l.load()
	return err != nil || m.tokensOf(text) != nil // Embed returns the error
}

// tokensOf returns the tokens of a text, nil if the model does not understand it.
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
		// Waiting for each window separately lets a short text pass between the windows of
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

// latin reports whether at least a quarter of a text's letters are Latin, or it has no
// letters. The model has tokens for some letters of other scripts, but not for their words.
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

package find

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/enrich/textvec"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// meaningPoll is the interval at which the queue is checked for changes by
	// other processes.
	meaningPoll = time.Second
	// MeaningChunk is the number of texts embedded per commit.
	MeaningChunk = 32
	// meaningFew is the number during searches, which need the processors.
	meaningFew = 2
	// vectorChunk is the number of vectors read per query.
	vectorChunk = 2000
	// meaningOCR is the number of characters of recognized text used for the
	// embedding.
	meaningOCR = 600
)

// Values of Config.Embeddings other than a URL.
const (
	EmbeddingsOff     = "off"
	EmbeddingsBuiltin = "builtin"
)

// maxPause is the longest pause of background work during searches.
const maxPause = time.Second

// EmbedderConfig configures the embedding model.
type EmbedderConfig struct {
	Source string // EmbeddingsOff, EmbeddingsBuiltin, or the URL of an OpenAI-compatible endpoint
	Model  string // the endpoint's model
	Key    string // the endpoint's secret
}

// NewEmbedder returns the embedding model, nil for none.
func NewEmbedder(cfg EmbedderConfig) (search.Embedder, error) {
	switch cfg.Source {
	case EmbeddingsOff:
		return nil, nil
	case EmbeddingsBuiltin:
		return textvec.NewLite(embedWorkers), nil
	}
	if !strings.Contains(cfg.Source, "://") {
		return nil, fmt.Errorf("embeddings must be %s, %s or the URL of an OpenAI-compatible endpoint, not %q",
			EmbeddingsOff, EmbeddingsBuiltin, cfg.Source)
	}
	e, err := textvec.NewEndpoint(cfg.Source, cfg.Model, cfg.Key)
	if err != nil {
		return nil, err // not e, which would be a non-nil interface holding a nil pointer
	}
	return e, nil
}

// embedWorkers is the number of texts that the built-in model embeds concurrently:
// one in the background, and one that a search waits for.
const embedWorkers = 2

// refusal is implemented by an embedder's error if the text is at fault, so that a
// retry is pointless.
type refusal interface {
	error
	Refused() bool
}

// Meaning keeps the vectors of assets, which semantic search needs, up to date with
// their texts.
type Meaning struct {
	Store    *storage.Store
	Index    *index.Index
	Schemas  *index.Schemas
	Embedder search.Embedder // nil if disabled
	Log      *slog.Logger
	Full     func() bool // whether the database's disk is full
}

// Run loads the existing vectors into memory, then follows changes and embeds new
// texts until ctx is done.
func (m *Meaning) Run(ctx context.Context) {
	if m.Embedder == nil {
		return
	}
	wait := meaningPoll
	loaded := false
	for {
		var err error
		if !loaded {
			err = m.load(ctx)
			loaded = err == nil
		}
		if loaded && !m.Full() {
			err = m.follow(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			wait = min(2*wait, time.Minute)
			m.Log.WarnContext(ctx, "texts wait for their meaning", "err", err, "next_try_in", wait)
		default:
			wait = meaningPoll
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// meaningFollower is the name under which the progress is stored.
const meaningFollower = "meaning"

// version identifies the model and the way texts are composed, by a number that is
// incremented when that changes, so that all texts are embedded again.
func (m *Meaning) version() string { return m.Embedder.Model() + " 2" }

// load reads the vectors of the model into memory.
func (m *Meaning) load(ctx context.Context) error {
	for after := int64(0); ; {
		var list []search.Vector
		n := 0
		err := m.Store.View(ctx, func(tx *storage.Tx) error {
			return tx.Vectors(m.Embedder.Model(), after, vectorChunk, func(v *storage.AssetVector) {
				n++
				after = v.AssetID
				if v.Values != nil {
					list = append(list, search.Vector{AssetID: v.AssetID, Values: v.Values})
				}
			})
		})
		if err == nil {
			err = m.Index.PutVectors(ctx, list)
		}
		if err != nil {
			return fmt.Errorf("read vectors: %w", err)
		}
		if n < vectorChunk {
			m.Index.MeaningReady()
			return nil
		}
	}
}

// follow embeds the texts of all assets that changed.
func (m *Meaning) follow(ctx context.Context) error {
	for {
		start := time.Now()
		limit := MeaningChunk
		if m.Index.Searching() {
			limit = meaningFew
		}
		n, err := m.followSome(ctx, limit)
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		if n == limit { // more may follow
			m.Index.GiveWay(ctx, min(4*time.Since(start), maxPause))
		}
	}
}

// followSome embeds the texts of up to limit changed assets and returns the number
// of changes.
func (m *Meaning) followSome(ctx context.Context, limit int) (int, error) {
	var changes []dam.Change
	var have map[int64]*storage.AssetVector
	var from int64
	err := m.Store.View(ctx, func(tx *storage.Tx) error {
		var err error
		if from, err = tx.Follower(meaningFollower, m.version()); err != nil {
			return err
		}
		if changes, err = tx.Changes(from, limit, true); err != nil {
			return err
		}
		if err := m.Schemas.ForSearch(tx, changes); err != nil {
			return err
		}
		ids := make([]int64, len(changes))
		for i, c := range changes {
			ids[i] = c.AssetID
		}
		have, err = tx.VectorsOf(ids)
		return err
	})
	if err != nil {
		return 0, err
	}
	m.Index.MeaningRead(from)
	if len(changes) == 0 {
		return 0, nil
	}
	var texts []string
	var vectors []*storage.AssetVector
	for _, c := range changes {
		if c.Asset == nil {
			continue
		}
		text, v := m.VectorOf(c.Asset)
		if old := have[c.AssetID]; old != nil && old.Model == v.Model && bytes.Equal(old.TextHash, v.TextHash) {
			continue
		}
		texts, vectors = append(texts, text), append(vectors, v)
	}
	if err := m.Embed(ctx, texts, vectors); err != nil {
		return 0, err
	}
	if changed, err := m.ChangedModel(ctx, vectors); err != nil || changed {
		return len(changes), err
	}
	err = m.Store.Note(ctx, func(tx *storage.Tx) error {
		for _, v := range vectors {
			if err := tx.PutVector(v); err != nil {
				return err
			}
		}
		return tx.SetFollower(meaningFollower, m.version(), changes[len(changes)-1].Seq)
	})
	if err != nil {
		return 0, err
	}
	return len(changes), m.Remember(ctx, vectors)
}

// Remember loads stored vectors into memory.
func (m *Meaning) Remember(ctx context.Context, vectors []*storage.AssetVector) error {
	var put []search.Vector
	var gone []int64
	for _, v := range vectors {
		if v.Values != nil {
			put = append(put, search.Vector{AssetID: v.AssetID, Values: v.Values})
		} else {
			gone = append(gone, v.AssetID)
		}
	}
	return errors.Join(m.Index.PutVectors(ctx, put), m.Index.RemoveVectors(ctx, gone))
}

// ChangedModel starts over if new vectors have a different dimension than those in
// memory, and reports whether it did.
func (m *Meaning) ChangedModel(ctx context.Context, vectors []*storage.AssetVector) (bool, error) {
	for _, v := range vectors {
		if have := m.Index.VectorDimension(); v.Values != nil && have != 0 && have != len(v.Values) {
			return true, m.startOver(ctx, have, len(v.Values))
		}
	}
	return false, nil
}

// VectorOf returns the text of an asset, and its vector without values.
func (m *Meaning) VectorOf(asset *dam.Asset) (text string, v *storage.AssetVector) {
	text = MeaningOf(asset)
	hash := sha256.Sum256([]byte(text))
	return text, &storage.AssetVector{AssetID: asset.ID, Model: m.Embedder.Model(), TextHash: hash[:]}
}

// startOver discards all vectors of a model that was replaced by another one with
// the same name.
func (m *Meaning) startOver(ctx context.Context, had, has int) error {
	m.Log.WarnContext(ctx, "the model has other vectors now; all texts are read again",
		"model", m.Embedder.Model(), "dimensions", has, "before", had)
	err := m.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := tx.DeleteVectors(m.Embedder.Model()); err != nil {
			return err
		}
		return tx.SetFollower(meaningFollower, m.version(), 0)
	})
	if err != nil {
		return err
	}
	return m.Index.ForgetVectors()
}

// Embed sets the values of vectors. If the model refuses the texts, embed retries
// each separately, and a refused text gets no vector.
func (m *Meaning) Embed(ctx context.Context, texts []string, vectors []*storage.AssetVector) error {
	if len(texts) == 0 {
		return nil
	}
	values, err := m.Embedder.Embed(ctx, texts)
	if err == nil && len(values) != len(texts) {
		err = fmt.Errorf("the model returned %d vectors for %d texts", len(values), len(texts))
	}
	if err == nil {
		for i, v := range values {
			vectors[i].Values = v
		}
		return nil
	}
	if r, ok := errors.AsType[refusal](err); !ok || !r.Refused() {
		return err
	}
	if len(texts) > 1 {
		for i := range texts {
			if err := m.Embed(ctx, texts[i:i+1], vectors[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	vectors[0].Err = err.Error()
	m.Log.WarnContext(ctx, "the model refuses a text, so the asset cannot be found by meaning", "asset", vectors[0].AssetID, "err", err)
	return nil
}

// inWords matches text written by people, as opposed to a camera's file name.
var inWords = regexp.MustCompile(`\p{L}{4}|\p{L}{2,} \p{L}{2,}|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{2}`)

// MeaningOf returns the text of an asset that embedding models receive.
func MeaningOf(asset *dam.Asset) string {
	var parts []string
	if inWords.MatchString(asset.Title) {
		parts = append(parts, asset.Title)
	}
	parts = append(parts, beginningOf(asset.Description), asset.AICaption,
		strings.Join(asset.Keywords, ", "), strings.Join(asset.AITags, ", "))
	for _, key := range slices.Sorted(maps.Keys(asset.Metadata)) {
		if s, ok := asset.Metadata[key].(string); ok && inWords.MatchString(s) && strings.Contains(s, " ") {
			parts = append(parts, s)
		}
	}
	parts = append(parts, beginningOf(asset.OCRText))
	parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return search.MeaningText(strings.Join(parts, ". "))
}

// beginningOf returns the part of a long text that is embedded.
func beginningOf(text string) string {
	r := []rune(text)
	return string(r[:min(len(r), meaningOCR)])
}

// Meanings returns, for each embedding model in use, the number of assets with
// vectors and of texts that it refused.
func (f *Finder) Meanings(ctx context.Context) (list []storage.VectorModel, err error) {
	err = f.Store.View(ctx, func(tx *storage.Tx) error {
		list, err = tx.VectorModels()
		return err
	})
	return list, err
}

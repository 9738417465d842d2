package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/enrich/textvec"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

const (
	// meaningPoll is how often the queue is looked at for changes of other
	// processes.
	meaningPoll = time.Second
	// meaningChunk is how many texts are embedded between two commits.
	meaningChunk = 32
	// meaningFew is the same while somebody is searching, who waits for the
	// processor.
	meaningFew = 2
	// vectorChunk is how many vectors are read at once.
	vectorChunk = 2000
	// meaningOCR is how many characters of the text in a picture say what it is
	// about.
	meaningOCR = 600
)

// The values of Config.Embeddings beside a URL.
const (
	EmbeddingsOff     = "off"
	EmbeddingsBuiltin = "builtin"
)

// NewEmbedder returns the model that texts get their meaning from, nil for
// none.
func NewEmbedder(cfg Config) (search.Embedder, error) {
	switch cfg.Embeddings {
	case EmbeddingsOff:
		return nil, nil
	case EmbeddingsBuiltin, "":
		return textvec.NewLite(embedWorkers), nil
	}
	if !strings.Contains(cfg.Embeddings, "://") {
		return nil, fmt.Errorf("embeddings are %s, %s or from the URL of an OpenAI-compatible endpoint, not %q", EmbeddingsOff, EmbeddingsBuiltin, cfg.Embeddings)
	}
	e, err := textvec.NewEndpoint(cfg.Embeddings, cfg.EmbeddingsModel, cfg.EmbeddingsKey)
	if err != nil {
		return nil, err // not e, which would be an embedder that is nil
	}
	return e, nil
}

// embedWorkers is how many texts the built-in model reads at once: one in the
// background, and one that somebody waits for.
const embedWorkers = 2

// refusal is what an embedder's error is when the text is at fault: another try
// will not help.
type refusal interface {
	error
	Refused() bool
}

// meaning keeps the vectors of assets: reads those there are into memory, then
// follows the changes and embeds texts that are new.
func (a *App) meaning(ctx context.Context) {
	if a.embedder == nil {
		return
	}
	wait := meaningPoll
	loaded := false
	full := a.holds(dirRecords)
	for {
		var err error
		if !loaded {
			err = a.loadVectors(ctx)
			loaded = err == nil
		}
		if loaded && !full() {
			err = a.embedChanges(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			wait = min(2*wait, time.Minute)
			a.search.MeaningBehind(true)
			a.log.WarnContext(ctx, "texts wait for their meaning", "err", err, "next_try_in", wait)
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

// meaningFollower is the name under which the progress is kept; its version is
// the model.
const meaningFollower = "meaning"

// loadVectors reads the vectors of the model into memory.
func (a *App) loadVectors(ctx context.Context) error {
	for after := int64(0); ; {
		var list []search.Vector
		n := 0
		err := a.store.View(ctx, func(tx *storage.Tx) error {
			return tx.Vectors(a.embedder.Model(), after, vectorChunk, func(v *storage.AssetVector) {
				n++
				after = v.AssetID
				if v.Values != nil {
					list = append(list, search.Vector{AssetID: v.AssetID, Values: v.Values})
				}
			})
		})
		if err == nil {
			err = a.search.PutVectors(ctx, list)
		}
		if err != nil {
			return fmt.Errorf("read vectors: %w", err)
		}
		if n < vectorChunk {
			a.search.MeaningReady()
			return nil
		}
	}
}

// embedChanges embeds the texts of all assets that changed.
func (a *App) embedChanges(ctx context.Context) error {
	for {
		start := time.Now()
		limit := meaningChunk
		if a.searching() {
			limit = meaningFew
		}
		n, err := a.embedSome(ctx, limit)
		if err != nil {
			return err
		}
		a.search.MeaningBehind(n == limit)
		if n == 0 {
			return nil
		}
		if n == limit { // there are more
			a.giveWay(ctx, min(4*time.Since(start), maxPause))
		}
	}
}

// embedSome embeds the texts of up to limit assets that changed and returns how
// many changes there were.
func (a *App) embedSome(ctx context.Context, limit int) (int, error) {
	var changes []dam.Change
	var have map[int64]*storage.AssetVector
	err := a.store.View(ctx, func(tx *storage.Tx) error {
		from, err := tx.Follower(meaningFollower, a.embedder.Model())
		if err != nil {
			return err
		}
		if changes, err = tx.Changes(from, limit, true); err != nil {
			return err
		}
		if err := a.schemas.found(tx, changes); err != nil {
			return err
		}
		ids := make([]int64, len(changes))
		for i, c := range changes {
			ids[i] = c.AssetID
		}
		have, err = tx.VectorsOf(ids)
		return err
	})
	if err != nil || len(changes) == 0 {
		return 0, err
	}
	var texts []string
	var vectors []*storage.AssetVector
	for _, c := range changes {
		if c.Asset == nil {
			continue
		}
		text := meaningOf(c.Asset)
		hash := sha256.Sum256([]byte(text))
		if old := have[c.AssetID]; old != nil && old.Model == a.embedder.Model() && bytes.Equal(old.TextHash, hash[:]) {
			continue
		}
		texts = append(texts, text)
		vectors = append(vectors, &storage.AssetVector{AssetID: c.AssetID, Model: a.embedder.Model(), TextHash: hash[:]})
	}
	if err := a.embed(ctx, texts, vectors); err != nil {
		return 0, err
	}
	for _, v := range vectors {
		if have := a.search.VectorDimension(); v.Values != nil && have != 0 && have != len(v.Values) {
			return len(changes), a.forgetVectors(ctx, have, len(v.Values))
		}
	}
	err = a.store.Note(ctx, func(tx *storage.Tx) error {
		for _, v := range vectors {
			if err := tx.PutVector(v); err != nil {
				return err
			}
		}
		return tx.SetFollower(meaningFollower, a.embedder.Model(), changes[len(changes)-1].Seq)
	})
	if err != nil {
		return 0, err
	}
	var put []search.Vector
	var gone []int64
	for _, v := range vectors {
		if v.Values != nil {
			put = append(put, search.Vector{AssetID: v.AssetID, Values: v.Values})
		} else {
			gone = append(gone, v.AssetID)
		}
	}
	return len(changes), errors.Join(a.search.PutVectors(ctx, put), a.search.RemoveVectors(ctx, gone))
}

// forgetVectors begins anew when a model has become another under the same name.
func (a *App) forgetVectors(ctx context.Context, had, has int) error {
	a.log.WarnContext(ctx, "the model has other vectors now; all texts are read again", "model", a.embedder.Model(), "dimensions", has, "before", had)
	err := a.store.Update(ctx, func(tx *storage.Tx) error {
		if err := tx.DeleteVectors(a.embedder.Model()); err != nil {
			return err
		}
		return tx.SetFollower(meaningFollower, a.embedder.Model(), 0)
	})
	if err != nil {
		return err
	}
	return a.search.ForgetVectors()
}

// embed fills in the values of vectors. If the model refuses the texts, each is
// tried alone, and the one that is refused goes without a meaning.
func (a *App) embed(ctx context.Context, texts []string, vectors []*storage.AssetVector) error {
	if len(texts) == 0 {
		return nil
	}
	values, err := a.embedder.Embed(ctx, texts)
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
			if err := a.embed(ctx, texts[i:i+1], vectors[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	vectors[0].Err = err.Error()
	a.log.WarnContext(ctx, "a text is refused by the model and has no meaning", "asset", vectors[0].AssetID, "err", err)
	return nil
}

// telling is a title that somebody gave, not a camera.
var telling = regexp.MustCompile(`\p{L}{4}|\p{L}{2,} \p{L}{2,}|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{2}`)

// meaningOf is the text of an asset that says what it is about.
func meaningOf(asset *dam.Asset) string {
	var parts []string
	if telling.MatchString(asset.Title) {
		parts = append(parts, asset.Title)
	}
	parts = append(parts, asset.AICaption, strings.Join(asset.Keywords, ", "), strings.Join(asset.AITags, ", "))
	for _, key := range slices.Sorted(maps.Keys(asset.Metadata)) {
		if s, ok := asset.Metadata[key].(string); ok && telling.MatchString(s) && strings.Contains(s, " ") {
			parts = append(parts, s)
		}
	}
	if ocr := []rune(asset.OCRText); len(ocr) > 0 {
		parts = append(parts, string(ocr[:min(len(ocr), meaningOCR)]))
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(parts, ". ")
}

// Meanings tells, for each model that gave texts their meaning, of how many
// assets there are vectors, and how many texts it refused.
func (a *App) Meanings(ctx context.Context) (list []storage.VectorModel, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		list, err = tx.VectorModels()
		return err
	})
	return list, err
}

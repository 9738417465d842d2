package bulk

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
)

// Analysis runs operations of type ai_analysis.
type Analysis struct {
	*Operations
	meaning       *find.Meaning
	understanding *analyze.Analyses
	log           *slog.Logger
}

// NewAnalysis returns the runner of the operations of type ai_analysis in o.
func NewAnalysis(o *Operations, meaning *find.Meaning, tasks *analyze.Analyses, log *slog.Logger) *Analysis {
	return &Analysis{o, meaning, tasks, log}
}

// Turn runs the tasks of a user's ai_analysis for the next assets. Looking at the assets
// and querying the model happen outside the transaction.
func (a *Analysis) Turn(ctx context.Context, j *dam.Job) (job.Commit, error) {
	var op *dam.Operation
	var items []*dam.OperationItem
	var assets map[int64]*dam.Asset
	err := a.Store.View(ctx, func(tx *storage.Tx) (err error) {
		if op, err = openOperation(tx, j.Kind, j.Subject); err != nil || op == nil {
			return err
		}
		chunk := find.MeaningChunk
		if len(a.understanding.Of(op.Spec.Tasks)) > 0 {
			chunk = 1 // each takes seconds
		}
		if items, err = tx.NextItems(op, chunk); err == nil {
			assets, err = a.assetsOf(tx, items)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if op == nil || op.State == dam.OperationCancelling {
		return func(tx *storage.Tx) error { return a.endTurn(tx, j) }, nil
	}
	ctx, end := a.running.begin(ctx, op.ID)
	defer end()
	seen, err := a.see(ctx, op, items, assets)
	if errors.Is(context.Cause(ctx), errCancelled) {
		return func(tx *storage.Tx) error { return a.endTurn(tx, j) }, nil
	}
	if later, ok := errors.AsType[*job.Later](err); ok {
		return nil, &job.Later{After: later.After, Err: later.Err} // other users' operations do not wait for it
	}
	if err != nil {
		return nil, err
	}
	id, from := op.ID, op.Next()
	return func(tx *storage.Tx) error {
		op, _, err := a.begin(tx, j)
		if err != nil {
			return err
		}
		if op != nil && op.ID == id && op.Next() == from {
			if err := a.put(tx, op, items, seen); err != nil {
				return err
			}
		}
		return a.nextTurn(tx, j.Kind, j.Subject)
	}, nil
}

// seen holds the results of an ai_analysis, by asset ID.
type seen struct {
	vectors map[int64]*storage.AssetVector
	found   map[int64][]analyze.Found
	assets  map[int64]*dam.Asset // as of when they were analyzed
}

// see runs the tasks of an operation for the assets of items.
func (a *Analysis) see(
	ctx context.Context, op *dam.Operation, items []*dam.OperationItem, assets map[int64]*dam.Asset,
) (s seen, err error) {
	s = seen{found: map[int64][]analyze.Found{}, assets: assets}
	for _, item := range items {
		asset := assets[item.AssetID]
		if asset == nil || asset.DeletedAt != nil {
			continue
		}
		for _, z := range a.understanding.Of(op.Spec.Tasks) {
			if !z.On() {
				return s, errors.New(z.Task + " was switched off while an ai_analysis was open")
			}
			f, err := a.understanding.Look(ctx, z, asset)
			if err != nil {
				return s, err
			}
			s.found[asset.ID] = append(s.found[asset.ID], f)
		}
	}
	if slices.Contains(op.Spec.Tasks, dam.TaskMeaning) {
		s.vectors, err = a.embed(ctx, items, assets)
	}
	return s, err
}

// assetsOf returns the assets of items with their searchable metadata, from which the
// embeddings are computed.
func (a *Analysis) assetsOf(tx *storage.Tx, items []*dam.OperationItem) (map[int64]*dam.Asset, error) {
	assets, err := tx.AssetsOf(items)
	if err != nil {
		return nil, err
	}
	schema, err := a.Schemas.In(tx)
	if err != nil {
		return nil, err
	}
	for _, asset := range assets {
		asset.Metadata = schema.ForSearch(asset.Metadata)
	}
	return assets, nil
}

// embed embeds the texts of the assets of items.
func (a *Analysis) embed(
	ctx context.Context, items []*dam.OperationItem, assets map[int64]*dam.Asset,
) (map[int64]*storage.AssetVector, error) {
	if a.meaning.Embedder == nil {
		return nil, errors.New("search by meaning was switched off while an ai_analysis was open")
	}
	var texts []string
	var vectors []*storage.AssetVector
	byAsset := map[int64]*storage.AssetVector{}
	for _, item := range items {
		asset := assets[item.AssetID]
		if asset == nil || asset.DeletedAt != nil {
			continue
		}
		text, v := a.meaning.VectorOf(asset)
		texts, vectors, byAsset[asset.ID] = append(texts, text), append(vectors, v), v
	}
	if err := a.meaning.Embed(ctx, texts, vectors); err != nil {
		return nil, err
	}
	_, err := a.meaning.ChangedModel(ctx, vectors)
	return byAsset, err
}

// put stores the results for the assets of items.
func (a *Analysis) put(tx *storage.Tx, op *dam.Operation, items []*dam.OperationItem, s seen) error {
	assets, err := a.assetsOf(tx, items)
	if err != nil {
		return err
	}
	for _, item := range items {
		asset, v := assets[item.AssetID], s.vectors[item.AssetID]
		item.State = dam.ItemDone
		switch {
		case asset == nil || asset.DeletedAt != nil || s.assets[item.AssetID] == nil:
			item.State, item.Error = dam.ItemFailed, assetGone()
		case v != nil && v.Err != "":
			item.State, item.Error = dam.ItemFailed, &dam.OperationError{Code: dam.CodeRefused, Message: v.Err}
		}
		for _, f := range s.found[item.AssetID] {
			if f.Fault != "" {
				item.State, item.Error = dam.ItemFailed, &dam.OperationError{Code: dam.CodeRefused, Message: f.Fault}
			}
		}
		count(op, item)
	}
	if err := a.keep(tx, assets, s.vectors); err != nil {
		return err
	}
	changed := func(a *dam.Asset) error { return tx.InsertEvent(dam.AssetUpdated, string(a.GAID), a) } // a user asked for it
	for id, all := range s.found {
		if err := a.understanding.Put(tx, s.assets[id], changed, all...); err != nil {
			return err
		}
	}
	if err := tx.SetItems(op, items); err != nil {
		return err
	}
	return a.endItems(tx, op)
}

// keep stores the vectors of assets. It skips an asset whose text has changed since it was
// read: meaning follows changes and embeds it again.
func (a *Analysis) keep(tx *storage.Tx, assets map[int64]*dam.Asset, vectors map[int64]*storage.AssetVector) error {
	var put []*storage.AssetVector
	for id, v := range vectors {
		asset := assets[id]
		if asset == nil {
			continue
		}
		if _, now := a.meaning.VectorOf(asset); !bytes.Equal(now.TextHash, v.TextHash) {
			continue
		}
		if err := tx.PutVector(v); err != nil {
			return err
		}
		put = append(put, v)
	}
	tx.OnCommit(func() {
		if err := a.meaning.Remember(context.Background(), put); err != nil {
			a.log.Error("keep vectors in memory; they are read again at the next start", "err", err)
		}
	})
	return nil
}

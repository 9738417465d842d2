package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
)

// analysis does operations of the type ai_analysis.
type analysis struct {
	*operations
	meaning *meaning
	log     *slog.Logger
}

// turn embeds the texts of the next assets of a user's ai_analysis. The model is
// asked outside of the transaction.
func (a *analysis) turn(ctx context.Context, j *dam.Job) (job.Commit, error) {
	var op *dam.Operation
	var items []*dam.OperationItem
	var assets map[int64]*dam.Asset
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		if op, err = openOperation(tx, j.Kind, j.Subject); err != nil || op == nil {
			return err
		}
		if items, err = tx.NextItems(op, meaningChunk); err == nil {
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
	vectors, err := a.embed(ctx, items, assets)
	if errors.Is(context.Cause(ctx), errCancelled) {
		return func(tx *storage.Tx) error { return a.endTurn(tx, j) }, nil
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
			if err := a.put(tx, op, items, vectors); err != nil {
				return err
			}
		}
		return a.nextTurn(tx, j.Kind, j.Subject)
	}, nil
}

// assetsOf returns the assets of items with the metadata that searches see, which
// is what their meaning is taken from.
func (a *analysis) assetsOf(tx *storage.Tx, items []*dam.OperationItem) (map[int64]*dam.Asset, error) {
	assets, err := tx.AssetsOf(items)
	if err != nil {
		return nil, err
	}
	schema, err := a.schemas.in(tx)
	if err != nil {
		return nil, err
	}
	for _, asset := range assets {
		asset.Metadata = schema.ForSearch(asset.Metadata)
	}
	return assets, nil
}

// embed embeds the texts of the assets of items.
func (a *analysis) embed(
	ctx context.Context, items []*dam.OperationItem, assets map[int64]*dam.Asset,
) (map[int64]*storage.AssetVector, error) {
	if a.meaning.embedder == nil {
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
		text, v := a.meaning.vectorOf(asset)
		texts, vectors, byAsset[asset.ID] = append(texts, text), append(vectors, v), v
	}
	if err := a.meaning.embed(ctx, texts, vectors); err != nil {
		return nil, err
	}
	_, err := a.meaning.changedModel(ctx, vectors)
	return byAsset, err
}

// put keeps the vectors of items. An asset whose text has changed since it was
// read is left to meaning, which follows the changes.
func (a *analysis) put(tx *storage.Tx, op *dam.Operation, items []*dam.OperationItem, vectors map[int64]*storage.AssetVector) error {
	assets, err := a.assetsOf(tx, items)
	if err != nil {
		return err
	}
	var put []*storage.AssetVector
	for _, item := range items {
		asset, v := assets[item.AssetID], vectors[item.AssetID]
		item.State = dam.ItemDone
		switch {
		case asset == nil || asset.DeletedAt != nil || v == nil:
			item.State, item.Error = dam.ItemFailed, assetGone()
		case v.Err != "":
			item.State, item.Error = dam.ItemFailed, &dam.OperationError{Code: dam.CodeRefused, Message: v.Err}
		}
		count(op, item)
		if asset == nil || v == nil {
			continue
		}
		if _, now := a.meaning.vectorOf(asset); !bytes.Equal(now.TextHash, v.TextHash) {
			continue
		}
		if err := tx.PutVector(v); err != nil {
			return err
		}
		put = append(put, v)
	}
	tx.OnCommit(func() {
		if err := a.meaning.remember(context.Background(), put); err != nil {
			a.log.Error("keep vectors in memory; they are read again at the next start", "err", err)
		}
	})
	if err := tx.SetItems(op, items); err != nil {
		return err
	}
	return a.endItems(tx, op)
}

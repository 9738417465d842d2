package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

// analysisTurn embeds the texts of the next assets of a user's ai_analysis. The
// model is asked outside of the transaction.
func (a *App) analysisTurn(ctx context.Context, j *dam.Job) (job.Commit, error) {
	var op *dam.Operation
	var items []*dam.OperationItem
	var assets map[int64]*dam.Asset
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		if op, err = openOperation(tx, j.Kind, j.Subject); err != nil || op == nil {
			return err
		}
		if items, err = tx.NextItems(op, meaningChunk); err == nil {
			assets, err = a.foundOf(tx, items)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if op == nil || op.State == dam.OperationCancelling {
		return func(tx *storage.Tx) error { return a.endTurn(tx, j) }, nil
	}
	ctx, release := a.hands.take(ctx, op.ID)
	defer release()
	vectors, err := a.meanings(ctx, items, assets)
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
			if err := a.putMeanings(tx, op, items, vectors); err != nil {
				return err
			}
		}
		return a.nextTurn(tx, j.Kind, j.Subject)
	}, nil
}

// foundOf returns the assets of items with their metadata as it is looked for,
// from which embedChanges takes their texts, too.
func (a *App) foundOf(tx *storage.Tx, items []*dam.OperationItem) (map[int64]*dam.Asset, error) {
	assets, err := tx.AssetsOf(items)
	if err != nil {
		return nil, err
	}
	schema, err := a.schemas.in(tx)
	if err != nil {
		return nil, err
	}
	for _, asset := range assets {
		asset.Metadata = schema.Found(asset.Metadata)
	}
	return assets, nil
}

// endTurn ends the operation of a turn if it is cancelled, and goes on with the
// next.
func (a *App) endTurn(tx *storage.Tx, j *dam.Job) error {
	op, err := openOperation(tx, j.Kind, j.Subject)
	if err != nil {
		return err
	}
	if op != nil && op.State == dam.OperationCancelling {
		if err := a.endOperation(tx, op, dam.OperationCancelled, nil); err != nil {
			return err
		}
	}
	return a.nextTurn(tx, j.Kind, j.Subject)
}

// meanings embeds the texts of the assets of items.
func (a *App) meanings(ctx context.Context, items []*dam.OperationItem, assets map[int64]*dam.Asset) (map[int64]*storage.AssetVector, error) {
	if a.embedder == nil {
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
		text := meaningOf(asset)
		hash := sha256.Sum256([]byte(text))
		v := &storage.AssetVector{AssetID: asset.ID, Model: a.embedder.Model(), TextHash: hash[:]}
		texts, vectors, byAsset[asset.ID] = append(texts, text), append(vectors, v), v
	}
	if err := a.embed(ctx, texts, vectors); err != nil {
		return nil, err
	}
	for _, v := range vectors {
		if have := a.search.VectorDimension(); v.Values != nil && have != 0 && have != len(v.Values) {
			return byAsset, a.forgetVectors(ctx, have, len(v.Values))
		}
	}
	return byAsset, nil
}

// putMeanings keeps the vectors of items. An asset whose text has changed since
// it was read is left to who follows the changes.
func (a *App) putMeanings(tx *storage.Tx, op *dam.Operation, items []*dam.OperationItem, vectors map[int64]*storage.AssetVector) error {
	assets, err := a.foundOf(tx, items)
	if err != nil {
		return err
	}
	var put []search.Vector
	var gone []int64
	for _, item := range items {
		asset, v := assets[item.AssetID], vectors[item.AssetID]
		item.State = dam.ItemDone
		switch {
		case asset == nil || asset.DeletedAt != nil || v == nil:
			item.State, item.Error = dam.ItemFailed, &dam.OperationError{Code: dam.CodeNotFound, Message: "Asset not found."}
		case v.Err != "":
			item.State, item.Error = dam.ItemFailed, &dam.OperationError{Code: dam.CodeRefused, Message: v.Err}
		}
		count(op, item)
		if asset == nil || v == nil {
			continue
		}
		if hash := sha256.Sum256([]byte(meaningOf(asset))); !bytes.Equal(hash[:], v.TextHash) {
			continue
		}
		if err := tx.PutVector(v); err != nil {
			return err
		}
		if v.Values != nil {
			put = append(put, search.Vector{AssetID: v.AssetID, Values: v.Values})
		} else {
			gone = append(gone, v.AssetID)
		}
	}
	tx.OnCommit(func() {
		ctx := context.Background()
		if err := errors.Join(a.search.PutVectors(ctx, put), a.search.RemoveVectors(ctx, gone)); err != nil {
			a.log.Error("keep vectors in memory; they are read again at the next start", "err", err)
		}
	})
	if err := tx.SetItems(op, items); err != nil {
		return err
	}
	return a.endItems(tx, op)
}

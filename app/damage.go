package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// A file that is not what it was is not served. Its assets are marked, which
// their processing status shows, until the file is whole again: put back by
// dal check --repair, or uploaded once more.

// damagedKeep is how long a damaged file that was replaced is kept.
const damagedKeep = 30 * 24 * time.Hour

// original opens the file of an asset if it is what was uploaded, as far as
// that is seen without reading it, and is not known to be damaged.
func (a *App) original(ctx context.Context, asset *dam.Asset) (*os.File, error) {
	f, err := a.openBlob(ctx, asset.SHA256, asset.FileSize)
	if err != nil || asset.ProcessingStatus != dam.ProcessingDamaged {
		return f, err
	}
	if err := a.reconsider(ctx, asset.SHA256); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openBlob opens a blob that has a size. What is seen to be damaged is marked.
func (a *App) openBlob(ctx context.Context, sha string, size int64) (*os.File, error) {
	f, damage, err := a.blobs.OpenWhole(sha, size)
	if err == nil && damage == dam.DamageSize { // the record of the blob has the last word
		if size, err = a.blobSize(ctx, sha); err == nil {
			f, damage, err = a.blobs.OpenWhole(sha, size)
		}
	}
	if err == nil && damage != dam.DamageNone {
		err = a.damaged(ctx, sha, damage)
	}
	return f, err
}

func (a *App) blobSize(ctx context.Context, sha string) (size int64, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		size, err = tx.BlobSize(sha)
		return err
	})
	return size, err
}

// damaged marks a blob and returns what to tell who wants it.
func (a *App) damaged(ctx context.Context, sha string, damage dam.Damage) error {
	if _, err := a.markDamaged(ctx, sha, damage); err != nil && a.unmarked.now() {
		a.log.ErrorContext(ctx, "mark a damaged file", "sha256", sha, "damage", damage.String(), "err", err)
	}
	return damagedError(sha, damage)
}

func damagedError(sha string, damage dam.Damage) error {
	return &dam.Error{Kind: dam.Conflict, Msg: "The file is damaged on the server and is not served. Uploading the same file again heals it.",
		Err: &damageError{sha, damage}}
}

// damageError is the cause of the errors about a file that is damaged.
type damageError struct {
	sha    string
	damage dam.Damage
}

// damageOf returns the damage that an error is about, if it is about one.
func damageOf(err error) dam.Damage {
	if e, ok := errors.AsType[*damageError](err); ok {
		return e.damage
	}
	return dam.DamageNone
}

func (e *damageError) Error() string { return fmt.Sprintf("blob %s: %v", e.sha, e.damage) }

// markDamaged marks the assets of a blob as damaged and reports whether that is
// news, which the log has.
func (a *App) markDamaged(ctx context.Context, sha string, damage dam.Damage) (news bool, err error) {
	var gaids []dam.GAID
	err = a.store.Update(context.WithoutCancel(ctx), func(tx *storage.Tx) error {
		if news, err = tx.MarkDamaged(sha, damage); err != nil || !news {
			return err
		}
		gaids, err = a.blobChanged(tx, sha)
		return err
	})
	if err == nil && news {
		a.log.ErrorContext(ctx, "a file is damaged: it is not served until it is uploaded again or dal check --repair mends it",
			"gaid", gaids, "sha256", sha, "damage", damage.String())
	}
	return news, err
}

// logAssets is how many of the assets that have a file the log names.
const logAssets = 10

// blobChanged writes that the assets of a blob have changed with it, and returns
// the first of them.
func (a *App) blobChanged(tx *storage.Tx, sha string) ([]dam.GAID, error) {
	ids, err := tx.AssetsOfBlob(sha)
	if err != nil {
		return nil, err
	}
	assets, err := tx.AssetsByID(ids[:min(len(ids), logAssets)])
	if err != nil {
		return nil, err
	}
	gaids := make([]dam.GAID, len(assets))
	for i, asset := range assets {
		gaids[i] = asset.GAID
	}
	return gaids, a.touched(tx, ids)
}

// whole reports whether the file of a blob that has a size is there and is not
// known to be damaged. It is not read.
func (a *App) whole(ctx context.Context, sha string, size int64) (bool, error) {
	damage, err := a.blobs.Inspect(ctx, sha, size, false)
	if err != nil || damage != dam.DamageNone {
		return false, err
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		damage, err = tx.DamageOf(sha)
		return err
	})
	return damage == dam.DamageNone, err
}

// reconsider looks again at a blob that is marked and does not look damaged any
// more: a disk was away, or somebody put the file back. It is read once; what
// is known to have other bytes is not read again.
func (a *App) reconsider(ctx context.Context, sha string) error {
	a.reading.Lock()
	defer a.reading.Unlock()
	var damage dam.Damage
	var size int64
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		if damage, err = tx.DamageOf(sha); err == nil {
			size, err = tx.BlobSize(sha)
		}
		return err
	})
	switch {
	case err != nil || damage == dam.DamageNone:
		return err
	case damage == dam.DamageCorrupt:
		return damagedError(sha, damage)
	}
	if damage, err = a.blobs.Inspect(ctx, sha, size, true); err != nil {
		return err
	}
	if damage != dam.DamageNone {
		return a.damaged(ctx, sha, damage)
	}
	return a.store.Update(ctx, func(tx *storage.Tx) error { return a.mended(tx, sha) })
}

// mended notes that the file of a blob is whole. What was made of it before may
// have been made of bytes that were not, and is made anew.
func (a *App) mended(tx *storage.Tx, sha string) error {
	was, err := tx.ClearDamage(sha)
	if err != nil {
		return err
	}
	var gaids []dam.GAID
	if was {
		if gaids, err = a.blobChanged(tx, sha); err != nil {
			return err
		}
	}
	tx.OnCommit(func() {
		if err := a.cache.Remove(sha); err != nil {
			a.log.Warn("remove what was made of a damaged file", "sha256", sha, "err", err)
		}
		a.log.Info("a damaged file is whole again", "gaid", gaids, "sha256", sha)
	})
	return nil
}

// uploaded notes of blobs that were adopted which of them took the place of a
// damaged one, or were known to be damaged.
func (a *App) uploaded(tx *storage.Tx, temps []*blob.Temp) error {
	for _, t := range temps {
		damage, err := tx.DamageOf(t.SHA256())
		if err == nil && (t.Healed() || damage != dam.DamageNone) {
			err = a.mended(tx, t.SHA256())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forgetDamaged removes damaged files that were replaced before a time, unless
// the file that took their place is damaged, too.
func (a *App) forgetDamaged(ctx context.Context, before time.Time) error {
	files, err := a.blobs.Damaged()
	for _, f := range files {
		if !f.At.Before(before) {
			continue
		}
		var damage dam.Damage
		e := a.store.View(ctx, func(tx *storage.Tx) (err error) {
			damage, err = tx.DamageOf(f.SHA256)
			return err
		})
		if e == nil && damage == dam.DamageNone {
			e = a.blobs.ForgetDamaged(f)
		}
		err = errors.Join(err, e)
	}
	return err
}

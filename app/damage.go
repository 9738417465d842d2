package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// A file that was modified or is missing is not served. Its assets are marked, which
// their processing status shows, until the file is intact again: restored by dal
// check --repair, or uploaded again.

// damagedKeep is how long a replaced damaged file is kept.
const damagedKeep = 30 * 24 * time.Hour

// damaged marks a file and returns the error for the reader.
func (o *originals) damaged(ctx context.Context, sha string, damage dam.Damage) error {
	if err := o.mark(ctx, sha, damage); err != nil {
		o.unmarked.Do(func() {
			o.log.ErrorContext(ctx, "mark a damaged file", "sha256", sha, "damage", damage.String(), "err", err)
		})
	}
	return damagedError(sha, damage)
}

func damagedError(sha string, damage dam.Damage) error {
	return &dam.Error{
		Kind: dam.Conflict, Msg: "The file is damaged on the server and is not served. Uploading the same file again heals it.",
		Err: &damageError{sha, damage},
	}
}

// damageError is the cause of errors about a damaged file.
type damageError struct {
	sha    string
	damage dam.Damage
}

func (e *damageError) Error() string { return fmt.Sprintf("blob %s: %v", e.sha, e.damage) }

// damageOf returns the damage that an error reports, DamageNone for other errors.
func damageOf(err error) dam.Damage {
	if e, ok := errors.AsType[*damageError](err); ok {
		return e.damage
	}
	return dam.DamageNone
}

// marked returns the damage that a file is marked with.
func (o *originals) marked(ctx context.Context, sha string) (damage dam.Damage, err error) {
	err = o.store.View(ctx, func(tx *storage.Tx) error {
		damage, err = tx.DamageOf(sha)
		return err
	})
	return damage, err
}

// mark marks a file and its assets as damaged, and logs that if they were not marked
// before.
func (o *originals) mark(ctx context.Context, sha string, damage dam.Damage) error {
	return o.store.Update(context.WithoutCancel(ctx), func(tx *storage.Tx) error {
		first, err := tx.MarkDamaged(sha, damage)
		if err != nil || !first {
			return err
		}
		gaids, err := o.touchAssets(tx, sha)
		tx.OnCommit(func() {
			o.log.ErrorContext(ctx, "a file is damaged: it is not served until it is uploaded again or dal check --repair mends it",
				"gaid", gaids, "sha256", sha, "damage", damage.String())
		})
		return err
	})
}

// logAssets is the maximum number of a file's assets named in the log.
const logAssets = 10

// touchAssets records that the assets of a file have changed with it, and returns
// the first few of them.
func (o *originals) touchAssets(tx *storage.Tx, sha string) ([]dam.GAID, error) {
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
	return gaids, o.followups.touched(tx, ids)
}

// whole reports whether a file exists with the expected size and is not known to be
// damaged. It does not read the file.
func (o *originals) whole(ctx context.Context, sha string, size int64) (bool, error) {
	damage, err := o.blobs.Inspect(ctx, sha, size, false)
	if err != nil || damage != dam.DamageNone {
		return false, err
	}
	damage, err = o.marked(ctx, sha)
	return damage == dam.DamageNone, err
}

// reconsider checks a marked file again that no longer looks damaged, because a disk
// was mounted or the file was put back. It reads the file once; a file known to have
// different bytes is not read again.
func (o *originals) reconsider(ctx context.Context, sha string) error {
	o.rereading.Lock()
	defer o.rereading.Unlock()
	damage, err := o.marked(ctx, sha)
	switch {
	case err != nil || damage == dam.DamageNone:
		return err
	case damage == dam.DamageCorrupt:
		return damagedError(sha, damage)
	}
	size, err := o.size(ctx, sha)
	if err != nil {
		return err
	}
	if damage, err = o.blobs.Inspect(ctx, sha, size, true); err != nil {
		return err
	}
	if damage != dam.DamageNone {
		return o.damaged(ctx, sha, damage)
	}
	return o.store.Update(ctx, func(tx *storage.Tx) error { return o.mended(tx, sha) })
}

// unmark removes the mark from an intact file.
func (o *originals) unmark(ctx context.Context, sha string) error {
	if damage, err := o.marked(ctx, sha); err != nil || damage == dam.DamageNone {
		return err
	}
	return o.store.Update(ctx, func(tx *storage.Tx) error { return o.mended(tx, sha) })
}

// mended records that a file is intact again. It removes the renditions, which may
// show the damage; they are rebuilt on demand.
func (o *originals) mended(tx *storage.Tx, sha string) error {
	was, err := tx.ClearDamage(sha)
	if err != nil {
		return err
	}
	var gaids []dam.GAID
	if was {
		if gaids, err = o.touchAssets(tx, sha); err != nil {
			return err
		}
	}
	tx.OnCommit(func() {
		if err := o.cache.Remove(sha); err != nil {
			o.log.Warn("remove the renditions of a damaged file", "sha256", sha, "err", err)
		}
		o.log.Info("a damaged file is whole again", "gaid", gaids, "sha256", sha)
	})
	return nil
}

// uploaded records which of the files just adopted replaced a damaged file, or were
// marked as damaged.
func (o *originals) uploaded(tx *storage.Tx, temps []*blob.Temp) error {
	for _, t := range temps {
		damage, err := tx.DamageOf(t.SHA256())
		if err == nil && (t.Healed() || damage != dam.DamageNone) {
			err = o.mended(tx, t.SHA256())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forgetDamaged removes damaged files that were replaced before a given time, unless
// the replacement is damaged, too.
func (o *originals) forgetDamaged(ctx context.Context, before time.Time) error {
	files, err := o.blobs.Damaged()
	for _, f := range files {
		if !f.At.Before(before) {
			continue
		}
		damage, e := o.marked(ctx, f.SHA256)
		if e == nil && damage == dam.DamageNone {
			e = o.blobs.ForgetDamaged(f)
		}
		err = errors.Join(err, e)
	}
	return err
}

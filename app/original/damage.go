package original

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

// DamagedKeep is how long a replaced damaged file is kept.
const DamagedKeep = 30 * 24 * time.Hour

// Damaged marks a file and returns the error for the reader.
func (o *Files) Damaged(ctx context.Context, sha string, damage dam.Damage) error {
	if err := o.Mark(ctx, sha, damage); err != nil {
		o.unmarked.Do(func() {
			o.Log.ErrorContext(ctx, "mark a damaged file", "sha256", sha, "damage", damage.String(), "err", err)
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

// DamageOf returns the damage that an error reports, DamageNone for other errors.
func DamageOf(err error) dam.Damage {
	if e, ok := errors.AsType[*damageError](err); ok {
		return e.damage
	}
	return dam.DamageNone
}

// Marked returns the damage that a file is marked with.
func (o *Files) Marked(ctx context.Context, sha string) (damage dam.Damage, err error) {
	err = o.Store.View(ctx, func(tx *storage.Tx) error {
		damage, err = tx.DamageOf(sha)
		return err
	})
	return damage, err
}

// Mark marks a file and its assets as damaged, and logs that if they were not marked
// before.
func (o *Files) Mark(ctx context.Context, sha string, damage dam.Damage) error {
	return o.Store.Update(context.WithoutCancel(ctx), func(tx *storage.Tx) error {
		first, err := tx.MarkDamaged(sha, damage)
		if err != nil || !first {
			return err
		}
		gaids, err := o.touchAssets(tx, sha)
		tx.OnCommit(func() {
			o.Log.ErrorContext(ctx, "a file is damaged: it is not served until it is uploaded again or dal check --repair mends it",
				"gaid", gaids, "sha256", sha, "damage", damage.String())
		})
		return err
	})
}

// logAssets is the maximum number of a file's assets named in the log.
const logAssets = 10

// touchAssets records that the assets of a file have changed with it, and returns
// the first few of them.
func (o *Files) touchAssets(tx *storage.Tx, sha string) ([]dam.GAID, error) {
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
	return gaids, o.Followups.Touched(tx, ids)
}

// Whole reports whether a file exists with the expected size and is not known to be
// damaged. It does not read the file.
func (o *Files) Whole(ctx context.Context, sha string, size int64) (bool, error) {
	damage, err := o.Blobs.Inspect(ctx, sha, size, false)
	if err != nil || damage != dam.DamageNone {
		return false, err
	}
	damage, err = o.Marked(ctx, sha)
	return damage == dam.DamageNone, err
}

// reconsider checks a marked file again that no longer looks damaged, because a disk
// was mounted or the file was put back. It reads the file once; a file known to have
// different bytes is not read again.
func (o *Files) reconsider(ctx context.Context, sha string) error {
	o.rereading.Lock()
	defer o.rereading.Unlock()
	damage, err := o.Marked(ctx, sha)
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
	if damage, err = o.Blobs.Inspect(ctx, sha, size, true); err != nil {
		return err
	}
	if damage != dam.DamageNone {
		return o.Damaged(ctx, sha, damage)
	}
	return o.Store.Update(ctx, func(tx *storage.Tx) error { return o.Mended(tx, sha) })
}

// Unmark removes the mark from an intact file.
func (o *Files) Unmark(ctx context.Context, sha string) error {
	if damage, err := o.Marked(ctx, sha); err != nil || damage == dam.DamageNone {
		return err
	}
	return o.Store.Update(ctx, func(tx *storage.Tx) error { return o.Mended(tx, sha) })
}

// Mended records that a file is intact again. It removes the renditions, which may
// show the damage; they are rebuilt on demand.
func (o *Files) Mended(tx *storage.Tx, sha string) error {
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
		if err := o.Cache.Remove(sha); err != nil {
			o.Log.Warn("remove the renditions of a damaged file", "sha256", sha, "err", err)
		}
		o.Log.Info("a damaged file is whole again", "gaid", gaids, "sha256", sha)
	})
	return nil
}

// Uploaded records which of the files just adopted replaced a damaged file, or were
// marked as damaged.
func (o *Files) Uploaded(tx *storage.Tx, temps []*blob.Temp) error {
	for _, t := range temps {
		damage, err := tx.DamageOf(t.SHA256())
		if err == nil && (t.Healed() || damage != dam.DamageNone) {
			err = o.Mended(tx, t.SHA256())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ForgetDamaged removes damaged files that were replaced before a given time, unless
// the replacement is damaged, too.
func (o *Files) ForgetDamaged(ctx context.Context, before time.Time) error {
	files, err := o.Blobs.Damaged()
	for _, f := range files {
		if !f.At.Before(before) {
			continue
		}
		damage, e := o.Marked(ctx, f.SHA256)
		if e == nil && damage == dam.DamageNone {
			e = o.Blobs.ForgetDamaged(f)
		}
		err = errors.Join(err, e)
	}
	return err
}

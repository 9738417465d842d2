package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// originals are the files that people uploaded, each stored once under its
// checksum. A damaged file is not served: see damage.go.
type originals struct {
	store     *storage.Store
	blobs     *blob.Store
	cache     *blob.Cache // their renditions; nil in a library that can only be read
	log       *slog.Logger
	followups *followups

	rereading sync.Mutex       // held while a file that was damaged is read again
	unmarked  seldom           // to log files that could not be marked
	lookAgain func(root int64) // has files in place looked at again

	unreadable func(ctx context.Context, f *dam.RootFile, err error) // notes that a file in place cannot be read
}

// openAsset opens the file of an asset if it is what was uploaded, as far as can
// be seen without reading it, and is not known to be damaged.
func (o *originals) openAsset(ctx context.Context, asset *dam.Asset) (*os.File, error) {
	f, err := o.open(ctx, asset.SHA256, asset.FileSize)
	if err != nil || asset.ProcessingStatus != dam.ProcessingDamaged {
		return f, err
	}
	if err := o.reconsider(ctx, asset.SHA256); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// open opens a file of a size. If it is visibly damaged, it is marked. One that the
// library has only in place is opened there.
func (o *originals) open(ctx context.Context, sha string, size int64) (*os.File, error) {
	f, damage, err := o.blobs.OpenWhole(sha, size)
	if err == nil && damage == dam.DamageMissing {
		if f, placed, err := o.openPlaced(ctx, sha); placed || err != nil {
			return f, err
		}
	}
	if err == nil && damage == dam.DamageSize { // the blob's record has the last word
		if size, err = o.size(ctx, sha); err == nil {
			f, damage, err = o.blobs.OpenWhole(sha, size)
		}
	}
	if err == nil && damage != dam.DamageNone {
		err = o.damaged(ctx, sha, damage)
	}
	return f, err
}

// openFurther opens a file that an asset has besides its own, under the same conditions as
// openAsset.
func (o *originals) openFurther(ctx context.Context, sha string, size int64) (*os.File, error) {
	f, err := o.open(ctx, sha, size)
	if err != nil {
		return nil, err
	}
	damage, err := o.marked(ctx, sha)
	if err == nil && damage != dam.DamageNone {
		err = o.reconsider(ctx, sha)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// size returns the size that the records have of a file.
func (o *originals) size(ctx context.Context, sha string) (size int64, err error) {
	err = o.store.View(ctx, func(tx *storage.Tx) error {
		size, err = tx.BlobSize(sha)
		return err
	})
	return size, err
}

// recorded reports whether the records know a file.
func (o *originals) recorded(ctx context.Context, sha string) (known bool, err error) {
	err = o.store.View(ctx, func(tx *storage.Tx) error {
		known, err = tx.BlobKnown(sha)
		return err
	})
	return known, err
}

// settled is recorded, asked when nobody can be adding or removing the file. One
// that is gone by then counts as recorded.
func (o *originals) settled(ctx context.Context, sha string) (known bool, err error) {
	err = o.blobs.Quiet(ctx, func() error {
		f, err := o.blobs.Open(sha)
		if err != nil {
			known = true // removed meanwhile
			return nil
		}
		f.Close()
		known, err = o.recorded(ctx, sha)
		return err
	})
	return known, err
}

// release gives up one reference to a file; "" is no file. With the last one the
// record is deleted and, after the commit, the file with its renditions.
func (o *originals) release(tx *storage.Tx, sha string) error {
	if sha == "" {
		return nil
	}
	last, err := tx.ReleaseBlob(sha)
	if last {
		tx.AfterTurn(func() { o.remove(sha) }) // whoever adopts a file holds the folder, and waits to write
	}
	return err
}

// remove removes a file that has no record, unless it has one again, and its
// renditions. What cannot be removed now is moved aside at the next start.
func (o *originals) remove(sha string) {
	ctx := context.Background()
	_, err := o.blobs.Remove(ctx, sha, func(sha string) (bool, error) {
		known, err := o.recorded(ctx, sha)
		return !known, err
	})
	if err = errors.Join(err, o.cache.Remove(sha)); err != nil {
		o.log.Warn("remove a blob", "sha256", sha, "err", err)
	}
}

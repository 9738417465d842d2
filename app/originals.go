package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// originals manages the uploaded files, each stored once under its checksum. A damaged
// file is not served: see damage.go.
type originals struct {
	store     *storage.Store
	blobs     *blob.Store
	cache     *blob.Cache // renditions; nil if the library is read-only
	log       *slog.Logger
	followups *followups

	rereading sync.Mutex       // held while a formerly damaged file is read again
	unmarked  rate.Sometimes   // limits the logging of files that could not be marked
	lookAgain func(root int64) // rescans an external library

	unreadable func(ctx context.Context, f *dam.RootFile, err error) // records that a file in an external library cannot be read
}

// openAsset opens the file of an asset if it is not known to be damaged and appears
// unchanged, as far as that can be determined without reading it.
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

// open opens a file of a given size, and marks it if it is visibly damaged. A file that
// exists only in an external library is opened there.
func (o *originals) open(ctx context.Context, sha string, size int64) (*os.File, error) {
	f, damage, err := o.blobs.OpenWhole(sha, size)
	if err == nil && damage == dam.DamageMissing {
		if f, placed, err := o.openPlaced(ctx, sha); placed || err != nil {
			return f, err
		}
	}
	if err == nil && damage == dam.DamageSize { // the blob's record is authoritative
		if size, err = o.size(ctx, sha); err == nil {
			f, damage, err = o.blobs.OpenWhole(sha, size)
		}
	}
	if err == nil && damage != dam.DamageNone {
		err = o.damaged(ctx, sha, damage)
	}
	return f, err
}

// openFurther opens an additional file of an asset, under the same conditions as
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

// size returns the size recorded for a file.
func (o *originals) size(ctx context.Context, sha string) (size int64, err error) {
	err = o.store.View(ctx, func(tx *storage.Tx) error {
		size, err = tx.BlobSize(sha)
		return err
	})
	return size, err
}

// recorded reports whether the database has a record of a file.
func (o *originals) recorded(ctx context.Context, sha string) (known bool, err error) {
	err = o.store.View(ctx, func(tx *storage.Tx) error {
		known, err = tx.BlobKnown(sha)
		return err
	})
	return known, err
}

// settled is recorded, evaluated while nobody can be adding or removing the file. A file
// removed in the meantime counts as recorded.
func (o *originals) settled(ctx context.Context, sha string) (known bool, err error) {
	err = o.blobs.Quiet(ctx, func() error {
		f, err := o.blobs.Open(sha)
		if err != nil {
			known = true // removed in the meantime
			return nil
		}
		f.Close()
		known, err = o.recorded(ctx, sha)
		return err
	})
	return known, err
}

// release drops one reference to a file; sha is "" for no file. The last release deletes
// the record and, after the commit, the file and its renditions.
func (o *originals) release(tx *storage.Tx, sha string) error {
	if sha == "" {
		return nil
	}
	last, err := tx.ReleaseBlob(sha)
	if last {
		tx.AfterTurn(func() { o.remove(sha) }) // after the turn, because adopting a file holds the folder while waiting for the write lock
	}
	return err
}

// remove removes a file without a record and its renditions, unless it has got a record
// again. Files that cannot be removed now are moved aside at the next start.
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

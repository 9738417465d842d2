package original

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"

	"golang.org/x/time/rate"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// Files manages the uploaded files, each stored once under its checksum. A damaged
// file is not served: see damage.go.
type Files struct {
	Store     *storage.Store
	Blobs     *blob.Store
	Cache     *blob.Cache // renditions; nil if the library is read-only
	Log       *slog.Logger
	Followups *index.FollowUps

	rereading sync.Mutex       // held while a formerly damaged file is read again
	unmarked  rate.Sometimes   // limits the logging of files that could not be marked
	LookAgain func(root int64) // rescans an external library

	Unreadable func(ctx context.Context, f *dam.RootFile, err error) // records that a file in an external library cannot be read
}

// OpenAsset opens the file of an asset if it is not known to be damaged and appears
// unchanged, as far as that can be determined without reading it.
func (o *Files) OpenAsset(ctx context.Context, asset *dam.Asset) (*os.File, error) {
	f, err := o.Open(ctx, asset.SHA256, asset.FileSize)
	if err != nil || asset.ProcessingStatus != dam.ProcessingDamaged {
		return f, err
	}
	if err := o.reconsider(ctx, asset.SHA256); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Open opens a file of a given size, and marks it if it is visibly damaged. A file that
// exists only in an external library is opened there.
func (o *Files) Open(ctx context.Context, sha string, size int64) (*os.File, error) {
	f, damage, err := o.Blobs.OpenWhole(sha, size)
	if err == nil && damage == dam.DamageMissing {
		if f, placed, err := o.openPlaced(ctx, sha); placed || err != nil {
			return f, err
		}
	}
	if err == nil && damage == dam.DamageSize { // the blob's record is authoritative
		if size, err = o.size(ctx, sha); err == nil {
			f, damage, err = o.Blobs.OpenWhole(sha, size)
		}
	}
	if err == nil && damage != dam.DamageNone {
		err = o.Damaged(ctx, sha, damage)
	}
	return f, err
}

// OpenFurther opens an additional file of an asset, under the same conditions as
// OpenAsset.
func (o *Files) OpenFurther(ctx context.Context, sha string, size int64) (*os.File, error) {
	f, err := o.Open(ctx, sha, size)
	if err != nil {
		return nil, err
	}
	damage, err := o.Marked(ctx, sha)
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
func (o *Files) size(ctx context.Context, sha string) (size int64, err error) {
	err = o.Store.View(ctx, func(tx *storage.Tx) error {
		size, err = tx.BlobSize(sha)
		return err
	})
	return size, err
}

// Recorded reports whether the database has a record of a file.
func (o *Files) Recorded(ctx context.Context, sha string) (known bool, err error) {
	err = o.Store.View(ctx, func(tx *storage.Tx) error {
		known, err = tx.BlobKnown(sha)
		return err
	})
	return known, err
}

// Settled is recorded, evaluated while nobody can be adding or removing the file. A file
// removed in the meantime counts as recorded.
func (o *Files) Settled(ctx context.Context, sha string) (known bool, err error) {
	err = o.Blobs.Quiet(ctx, func() error {
		f, err := o.Blobs.Open(sha)
		if err != nil {
			known = true // removed in the meantime
			return nil
		}
		f.Close()
		known, err = o.Recorded(ctx, sha)
		return err
	})
	return known, err
}

// Release drops one reference to a file; sha is "" for no file. The last release deletes
// the record and, after the commit, the file and its renditions.
func (o *Files) Release(tx *storage.Tx, sha string) error {
	if sha == "" {
		return nil
	}
	last, err := tx.ReleaseBlob(sha)
	if last {
		tx.AfterTurn(func() { o.Remove(sha) }) // after the turn, because adopting a file holds the folder while waiting for the write lock
	}
	return err
}

// Remove removes a file without a record and its renditions, unless it has got a record
// again. Files that cannot be removed now are moved aside at the next start.
func (o *Files) Remove(sha string) {
	ctx := context.Background()
	_, err := o.Blobs.Remove(ctx, sha, func(sha string) (bool, error) {
		known, err := o.Recorded(ctx, sha)
		return !known, err
	})
	if err = errors.Join(err, o.Cache.Remove(sha)); err != nil {
		o.Log.Warn("remove a blob", "sha256", sha, "err", err)
	}
}

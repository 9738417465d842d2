package app

import (
	"context"
	"errors"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// lostEvery is how often the files that were moved aside are looked at.
const lostEvery = time.Hour

// sweep cleans the blob folder up at the start, and then sees to the files that
// were moved aside until ctx is done.
func (a *App) sweep(ctx context.Context) {
	t := time.NewTicker(lostEvery)
	defer t.Stop()
	err := a.PutBackLost(ctx)
	if err == nil {
		err = a.sweepBlobs(ctx)
	}
	for {
		if err == nil {
			err = a.tidyLost(ctx)
		}
		if err != nil && ctx.Err() == nil {
			a.log.ErrorContext(ctx, "sweep the blob folder", "err", err)
		}
		err = nil
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// sweepBlobs moves files that no record names aside, and tells of them.
func (a *App) sweepBlobs(ctx context.Context) error {
	swept, err := a.blobs.Sweep(ctx, func(sha string) (bool, error) { return a.blobKnown(ctx, sha) })
	if swept.Blobs > 0 {
		a.log.WarnContext(ctx, "files that no record refers to were moved to blobs/lost; dal recover makes assets of them",
			"files", swept.Blobs, "bytes", swept.Bytes, "kept", a.cfg.LostKeep.String())
	}
	a.log.DebugContext(ctx, "swept the blob folder", "swept", swept)
	return err
}

// PutBackLost moves files that were moved aside back to their places, those that
// records name and whose places are empty: the records have come back.
func (a *App) PutBackLost(ctx context.Context) error {
	lost, err := a.blobs.Lost()
	if err != nil {
		return err
	}
	var n fileCount
	for _, l := range lost {
		if known, err := a.blobKnown(ctx, l.SHA256); err != nil || !known {
			if err != nil {
				return err
			}
			continue
		}
		switch done, err := a.blobs.PutBack(ctx, l.SHA256); {
		case errors.Is(err, blob.ErrCorrupt):
			a.log.WarnContext(ctx, "a file in blobs/lost is needed, but damaged", "sha256", l.SHA256)
		case err != nil:
			return err
		case done:
			n.add(l.Size)
		}
	}
	if n.Count > 0 {
		a.log.WarnContext(ctx, "files of blobs/lost that records refer to are back in their places", "files", n.Count, "bytes", n.Bytes)
	}
	return nil
}

// tidyLost removes files that were moved aside longer ago than they are kept, and
// second names of files that assets have or that are in quarantine.
func (a *App) tidyLost(ctx context.Context) error {
	lost, err := a.blobs.Lost()
	if err != nil {
		return err
	}
	var n fileCount
	before := a.cfg.Now().Add(-a.cfg.LostKeep)
	for _, l := range lost {
		inPlace, quarantined := a.blobs.Twin(l)
		if !inPlace && !quarantined && !l.Since.Before(before) {
			continue
		}
		whole := !inPlace && !quarantined && a.blobs.Verify(ctx, l.SHA256) == nil // before the lock, for it may take long
		gone, err := a.blobs.Forget(ctx, l, func() (bool, error) { return a.lostUnneeded(ctx, l, inPlace, quarantined || whole) })
		if err != nil {
			return err
		}
		if gone && !inPlace && !quarantined {
			n.add(l.Size)
		}
	}
	if n.Count > 0 {
		a.log.WarnContext(ctx, "files were removed from blobs/lost, to which nothing referred for as long as they are kept",
			"files", n.Count, "size", humanize.IBytes(uint64(n.Bytes)), "kept", a.cfg.LostKeep.String())
	}
	return nil
}

// lostUnneeded reports whether a file that was moved aside can go: a second name
// once the first has been settled, any other when there is another copy or no
// record that might want it.
func (a *App) lostUnneeded(ctx context.Context, l blob.Lost, inPlace, another bool) (ok bool, err error) {
	if another {
		return true, nil
	}
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		if inPlace {
			uses, err := tx.BlobUses(l.SHA256, 0)
			ok = uses.Asset != ""
			return err
		}
		known, err := tx.BlobKnown(l.SHA256)
		ok = !known
		return err
	})
	return ok, err
}

// LostFile is a file that nothing refers to and that was moved aside.
type LostFile struct {
	SHA256       string
	Size         int64
	Since, Until time.Time
}

// LostFiles lists the files that were moved aside and that no record refers to.
func (a *App) LostFiles(ctx context.Context) (files []LostFile, err error) {
	lost, err := a.blobs.Lost()
	for _, l := range lost {
		known, err := a.blobKnown(ctx, l.SHA256)
		if err != nil {
			return nil, err
		}
		if inPlace, quarantined := a.blobs.Twin(l); !known && !inPlace && !quarantined {
			files = append(files, LostFile{l.SHA256, l.Size, l.Since, l.Since.Add(a.cfg.LostKeep)})
		}
	}
	return files, err
}

package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// lostEvery is the interval at which the files moved aside are checked.
const lostEvery = time.Hour

// lostFiles manages orphaned files, which no record refers to. They are moved aside
// to blobs/lost, and kept for a while in case they are needed.
type lostFiles struct {
	originals *originals
	keep      time.Duration
	now       func() time.Time
	log       *slog.Logger
}

// LostFile is an orphaned file that was moved aside.
type LostFile struct {
	SHA256       string
	Size         int64
	Since, Until time.Time
}

// run cleans up the blob folder at startup, and then maintains the files moved
// aside until ctx is done.
func (l *lostFiles) run(ctx context.Context) {
	t := time.NewTicker(lostEvery)
	defer t.Stop()
	err := l.putBack(ctx)
	if err == nil {
		err = l.sweep(ctx)
	}
	for {
		if err == nil {
			err = l.tidy(ctx)
		}
		if err != nil && ctx.Err() == nil {
			l.log.ErrorContext(ctx, "sweep the blob folder", "err", err)
		}
		err = nil
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// sweep moves orphaned files aside.
func (l *lostFiles) sweep(ctx context.Context) error {
	swept, err := l.originals.blobs.Sweep(ctx, func(sha string) (bool, error) { return l.originals.recorded(ctx, sha) })
	if swept.Blobs > 0 {
		l.log.WarnContext(ctx, "files that no record refers to were moved to blobs/lost; dal recover makes assets of them",
			"files", swept.Blobs, "bytes", swept.Bytes, "kept", l.keep.String())
	}
	l.log.DebugContext(ctx, "swept the blob folder", "swept", swept)
	return err
}

// putBack moves back the files moved aside that records refer to again.
func (l *lostFiles) putBack(ctx context.Context) error {
	lost, err := l.originals.blobs.Lost()
	if err != nil {
		return err
	}
	var n fileCount
	for _, f := range lost {
		known, err := l.originals.recorded(ctx, f.SHA256)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		switch done, err := l.originals.blobs.PutBack(ctx, f.SHA256); {
		case errors.Is(err, blob.ErrCorrupt):
			l.log.WarnContext(ctx, "a file in blobs/lost is needed, but damaged", "sha256", f.SHA256)
		case err != nil:
			return err
		case done:
			n.add(f.Size)
		}
	}
	if n.Count > 0 {
		l.log.WarnContext(ctx, "files of blobs/lost that records refer to are back in their places", "files", n.Count, "bytes", n.Bytes)
	}
	return nil
}

// tidy removes files whose retention aside has ended, and duplicates of files that
// assets have or that are in quarantine.
func (l *lostFiles) tidy(ctx context.Context) error {
	blobs := l.originals.blobs
	lost, err := blobs.Lost()
	if err != nil {
		return err
	}
	var n fileCount
	before := l.now().Add(-l.keep)
	for _, f := range lost {
		inPlace, quarantined := blobs.Twin(f)
		if !inPlace && !quarantined && !f.Since.Before(before) {
			continue
		}
		whole := !inPlace && !quarantined && blobs.Verify(ctx, f.SHA256) == nil // before taking the lock, because it may take long
		gone, err := blobs.Forget(ctx, f, func() (bool, error) { return l.unneeded(ctx, f, inPlace, quarantined || whole) })
		if err != nil {
			return err
		}
		if gone && !inPlace && !quarantined {
			n.add(f.Size)
		}
	}
	if n.Count > 0 {
		l.log.WarnContext(ctx, "files were removed from blobs/lost: nothing referred to them for as long as they are kept",
			"files", n.Count, "size", humanize.IBytes(uint64(n.Bytes)), "kept", l.keep.String())
	}
	return nil
}

// unneeded reports whether a file moved aside can be removed: a duplicate of a file
// in its regular location once an asset has that, any other file if another copy
// exists or no record refers to it.
func (l *lostFiles) unneeded(ctx context.Context, f blob.Lost, inPlace, another bool) (ok bool, err error) {
	if another {
		return true, nil
	}
	if !inPlace {
		known, err := l.originals.recorded(ctx, f.SHA256)
		return !known, err
	}
	err = l.originals.store.View(ctx, func(tx *storage.Tx) error {
		uses, err := tx.BlobUses(f.SHA256, 0)
		ok = uses.Asset != ""
		return err
	})
	return ok, err
}

// list lists the orphaned files that were moved aside.
func (l *lostFiles) list(ctx context.Context) (files []LostFile, err error) {
	lost, err := l.originals.blobs.Lost()
	for _, f := range lost {
		known, err := l.originals.recorded(ctx, f.SHA256)
		if err != nil {
			return nil, err
		}
		if inPlace, quarantined := l.originals.blobs.Twin(f); !known && !inPlace && !quarantined {
			files = append(files, LostFile{f.SHA256, f.Size, f.Since, f.Since.Add(l.keep)})
		}
	}
	return files, err
}

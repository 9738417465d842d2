package maintain

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// lostEvery is the interval at which the files moved aside are checked.
const lostEvery = time.Hour

// LostFiles manages orphaned files, which no record refers to. They are moved aside
// to blobs/lost, and kept for a while in case they are needed.
type LostFiles struct {
	Originals *original.Files
	Keep      time.Duration
	Now       func() time.Time
	Log       *slog.Logger
}

// LostFile is an orphaned file that was moved aside.
type LostFile struct {
	SHA256       string
	Size         int64
	Since, Until time.Time
}

// run cleans up the blob folder at startup, and then maintains the files moved
// aside until ctx is done.
func (l *LostFiles) run(ctx context.Context) {
	t := time.NewTicker(lostEvery)
	defer t.Stop()
	err := l.PutBack(ctx)
	if err == nil {
		err = l.sweep(ctx)
	}
	for {
		if err == nil {
			err = l.Tidy(ctx)
		}
		if err != nil && ctx.Err() == nil {
			l.Log.ErrorContext(ctx, "sweep the blob folder", "err", err)
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
func (l *LostFiles) sweep(ctx context.Context) error {
	swept, err := l.Originals.Blobs.Sweep(ctx, func(sha string) (bool, error) { return l.Originals.Recorded(ctx, sha) })
	if swept.Blobs > 0 {
		l.Log.WarnContext(ctx, "files that no record refers to were moved to blobs/lost; dal recover makes assets of them",
			"files", swept.Blobs, "bytes", swept.Bytes, "kept", l.Keep.String())
	}
	l.Log.DebugContext(ctx, "swept the blob folder", "swept", swept)
	return err
}

// PutBack moves back the files moved aside that records refer to again.
func (l *LostFiles) PutBack(ctx context.Context) error {
	lost, err := l.Originals.Blobs.Lost()
	if err != nil {
		return err
	}
	var n library.FileCount
	for _, f := range lost {
		known, err := l.Originals.Recorded(ctx, f.SHA256)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		switch done, err := l.Originals.Blobs.PutBack(ctx, f.SHA256); {
		case errors.Is(err, blob.ErrCorrupt):
			l.Log.WarnContext(ctx, "a file in blobs/lost is needed, but damaged", "sha256", f.SHA256)
		case err != nil:
			return err
		case done:
			n.Add(f.Size)
		}
	}
	if n.Count > 0 {
		l.Log.WarnContext(ctx, "files of blobs/lost that records refer to are back in their places", "files", n.Count, "bytes", n.Bytes)
	}
	return nil
}

// Tidy removes files whose retention aside has ended, and duplicates of files that
// assets have or that are in quarantine.
func (l *LostFiles) Tidy(ctx context.Context) error {
	blobs := l.Originals.Blobs
	lost, err := blobs.Lost()
	if err != nil {
		return err
	}
	var n library.FileCount
	before := l.Now().Add(-l.Keep)
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
			n.Add(f.Size)
		}
	}
	if n.Count > 0 {
		l.Log.WarnContext(ctx, "files were removed from blobs/lost: nothing referred to them for as long as they are kept",
			"files", n.Count, "size", humanize.IBytes(uint64(n.Bytes)), "kept", l.Keep.String())
	}
	return nil
}

// unneeded reports whether a file moved aside can be removed: a duplicate of a file
// in its regular location once an asset has that, any other file if another copy
// exists or no record refers to it.
func (l *LostFiles) unneeded(ctx context.Context, f blob.Lost, inPlace, another bool) (ok bool, err error) {
	if another {
		return true, nil
	}
	if !inPlace {
		known, err := l.Originals.Recorded(ctx, f.SHA256)
		return !known, err
	}
	err = l.Originals.Store.View(ctx, func(tx *storage.Tx) error {
		uses, err := tx.BlobUses(f.SHA256, 0)
		ok = uses.Asset != ""
		return err
	})
	return ok, err
}

// list lists the orphaned files that were moved aside.
func (l *LostFiles) list(ctx context.Context) (files []LostFile, err error) {
	lost, err := l.Originals.Blobs.Lost()
	for _, f := range lost {
		known, err := l.Originals.Recorded(ctx, f.SHA256)
		if err != nil {
			return nil, err
		}
		if inPlace, quarantined := l.Originals.Blobs.Twin(f); !known && !inPlace && !quarantined {
			files = append(files, LostFile{f.SHA256, f.Size, f.Since, f.Since.Add(l.Keep)})
		}
	}
	return files, err
}

package backup

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/digital-asset-library/dal/storage/blob"
)

// Pruned is the result of Prune.
type Pruned struct {
	Snapshots    int
	Files, Bytes int64
}

// Prune removes all but the newest keep snapshots, and files that are not referenced by a
// remaining snapshot. It always keeps the newest complete snapshot. It removes nothing if a
// remaining snapshot cannot be read, and never removes files of other programs. The target
// must be opened by Create or OpenToPrune.
func (t *Target) Prune(ctx context.Context, keep int) (p Pruned, err error) {
	if keep < 1 {
		return p, errors.New("at least one snapshot has to be kept")
	}
	list, err := t.Snapshots()
	if err != nil {
		return p, err
	}
	var stay, drop []Snapshot
	complete := false
	for i, s := range list {
		if i < keep || !complete && s.Err == nil && s.Complete {
			stay = append(stay, s)
		} else {
			drop = append(drop, s)
		}
		complete = complete || s.Err == nil && s.Complete
	}
	named := map[[32]byte]struct{}{}
	for _, s := range stay {
		if err := t.names(ctx, s, named); err != nil {
			return p, fmt.Errorf("snapshot %s cannot be read, so nothing is removed (remove its folder if you can do without it): %w", s.Name, err)
		}
	}
	for _, s := range drop {
		if err := t.drop(s.Name); err != nil {
			return p, err
		}
		p.Snapshots++
	}
	if err := errors.Join(t.syncDir(snapshotsDir), t.clearTemp()); err != nil {
		return p, err
	}
	return p, t.sweep(ctx, named, &p)
}

// names adds all blobs of a snapshot to named.
func (t *Target) names(ctx context.Context, s Snapshot, named map[[32]byte]struct{}) error {
	if s.Err != nil {
		return s.Err
	}
	if err := t.whole(ctx, s.Name, s.Sums); err != nil {
		return err
	}
	f, _, err := t.open(path.Join(snapshotsDir, s.Name, sumsFile))
	if err != nil {
		return err
	}
	defer f.Close()
	return parseSums(f, s.Name, func(sha [32]byte) error {
		named[sha] = struct{}{}
		return ctx.Err()
	})
}

// drop removes a snapshot atomically: it moves the files to tmp/, where they are deleted
// later.
func (t *Target) drop(name string) error {
	return t.root.Rename(path.Join(snapshotsDir, name), path.Join(tempDir, "dropped-"+name))
}

// sweep removes blobs that are not in named.
func (t *Target) sweep(ctx context.Context, named map[[32]byte]struct{}, p *Pruned) error {
	return fs.WalkDir(t.root.FS(), blobsDir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return errors.Join(err, ctx.Err())
		}
		if !blob.ValidName(d.Name()) || blobPath(d.Name()) != name || !d.Type().IsRegular() {
			return nil // not created by dal
		}
		var sha [32]byte
		if _, err := hex.Decode(sha[:], []byte(d.Name())); err != nil {
			return err
		}
		if _, ok := named[sha]; ok {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if err := t.root.Remove(name); err != nil {
			return err
		}
		p.Files++
		p.Bytes += info.Size()
		return nil
	})
}

package maintain

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

// inPlace checks the files of all external libraries. An offline library is
// reported but is not counted as a problem.
func (c *check) inPlace(ctx context.Context) error {
	var roots []*dam.Root
	err := c.store.View(ctx, func(tx *storage.Tx) (err error) {
		roots, err = tx.Roots()
		return err
	})
	if err != nil {
		return err
	}
	for _, r := range roots {
		for after, more := int64(0), true; more; {
			var files []*dam.RootFile
			err := c.store.View(ctx, func(tx *storage.Tx) (err error) {
				files, err = tx.RootFilesOf(r.ID, after, 500)
				return err
			})
			if err != nil {
				return err
			}
			for _, f := range files {
				after = f.ID
				if f.AssetID != 0 && f.Kind == dam.RootFileOriginal {
					if err := c.placed(ctx, original.Place{RootFile: f, Root: r}); err != nil {
						return err
					}
				}
			}
			more = len(files) > 0
		}
	}
	return nil
}

// placed checks one file of an external library.
func (c *check) placed(ctx context.Context, p original.Place) error {
	c.report.InPlace++
	path := filepath.Join(p.Root.Name, filepath.FromSlash(p.Path()))
	if p.State == dam.RootFileMissing {
		c.found("file in place %s: it is missing", path)
		return nil
	}
	f, _, err := p.Open(ctx)
	switch {
	case errors.Is(err, original.ErrOffline):
		c.report.Offline++
		return nil
	case errors.Is(err, original.ErrNoFile), errors.Is(err, original.ErrChanged):
		c.found("file in place %s: %v; \"dal root scan %s\" notes it", path, err, p.Root.Name)
		return nil
	case err != nil:
		c.found("file in place %s: it cannot be read: %v", path, original.Cause(err))
		return nil
	}
	defer f.Close()
	if !c.full {
		return nil
	}
	sum, err := blob.SumOf(ctx, f)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.found("file in place %s: it cannot be read: %v", path, original.Cause(err))
	case sum != p.SHA256:
		c.found("file in place %s: it has other bytes, with the same size and time; \"dal root scan %s --verify\" takes it in again",
			path, p.Root.Name)
	}
	return nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/webhook"
)

// prepare checks that the library in cfg.DataDir may be opened, and reports whether
// it must be created and whether it is read-only.
func prepare(ctx context.Context, cfg *Config) (made, readOnly bool, err error) {
	if cfg.DataDir == "" {
		return false, false, errors.New("no data folder was given")
	}
	dir, err := filepath.Abs(cfg.DataDir)
	if err != nil {
		return false, false, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && cfg.Access != library.AccessMake && cfg.Access != library.AccessRecover {
		return false, false, fmt.Errorf("%w in %s", library.ErrNoLibrary, dir)
	}
	if err := library.MayWrite(dir, cfg.AllowRoot); err != nil {
		if cfg.Access != library.AccessCheck {
			return false, false, err
		}
		readOnly = true
	}
	f, err := library.Examine(ctx, dir)
	switch {
	case err != nil:
		return false, false, err
	case f.Unfit != nil && cfg.Access != library.AccessRecover:
		return false, false, f.Unfit
	case f.New && cfg.Access != library.AccessMake && cfg.Access != library.AccessRecover:
		return false, false, fmt.Errorf("%w in %s", library.ErrNoLibrary, dir)
	case f.New && cfg.Access == library.AccessMake:
		if err := library.MayMake(dir); err != nil {
			return false, false, err
		}
	}
	if readOnly {
		return false, true, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, false, fmt.Errorf("data folder: %w", err)
	}
	return f.New, false, library.Private(dir)
}

// EventView converts the resource of an event to its API representation for one
// reader.
type EventView func(ctx context.Context, a *App, reader dam.Actor, e *dam.Event) (any, error)

// of binds the view to a library; it returns nil for a nil view.
func (v EventView) of(a *App) webhook.View {
	if v == nil {
		return nil
	}
	return func(ctx context.Context, reader dam.Actor, e *dam.Event) (any, error) { return v(ctx, a, reader, e) }
}

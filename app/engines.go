package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/module"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/library"
)

// newEngines returns the engines of a library. An engine starts when a file first
// needs it.
func newEngines(cfg Config) *engine.Pool {
	cache := cfg.EngineCache
	if cache == "" {
		cache = filepath.Join(cfg.DataDir, library.EnginesDir)
	}
	return engine.New(engine.Config{
		Workers: cfg.EngineWorkers, Dir: cfg.EnginesDir, Off: cfg.EnginesOff, Cache: cache,
		Memory: cfg.EngineMemory, Data: cfg.OCRData, Command: cfg.EngineCommand, Log: cfg.Log,
		Waiting: job.Wait,
	})
}

// Engines returns the status of all engines. It starts those that replace a built-in
// engine; if one does not start, its state contains the error.
func (a *App) Engines(ctx context.Context) []engine.Status {
	list := a.engines.Engines()
	for i, e := range list {
		if e.State != engine.StateReplaced {
			continue
		}
		if err := a.engines.Try(ctx, e.Name); err != nil {
			list[i].State = "replaced, but it does not start: " + err.Error()
		}
	}
	return list
}

// CheckEngine returns an error if no engine has the name.
func CheckEngine(name string) error {
	if slices.Contains(module.Names(), name) {
		return nil
	}
	return fmt.Errorf("there is no engine %q; there is %s", name, strings.Join(module.Names(), ", "))
}

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
)

// newEngines returns the engines of a library. None is started before a file needs it.
func newEngines(cfg Config) *engine.Pool {
	cache := cfg.EngineCache
	if cache == "" {
		cache = filepath.Join(cfg.DataDir, enginesDir)
	}
	return engine.New(engine.Config{
		Workers: cfg.EngineWorkers, Dir: cfg.EnginesDir, Off: cfg.EnginesOff, Cache: cache,
		Memory: cfg.EngineMemory, Data: cfg.OCRData, Command: cfg.EngineCommand, Log: cfg.Log,
		Waiting: job.Wait,
	})
}

// Engines returns how the engines are. Those that replace one that is built in are
// started, and what is wrong with one that does not start is its state.
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

// CheckEngine reports a name that no engine has.
func CheckEngine(name string) error {
	if slices.Contains(module.Names(), name) {
		return nil
	}
	return fmt.Errorf("there is no engine %q; there is %s", name, strings.Join(module.Names(), ", "))
}

package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/module"
)

// newEngines returns the engines of a library. None is started before a file needs it.
func newEngines(cfg Config) *engine.Pool {
	cache := cfg.EngineCache
	if cache == "" {
		cache = filepath.Join(cfg.DataDir, enginesDir)
	}
	return engine.New(engine.Config{
		Workers: cfg.EngineWorkers, Dir: cfg.EnginesDir, Off: cfg.EnginesOff, Cache: cache,
		Memory: cfg.EngineMemory, Command: cfg.EngineCommand, Log: cfg.Log,
	})
}

// Engines returns how the engines are.
func (a *App) Engines() []engine.Status { return a.engines.Engines() }

// CheckEngine reports a name that no engine has.
func CheckEngine(name string) error {
	if slices.Contains(module.Names(), name) {
		return nil
	}
	return fmt.Errorf("there is no engine %q; there is %s", name, strings.Join(module.Names(), ", "))
}

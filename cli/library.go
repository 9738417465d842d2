package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/library"
)

// open opens the library with cfg; with the zero value of cfg.Access it creates a missing
// one.
func (s *settings) open(cmd *cobra.Command, cfg app.Config) (*app.App, error) {
	cfg, err := s.complete(cmd, cfg)
	if err != nil {
		return nil, err
	}
	a, err := app.Open(cmd.Context(), cfg)
	if err == nil && a.Created() {
		if s.logFormat == "json" { // stderr contains only JSON
			cfg.Log.Info("created a new library", "data", s.folder())
		} else {
			fmt.Fprintln(cmd.ErrOrStderr(), "Created a new library in", s.folder())
		}
	}
	return a, suggestData(err)
}

// complete applies the global flags to cfg.
func (s *settings) complete(cmd *cobra.Command, cfg app.Config) (app.Config, error) {
	if err := s.requireData("the data folder"); err != nil {
		return cfg, err
	}
	cfg.DataDir, cfg.AllowRoot, cfg.Log = s.data, s.allowRoot, s.logger(cmd.ErrOrStderr())
	return cfg, nil
}

// requireData returns an error if --data is blank; what describes its purpose.
func (s *settings) requireData(what string) error {
	if strings.TrimSpace(s.data) == "" {
		return usagef("--data is empty; it must name %s", what)
	}
	return nil
}

// folder returns the absolute path of the data folder.
func (s *settings) folder() string {
	if abs, err := filepath.Abs(s.data); err == nil {
		return abs
	}
	return s.data
}

// suggestData adds a suggestion to an error about a missing library.
func suggestData(err error) error {
	if errors.Is(err, library.ErrNoLibrary) && !strings.Contains(err.Error(), "--data") {
		return fmt.Errorf("%w; --data sets the folder, dal serve creates a library", err)
	}
	return err
}

// withNew opens the library, creating it if necessary, runs fn and closes it.
func (s *settings) withNew(cmd *cobra.Command, fn func(*app.App) error) error {
	return s.withAccess(cmd, library.AccessMake, fn)
}

// with opens a library that must exist, runs fn and closes it.
func (s *settings) with(cmd *cobra.Command, fn func(*app.App) error) error {
	return s.withAccess(cmd, library.AccessWrite, fn)
}

func (s *settings) withAccess(cmd *cobra.Command, access library.Access, fn func(*app.App) error) error {
	cfg := app.DefaultConfig()
	cfg.Access = access
	return s.withConfig(cmd, cfg, fn)
}

func (s *settings) withConfig(cmd *cobra.Command, cfg app.Config, fn func(*app.App) error) error {
	a, err := s.open(cmd, cfg)
	if err != nil {
		return err
	}
	return errors.Join(fn(a), a.Close())
}

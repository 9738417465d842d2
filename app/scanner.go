package app

import (
	"context"
	"path/filepath"

	"github.com/digital-asset-library/dal/app/scan"
)

// SignaturesDir is the folder, in the data folder, for hash lists.
const SignaturesDir = "signatures"

func openScanner(cfg Config) (*scan.Scanner, error) {
	sigs, err := scan.LoadSignatures(filepath.Join(cfg.DataDir, SignaturesDir))
	if err != nil {
		return nil, err
	}
	s := &scan.Scanner{Signatures: sigs}
	if cfg.Clamd != "" {
		if s.Clamd, err = scan.ParseClamd(cfg.Clamd); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// ScannerStatus tells in words what files are scanned with, or why the scanner
// is away.
func (a *App) ScannerStatus(ctx context.Context) (string, error) {
	if a.scan.Clamd == nil {
		return "built-in signatures only; --clamd adds a virus scanner", nil
	}
	v, err := a.scan.Clamd.Version(ctx)
	return "clamd " + v, err
}

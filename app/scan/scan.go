// Package scan detects malware in files with built-in signatures, hash lists from a folder,
// and clamd if configured.
package scan

import (
	"context"
	"errors"
	"io"
)

// Result is the result of a scan.
type Result struct {
	Infected  bool
	Signature string // name of the malware
	Engine    string // engine that detected it
}

// ErrUnavailable is returned while the scanner cannot be reached. The file must not be
// treated as clean.
var ErrUnavailable = errors.New("the virus scanner cannot be reached")

// ErrTooLargeForScanner is returned for a file that exceeds clamd's size limit.
var ErrTooLargeForScanner = errors.New("the file is larger than the virus scanner accepts")

// Scanner scans files. It is safe for concurrent use.
type Scanner struct {
	Signatures *Signatures
	Clamd      *Clamd // nil for none
}

// Scan scans a file. It calls open once for each engine and closes the result.
func (s *Scanner) Scan(ctx context.Context, open func() (io.ReadCloser, error), size int64) (Result, error) {
	r, err := with(open, func(f io.Reader) (Result, error) { return s.Signatures.Scan(ctx, f, size) })
	if err != nil || r.Infected || s.Clamd == nil {
		return r, err
	}
	return with(open, func(f io.Reader) (Result, error) { return s.Clamd.Scan(ctx, f) })
}

func with(open func() (io.ReadCloser, error), fn func(io.Reader) (Result, error)) (Result, error) {
	f, err := open()
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	return fn(f)
}

// ctxReader stops reading after ctx is done.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// Package scan looks for malware in files: with the signatures that are built
// in or dropped into a folder, and with clamd where there is one.
package scan

import (
	"context"
	"errors"
	"io"
)

// Result is what a scan found.
type Result struct {
	Infected  bool
	Signature string // the name of what was found
	Engine    string // who found it
}

// ErrUnavailable is returned while a scanner that should be asked is away. The
// file must not be taken for clean.
var ErrUnavailable = errors.New("the virus scanner is away")

// ErrTooLargeForScanner is returned for a file that clamd refuses to read to
// its end.
var ErrTooLargeForScanner = errors.New("the file is larger than the virus scanner accepts")

// Scanner scans files. It is safe for concurrent use.
type Scanner struct {
	Signatures *Signatures
	Clamd      *Clamd // nil for none
}

// Scan scans a file that open opens, once for each engine. The caller closes
// nothing.
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

// ctxReader stops reading once ctx is done.
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

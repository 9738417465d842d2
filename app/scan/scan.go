// Package scan looks for malware in files: with signatures that are built in or
// come from a folder, and with clamd if there is one.
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
	Engine    string // what found it
}

// ErrUnavailable is returned while the scanner cannot be reached. It says nothing
// about the file, which must not be treated as clean.
var ErrUnavailable = errors.New("the virus scanner cannot be reached")

// ErrTooLargeForScanner is returned for a file that clamd refuses to read to the
// end.
var ErrTooLargeForScanner = errors.New("the file is larger than the virus scanner accepts")

// Scanner scans files. It is safe for concurrent use.
type Scanner struct {
	Signatures *Signatures
	Clamd      *Clamd // nil for none
}

// Scan scans a file. It calls open once for each engine and closes what that
// returns.
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

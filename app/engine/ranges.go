package engine

import (
	"errors"
	"fmt"
	"io"
)

// Ranges is the worker's view of the file of a job with ranges: each read is a request to
// the server. After an error, all reads fail.
type Ranges struct {
	Size int64
	In   io.Reader
	Ask  func(header any) error // sends a header to the server

	bytes, times int64 // total of the requests
	err          error
}

// errSpent is the error at the limit of bytes that one job may read.
var errSpent = errors.New("the engine has read as much of the file as it may")

// Spent reports whether a job has reached the limit.
func (r *Ranges) Spent() bool { return errors.Is(r.err, errSpent) }

// ReadAt reads a part of the file. It reads more than MaxRange bytes in several requests.
func (r *Ranges) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, errors.New("an offset below zero")
	}
	for n < len(p) && offset+int64(n) < r.Size && r.err == nil {
		length := int(min(int64(len(p)-n), MaxRange, r.Size-offset-int64(n)))
		if r.bytes+int64(length) > MaxRanged || r.times >= MaxRanges {
			r.err = errSpent
			break
		}
		r.bytes, r.times = r.bytes+int64(length), r.times+1
		if r.err = r.Ask(answer{Offset: offset + int64(n), Length: length}); r.err != nil {
			break
		}
		var got int
		got, r.err = io.ReadFull(r.In, p[n:n+length])
		n += got
	}
	if r.err != nil {
		return n, r.err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Read returns nothing: the file is read by ranges only.
func (r *Ranges) Read([]byte) (int, error) { return 0, io.EOF }

// giver sends ranges of a file to a worker, within limits.
type giver struct {
	file         io.ReaderAt
	size         int64
	to           io.Writer
	bytes, times int64 // total sent
	buf          []byte
}

func (g *giver) give(offset int64, n int) error {
	g.bytes, g.times = g.bytes+int64(n), g.times+1
	if n < 1 || n > MaxRange || offset < 0 || offset > g.size-int64(n) || g.bytes > MaxRanged || g.times > MaxRanges {
		return fmt.Errorf("it asks for %d bytes at %d, of %d", n, offset, g.size)
	}
	if cap(g.buf) < n {
		g.buf = make([]byte, max(n, 64<<10))
	}
	if got, err := g.file.ReadAt(g.buf[:n], offset); got < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // the file was truncated
		}
		return &readError{err}
	}
	_, err := g.to.Write(g.buf[:n])
	return err
}

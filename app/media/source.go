package media

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/digital-asset-library/dal/app/dam"
)

// source is a file as the functions of a format get it: its bytes, how many
// there are, and the limits that reading it must keep. Reads stop once ctx is
// done; a read that fails is marked as such, so that it is not taken for a fault
// of the file.
type source struct {
	ctx    context.Context
	file   io.ReaderAt
	size   int64
	limits Limits
	name   string // of the file; "" if it is not known

	longest int // pixels of the longest side that is wanted; 0 for that of the standing renditions
	page    int // that is wanted; 0 for the first

	background bool // nobody waits for it
	planes     bool // only a picture that is decoded in planes is wanted, to make a pyramid of
}

// side is how many pixels the longest side of what is wanted has.
func (s source) side() int {
	if s.longest > 0 {
		return s.longest
	}
	return dam.LargestStanding()
}

func (s source) ReadAt(p []byte, off int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, &readError{err}
	}
	n, err := s.file.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &readError{err}
	}
	return n, err
}

// section returns a reader of the whole file that can seek.
func (s source) section() *io.SectionReader { return io.NewSectionReader(s, 0, s.size) }

// buffered returns a reader of the whole file that makes few, large reads.
func (s source) buffered() *bufio.Reader { return bufio.NewReaderSize(s.section(), 64<<10) }

// head returns the first bytes of the file, enough to tell its format.
func (s source) head() ([]byte, error) {
	head := make([]byte, min(s.size, 8<<10))
	n, err := s.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return head[:n], nil
}

// guard runs fn, which reads an untrusted file of a format. A decoder's panics
// and errors become faults of the file; a read that failed or was cancelled does
// not.
func guard(s source, f format, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = damaged(panicked{p})
		}
		if err == nil {
			return
		}
		if s.ctx.Err() != nil {
			err = context.Cause(s.ctx)
			return
		}
		_, isFault := errors.AsType[*dam.FileError](err)
		_, isRead := errors.AsType[*readError](err)
		switch {
		case isFault, isRead:
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), f.cutOff != nil && f.cutOff(s, err):
			err = cutOff(err)
		case f.beyond != nil && f.beyond(err):
			err = beyond(f, err)
		default:
			err = damaged(err)
		}
	}()
	return fn()
}

// readError is a failure to read a file, as opposed to a fault in it.
type readError struct{ err error }

func (e *readError) Error() string { return "read the file: " + e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

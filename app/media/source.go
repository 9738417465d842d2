package media

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/digital-asset-library/dal/app/dam"
)

// source is the input of a format's functions: the bytes of a file, its size, and the
// limits that apply. Reads stop once ctx is done; failed reads are marked, so that they are
// not mistaken for faults of the file.
type source struct {
	ctx    context.Context
	file   io.ReaderAt
	size   int64
	limits Limits
	name   string // file name; "" if unknown

	longest int // requested longest side in pixels; 0 for that of the precomputed renditions
	page    int // requested page; 0 for the first

	background bool // nobody is waiting
	planes     bool // only accept a picture that decodes to planes, for a pyramid
}

// side returns the requested longest side in pixels.
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

// section returns a seekable reader of the whole file.
func (s source) section() *io.SectionReader { return io.NewSectionReader(s, 0, s.size) }

// buffered returns a reader of the whole file that makes few, large reads.
func (s source) buffered() *bufio.Reader { return bufio.NewReaderSize(s.section(), 64<<10) }

// head returns the first bytes of the file, enough to detect its format.
func (s source) head() ([]byte, error) {
	head := make([]byte, min(s.size, 8<<10))
	n, err := s.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return head[:n], nil
}

// guard runs fn, which reads an untrusted file of a format. It converts the panics and
// errors of decoders to faults of the file, but not failed or cancelled reads.
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

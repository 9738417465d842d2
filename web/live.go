package web

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

const (
	// stallBytes is the number of bytes that a client must send within Options.Stall, and
	// writeBytes the number that it must accept. As long as it does, a transfer may take
	// days.
	stallBytes = 4 << 10
	// writeBytes is the number of bytes written within one deadline. With unsentBytes, the
	// kernel buffers little more, so a write waits for the client, not for the kernel's
	// buffer.
	writeBytes = 64 << 10
	// writePieces is the maximum number of writeBytes per system call, with proportionally
	// longer deadlines.
	writePieces = 4
	// lingerTime is how long the rest of an unwanted body is read, so that the client sees
	// the answer and not a reset.
	lingerTime = time.Second
)

// live aborts stalled connections: each deadline, for reading and for writing, is extended
// as bytes are transferred. If the handler does not read a body to its end, net/http does
// not read it either: the answer is sent immediately, and the connection is closed
// afterwards.
func (s *Server) live(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		body := &liveBody{body: r.Body, control: control, stall: s.opt.Stall, done: r.Body == nil || r.Body == http.NoBody}
		lw := &liveWriter{ResponseWriter: w, control: control, stall: s.opt.Stall, body: body}
		r = r.WithContext(r.Context())
		r.Body = body
		lw.move() // the connection may still have the previous request's deadline
		next.ServeHTTP(lw, r)
		lw.move() // for data buffered by net/http
		body.leave()
	})
}

// bodyOf returns the body that live has attached to a request.
func bodyOf(r *http.Request) *liveBody { return r.Body.(*liveBody) }

// ignoreUnsupported ignores the errors of connections without deadlines, such as a test's
// recorder.
func ignoreUnsupported(err error) error {
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// liveBody extends the read deadline of its connection as bytes arrive.
type liveBody struct {
	body    io.ReadCloser
	control *http.ResponseController
	stall   time.Duration
	until   time.Time // deadline of the whole body; zero for none
	due     int       // bytes until the deadline is extended
	done    bool      // read to its end, or empty
	left    bool      // the rest will not be read
	seen    io.Writer // receives a copy of the bytes read; may be nil

	mu      sync.Mutex // guards the deadline
	stopped bool       // reads fail
}

// stop makes all reads fail from now on. It may be called from other goroutines.
func (b *liveBody) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	_ = b.control.SetReadDeadline(time.Now())
}

// setDeadline changes the read deadline, unless reading was stopped.
func (b *liveBody) setDeadline(at time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return os.ErrDeadlineExceeded
	}
	return ignoreUnsupported(b.control.SetReadDeadline(at))
}

// within limits the time for the whole body, from now on.
func (b *liveBody) within(d time.Duration) { b.until = time.Now().Add(d) }

func (b *liveBody) Read(p []byte) (int, error) {
	if b.done || b.left {
		return 0, io.EOF
	}
	if b.due <= 0 {
		at := time.Now().Add(b.stall)
		if !b.until.IsZero() && b.until.Before(at) {
			at = b.until
		}
		if err := b.setDeadline(at); err != nil {
			return 0, &readError{err}
		}
		b.due = stallBytes
	}
	n, err := b.body.Read(p)
	b.due -= n
	if b.seen != nil {
		_, _ = b.seen.Write(p[:n]) // hashes never fail
	}
	switch {
	case err == io.EOF:
		// From here on, net/http reads only to detect that the client disconnects, for as long
		// as the handler runs.
		b.done = true
		if e := b.setDeadline(time.Time{}); e != nil && !errors.Is(e, os.ErrDeadlineExceeded) {
			return n, &readError{e}
		}
	case err != nil:
		err = &readError{err}
	}
	return n, err
}

// Close does nothing: net/http closes the body.
func (b *liveBody) Close() error { return nil }

// leave abandons the rest of the body. It reports whether there is any.
func (b *liveBody) leave() bool {
	if !b.done && !b.left {
		b.left = true
		_ = b.control.SetReadDeadline(time.Now().Add(lingerTime)) // fails only if the connection is closed
	}
	return b.left
}

// liveWriter extends the write deadline of its connection as bytes are written.
type liveWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	body    *liveBody
	begun   bool
}

func (w *liveWriter) move() { w.moveFor(writeBytes) }

// moveFor extends the deadline by the time allowed for writing bytes.
func (w *liveWriter) moveFor(bytes int) {
	pieces := max(1, (bytes+writeBytes-1)/writeBytes)
	_ = w.control.SetWriteDeadline(time.Now().Add(w.stall * time.Duration(pieces))) // on a broken connection, the write itself fails
}

func (w *liveWriter) WriteHeader(code int) {
	if code >= http.StatusOK && !w.begun {
		w.begun = true
		if w.body.leave() {
			w.Header().Set("Connection", "close")
		}
	}
	w.move()
	w.ResponseWriter.WriteHeader(code)
}

func (w *liveWriter) Write(p []byte) (n int, err error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	for {
		part := p[n:min(len(p), n+writePieces*writeBytes)]
		w.moveFor(len(part))
		m, err := w.ResponseWriter.Write(part)
		if n += m; err != nil || n == len(p) {
			return n, err
		}
	}
}

// inMemory is a reader that can be written without copying.
type inMemory interface {
	io.WriterTo
	Len() int // remaining bytes
}

// pieces are buffers for data that the operating system cannot copy.
var pieces = sync.Pool{New: func() any { return new([writeBytes]byte) }}

// ReadFrom lets the operating system copy a file, one piece at a time.
func (w *liveWriter) ReadFrom(r io.Reader) (n int64, err error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	all, ok := r.(*io.LimitedReader)
	if !ok {
		all = &io.LimitedReader{R: r, N: 1<<63 - 1}
	}
	if m, ok := all.R.(inMemory); ok && int64(m.Len()) <= all.N {
		n, err = m.WriteTo(struct{ io.Writer }{w})
		all.N -= n
		return n, err
	}
	to, ok := w.ResponseWriter.(io.ReaderFrom)
	if _, isFile := all.R.(*os.File); !ok || !isFile {
		piece := pieces.Get().(*[writeBytes]byte)
		defer pieces.Put(piece)
		return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, piece[:])
	}
	for all.N > 0 {
		w.move()
		m, err := to.ReadFrom(&io.LimitedReader{R: all.R, N: min(all.N, writeBytes)})
		n, all.N = n+m, all.N-m
		if err != nil || m == 0 {
			return n, err
		}
	}
	return n, nil
}

// Unwrap lets http.ResponseController reach the connection.
func (w *liveWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

package web

import (
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// defaultStall is how long a client may take over the next stallBytes, of
	// what it sends or of what it is sent. Whoever keeps to that may take days.
	defaultStall = 30 * time.Second
	stallBytes   = 4 << 10
	// writeBytes is what is written within one deadline: the kernel takes it a
	// window at a time.
	writeBytes = 64 << 10
	// lingerTime is how long what is still on its way of a body that nobody
	// wants is read past, so that the client sees the answer and not a reset.
	lingerTime = time.Second
)

// live has every connection keep moving: its deadlines, for reading and for
// writing, move on with the bytes. What nobody reads to its end is not read by
// net/http either: the answer goes out at once and the connection ends with it.
func (s *Server) live(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		body := &liveBody{body: r.Body, control: control, stall: s.opt.Stall, done: r.Body == nil || r.Body == http.NoBody}
		lw := &liveWriter{ResponseWriter: w, control: control, stall: s.opt.Stall, body: body}
		r = r.WithContext(r.Context())
		r.Body = body
		lw.move() // the deadline of the request before may be on the connection
		next.ServeHTTP(lw, r)
		lw.move() // for what net/http holds back until now
		body.leave()
	})
}

// bodyOf returns the body that live gave a request.
func bodyOf(r *http.Request) *liveBody { return r.Body.(*liveBody) }

// ignoreUnsupported is for connections without deadlines, such as a test's
// recorder.
func ignoreUnsupported(err error) error {
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// liveBody moves the connection's read deadline on as bytes come.
type liveBody struct {
	body    io.ReadCloser
	control *http.ResponseController
	stall   time.Duration
	until   time.Time // the deadline of all of it; zero: none
	due     int       // bytes until the deadline moves
	done    bool      // read to its end, or there is none
	left    bool      // nobody will read on
}

// within bounds how long all of the body may take from now on.
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
		if err := ignoreUnsupported(b.control.SetReadDeadline(at)); err != nil {
			return 0, &readError{err}
		}
		b.due = stallBytes
	}
	n, err := b.body.Read(p)
	b.due -= n
	switch {
	case err == io.EOF:
		// From here on net/http reads to notice that the client goes: that takes
		// as long as the handler.
		b.done = true
		if e := ignoreUnsupported(b.control.SetReadDeadline(time.Time{})); e != nil {
			return n, &readError{e}
		}
	case err != nil:
		err = &readError{err}
	}
	return n, err
}

// Close leaves the body where it is: net/http closes it.
func (b *liveBody) Close() error { return nil }

// leave gives up what has not been read. It reports whether there is such.
func (b *liveBody) leave() bool {
	if !b.done && !b.left {
		b.left = true
		_ = b.control.SetReadDeadline(time.Now().Add(lingerTime)) // one that has gone has no deadline
	}
	return b.left
}

// liveWriter moves the connection's write deadline on with what is written.
type liveWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	body    *liveBody
	begun   bool
}

func (w *liveWriter) move() {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.stall)) // the write itself says what is wrong with the connection
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
		w.move()
		part := p[n:min(len(p), n+writeBytes)]
		m, err := w.ResponseWriter.Write(part)
		if n += m; err != nil || n == len(p) {
			return n, err
		}
	}
}

// ReadFrom lets the system copy a file, a piece at a time.
func (w *liveWriter) ReadFrom(r io.Reader) (n int64, err error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	to, ok := w.ResponseWriter.(io.ReaderFrom)
	if !ok {
		return io.Copy(struct{ io.Writer }{w}, r)
	}
	all, ok := r.(*io.LimitedReader)
	if !ok {
		all = &io.LimitedReader{R: r, N: 1<<63 - 1}
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

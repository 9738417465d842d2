package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/child"
)

// WorkerArgument is the command of dal that runs a worker.
const WorkerArgument = "worker"

// process is the server's side of a worker. It must not be used concurrently.
type process struct {
	cmd        *exec.Cmd
	in         *os.File
	out        *bufio.Reader
	outFile    *os.File
	said       *head
	ended      chan struct{} // closed after it has exited and was reaped
	jobs       int
	background bool            // has the lowest priority
	ready      map[string]bool // prepared engines
	resting    *time.Timer     // stops it after being idle for long
}

// errSlow is the cause for stopping a worker at the time limit.
var errSlow = errors.New("the time for one file is over")

// start starts a worker.
func start(command []string, s Settings) (*process, error) {
	path, args := self(), []string{"dal", WorkerArgument}
	if len(command) > 0 {
		path, args = command[0], command
	}
	if path == "" {
		return nil, errors.New("the program does not know where it is")
	}
	inRead, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, outWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inRead.Close(), in.Close())
	}
	w := &process{
		in: in, out: bufio.NewReaderSize(out, 64<<10), outFile: out, said: &head{}, ended: make(chan struct{}), ready: map[string]bool{},
	}
	w.cmd = &exec.Cmd{
		Path: path, Args: args, Env: child.Environment(), Dir: emptyDir(), Stdin: inRead, Stdout: outWrite, Stderr: w.said,
		SysProcAttr: child.Apart(), WaitDelay: time.Second,
	}
	started := make(chan error)
	go w.live(started)
	err = <-started
	err = errors.Join(err, inRead.Close(), outWrite.Close())
	if err == nil {
		err = WriteHeader(w.in, s)
	}
	if err != nil {
		w.kill()
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return w, nil
}

// live starts the process and waits for its end. It keeps the thread that started the
// process, because Linux kills the process when that thread ends.
func (w *process) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(w.ended)
	err := w.cmd.Start()
	started <- err
	if err == nil {
		_ = w.cmd.Wait() // the exit status is in cmd.ProcessState
	}
}

// ask sends a request with its file and returns the answer. After an error other than
// *Fault, the worker must not be used again.
func (w *process) ask(ctx context.Context, r Request, file io.ReaderAt, limit time.Duration) (*Look, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	stop := context.AfterFunc(ctx, w.kill)
	look, err := w.exchange(r, file)
	if stop() { // the worker was not stopped
		return look, w.explain(err)
	}
	<-w.ended
	if cause := context.Cause(ctx); !errors.Is(cause, errSlow) {
		return nil, cause
	}
	return nil, &Stopped{Slow: true, Text: fmt.Sprintf("%s, %s", r.Engine, limit)}
}

func (w *process) exchange(r Request, file io.ReaderAt) (*Look, error) {
	if err := WriteHeader(w.in, r); err != nil {
		return nil, err
	}
	if r.Ranges && !r.Prepare {
		return readAnswer(w.out, r.Side, (&giver{file: file, size: r.Bytes, to: w.in}).give)
	}
	if r.Bytes > 0 {
		from := &reading{r: io.NewSectionReader(file, 0, r.Bytes)}
		n, err := io.Copy(w.in, from)
		switch {
		case from.err != nil:
			return nil, &readError{from.err}
		case err == nil && n < r.Bytes:
			return nil, &readError{io.ErrUnexpectedEOF}
		case err != nil:
			return nil, err
		}
	}
	return readAnswer(w.out, r.Side, nil)
}

// explain classifies an error of exchange. It returns faults and errors of reading the file
// unchanged. Any other error means that the worker has crashed or must be killed.
func (w *process) explain(err error) error {
	_, isFault := errors.AsType[*Fault](err)
	_, isRead := errors.AsType[*readError](err)
	if err == nil || isFault {
		return err
	}
	w.kill()
	<-w.ended
	if isRead {
		return err
	}
	text := err.Error()
	if s := w.cmd.ProcessState; s != nil {
		text += ", " + s.String()
	}
	if said := w.said.String(); said != "" {
		text += ": " + said
	}
	return &Stopped{Text: text}
}

// end stops an idle worker.
func (w *process) end() {
	w.kill()
	<-w.ended
	_ = w.in.Close()
	_ = w.outFile.Close()
}

func (w *process) kill() {
	if p := w.cmd.Process; p != nil {
		_ = p.Kill() // it may have exited
	}
}

func (w *process) hasEnded() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// reading records the error of a reader, to distinguish it from errors of the writer in
// io.Copy.
type reading struct {
	r   io.Reader
	err error
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// readError is an error of reading the file.
type readError struct{ err error }

func (e *readError) Error() string { return "read the file: " + e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// head keeps the beginning of a worker's error output.
type head struct {
	mu   sync.Mutex
	text []byte
}

const maxHead = 2000

func (t *head) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[:min(len(p), maxHead-len(t.text))]...)
	return len(p), nil
}

func (t *head) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

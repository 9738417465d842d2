// Package worker is the process that runs engines; see package engine for the protocol.
package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync/atomic"

	"github.com/tetratelabs/wazero"

	"github.com/digital-asset-library/dal/app/confine"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/archive"
	"github.com/digital-asset-library/dal/app/engine/document"
	"github.com/digital-asset-library/dal/app/engine/ffmpeg"
	"github.com/digital-asset-library/dal/app/engine/host"
	"github.com/digital-asset-library/dal/app/engine/magick"
	"github.com/digital-asset-library/dal/app/engine/module"
	"github.com/digital-asset-library/dal/app/engine/pdfium"
	"github.com/digital-asset-library/dal/app/engine/resvg"
	"github.com/digital-asset-library/dal/app/engine/tesseract"
	"github.com/digital-asset-library/dal/app/enrich/objects"
)

// reader is an instance of an engine.
type reader interface {
	// Look reads a file, which is an io.ReaderAt for a job with ranges. The instance is
	// closed after an error.
	Look(ctx context.Context, j engine.Job, file io.Reader) (*engine.Look, error)
	// Size returns the memory of the instance in bytes.
	Size() int64
	Close(ctx context.Context) error
}

// opener returns a function that starts an instance of an engine, nil for an unknown
// engine.
func opener(name string, settings engine.Settings) func(context.Context, *host.Program) (reader, error) {
	switch name {
	case "archive":
		return func(context.Context, *host.Program) (reader, error) { return archive.New() }
	case "document":
		return func(context.Context, *host.Program) (reader, error) { return document.New() }
	case "ffmpeg":
		return func(_ context.Context, p *host.Program) (reader, error) { return ffmpeg.New(p), nil }
	case "magick":
		return func(ctx context.Context, p *host.Program) (reader, error) { return magick.New(ctx, p) }
	case "objects":
		return func(context.Context, *host.Program) (reader, error) { return objects.NewEngine() }
	case "pdfium":
		return func(ctx context.Context, p *host.Program) (reader, error) { return pdfium.New(ctx, p) }
	case "resvg":
		return func(ctx context.Context, p *host.Program) (reader, error) { return resvg.New(ctx, p) }
	case "tesseract":
		return func(ctx context.Context, p *host.Program) (reader, error) {
			return tesseract.New(ctx, p, settings.Data)
		}
	}
	return nil
}

// keepSize is the maximum memory of an instance that is kept for the next file.
const keepSize = 32 << 20

// Main runs a worker process: it limits and confines itself, and exits with the server,
// even while it is reading a file.
func Main(ctx context.Context, in io.Reader, out io.Writer) error {
	var busy atomic.Bool
	read, write := io.Pipe()
	go func() {
		_, err := io.Copy(write, in)
		if busy.Load() {
			os.Exit(0) // the server is gone
		}
		write.CloseWithError(err)
	}()
	return serve(ctx, read, out, bind, busy.Store)
}

// bind restricts the process. Files are read through the pipe.
func bind(s engine.Settings) error {
	if err := limit(s.Memory); err != nil {
		return fmt.Errorf("limit the memory of the process: %w", err)
	}
	rules := confine.Rules{Read: []string{s.Dir, s.Data}}
	if s.Cache != "" && os.MkdirAll(s.Cache, 0o700) == nil { // without a cache, each worker compiles
		rules.Write = append(rules.Write, s.Cache)
	}
	return confine.Apply(rules)
}

// serve reads requests and writes answers until the input ends. It calls busy at the start
// and at the end of each request.
func serve(ctx context.Context, in io.Reader, out io.Writer, bind func(engine.Settings) error, busy func(bool)) error {
	w := &worker{in: bufio.NewReaderSize(in, 64<<10), out: bufio.NewWriterSize(out, 64<<10), programs: map[string]*host.Program{}}
	if err := engine.ReadHeader(w.in, &w.settings); err != nil {
		return err
	}
	if err := bind(w.settings); err != nil {
		return err
	}
	w.cache = wazero.NewCompilationCache()
	if dir := w.settings.Cache; dir != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(dir); err == nil {
			w.cache = cache // without a cache, each worker compiles
		}
	}
	defer w.close(ctx)
	for {
		var r engine.Request
		err := engine.ReadHeader(w.in, &r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		busy(true)
		err = w.answer(ctx, r)
		busy(false)
		if err != nil {
			return err
		}
	}
}

// worker keeps the engines that were used so far, and an instance of the last one.
type worker struct {
	settings engine.Settings
	in       *bufio.Reader
	out      *bufio.Writer
	cache    wazero.CompilationCache
	programs map[string]*host.Program

	live     reader
	liveName string
}

// answer answers a request.
func (w *worker) answer(ctx context.Context, r engine.Request) error {
	if r.Bytes < 0 {
		return fmt.Errorf("a file of %d bytes", r.Bytes)
	}
	if r.Ranges && !r.Prepare {
		look, err := w.look(ctx, r, &engine.Ranges{Size: r.Bytes, In: w.in, Ask: w.ask})
		return w.say(look, err)
	}
	file := io.LimitReader(w.in, r.Bytes)
	look, err := w.look(ctx, r, file)
	if _, err := io.Copy(io.Discard, file); err != nil {
		return err
	}
	return w.say(look, err)
}

func (w *worker) say(look *engine.Look, err error) error {
	if err := engine.WriteAnswer(w.out, look, err); err != nil {
		return err
	}
	return w.out.Flush()
}

// ask requests a range of a file from the server.
func (w *worker) ask(header any) error {
	if err := engine.WriteHeader(w.out, header); err != nil {
		return err
	}
	return w.out.Flush()
}

func (w *worker) look(ctx context.Context, r engine.Request, file io.Reader) (look *engine.Look, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		p := w.programs[r.Engine]
		full := w.live != nil && w.live.Size() > r.Memory(w.settings.Memory)*3/4 || p != nil && p.Refused()
		fault, ok := errors.AsType[*engine.Fault](err)
		switch {
		case err == nil || !full || ok && fault.Reason != engine.Damaged && fault.Reason != engine.Exceeded:
		case r.Memory(w.settings.Memory) < w.settings.Memory:
			err = &engine.Fault{Reason: engine.Small, Text: err.Error()}
		case !ok || fault.Reason == engine.Damaged: // engines report a lack of memory as damage of the file
			err = &engine.Fault{Reason: engine.Exceeded, Text: err.Error()}
		}
		if w.live != nil && (err != nil || w.live.Size() > keepSize) {
			w.drop(ctx)
		}
	}()
	if err := w.ready(ctx, r.Engine); err != nil || r.Prepare {
		return &engine.Look{}, err
	}
	if p := w.programs[r.Engine]; p != nil {
		p.Allow(r.Memory(w.settings.Memory))
	}
	return w.live.Look(ctx, r.Job, file)
}

// ready makes an engine the live one.
func (w *worker) ready(ctx context.Context, name string) error {
	if w.live != nil && w.liveName == name {
		return nil
	}
	w.drop(ctx)
	open := opener(name, w.settings)
	if open == nil {
		return fmt.Errorf("there is no engine %q", name)
	}
	p := w.programs[name]
	if p == nil && !module.Native(name) {
		wasm, err := module.Open(name, w.settings.Dir)
		if err != nil {
			return err
		}
		if p, err = host.Compile(ctx, wasm, w.cache, w.settings.Memory); err != nil {
			return err
		}
		w.programs[name] = p
	}
	live, err := open(ctx, p)
	if err != nil {
		return err
	}
	w.live, w.liveName = live, name
	debug.FreeOSMemory() // the packed module, and the memory that compiling it took
	return nil
}

// drop closes the live instance.
func (w *worker) drop(ctx context.Context) {
	if w.live == nil {
		return
	}
	_ = w.live.Close(ctx) // it is discarded in any case
	w.live, w.liveName = nil, ""
}

func (w *worker) close(ctx context.Context) {
	w.drop(ctx)
	for _, p := range w.programs {
		_ = p.Close(ctx) // the process is about to exit
	}
}

// Package ffmpeg reads video and audio with FFmpeg's libraries, which wasm/build.sh builds
// with decoders and demuxers only. It reads a file by ranges, and only as the given format.
package ffmpeg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/host"
)

// pictureTime is the time limit for the metadata and the picture of a file. If no picture
// is found in time, the metadata is returned.
const pictureTime = 45 * time.Second

// maxFrame is the maximum number of pixels of a frame, because of its memory.
const maxFrame = 8192 * 8192

// Engine is FFmpeg. It uses a new instance for each file, so that no state is carried over.
type Engine struct {
	p    *host.Program
	size int64 // memory of the last instance
}

// New returns an engine.
func New(p *host.Program) *Engine { return &Engine{p: p} }

// Size returns the memory of the last instance in bytes.
func (e *Engine) Size() int64 { return e.size }

// Close does nothing: instances do not outlive their file.
func (*Engine) Close(context.Context) error { return nil }

// Look reads the metadata of a file and makes a picture: a frame of a video, or the cover
// or the waveform of an audio file.
func (e *Engine) Look(ctx context.Context, j engine.Job, file io.Reader) (look *engine.Look, err error) {
	ranges, ok := file.(*engine.Ranges)
	c, known := containers[j.Format]
	if !ok || !known {
		return nil, fmt.Errorf("no ranges, or no format %q", j.Format)
	}
	s := &session{ctx: ctx, file: ranges, began: time.Now()}
	if s.i, err = e.p.Start(ctx, s.imported); err != nil {
		return nil, err
	}
	defer func() {
		e.size = int64(s.i.Memory().Size())
		err = errors.Join(err, s.i.Close(ctx))
	}()
	s.call("_initialize")
	s.open(c.demuxer, j.Bytes, min(j.Pixels, maxFrame))
	f := s.facts()
	if s.err != nil {
		if _, isFault := errors.AsType[*engine.Fault](s.err); isFault && s.late() {
			return nil, &engine.Fault{Reason: engine.Exceeded, Text: s.err.Error()}
		}
		return nil, s.err
	}
	look = f.look(j.Format, c)
	if !look.Sound {
		s.poster(look, f, j)
	} else if !s.cover(look, f, j.Side) {
		s.waveform(look, f, j.Side)
	}
	return look, nil
}

// session is the reading of one file. After the first error, calls have no effect.
type session struct {
	ctx   context.Context //nolint:containedctx // a session is a call
	i     *host.Instance
	file  *engine.Ranges
	began time.Time
	err   error
}

func (s *session) call(name string, args ...uint64) (v uint64) {
	if s.err == nil {
		v, s.err = s.i.Call(s.ctx, name, args...)
	}
	return v
}

// told calls a function that returns a number, negative for an error.
func (s *session) told(name string, args ...uint64) int {
	n := int(int32(s.call(name, args...)))
	if s.err == nil && n < 0 {
		s.err = &engine.Fault{Reason: engine.Damaged, Text: s.problem()}
	}
	return n
}

// attempt is like told for a call that may fail. It reports whether it succeeded.
func (s *session) attempt(name string, args ...uint64) (n int, ok bool) {
	if s.err == nil {
		n = s.told(name, args...)
	}
	ok = s.err == nil
	if _, isFault := errors.AsType[*engine.Fault](s.err); isFault {
		s.err = nil
	}
	return n, ok
}

func (s *session) problem() string {
	b, err := s.i.Bytes(s.call("problem"), 256)
	if err != nil {
		return err.Error()
	}
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

func (s *session) late() bool { return time.Since(s.began) > pictureTime || s.file.Spent() }

// open opens the file in a format.
func (s *session) open(demuxer string, size, pixels int64) {
	at := s.call("malloc", uint64(len(demuxer)+1))
	if s.err != nil {
		return
	}
	to, err := s.i.Bytes(at, uint64(len(demuxer)+1))
	if s.err = err; err != nil {
		return
	}
	to[copy(to, demuxer)] = 0
	s.told("open", at, uint64(size), uint64(pixels))
}

// maxFacts is the maximum size of a file's metadata, in bytes.
const maxFacts = 512 << 10

// facts returns FFmpeg's metadata of the file.
func (s *session) facts() facts {
	at := s.call("facts")
	if s.err == nil && at == 0 {
		s.err = &engine.Fault{Reason: engine.Exceeded, Text: "no memory"}
	}
	if s.err != nil {
		return nil
	}
	b, err := s.i.Bytes(at, min(maxFacts, uint64(s.i.Memory().Size())-at))
	if s.err = err; err != nil {
		return nil
	}
	return parseFacts(b)
}

// bytes returns a copy of the data to which a function of the module points.
func (s *session) bytes(name string, n, most int) []byte {
	at := s.call(name)
	if s.err != nil || at == 0 || n <= 0 || n > most {
		return nil
	}
	b, err := s.i.Bytes(at, uint64(n))
	if s.err = err; err != nil {
		return nil
	}
	return bytes.Clone(b)
}

func (s *session) float(name string) float64 { return api.DecodeF64(s.call(name)) }

// The error numbers of WASI.
const (
	badFile    = 8
	noSuchCall = 52
)

// imported returns the implementation of an imported function: clocks are available, but no
// files, environment or arguments.
func (s *session) imported(module, name string, f api.FunctionDefinition) api.GoModuleFunc {
	switch module + "." + name {
	case "dal.read":
		return s.read
	case "dal.late":
		return func(_ context.Context, _ api.Module, v []uint64) { v[0] = uint64(b2i(s.late())) }
	case "wasi_snapshot_preview1.clock_time_get":
		return func(_ context.Context, m api.Module, v []uint64) {
			m.Memory().WriteUint64Le(uint32(v[2]), uint64(time.Now().UnixNano()))
			v[0] = 0
		}
	case "wasi_snapshot_preview1.environ_sizes_get":
		return func(_ context.Context, m api.Module, v []uint64) {
			m.Memory().WriteUint32Le(uint32(v[0]), 0)
			m.Memory().WriteUint32Le(uint32(v[1]), 0)
			v[0] = 0
		}
	case "wasi_snapshot_preview1.proc_exit":
		return func(_ context.Context, _ api.Module, v []uint64) { panic(fmt.Errorf("the engine gave up: %d", v[0])) }
	case "wasi_snapshot_preview1.fd_prestat_get":
		return func(_ context.Context, _ api.Module, v []uint64) { v[0] = badFile }
	}
	if module != "wasi_snapshot_preview1" {
		return nil
	}
	return func(_ context.Context, _ api.Module, v []uint64) {
		if len(f.ResultTypes()) > 0 {
			v[0] = noSuchCall
		}
	}
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

// read is the module's function for reading the file.
func (s *session) read(_ context.Context, m api.Module, v []uint64) {
	to, ok := m.Memory().Read(uint32(v[1]), uint32(v[2]))
	n, err := 0, error(nil)
	if ok {
		n, err = s.file.ReadAt(to, int64(v[0]))
	}
	if n == 0 && (!ok || err != nil && !errors.Is(err, io.EOF)) {
		n = -1
	}
	v[0] = uint64(uint32(int32(n)))
}

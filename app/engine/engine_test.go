package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/worker"
)

// TestMain runs the tests, or a worker started by them, which may misbehave.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		os.Exit(m.Run())
	}
	var err error
	switch os.Args[1] {
	case engine.WorkerArgument:
		err = worker.Main(context.Background(), os.Stdin, os.Stdout)
	case "parent":
		err = parent()
	default:
		err = misbehave(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// misbehave is a worker that prepares an engine and then violates the protocol.
func misbehave(how string) error {
	var s engine.Settings
	var r engine.Request
	if err := engine.ReadHeader(os.Stdin, &s); err != nil {
		return err
	}
	if err := engine.ReadHeader(os.Stdin, &r); err != nil {
		return err
	}
	if err := engine.WriteAnswer(os.Stdout, &engine.Look{}, nil); err != nil {
		return err
	}
	if strings.HasPrefix(how, "range") {
		return askForRange(how)
	}
	if how == "unread" {
		return errors.New("it does not even read the file")
	}
	if err := engine.ReadHeader(os.Stdin, &r); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, os.Stdin, r.Bytes); err != nil {
		return err
	}
	switch how {
	case "crash":
		panic("it crashed")
	case "hang":
		select {}
	case "flood":
		os.Stdout.Write(binary.BigEndian.AppendUint32(nil, 1<<31))
	case "large":
		if err := engine.WriteHeader(os.Stdout, map[string]int{"picture_width": 60_000, "picture_height": 60_000}); err != nil {
			return err
		}
	case "short":
		if err := engine.WriteHeader(os.Stdout, map[string]int{"picture_width": 6, "picture_height": 6}); err != nil {
			return err
		}
		os.Stdout.Write(make([]byte, 100))
		return nil
	}
	select {} // the answer is invalid; the server does not wait for more
}

// askForRange is a worker that requests an invalid range.
func askForRange(how string) error {
	var r engine.Request
	if err := engine.ReadHeader(os.Stdin, &r); err != nil {
		return err
	}
	asked := map[string]map[string]int{
		"range before": {"offset": -1, "length": 1}, "range behind": {"offset": 90, "length": 100}, "range below": {"length": -1},
		"range of much": {"length": engine.MaxRange + 1}, "range again": {"length": 1}, "ranges": {"length": 1},
	}[how]
	for range engine.MaxRanges + 1 {
		if err := engine.WriteHeader(os.Stdout, asked); err != nil {
			return err
		}
		if how != "ranges" {
			break
		}
		if _, err := io.CopyN(io.Discard, os.Stdin, 1); err != nil {
			return err
		}
	}
	select {}
}

// parent starts a worker, prints its process id, and hangs with it.
func parent() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := engine.New(engine.Config{Workers: 1, Memory: 256 << 20, Command: []string{self, "hang"}, Log: slog.Default()})
	go p.Look(context.Background(), job("<svg/>"), strings.NewReader("<svg/>"), time.Hour)
	for len(p.Running()) == 0 {
		runtime.Gosched()
	}
	fmt.Println(p.Running()[0])
	select {}
}

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><title>A box</title>` +
	`<rect width="40" height="20" fill="#ff0000"/><text x="2" y="15" font-family="Arial">Hi</text></svg>`

func job(svg string) engine.Job {
	return engine.Job{Engine: "resvg", Side: 400, Pixels: 1e8, Bytes: int64(len(svg))}
}

// cache is a folder of compiled code shared by the tests.
var cache = filepath.Join(os.TempDir(), "dal-test-engines-"+strconv.Itoa(os.Getuid()))

// pool returns a pool whose workers are this program or misbehave.
func pool(t *testing.T, how ...string) *engine.Pool {
	t.Helper()
	c := engine.Config{Workers: 2, Cache: cache, Memory: 256 << 20, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	if how != nil {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c.Command = append([]string{self}, how...)
	}
	p := engine.New(c)
	t.Cleanup(func() {
		p.Close()
		if left := p.Running(); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	})
	return p
}

func look(t *testing.T, p *engine.Pool, svg string) (*engine.Look, error) {
	t.Helper()
	return p.Look(t.Context(), job(svg), strings.NewReader(svg), time.Minute)
}

// A worker is started for the first file, kept for the next ones, and stopped by Close.
func TestLook(t *testing.T) {
	t.Parallel()
	p := pool(t)
	if n := p.Running(); len(n) != 0 {
		t.Fatalf("%v run before there is a file", n)
	}
	var first []int
	for i := range 3 {
		got, err := look(t, p, drawing)
		if err != nil {
			t.Fatal(err)
		}
		if got.Width != 40 || got.Height != 20 || got.Title != "A box" || got.Picture.Rect.Dx() != 400 || got.Picture.Rect.Dy() != 200 {
			t.Errorf("%+v", got)
		}
		if c := got.Picture.NRGBAAt(399, 0); c.R != 255 || c.G != 0 || c.A != 255 {
			t.Errorf("the box is %v", c)
		}
		dark := 0
		for i := 0; i < len(got.Picture.Pix); i += 4 {
			if got.Picture.Pix[i] < 50 {
				dark++
			}
		}
		if dark < 500 {
			t.Errorf("%d pixels of the text", dark)
		}
		if i == 0 {
			first = p.Running()
		} else if now := p.Running(); !slices.Equal(now, first) || len(now) != 1 {
			t.Errorf("%v, then %v", first, now)
		}
	}
	p.Close()
	if _, err := look(t, p, drawing); err == nil {
		t.Error("a closed pool looks at a file")
	}
}

// An invalid drawing is a fault of the file, and the worker is kept.
func TestFaults(t *testing.T) {
	t.Parallel()
	p := pool(t)
	for name, svg := range map[string]string{
		"no XML":           "<svg",
		"no size":          `<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>`,
		"thinner than all": `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="100000"/>`,
		"billion laughs": `<!DOCTYPE svg [<!ENTITY a "ha">` + laughs() + `]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">` +
			`<text>&l9;</text></svg>`,
	} {
		if _, err := look(t, p, svg); !isFault(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := look(t, p, drawing); err != nil {
		t.Error(err)
	}
	if n := p.Running(); len(n) != 1 {
		t.Errorf("%d workers for files one by one", len(n))
	}
}

func laughs() string {
	b, last := strings.Builder{}, "a"
	for i := range 10 {
		fmt.Fprintf(&b, `<!ENTITY l%d "%s">`, i, strings.Repeat("&"+last+";", 10))
		last = fmt.Sprintf("l%d", i)
	}
	return b.String()
}

func isFault(err error) bool {
	_, ok := errors.AsType[*engine.Fault](err)
	return ok
}

// A drawing that refers to itself, to files or to hosts, or that exhausts the memory,
// causes no harm.
func TestHostileDrawings(t *testing.T) {
	t.Parallel()
	p := pool(t)
	const head = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100">`
	for name, svg := range map[string]string{
		"itself": head + `<g id="a"><use xlink:href="#a"/><use xlink:href="#a"/></g></svg>`,
		"file":   head + `<image href="file:///etc/passwd" width="9" height="9"/><image href="/etc/passwd" width="9" height="9"/></svg>`,
		"host":   head + `<image href="http://127.0.0.1/x.png" width="9" height="9"/></svg>`,
		"script": head + `<script>for(;;){}</script></svg>`,
		"deep":   head + strings.Repeat("<g>", 20_000) + strings.Repeat("</g>", 20_000) + `</svg>`,
		"filters": head + `<filter id="f"><feGaussianBlur stdDeviation="1000000"/></filter>` +
			`<rect width="1e9" height="1e9" filter="url(#f)"/></svg>`,
		"pattern": head + `<pattern id="p" width="0.0001" height="0.0001" patternUnits="userSpaceOnUse"><rect width="1" height="1"/></pattern>` +
			`<rect width="100" height="100" fill="url(#p)"/></svg>`,
	} {
		got, err := look(t, p, svg)
		if err != nil && !isFault(err) {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %v", name, err)
		if err == nil && max(got.Picture.Rect.Dx(), got.Picture.Rect.Dy()) > 400 {
			t.Errorf("%s: %v", name, got.Picture.Rect)
		}
	}
	if _, err := look(t, p, drawing); err != nil {
		t.Error(err)
	}
}

// A worker that crashes, hangs or sends invalid answers is stopped. The error contains the
// reason.
func TestBadWorkers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ how, says string }{
		{"crash", "it crashed"}, {"flood", "a header of"}, {"large", "60000"}, {"short", "unexpected EOF"}, {"unread", "does not even"},
	} {
		p := pool(t, tt.how)
		_, err := look(t, p, drawing)
		if s, ok := errors.AsType[*engine.Stopped](err); !ok || s.Slow || !strings.Contains(s.Text, tt.says) {
			t.Errorf("%s: %v", tt.how, err)
		}
		if n := p.Running(); len(n) > 1 {
			t.Errorf("%s: %v are left", tt.how, n)
		}
	}
}

// A worker that requests an invalid range, too much, too often, or without permission is
// stopped.
func TestBadRanges(t *testing.T) {
	t.Parallel()
	file := strings.Repeat("x", 100)
	for how, ranges := range map[string]bool{
		"range before": true, "range behind": true, "range below": true, "range of much": true, "ranges": true, "range again": false,
	} {
		p := pool(t, how)
		j := job(file)
		if j.Ranges = ranges; !ranges {
			j.Bytes = 0
		}
		_, err := p.Look(t.Context(), j, strings.NewReader(file), 5*time.Minute)
		if s, ok := errors.AsType[*engine.Stopped](err); !ok || s.Slow || !strings.Contains(s.Text, "it asks for") {
			t.Errorf("%s: %v", how, err)
		}
	}
}

// A file that is read by ranges is never read as a whole and may have any size. Read errors
// are not a fault of the file.
func TestRanges(t *testing.T) {
	t.Parallel()
	p := pool(t)
	data, err := os.ReadFile("../media/testdata/media/a.mp4")
	if err != nil {
		t.Fatal(err)
	}
	j := engine.Job{Engine: "ffmpeg", Format: "MP4", Side: 400, Pixels: 1e8, Bytes: 10 << 30, Ranges: true}
	huge := &sparse{head: data, size: j.Bytes}
	look, err := p.Look(t.Context(), j, huge, time.Minute)
	if err != nil || look.Width != 96 || look.Picture == nil || look.Title != "Halves" {
		t.Fatalf("%v, %+v", err, look)
	}
	if huge.read > 20<<20 {
		t.Errorf("%d bytes were read", huge.read)
	}
	broken := errors.New("the disk is broken")
	j.Bytes = int64(len(data))
	_, err = p.Look(t.Context(), j, failing{broken}, time.Minute)
	if _, stopped := errors.AsType[*engine.Stopped](err); stopped || isFault(err) || !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	j.Bytes++
	if _, err := p.Look(t.Context(), j, bytes.NewReader(data), time.Minute); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that became shorter: %v", err)
	}
	j.Bytes, j.Format = int64(len(data)), "none"
	if _, err := p.Look(t.Context(), j, bytes.NewReader(data), time.Minute); !isFault(err) {
		t.Errorf("a format that there is not: %v", err)
	}
}

// sparse is a large file that is zero except for its beginning.
type sparse struct {
	head []byte
	size int64
	read int64
}

func (f *sparse) ReadAt(p []byte, off int64) (int, error) {
	n := int(min(int64(len(p)), f.size-off))
	f.read += int64(n)
	clear(p[:n])
	if off < int64(len(f.head)) {
		copy(p[:n], f.head[off:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// A worker that hangs is stopped at the time limit, or when its caller gives up.
func TestHang(t *testing.T) {
	t.Parallel()
	p := pool(t, "hang")
	_, err := p.Look(t.Context(), job(drawing), strings.NewReader(drawing), time.Nanosecond)
	if s, ok := errors.AsType[*engine.Stopped](err); !ok || !s.Slow {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("nobody waits")
	file := &told{ReaderAt: strings.NewReader(drawing), read: func() { cancel(gone) }}
	if _, err = p.Look(ctx, job(drawing), file, time.Hour); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}

// told is a file that reports when it is read.
type told struct {
	io.ReaderAt
	read func()
}

func (f *told) ReadAt(p []byte, off int64) (int, error) {
	f.read()
	return f.ReaderAt.ReadAt(p, off)
}

// A read error is not a fault of the worker.
func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	p := pool(t)
	broken := errors.New("the disk is broken")
	_, err := p.Look(t.Context(), job(drawing), failing{broken}, time.Minute)
	if _, stopped := errors.AsType[*engine.Stopped](err); stopped || isFault(err) || !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	j := job(drawing)
	j.Bytes++
	if _, err := p.Look(t.Context(), j, strings.NewReader(drawing), time.Minute); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that became shorter: %v", err)
	}
	if _, err := look(t, p, drawing); err != nil {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// If a worker is killed from outside, another one reads the file.
func TestKilled(t *testing.T) {
	t.Parallel()
	p := pool(t)
	if _, err := look(t, p, drawing); err != nil {
		t.Fatal(err)
	}
	first := p.Running()[0]
	victim, err := os.FindProcess(first)
	if err != nil {
		t.Fatal(err)
	}
	once := false
	file := &told{ReaderAt: strings.NewReader(drawing), read: func() {
		if !once {
			once = true
			victim.Kill()
		}
	}}
	got, err := p.Look(t.Context(), job(drawing), file, time.Minute)
	if err != nil || got.Width != 40 {
		t.Errorf("%v, %v", got, err)
	}
}

// Engines can be disabled and replaced.
func TestWhichEngines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := engine.New(engine.Config{Dir: dir, Off: []string{"resvg"}, Log: slog.Default()})
	if p.Has("resvg") || p.Has("other") || (*engine.Pool)(nil).Has("resvg") {
		t.Error("an engine that is off is there")
	}
	if _, err := look(t, p, drawing); err == nil {
		t.Error("an engine that is off looks at a file")
	}
	if err := os.WriteFile(filepath.Join(dir, "resvg.wasm"), []byte("\x00asm\x01\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	p = engine.New(engine.Config{Dir: dir, Workers: 1, Memory: 64 << 20, Log: slog.Default()})
	defer p.Close()
	if s := p.Engines(); !slices.Contains(s, engine.Status{Name: "resvg", State: engine.StateReplaced}) {
		t.Errorf("%v", s)
	}
	if _, err := look(t, p, drawing); err == nil || isFault(err) || !strings.Contains(err.Error(), "start the engine") {
		t.Errorf("a file that is no engine: %v", err)
	}
	if err := p.Try(t.Context(), "resvg"); err == nil || !strings.Contains(err.Error(), "start the engine") {
		t.Errorf("a file that is no engine, tried: %v", err)
	}
	if err := pool(t).Try(t.Context(), "resvg"); err != nil {
		t.Errorf("the engine that is built in: %v", err)
	}
}

// Each of a thousand damaged drawings is read or is a fault, and at most one worker runs.
func TestMutations(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("minutes with the race detector, which .ci/run uses with -short")
	}
	p := pool(t)
	svg := []byte(drawing)
	for i := range 1000 {
		b := bytes.Clone(svg)
		b[(i*7919)%len(b)] = byte(i * 31)
		if i%3 == 0 {
			b = b[:(i*104729)%len(b)]
		}
		_, err := p.Look(t.Context(), job(string(b)), bytes.NewReader(b), time.Minute)
		if err != nil && !isFault(err) {
			t.Fatalf("%q: %v", b, err)
		}
	}
	if n := len(p.Running()); n > 1 {
		t.Errorf("%d workers", n)
	}
}

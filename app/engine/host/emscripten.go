package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/table"
)

// Names maps the minified names of a module: imported names to real ones, and real names to
// exported ones. Names that are missing are not minified. Functions in Ignored do nothing.
type Names struct {
	Imports map[string]string
	Exports map[string]string
	Ignored map[string]bool
}

// Emscripten is an instance of a module built with Emscripten. It implements the parts of
// Emscripten's JavaScript that modules need outside a browser: growing memory, files in
// memory, clocks, longjmp, and C++ exceptions.
type Emscripten struct {
	*Instance
	names  Names
	fns    map[string]api.Function
	thrown exceptions
	files  files
	began  time.Time
}

// errLongjmp unwinds a module to the target of a longjmp.
var errLongjmp = errors.New("longjmp")

// aborted is the error of abort, a failed assertion or exit.
type aborted string

func (a aborted) Error() string { return "the engine gave up: " + string(a) }

// NewEmscripten starts an instance and runs its constructors.
func NewEmscripten(ctx context.Context, p *Program, names Names) (*Emscripten, error) {
	e := &Emscripten{names: names, fns: map[string]api.Function{}, files: newFiles(), began: time.Now()}
	var err error
	e.Instance, err = p.Start(ctx, func(_, name string, f api.FunctionDefinition) api.GoModuleFunc { return e.imported(name, f) })
	if err != nil {
		return nil, err
	}
	for _, begin := range []string{"__wasm_call_ctors", "_initialize"} {
		if e.has(begin) {
			if _, err := e.Call(ctx, begin); err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", begin, err), e.Close(ctx))
			}
			break
		}
	}
	return e, nil
}

func (e *Emscripten) exported(name string) string {
	if short, ok := e.names.Exports[name]; ok {
		return short
	}
	return name
}

func (e *Emscripten) has(name string) bool { return e.ExportedFunction(e.exported(name)) != nil }

// Call calls an exported function by its real name. After an error, the instance must not
// be used again.
func (e *Emscripten) Call(ctx context.Context, name string, args ...uint64) (uint64, error) {
	f := e.fns[name]
	if f == nil {
		if f = e.ExportedFunction(e.exported(name)); f == nil {
			return 0, fmt.Errorf("the module does not export %s: it is not of the version that dal is made for", name)
		}
		e.fns[name] = f
	}
	r, err := f.Call(ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if len(r) == 0 {
		return 0, nil
	}
	return r[0], nil
}

// must is Call for use in imported functions, which fail with a panic.
func (e *Emscripten) must(ctx context.Context, name string, args ...uint64) uint64 {
	v, err := e.Call(ctx, name, args...)
	if err != nil {
		panic(err)
	}
	return v
}

// PutText copies a NUL-terminated text to the memory. The caller must free it.
func (e *Emscripten) PutText(ctx context.Context, s string) (uint64, error) {
	at, err := e.Call(ctx, "malloc", uint64(len(s)+1))
	if err != nil {
		return 0, err
	}
	to, err := e.Bytes(at, uint64(len(s)+1))
	if err != nil {
		return 0, err
	}
	to[copy(to, s)] = 0
	return at, nil
}

// maxText is the maximum size of a text returned by a module, in bytes.
const maxText = 64 << 10

// Text returns the NUL-terminated text at an address.
func (e *Emscripten) Text(at uint64) string { return textAt(e.Module, uint32(at)) }

// LongText is like Text, but truncates the text to most bytes.
func (e *Emscripten) LongText(at, most uint64) string {
	size := uint64(e.Memory().Size())
	if at >= size {
		return ""
	}
	b, err := e.Bytes(at, min(most, size-at))
	if err != nil {
		return ""
	}
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b)
}

func textAt(m api.Module, at uint32) string {
	var b []byte
	for ; at != 0 && len(b) < maxText; at++ {
		c, ok := m.Memory().ReadByte(at)
		if !ok || c == 0 {
			break
		}
		b = append(b, c)
	}
	return string(b)
}

// imported returns the implementation of an imported function.
func (e *Emscripten) imported(name string, def api.FunctionDefinition) api.GoModuleFunc {
	if real, ok := e.names.Imports[name]; ok {
		name = real
	}
	switch {
	case strings.HasPrefix(name, "invoke_"):
		return e.invoke(def)
	case strings.HasPrefix(name, "__cxa_find_matching_catch_"):
		return e.findCatch(len(def.ParamTypes()))
	}
	fn := e.function(name)
	switch {
	case e.names.Ignored[name]:
		fn = func(_ context.Context, _ api.Module, s []uint64) { answer(s, 0) }
	case fn == nil: // not supported
		fn = func(_ context.Context, _ api.Module, s []uint64) {
			if len(def.ResultTypes()) > 0 {
				answer(s, failure(noSuchCall))
			}
		}
	}
	return fn
}

func answer(s []uint64, v uint64) {
	if len(s) > 0 {
		s[0] = v
	}
}

// invoke calls a function by its table index. Like Emscripten's JavaScript, it reports a
// longjmp or an exception to the module.
func (e *Emscripten) invoke(def api.FunctionDefinition) api.GoModuleFunc {
	params, results := def.ParamTypes()[1:], def.ResultTypes()
	stack := max(len(params), len(results))
	return func(ctx context.Context, m api.Module, s []uint64) {
		f := table.LookupFunction(m, 0, uint32(s[0]), params, results)
		top := e.must(ctx, e.either("emscripten_stack_get_current", "stackSave"))
		args := make([]uint64, stack)
		copy(args, s[1:])
		if err := f.CallWithStack(ctx, args); err != nil {
			if _, isException := errors.AsType[*exception](err); !isException && !errors.Is(err, errLongjmp) {
				panic(err)
			}
			e.must(ctx, e.either("_emscripten_stack_restore", "stackRestore"), top)
			e.must(ctx, "setThrew", 1, 0)
			return
		}
		if len(results) > 0 {
			s[0] = args[0]
		}
	}
}

// either returns the exported name of a function that was renamed.
func (e *Emscripten) either(name, older string) string {
	if e.has(name) {
		return name
	}
	return older
}

// function returns an imported function by its real name, nil for an unsupported one.
func (e *Emscripten) function(name string) api.GoModuleFunc {
	for _, find := range []func(string) func(context.Context, api.Module, []uint64){e.system, e.fileFunction, e.exceptionFunction} {
		if fn := find(name); fn != nil {
			return fn
		}
	}
	return nil
}

// system returns the functions for memory, time and process exit.
func (e *Emscripten) system(name string) func(context.Context, api.Module, []uint64) {
	switch name {
	case "_emscripten_throw_longjmp", "emscripten_longjmp":
		return func(context.Context, api.Module, []uint64) { panic(errLongjmp) }
	case "_abort_js", "abort":
		return func(context.Context, api.Module, []uint64) { panic(aborted("abort")) }
	case "exit", "proc_exit":
		return func(_ context.Context, _ api.Module, s []uint64) { panic(aborted(fmt.Sprint("exit ", int32(s[0])))) }
	case "__assert_fail":
		return func(_ context.Context, m api.Module, s []uint64) {
			panic(aborted("assertion " + textAt(m, uint32(s[0]))))
		}
	case "emscripten_resize_heap":
		return resizeHeap
	case "emscripten_get_heap_max":
		return func(_ context.Context, _ api.Module, s []uint64) { s[0] = 4<<30 - page }
	case "_emscripten_memcpy_js", "emscripten_memcpy_big":
		return memcpy
	case "emscripten_date_now":
		return func(_ context.Context, _ api.Module, s []uint64) {
			s[0] = api.EncodeF64(float64(time.Now().UnixMilli()))
		}
	case "emscripten_get_now":
		return func(_ context.Context, _ api.Module, s []uint64) {
			s[0] = api.EncodeF64(float64(time.Since(e.began).Microseconds()) / 1000)
		}
	case "clock_time_get":
		return func(_ context.Context, m api.Module, s []uint64) {
			m.Memory().WriteUint64Le(uint32(s[2]), uint64(time.Now().UnixNano()))
			s[0] = 0
		}
	case "_gmtime_js", "_localtime_js":
		return gmtime
	case "_tzset_js":
		return func(_ context.Context, m api.Module, s []uint64) { // time zone, daylight saving, and two names: UTC
			m.Memory().WriteUint32Le(uint32(s[0]), 0)
			m.Memory().WriteUint32Le(uint32(s[1]), 0)
			m.Memory().WriteString(uint32(s[2]), "UTC\x00")
			m.Memory().WriteString(uint32(s[3]), "UTC\x00")
		}
	case "getentropy", "random_get": // deterministic: nothing here is secret
		return func(_ context.Context, m api.Module, s []uint64) {
			for i := range uint32(s[1]) {
				m.Memory().WriteByte(uint32(s[0])+i, byte(i*167+13))
			}
			s[0] = 0
		}
	case "environ_sizes_get":
		return func(_ context.Context, m api.Module, s []uint64) {
			m.Memory().WriteUint32Le(uint32(s[0]), 0)
			m.Memory().WriteUint32Le(uint32(s[1]), 0)
			s[0] = 0
		}
	case "environ_get", "_emscripten_runtime_keepalive_clear", "emscripten_asm_const_int":
		return func(_ context.Context, _ api.Module, s []uint64) { answer(s, 0) }
	}
	return nil
}

// resizeHeap grows the memory by at least a fifth, so that a module that requests little at
// a time does not call it for each page.
func resizeHeap(_ context.Context, m api.Module, s []uint64) {
	want, have := uint64(uint32(s[0])), uint64(m.Memory().Size())
	s[0] = 0
	for _, goal := range []uint64{max(want, have+min(have/5, 96<<20)), want} {
		if _, ok := m.Memory().Grow(uint32((goal + page - 1 - have) / page)); ok {
			s[0] = 1
			return
		}
	}
}

func memcpy(_ context.Context, m api.Module, s []uint64) {
	from, ok := m.Memory().Read(uint32(s[1]), uint32(s[2]))
	if !ok || !m.Memory().Write(uint32(s[0]), from) {
		panic(aborted("memcpy beyond the memory"))
	}
}

func gmtime(_ context.Context, m api.Module, s []uint64) {
	t := time.Unix(min(max(int64(s[0]), -1<<40), 1<<40), 0).UTC()
	for i, v := range []int{
		t.Second(), t.Minute(), t.Hour(), t.Day(), int(t.Month()) - 1, t.Year() - 1900, int(t.Weekday()), t.YearDay() - 1, 0, 0,
	} {
		m.Memory().WriteUint32Le(uint32(s[1])+4*uint32(i), uint32(v))
	}
}

package host

import (
	"context"

	"github.com/tetratelabs/wazero/api"
)

// exception is a C++ exception during unwinding.
type exception struct{ object uint32 }

func (*exception) Error() string { return "an exception of C++ that nobody caught" }

// exceptions is the exception state that Emscripten keeps in JavaScript
// (library_exceptions.js). The header of 24 bytes before the object contains its type at 4,
// its destructor at 8, the flag caught at 12, the flag rethrown at 13, and the pointer for
// the handler at 16.
type exceptions struct {
	last     uint32
	caught   []uint32
	uncaught int
}

const (
	exceptionType     = 24 - 4
	exceptionDestroy  = 24 - 8
	exceptionCaught   = 24 - 12
	exceptionRethrown = 24 - 13
	exceptionAdjusted = 24 - 16
)

// findCatch returns the first matching of n catch clauses.
func (e *Emscripten) findCatch(n int) api.GoModuleFunc {
	return func(ctx context.Context, m api.Module, s []uint64) {
		wanted := append([]uint64(nil), s[:n]...)
		object := e.thrown.last
		if object == 0 {
			e.setTemp(ctx, 0)
			s[0] = 0
			return
		}
		m.Memory().WriteUint32Le(object-exceptionAdjusted, object)
		kind, _ := m.Memory().ReadUint32Le(object - exceptionType)
		s[0] = uint64(object)
		for _, want := range wanted {
			if kind == 0 || want == 0 || uint32(want) == kind {
				break
			}
			if e.must(ctx, "__cxa_can_catch", want, uint64(kind), uint64(object-exceptionAdjusted)) != 0 {
				e.setTemp(ctx, want)
				return
			}
		}
		e.setTemp(ctx, uint64(kind))
	}
}

func (e *Emscripten) setTemp(ctx context.Context, v uint64) {
	e.must(ctx, e.either("_emscripten_tempret_set", "setTempRet0"), v)
}

// count changes the reference count of an exception if the module has one.
func (e *Emscripten) count(ctx context.Context, name string, object uint32) {
	if e.has(name) {
		e.must(ctx, name, uint64(object))
	}
}

// exceptionFunction returns the exception functions.
func (e *Emscripten) exceptionFunction(name string) func(context.Context, api.Module, []uint64) {
	switch name {
	case "__cxa_throw":
		return e.throw
	case "__resumeException":
		return func(_ context.Context, _ api.Module, s []uint64) {
			if e.thrown.last == 0 {
				e.thrown.last = uint32(s[0])
			}
			panic(&exception{e.thrown.last})
		}
	case "__cxa_begin_catch":
		return e.beginCatch
	case "__cxa_end_catch":
		return e.endCatch
	case "__cxa_rethrow":
		return e.rethrow
	case "__cxa_uncaught_exceptions":
		return func(_ context.Context, _ api.Module, s []uint64) { s[0] = uint64(e.thrown.uncaught) }
	case "llvm_eh_typeid_for":
		return func(context.Context, api.Module, []uint64) {} // returns its argument
	}
	return nil
}

func (e *Emscripten) throw(ctx context.Context, m api.Module, s []uint64) { // object, type, destructor
	object := uint32(s[0])
	m.Memory().WriteUint32Le(object-exceptionAdjusted, 0)
	m.Memory().WriteUint32Le(object-exceptionType, uint32(s[1]))
	m.Memory().WriteUint32Le(object-exceptionDestroy, uint32(s[2]))
	e.count(ctx, "__cxa_increment_exception_refcount", object)
	e.thrown.last = object
	e.thrown.uncaught++
	panic(&exception{object})
}

func (e *Emscripten) beginCatch(ctx context.Context, m api.Module, s []uint64) {
	object := uint32(s[0])
	if caught, _ := m.Memory().ReadByte(object - exceptionCaught); caught == 0 {
		m.Memory().WriteByte(object-exceptionCaught, 1)
		e.thrown.uncaught--
	}
	m.Memory().WriteByte(object-exceptionRethrown, 0)
	e.thrown.caught = append(e.thrown.caught, object)
	s[0] = e.must(ctx, "__cxa_get_exception_ptr", uint64(object))
}

func (e *Emscripten) endCatch(ctx context.Context, _ api.Module, _ []uint64) {
	e.must(ctx, "setThrew", 0, 0)
	n := len(e.thrown.caught)
	if n == 0 {
		return
	}
	object := e.thrown.caught[n-1]
	e.thrown.caught, e.thrown.last = e.thrown.caught[:n-1], 0
	e.count(ctx, "__cxa_decrement_exception_refcount", object)
}

func (e *Emscripten) rethrow(ctx context.Context, m api.Module, _ []uint64) {
	n := len(e.thrown.caught)
	if n == 0 {
		panic(aborted("there is no exception to throw again"))
	}
	object := e.thrown.caught[n-1]
	m.Memory().WriteByte(object-exceptionRethrown, 1)
	m.Memory().WriteByte(object-exceptionCaught, 0)
	e.thrown.uncaught++
	e.count(ctx, "__cxa_increment_exception_refcount", object)
	e.thrown.last = object
	panic(&exception{object})
}

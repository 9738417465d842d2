package resvg

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero/api"
)

// heap holds the JavaScript values: the module is built with wasm-bindgen and refers to
// them by number.
type heap struct {
	values map[uint32]any
	last   uint32
}

// reserved is the last of the numbers for constants such as undefined.
const reserved = 132

// A heap contains texts (string), errors, bytes ([]byte), lists (*[]any), and:
type (
	memory   struct{}               // the module's memory
	view     struct{ at, n uint32 } // bytes in the memory
	iterator struct {
		list []any
		next int
	}
	step struct { // iterator result
		value any
		done  bool
	}
)

func (h *heap) add(v any) uint64 {
	h.last++
	h.values[h.last] = v
	return uint64(h.last)
}

func (h *heap) get(n uint64) any { return h.values[uint32(n)] }

// take removes a value and returns it.
func (h *heap) take(n uint64) any {
	v := h.get(n)
	delete(h.values, uint32(n))
	return v
}

// bytesAt returns a copy of bytes in the module's memory.
func bytesAt(m api.Module, at, n uint64) []byte {
	b, ok := m.Memory().Read(uint32(at), uint32(n))
	if !ok {
		panic(errors.New("beyond the memory"))
	}
	return append([]byte(nil), b...)
}

func textAt(m api.Module, at, n uint64) string { return string(bytesAt(m, at, n)) }

func truth(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// imports are the functions that the module imports. Their arguments are in s, and the
// result is stored in s[0]. A panic becomes the error of the module call that called the
// function.
func (h *heap) imports() map[string]api.GoModuleFunc {
	all := map[string]func(m api.Module, s []uint64){
		"__wbg_new_28c511d9baebfa89":    func(m api.Module, s []uint64) { s[0] = h.add(errors.New(textAt(m, s[0], s[1]))) },
		"__wbindgen_throw":              func(m api.Module, s []uint64) { panic(errors.New(textAt(m, s[0], s[1]))) },
		"__wbindgen_string_new":         func(m api.Module, s []uint64) { s[0] = h.add(textAt(m, s[0], s[1])) },
		"__wbindgen_object_drop_ref":    func(_ api.Module, s []uint64) { h.take(s[0]) },
		"__wbindgen_memory":             func(_ api.Module, s []uint64) { s[0] = h.add(memory{}) },
		"__wbg_buffer_12d079cc21e14bdb": func(_ api.Module, s []uint64) { s[0] = h.add(h.get(s[0])) },
		"__wbg_newwithbyteoffsetandlength_aa4a17c33a06e5cb": func(_ api.Module, s []uint64) {
			s[0] = h.add(view{uint32(s[1]), uint32(s[2])})
		},
		"__wbg_new_63b92bc8671ed464":                   h.newBytes,
		"__wbg_length_c20a40f15020d68a":                h.length,
		"__wbg_set_a47bac70306a19a7":                   h.set,
		"__wbg_instanceof_Uint8Array_2b3bbecd033d19f6": h.isBytes,

		"__wbg_new_16b304a2cfa7ff4a": func(_ api.Module, s []uint64) { s[0] = h.add(&[]any{}) },
		"__wbg_push_a5b05aedc7234f9f": func(_ api.Module, s []uint64) {
			list := h.get(s[0]).(*[]any)
			*list = append(*list, h.get(s[1]))
			s[0] = uint64(len(*list))
		},
		"__wbg_values_839f3396d5aac002": func(_ api.Module, s []uint64) {
			s[0] = h.add(&iterator{list: *h.get(s[0]).(*[]any)})
		},
		"__wbg_next_196c84450b364254": func(_ api.Module, s []uint64) { s[0] = h.add(h.get(s[0]).(*iterator).step()) },
		"__wbg_done_298b57d23c0fc80c": func(_ api.Module, s []uint64) { s[0] = truth(h.get(s[0]).(step).done) },
		"__wbg_value_d93c65011f51a456": func(_ api.Module, s []uint64) {
			s[0] = h.add(h.get(s[0]).(step).value)
		},
	}
	out := map[string]api.GoModuleFunc{"__wbindgen_string_get": h.text}
	for name, fn := range all {
		out[name] = func(_ context.Context, m api.Module, s []uint64) { fn(m, s) }
	}
	return out
}

func (i *iterator) step() step {
	if i.next == len(i.list) {
		return step{done: true}
	}
	i.next++
	return step{value: i.list[i.next-1]}
}

// newBytes implements new Uint8Array(x).
func (h *heap) newBytes(m api.Module, s []uint64) {
	switch v := h.get(s[0]).(type) {
	case view:
		s[0] = h.add(bytesAt(m, uint64(v.at), uint64(v.n)))
	case memory:
		s[0] = h.add(view{0, m.Memory().Size()})
	default:
		s[0] = h.add(v)
	}
}

func (h *heap) length(_ api.Module, s []uint64) {
	switch v := h.get(s[0]).(type) {
	case []byte:
		s[0] = uint64(len(v))
	case view:
		s[0] = uint64(v.n)
	default:
		s[0] = 0
	}
}

// set implements target.set(source, offset).
func (h *heap) set(m api.Module, s []uint64) {
	to, from := h.get(s[0]).(view), h.get(s[1]).([]byte)
	if !m.Memory().Write(to.at+uint32(s[2]), from) {
		panic(errors.New("beyond the memory"))
	}
}

func (h *heap) isBytes(_ api.Module, s []uint64) {
	_, ok := h.get(s[0]).([]byte)
	s[0] = truth(ok)
}

// text writes the address and length of a text to the address in s[0].
func (h *heap) text(ctx context.Context, m api.Module, s []uint64) {
	var at, n uint64
	if t, ok := h.get(s[1]).(string); ok {
		r, err := m.ExportedFunction("__wbindgen_malloc").Call(ctx, uint64(len(t)), 1)
		if err != nil {
			panic(err)
		}
		if !m.Memory().WriteString(uint32(r[0]), t) {
			panic(errors.New("beyond the memory"))
		}
		at, n = r[0], uint64(len(t))
	}
	m.Memory().WriteUint32Le(uint32(s[0]), uint32(at))
	m.Memory().WriteUint32Le(uint32(s[0])+4, uint32(n))
}

package host

import (
	"context"
	"encoding/binary"
	"path"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// The error numbers of WASI, which Emscripten's libc also uses.
const (
	badFile    = 8
	badValue   = 28
	noMemory   = 48
	noFile     = 44
	noSpace    = 51
	noSuchCall = 52
	noTerminal = 59
	noSeek     = 70
)

// failure returns the result of a failed system call.
func failure(number int) uint64 { return uint64(uint32(int32(-number))) }

// MaxFiles is the maximum number of bytes that a module can write to files. A damaged
// picture can make it seek to any offset and write there.
const maxFiles = 64 << 20

// files is an initially empty file system in memory for the temporary files of a module.
type files struct {
	named map[string]*file
	open  map[uint32]*handle
	total int64
}

type file struct {
	data  []byte
	given bool // read-only
}

type handle struct {
	file *file
	at   int64
}

func newFiles() files { return files{named: map[string]*file{}, open: map[uint32]*handle{}} }

// AddFile adds a read-only file to the module's file system. It does not count against
// MaxFiles.
func (e *Emscripten) AddFile(name string, data []byte) {
	e.files.named[clean(name)] = &file{data: slices.Clip(data), given: true}
}

// RemoveFile removes a file.
func (e *Emscripten) RemoveFile(name string) { delete(e.files.named, clean(name)) }

// resize changes the size of a file and reports whether the limit allows it.
func (f *files) resize(of *file, n int64) bool {
	more := n - int64(len(of.data))
	if n < 0 || f.total+more > maxFiles || of.given {
		return false
	}
	f.total += more
	if more <= 0 {
		of.data = of.data[:n]
	} else {
		of.data = append(of.data, make([]byte, more)...)
	}
	return true
}

// Flags of open in Emscripten's libc.
const (
	openCreate   = 0o100
	openTruncate = 0o1000
)

func (f *files) openAt(_ context.Context, m api.Module, s []uint64) { // folder, name, flags, mode
	name, flags := clean(textAt(m, uint32(s[1]))), uint32(s[2])
	of := f.named[name]
	if of == nil {
		if flags&openCreate == 0 || len(f.named) > 100 {
			s[0] = failure(noFile)
			return
		}
		of = &file{}
		f.named[name] = of
	}
	if flags&openTruncate != 0 {
		f.resize(of, 0)
	}
	number := uint32(3)
	for f.open[number] != nil {
		number++
	}
	f.open[number] = &handle{file: of}
	s[0] = uint64(number)
}

func clean(name string) string { return path.Clean("/" + name) }

// buffers calls fn with each of n buffers in a list, until it returns false.
func buffers(m api.Module, list, n uint32, fn func(b []byte) bool) {
	for i := range n {
		at, _ := m.Memory().ReadUint32Le(list + 8*i)
		size, _ := m.Memory().ReadUint32Le(list + 8*i + 4)
		b, ok := m.Memory().Read(at, size)
		if !ok || !fn(b) {
			return
		}
	}
}

func (h *handle) read(m api.Module, list, n uint32, at int64) (total int64) {
	buffers(m, list, n, func(b []byte) bool {
		if at >= int64(len(h.file.data)) {
			return false
		}
		k := copy(b, h.file.data[at:])
		at, total = at+int64(k), total+int64(k)
		return k == len(b)
	})
	return total
}

func (f *files) write(_ context.Context, m api.Module, s []uint64) { // number, list, length, written
	h := f.open[uint32(s[0])]
	if h == nil && s[0] > 2 {
		s[0] = badFile
		return
	}
	total, full := 0, false
	buffers(m, uint32(s[1]), uint32(s[2]), func(b []byte) bool {
		if h != nil && h.file.given {
			full = true
			return false
		}
		if h != nil {
			if end := h.at + int64(len(b)); end > int64(len(h.file.data)) && !f.resize(h.file, end) {
				full = true
				return false
			}
			h.at += int64(copy(h.file.data[h.at:], b))
		}
		total += len(b) // output to the terminal is discarded
		return true
	})
	if full {
		s[0] = noSpace
		return
	}
	m.Memory().WriteUint32Le(uint32(s[3]), uint32(total))
	s[0] = 0
}

func (f *files) seek(_ context.Context, m api.Module, s []uint64) { // number, offset, whence, position
	h := f.open[uint32(s[0])]
	if h == nil {
		s[0] = noSeek
		return
	}
	at := int64(s[1])
	switch uint32(s[2]) {
	case 1:
		at += h.at
	case 2:
		at += int64(len(h.file.data))
	}
	if at < 0 || at > 1<<40 {
		s[0] = badValue
		return
	}
	h.at = at
	m.Memory().WriteUint64Le(uint32(s[3]), uint64(at))
	s[0] = 0
}

// stat writes the metadata of a file as Emscripten's struct stat.
func stat(m api.Module, to uint32, of *file) {
	var b [96]byte
	mode, size := uint32(0o020666), 0 // a terminal
	if of != nil {
		mode, size = 0o100666, len(of.data)
	}
	binary.LittleEndian.PutUint32(b[0:], 1)
	binary.LittleEndian.PutUint32(b[4:], mode)
	binary.LittleEndian.PutUint32(b[8:], 1)
	binary.LittleEndian.PutUint64(b[24:], uint64(size))
	binary.LittleEndian.PutUint32(b[32:], 4096)
	binary.LittleEndian.PutUint64(b[88:], 1)
	m.Memory().Write(to, b[:])
}

func (f *files) statNamed(m api.Module, name string, to uint32) uint64 {
	of := f.named[clean(name)]
	if of == nil {
		return failure(noFile)
	}
	stat(m, to, of)
	return 0
}

// mapped copies a file to the module's memory.
func (e *Emscripten) mapped(ctx context.Context, m api.Module, s []uint64) { // length, protection, flags, number, offset, allocated, at
	h := e.files.open[uint32(s[3])]
	if h == nil {
		s[0] = failure(badFile)
		return
	}
	size := (uint64(uint32(s[0])) + page - 1) &^ (page - 1)
	at := e.must(ctx, "emscripten_builtin_memalign", page, size)
	b, err := e.Bytes(at, size)
	if at == 0 || err != nil {
		s[0] = failure(noMemory)
		return
	}
	clear(b)
	if offset := int64(s[4]); offset >= 0 && offset < int64(len(h.file.data)) {
		copy(b[:uint32(s[0])], h.file.data[offset:])
	}
	m.Memory().WriteUint32Le(uint32(s[5]), 1)
	m.Memory().WriteUint32Le(uint32(s[6]), uint32(at))
	s[0] = 0
}

// fileFunction returns the file functions.
func (e *Emscripten) fileFunction(name string) func(context.Context, api.Module, []uint64) {
	f := &e.files
	switch name {
	case "__syscall_openat":
		return f.openAt
	case "fd_write":
		return f.write
	case "fd_seek":
		return f.seek
	case "_mmap_js":
		return e.mapped
	case "fd_close":
		return func(_ context.Context, _ api.Module, s []uint64) {
			number := uint32(s[0])
			if s[0] = 0; f.open[number] == nil {
				s[0] = badFile
			}
			delete(f.open, number)
		}
	case "fd_read":
		return func(_ context.Context, m api.Module, s []uint64) {
			n := int64(0)
			if h := f.open[uint32(s[0])]; h != nil {
				n = h.read(m, uint32(s[1]), uint32(s[2]), h.at)
				h.at += n
			}
			m.Memory().WriteUint32Le(uint32(s[3]), uint32(n))
			s[0] = 0
		}
	case "fd_pread":
		return func(_ context.Context, m api.Module, s []uint64) {
			h := f.open[uint32(s[0])]
			if h == nil || int64(s[3]) < 0 {
				s[0] = badFile
				return
			}
			m.Memory().WriteUint32Le(uint32(s[4]), uint32(h.read(m, uint32(s[1]), uint32(s[2]), int64(s[3]))))
			s[0] = 0
		}
	case "fd_fdstat_get":
		return func(_ context.Context, m api.Module, s []uint64) {
			kind := [24]byte{4}
			if s[0] <= 2 {
				kind[0] = 2
			}
			m.Memory().Write(uint32(s[1]), kind[:])
			s[0] = 0
		}
	}
	if strings.HasPrefix(name, "__syscall_") {
		return f.systemCall(strings.TrimPrefix(name, "__syscall_"))
	}
	if name == "fd_sync" || name == "_munmap_js" {
		return func(_ context.Context, _ api.Module, s []uint64) { s[0] = 0 }
	}
	return nil
}

// systemCall returns the system calls for names and sizes.
func (f *files) systemCall(name string) func(context.Context, api.Module, []uint64) {
	switch name {
	case "stat64", "lstat64":
		return func(_ context.Context, m api.Module, s []uint64) {
			s[0] = f.statNamed(m, textAt(m, uint32(s[0])), uint32(s[1]))
		}
	case "newfstatat":
		return func(_ context.Context, m api.Module, s []uint64) {
			s[0] = f.statNamed(m, textAt(m, uint32(s[1])), uint32(s[2]))
		}
	case "fstat64":
		return func(_ context.Context, m api.Module, s []uint64) {
			h := f.open[uint32(s[0])]
			if h == nil && s[0] > 2 {
				s[0] = failure(badFile)
				return
			}
			of := (*file)(nil)
			if h != nil {
				of = h.file
			}
			stat(m, uint32(s[1]), of)
			s[0] = 0
		}
	case "faccessat":
		return func(_ context.Context, m api.Module, s []uint64) {
			if s[0] = 0; f.named[clean(textAt(m, uint32(s[1])))] == nil {
				s[0] = failure(noFile)
			}
		}
	case "unlinkat":
		return func(_ context.Context, m api.Module, s []uint64) {
			name := clean(textAt(m, uint32(s[1])))
			of := f.named[name]
			if s[0] = 0; of == nil {
				s[0] = failure(noFile)
				return
			}
			delete(f.named, name)
			if !of.given {
				f.total -= int64(len(of.data)) // open handles keep working until the instance ends
			}
		}
	case "ftruncate64":
		return func(_ context.Context, _ api.Module, s []uint64) {
			h := f.open[uint32(s[0])]
			if h == nil || !f.resize(h.file, int64(s[1])) {
				s[0] = failure(noSpace)
				return
			}
			s[0] = 0
		}
	case "getcwd":
		return func(_ context.Context, m api.Module, s []uint64) {
			m.Memory().WriteString(uint32(s[0]), "/\x00")
			s[0] = 2
		}
	case "ioctl":
		return func(_ context.Context, _ api.Module, s []uint64) { s[0] = failure(noTerminal) }
	case "fallocate":
		return func(_ context.Context, _ api.Module, s []uint64) { s[0] = failure(noSpace) }
	case "fcntl64", "fchmod", "chmod":
		return func(_ context.Context, _ api.Module, s []uint64) { s[0] = 0 }
	}
	return nil
}

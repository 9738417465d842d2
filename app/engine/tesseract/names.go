package tesseract

import (
	"strings"

	"github.com/digital-asset-library/dal/app/engine/host"
)

// names are the minified names. They were read from tesseract-core-simd.js of version
// 7.0.0; they differ in every version.
func names() host.Names {
	n := host.Names{
		Imports: map[string]string{}, Exports: map[string]string{},
		// The settings embedded in the module are those of Tesseract's command line.
		Ignored: map[string]bool{"_emscripten_fs_load_embedded_files": true},
	}
	for line := range strings.Lines(imported) {
		words := strings.Fields(line)
		for _, short := range words[1:] {
			real := words[0]
			if real == "invoke" {
				real = "invoke_" + short
			}
			n.Imports[short] = real
		}
	}
	for line := range strings.Lines(exported) {
		words := strings.Fields(line)
		n.Exports[words[0]] = words[1]
	}
	return n
}

// imported are the functions that the module imports.
const imported = `__assert_fail a
__cxa_throw l
__syscall_fcntl64 r
__syscall_fstat64 J
__syscall_getcwd H
__syscall_ioctl N
__syscall_newfstatat I
__syscall_openat p
__syscall_rmdir w
__syscall_unlinkat x
_abort_js M
_emscripten_fs_load_embedded_files O
_emscripten_throw_longjmp u
_gmtime_js A
_localtime_js B
_mktime_js C
_mmap_js y
_munmap_js z
_tzset_js D
clock_time_get L
emscripten_asm_const_int o
emscripten_date_now K
emscripten_resize_heap v
environ_get F
environ_sizes_get G
exit k
fd_close n
fd_read q
fd_seek E
fd_write m
invoke c e b h i d f g j s t`

// exported are functions of the module. Those of Tesseract have the names of the methods of
// TessBaseAPI and OSResults.
const exported = `__wasm_call_ctors Q
malloc tf
free sf
emscripten_builtin_memalign vf
setThrew wf
_emscripten_stack_restore xf
emscripten_stack_get_current yf
TessBaseAPI Gc
Init Yc
SetVariable Pc
SetPageSegMode cd
SetImage hd
SetSourceResolution jd
FindLines nd
GetGradient od
Recognize Ad
GetTSVText Hd
Clear Nd
End Od
DetectOS Sd
destroy Xd
OSResults Yd
get_best_result _d
destroyOSResults ae
get_orientation_id Wb
get_oconfidence Zb`

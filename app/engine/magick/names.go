package magick

import (
	"strings"

	"github.com/digital-asset-library/dal/app/engine/host"
)

// names are the minified names. They were read from the second half of index.js of version
// 0.0.43, the one for 32 bits; they differ in every version.
func names() host.Names {
	n := host.Names{Imports: map[string]string{}, Exports: map[string]string{}, Ignored: map[string]bool{}}
	for line := range strings.Lines(imported) {
		words := strings.Fields(line)
		for _, short := range words[1:] {
			real := words[0]
			switch real {
			case "invoke":
				real = "invoke_" + short
			case "ignored":
				real = "ignored_" + short
				n.Ignored[real] = true
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

// imported are the functions that the module imports. The ignored ones register C++ classes
// with JavaScript.
const imported = `__call_sighandler lb
__cxa_begin_catch t
__cxa_end_catch v
__cxa_find_matching_catch_2 e
__cxa_find_matching_catch_3 l
__cxa_rethrow ma
__cxa_throw b
__cxa_uncaught_exceptions bb
__resumeException i
llvm_eh_typeid_for Oa
__syscall_chmod Ha
__syscall_dup Fa
__syscall_faccessat Ia
__syscall_fallocate oa
__syscall_fchmod Ea
__syscall_fcntl64 T
__syscall_fstat64 Da
__syscall_getcwd ya
__syscall_getdents64 kb
__syscall_ioctl La
__syscall_lstat64 Aa
__syscall_newfstatat Ba
__syscall_openat R
__syscall_readlinkat jb
__syscall_renameat hb
__syscall_rmdir ib
__syscall_stat64 Ca
__syscall_symlinkat gb
__syscall_unlinkat na
_abort_js Ja
exit H
proc_exit Ka
_emscripten_runtime_keepalive_clear mb
_emscripten_system eb
_emscripten_throw_longjmp cb
_gmtime_js ra
_localtime_js sa
_mktime_js ta
_tzset_js ua
_mmap_js pa
_munmap_js qa
clock_time_get Ga
emscripten_date_now $
emscripten_get_now Q
emscripten_get_heap_max fb
emscripten_resize_heap db
environ_get Ma
environ_sizes_get Na
fd_close K
fd_fdstat_get _
fd_pread nb
fd_read aa
fd_seek va
fd_sync za
fd_write S
random_get xa
ignored Xa ca Ua Y Sa F g ba p D u Ta V Ya X Va y r Wa x W G O w E
invoke $a ia ja s a c h k ab I d M q _a Za L ka Ra C ha N U z wa o m f fa ea n j B Z A Qa da J Pa P la ga`

const exported = `__wasm_call_ctors pb
malloc jk
free kk
emscripten_builtin_memalign xo
setThrew yo
_emscripten_tempret_set zo
_emscripten_stack_restore Ao
emscripten_stack_get_current Bo
__cxa_decrement_exception_refcount Co
__cxa_increment_exception_refcount Do
__cxa_can_catch Eo
__cxa_get_exception_ptr Fo
Environment_Initialize yd
MagickMemory_Relinquish Bd
MagickSettings_Create Rl
MagickSettings_Dispose Sl
MagickSettings_Format_Set mm
MagickSettings_SetScenes Dm
MagickSettings_SetScene Em
MagickSettings_SetNumberScenes ym
MagickImage_ReadBlob $h
MagickImage_Quality_Set Cf
MagickImage_WriteBlob pj
MagickImage_Dispose ee
MagickImage_Width_Get Pf
MagickImage_Height_Get kf
MagickImage_AutoOrient Zf
MagickImage_Thumbnail bj
MagickImage_ColorSpace_Get Ne
MagickImage_ColorSpace_Set Oe
MagickImage_GetProfile kh
PixelCollection_Create lk
PixelCollection_Dispose mk
PixelCollection_ToByteArray qk
StringInfo_Length_Get no
StringInfo_Datum_Get oo
Exception_Message vd
Exception_Severity wd
Exception_Dispose sd
ResourceLimits_Area_Set vk
ResourceLimits_Disk_Set xk
ResourceLimits_Height_Set zk
ResourceLimits_ListLength_Set Bk
ResourceLimits_MaxMemoryRequest_Set Dk
ResourceLimits_MaxProfileSize_Set Fk
ResourceLimits_Memory_Set Hk
ResourceLimits_Time_Set Nk
ResourceLimits_Width_Set Pk`

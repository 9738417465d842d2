package dam

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// CleanFilename makes a client's file name safe to store, show and offer for download. It
// keeps only the last element of a path in either slash style, and returns valid UTF-8
// without control or invisible characters, surrounding spaces or trailing dots. The result
// has at most 255 bytes, including the original extension. A name without visible
// characters becomes "file"; a device name reserved by Windows gets an underscore.
func CleanFilename(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.NewReplacer("\n", "", "\r", "", "\t", "").Replace(name)
	name = strings.TrimRight(Visible(name), ". ")
	if Unseen(name) {
		return "file"
	}
	if ReservedFilename(name) {
		name = "_" + name
	}
	if len(name) > MaxFilename {
		ext := path.Ext(name)
		if len(ext) > 20 {
			ext = ""
		}
		name = truncate(strings.TrimSuffix(name, ext), MaxFilename-len(ext)) + ext
	}
	return name
}

// ReservedFilename reports whether Windows reserves the name for a device, with any
// extension: https://learn.microsoft.com/windows/win32/fileio/naming-a-file
func ReservedFilename(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	return slices.Contains(devices, strings.TrimSpace(base))
}

var devices = strings.Fields(`CON PRN AUX NUL CONIN$ CONOUT$
	COM¹ COM² COM³ COM1 COM2 COM3 COM4 COM5 COM6 COM7 COM8 COM9
	LPT¹ LPT² LPT³ LPT1 LPT2 LPT3 LPT4 LPT5 LPT6 LPT7 LPT8 LPT9`)

// truncate returns the longest prefix of s that has at most n bytes and ends at a character
// boundary.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Extension returns the lower-case extension of a file name without its dot, or "".
func Extension(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
}

// NameKey returns the key that all spellings of a file name share, regardless of case and
// Unicode normalization (NFC or NFD). Operating systems and archives change the
// normalization of a name when they copy its file. Files are always opened by their real
// names.
func NameKey(name string) string { return WordKey(name) }

// SameName reports whether two names are spellings of the same name.
func SameName(a, b string) bool { return NameKey(a) == NameKey(b) }

// Stem returns the key shared by the names of files that belong together, such as the RAW
// file and the JPEG of one photo: the NameKey of their folder, if known, and of their name
// without its extension.
func Stem(folder, name string) string {
	return NameKey(path.Join(folder, strings.TrimSuffix(name, path.Ext(name))))
}

// TitleFromFilename returns the default title of an asset: its file name without the
// extension, with spaces instead of underscores.
func TitleFromFilename(name string) string {
	t := strings.TrimSuffix(name, path.Ext(name))
	t = strings.Join(strings.Fields(strings.ReplaceAll(t, "_", " ")), " ")
	if Unseen(t) {
		return name
	}
	return t
}

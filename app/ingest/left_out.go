package ingest

import "strings"

// Limits of one commit of an import, which is the work repeated after a crash.
const (
	ImportFiles = 32       // files
	ImportBytes = 64 << 20 // their bytes
)

// LeftOut reports whether a file or folder is hidden or was created by a system for its
// own use.
func LeftOut(name string) bool {
	switch strings.ToLower(name) {
	case "thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "lost+found",
		"@eadir", "#recycle", "$recycle.bin", "system volume information", "__macosx":
		return true
	}
	return strings.HasPrefix(name, ".")
}

package ingest

import "strings"

const ImportFiles = 32

const ImportBytes = 64 << 20

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

package app

import "strings"

const importFiles = 32

const importBytes = 64 << 20

// leftOut reports whether a file or folder is hidden or was created by a system for its
// own use.
func leftOut(name string) bool {
	switch strings.ToLower(name) {
	case "thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "lost+found",
		"@eadir", "#recycle", "$recycle.bin", "system volume information", "__macosx":
		return true
	}
	return strings.HasPrefix(name, ".")
}

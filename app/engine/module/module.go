// Package module contains the engines as compressed WebAssembly, with their licenses. They
// come from npm packages or are built in ../ffmpeg/wasm; ../make lists and packs them.
package module

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/digital-asset-library/dal/app/packed"
)

//go:embed *.wasm.zst
var files embed.FS

// Names lists the built-in engines.
func Names() []string {
	return []string{"archive", "document", "ffmpeg", "magick", "objects", "pdfium", "resvg", "tesseract"}
}

// Native reports whether an engine is part of dal and not WebAssembly.
func Native(name string) bool { return name == "archive" || name == "document" || name == "objects" }

// Open returns the WebAssembly of an engine: NAME.wasm in dir, if dir is not "" and
// contains it, otherwise the built-in engine.
func Open(name, dir string) ([]byte, error) {
	if dir != "" {
		data, err := os.ReadFile(filepath.Join(dir, name+".wasm"))
		if err == nil || !os.IsNotExist(err) {
			return data, err
		}
	}
	data, err := files.ReadFile(name + ".wasm.zst")
	if err != nil {
		return nil, err
	}
	out, err := packed.Unpack(data)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", name, err)
	}
	return out, nil
}

// Replaced reports whether a folder contains a file for an engine.
func Replaced(name, dir string) (bool, error) {
	if dir == "" || Native(name) {
		return false, nil
	}
	_, err := os.Stat(filepath.Join(dir, name+".wasm"))
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}

// BuiltIn reports whether an engine is built in.
func BuiltIn(name string) bool {
	_, err := fs.Stat(files, name+".wasm.zst")
	return err == nil || Native(name)
}

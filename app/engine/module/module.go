// Package module has the engines as WebAssembly, compressed, with their licences. They
// come from npm packages, or are built in ../ffmpeg/wasm; ../make says which, and packs them.
package module

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

//go:embed *.wasm.zst
var packed embed.FS

// maxFile bounds the file of an engine.
const maxFile = 256 << 20

// Names lists the engines that are built in.
func Names() []string {
	return []string{"archive", "document", "ffmpeg", "magick", "objects", "pdfium", "resvg", "tesseract"}
}

// Native reports whether an engine is part of dal, without WebAssembly.
func Native(name string) bool { return name == "archive" || name == "document" || name == "objects" }

// Open returns the WebAssembly of an engine: NAME.wasm in a folder, if that is not ""
// and has it, or what is built in.
func Open(name, dir string) ([]byte, error) {
	if dir != "" {
		data, err := os.ReadFile(filepath.Join(dir, name+".wasm"))
		if err == nil || !os.IsNotExist(err) {
			return data, err
		}
	}
	data, err := packed.ReadFile(name + ".wasm.zst")
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxFile), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	out, err := z.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", name, err)
	}
	return out, nil
}

// Replaced reports whether a folder has a file for an engine.
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
	_, err := fs.Stat(packed, name+".wasm.zst")
	return err == nil || Native(name)
}

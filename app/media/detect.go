package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/h2non/filetype"

	"github.com/digital-asset-library/dal/app/dam"
)

// Type is a type of file that the library takes.
type Type struct {
	MIME       string
	Name       string   // for people
	Extensions []string // lower case, without the dot; the first is canonical
	Category   dam.FileCategory
}

// Types lists the types that the library takes.
func Types() []Type {
	return []Type{
		{"image/jpeg", "JPEG", []string{"jpg", "jpeg", "jpe", "jfif"}, dam.CategoryImage},
		{"image/png", "PNG", []string{"png"}, dam.CategoryImage},
		{"image/gif", "GIF", []string{"gif"}, dam.CategoryImage},
		{"image/webp", "WebP", []string{"webp"}, dam.CategoryImage},
		{"image/tiff", "TIFF", []string{"tif", "tiff"}, dam.CategoryImage},
		{"image/bmp", "BMP", []string{"bmp", "dib"}, dam.CategoryImage},
	}
}

// sniffed is how much of a file tells its type.
const sniffed = 8 << 10

// Detect returns the type that the content of a file has, whatever its name.
func Detect(r io.ReaderAt, size int64) (Type, bool, error) {
	head, err := readHead(r, size)
	if err != nil {
		return Type{}, false, err
	}
	kind, _ := filetype.Match(head) // its only error is an empty file
	for _, t := range Types() {
		if t.MIME == kind.MIME.Value && confirm(t, r, size, head) {
			return t, true, nil
		}
	}
	return Type{}, false, nil
}

func readHead(r io.ReaderAt, size int64) ([]byte, error) {
	head := make([]byte, min(size, sniffed))
	n, err := r.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return head[:n], nil
}

// confirm looks closer where filetype looks at a few bytes only.
func confirm(t Type, r io.ReaderAt, size int64, head []byte) bool {
	switch t.MIME {
	case "image/png":
		return bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n"))
	case "image/gif":
		return bytes.HasPrefix(head, []byte("GIF87a")) || bytes.HasPrefix(head, []byte("GIF89a"))
	case "image/webp":
		return bytes.HasPrefix(head, []byte("RIFF")) && len(head) > 15 && bytes.HasPrefix(head[12:], []byte("VP8"))
	case "image/bmp":
		if len(head) < 26 {
			return false
		}
		info := binary.LittleEndian.Uint32(head[14:])
		return slices.Contains([]uint32{12, 40, 52, 56, 64, 108, 124}, info)
	case "image/tiff":
		return !isCameraRaw(r, size)
	}
	return true
}

// unknownType says in words what a file is that the library does not take.
func unknownType(r io.ReaderAt, size int64) string {
	head, err := readHead(r, size)
	kind, _ := filetype.Match(head)
	names := make([]string, 0, 8)
	for _, t := range Types() {
		names = append(names, t.Name)
	}
	supported := "The library takes " + strings.Join(names, ", ") + "."
	switch {
	case err == nil && kind.MIME.Value == "image/tiff":
		return "The file is a camera's raw picture. " + supported
	case err == nil && kind != filetype.Unknown:
		return "The file is " + kind.MIME.Value + ". " + supported
	}
	return "The file is of no known type. " + supported
}

// fitsName checks that a file's name does not claim another type than its
// content has. A name without a known extension claims none.
func (t Type) fitsName(filename string) error {
	filename = dam.CleanFilename(filename)
	if ext := dam.DangerousExtension(filename); ext != "" {
		return unsupported("The file is named .%s, which systems or browsers run, but its content is %s. Rename it to .%s if that is what it is.", ext, t.Name, t.Extensions[0])
	}
	ext := dam.Extension(filename)
	if ext == "" || slices.Contains(t.Extensions, ext) {
		return nil
	}
	claims := filetype.IsSupported(ext) || slices.Contains([]string{"txt", "csv", "json"}, ext)
	for _, other := range Types() {
		claims = claims || slices.Contains(other.Extensions, ext)
	}
	if !claims {
		return nil
	}
	return unsupported("The file is named .%s but its content is %s. Rename it to .%s if that is what it is.", ext, t.Name, t.Extensions[0])
}

// isCameraRaw reports a TIFF that holds a camera's raw picture: its first
// folder has a DNG version, a colour filter array, or only a reduced picture
// beside sub-folders. Source: TIFF 6.0, the DNG specification.
func isCameraRaw(r io.ReaderAt, size int64) bool {
	ifd, err := readIFD(r, size)
	if err != nil {
		return false // not raw, but broken: decoding will say how
	}
	return ifd.has(tagDNGVersion) || ifd.value(tagPhotometric) == photometricCFA ||
		ifd.has(tagSubIFDs) && ifd.value(tagNewSubfileType)&1 == 1
}

var errNotFound = errors.New("not found")

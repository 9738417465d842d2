package export

import (
	"archive/zip"
	"fmt"
	"hash/maphash"
	"io"
	"path"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/digital-asset-library/dal/app/dam"
)

// Archive writes the ZIP file of an export: files with unique names, and documents.
// archive/zip switches to ZIP64 automatically.
type Archive struct {
	zip   *zip.Writer
	seed  maphash.Seed
	names map[uint64]int // number of requests for a name, by the hash of its folded form
}

// NewArchive returns an archive that writes to w. The caller must Close it to complete the
// archive.
func NewArchive(w io.Writer) *Archive {
	return &Archive{zip: zip.NewWriter(w), seed: maphash.MakeSeed(), names: map[uint64]int{}}
}

// Close completes the archive.
func (a *Archive) Close() error { return a.zip.Close() }

// Add writes a file and returns its path in the archive: files/ and the given name, or a
// similar one.
func (a *Archive) Add(name, mimeType string, modified time.Time, r io.Reader) (string, error) {
	h := &zip.FileHeader{Name: "files/" + a.unique(archiveName(name)), Method: zip.Deflate, Modified: modified}
	if compressed(mimeType) {
		h.Method = zip.Store
	}
	w, err := a.zip.CreateHeader(h)
	if err == nil {
		_, err = io.Copy(w, r)
	}
	return h.Name, err
}

// Document starts a file in the root of the archive.
func (a *Archive) Document(name string, modified time.Time) (io.Writer, error) {
	return a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified})
}

// unique returns name, with a number added if it is taken, by the rules of file systems
// that ignore case and Unicode normalization. It stores only hashes: two names with the
// same hash count as equal.
func (a *Archive) unique(name string) string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	first := a.key(name)
	try := name
	for n := a.names[first]; ; n++ {
		if n > 0 {
			try = fmt.Sprintf("%s (%d)%s", stem, n+1, ext)
		}
		if key := a.key(try); n == 0 || a.names[key] == 0 {
			a.names[first] = n + 1
			if key != first {
				a.names[key] = 1
			}
			return try
		}
	}
}

func (a *Archive) key(name string) uint64 {
	return maphash.String(a.seed, cases.Fold().String(norm.NFC.String(name)))
}

// archiveName makes a file name valid on every operating system, and short enough to append
// a number.
func archiveName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, name)
	name = dam.CleanFilename(name)
	ext := path.Ext(name)
	if len(ext) > 20 { // too long for an extension, as in CleanFilename
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	if len(stem) > 200 {
		stem = strings.TrimRight(strings.ToValidUTF8(stem[:200], ""), ". ")
	}
	if stem == "" || dam.ReservedFilename(stem) {
		stem = "_" + stem
	}
	return stem + ext
}

// compressed reports whether files of a type are already compressed.
func compressed(mimeType string) bool {
	switch {
	case strings.HasPrefix(mimeType, "text/"), strings.HasSuffix(mimeType, "+xml"), strings.HasSuffix(mimeType, "/xml"):
		return false
	}
	switch mimeType {
	case "image/bmp", "image/tiff", "audio/wav", "audio/x-wav", "audio/aiff", "application/json", "application/rtf", "application/msword":
		return false
	}
	return true
}

package archive

import (
	"encoding/json"
	"fmt"
	"image"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/engine"
)

// The limits of a list.
const (
	maxEntries = 1000      // entries kept
	maxKept    = 128 << 10 // bytes of these entries as JSON
	maxPath    = 1000      // bytes of a path
	maxText    = 256 << 10 // bytes of all paths, for search
	maxCounted = 1_000_000 // entries counted
	maxSize    = 1 << 53   // bytes of content; larger numbers are not exact in JSON
)

// entry is a file or a folder in an archive. The path of a folder ends in a slash.
type entry struct {
	Path     string `json:"path"`
	Size     *int64 `json:"size,omitempty"`     // uncompressed bytes
	Modified string `json:"modified,omitempty"` // without a zone if the archive does not store it
}

// listing is the list of an archive's contents.
type listing struct {
	kind                 string
	files, folders       int
	size                 int64 // uncompressed bytes of all files
	unsized              bool  // some sizes are unknown
	entries              []entry
	kept                 int // bytes of the entries
	names                strings.Builder
	truncated, encrypted bool
	started              time.Time
}

func newListing(kind string) *listing { return &listing{kind: kind, started: time.Now()} }

// add adds a file, or a folder if the path ends in a slash. A negative size is unknown. It
// returns errEnough at a limit.
func (l *listing) add(path string, size int64, modified string) error {
	if l.files+l.folders >= maxCounted || l.late() {
		return errEnough
	}
	path = harmless(path)
	e := entry{Path: path, Modified: modified}
	switch {
	case strings.HasSuffix(path, "/"):
		l.folders++
	case size < 0 || size > maxSize:
		l.files++
		l.unsized = true
	default:
		l.files++
		l.size = min(l.size+size, maxSize)
		e.Size = &size
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if l.kept += len(text) + 1; len(l.entries) < maxEntries && l.kept <= maxKept {
		l.entries = append(l.entries, e)
	} else {
		l.truncated = true
	}
	if l.names.Len()+len(path) < maxText {
		l.names.WriteString(path + "\n")
	}
	return nil
}

// harmless makes a path safe to display: valid UTF-8, on one line, without bidirectional
// controls.
func harmless(path string) string {
	if len(path) > maxPath {
		path = path[:maxPath-len("…")]
		for !utf8.ValidString(path) && len(path) > maxPath-utf8.UTFMax-len("…") {
			path = path[:len(path)-1]
		}
		path += "…"
	}
	path = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(path, "\ufffd"))
	if strings.Trim(path, " /") == "" {
		return "unnamed" + path
	}
	return path
}

// utc and local format a modification time; the archive may not store the zone.
func utc(t time.Time) string {
	if t.Year() < 1970 || t.Year() > 9999 {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func local(t time.Time) string {
	if t.Year() < 1980 || t.Year() > 9999 {
		return ""
	}
	return t.Format("2006-01-02T15:04:05")
}

func (l *listing) facts() map[string]any {
	f := map[string]any{"kind": l.kind, "truncated": l.truncated, "encrypted": l.encrypted}
	if l.encrypted && l.files+l.folders == 0 {
		return f
	}
	f["files"], f["folders"], f["entries"] = l.files, l.folders, l.entries
	if l.entries == nil {
		f["entries"] = []entry{}
	}
	if !l.unsized {
		f["unpacked_size"] = l.size
	}
	return f
}

// look returns the result for the archive, with a card that shows the first names.
func (l *listing) look(label string, card func(label, title, body string) *image.NRGBA) *engine.Look {
	text := strings.TrimSuffix(l.names.String(), "\n")
	return &engine.Look{
		Facts: l.facts(), Text: text, Card: true, Shows: "a card with the beginning of the list of its files",
		Picture: card(label, l.title(), text),
	}
}

// title summarizes the number of files and folders.
func (l *listing) title() string {
	title := counted(l.files, "file")
	if l.folders > 0 {
		title += ", " + counted(l.folders, "folder")
	}
	if l.truncated && l.files+l.folders > len(l.entries) || !l.truncated {
		return title
	}
	return title + " or more"
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

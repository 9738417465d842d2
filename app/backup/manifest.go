package backup

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/storage/blob"
)

const (
	manifestFormat = "dal-snapshot"
	manifestFile   = "manifest.json"
	recordsFile    = "dal.db"
	sumsFile       = "SHA256SUMS"

	// signatures is the folder of hash lists in the data folder.
	signatures = "signatures"

	maxManifest = 8 << 20 // bytes
	maxMissing  = 1000    // missing files listed in a manifest; there may be more
	maxExtras   = 1000    // files in signatures

	snapshotLayout = "20060102T150405.000Z" // snapshots are named after their time in UTC
)

// Manifest describes a snapshot.
type Manifest struct {
	Format   string    `json:"format"`
	Version  int       `json:"version"`
	Snapshot string    `json:"snapshot"` // name of the snapshot
	Library  string    `json:"library"`
	Time     time.Time `json:"created_at"`
	Dal      string    `json:"dal_version"`

	Assets   int64 `json:"assets"`
	Files    int64 `json:"files"` // referenced by the database
	Bytes    int64 `json:"bytes"` // total size of Files
	Complete bool  `json:"complete"`

	Records File      `json:"records"`
	Sums    File      `json:"sums"`
	Extras  []File    `json:"extras,omitempty"`  // files of the data folder outside the database
	Missing []Missing `json:"missing,omitempty"` // up to 1,000 files that are referenced by the database and missing in the target
}

// File is a file with its path, size and checksum.
type File struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Missing is a file that could not be copied.
type Missing struct {
	SHA256 string `json:"sha256"`
	Fault  string `json:"fault"`
	Of     string `json:"of"` // user-facing list of assets
}

// parseManifest parses the manifest of the snapshot with the given name. It rejects paths
// outside the snapshot.
func parseManifest(data []byte, name string) (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", manifestFile, err)
	}
	bad := func(what string) (*Manifest, error) { return nil, fmt.Errorf("%s: %s", manifestFile, what) }
	switch {
	case m.Format != manifestFormat || m.Version < 1:
		return bad("is not what dal writes there")
	case m.Version > formatVersion:
		return bad("was written by a newer version of dal; use that version")
	case m.Snapshot != name || m.Time.UTC().Format(snapshotLayout) != name:
		return bad("belongs to another snapshot")
	case m.Library == "":
		return bad("names no library")
	case m.Assets < 0 || m.Files < 0 || m.Bytes < 0:
		return bad("counts less than nothing")
	case m.Records.Path != recordsFile || m.Sums.Path != sumsFile:
		return bad("names other files than dal writes")
	case len(m.Missing) > maxMissing || len(m.Extras) > maxExtras:
		return bad("names too many files")
	}
	seen := map[string]bool{}
	for _, f := range append([]File{m.Records, m.Sums}, m.Extras...) {
		if !blob.ValidName(f.SHA256) || f.Size < 0 {
			return bad(fmt.Sprintf("%q has no valid checksum or size", f.Path))
		}
		if seen[f.Path] {
			return bad(fmt.Sprintf("names %q twice", f.Path))
		}
		seen[f.Path] = true
	}
	for _, f := range m.Extras {
		if !validExtra(f.Path) {
			return bad(fmt.Sprintf("%q is no file that dal keeps", f.Path))
		}
	}
	return &m, nil
}

// validExtra reports whether a path is that of a file directly in signatures/ on every
// operating system.
func validExtra(p string) bool {
	dir, name := path.Split(p)
	return dir == signatures+"/" && validExtraName(name)
}

func validExtraName(name string) bool {
	return name != "" && len(name) <= 255 && !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "/\\:\x00")
}

// snapshotTime parses the name of a snapshot.
func snapshotTime(name string) (time.Time, bool) {
	t, err := time.Parse(snapshotLayout, name)
	return t, err == nil && t.Format(snapshotLayout) == name
}

// blobPath returns the path of a blob in a target.
func blobPath(sha string) string { return path.Join(blobsDir, sha[:2], sha[2:4], sha) }

// sumLine returns a line of SHA256SUMS.
func sumLine(sha, path string) string { return sha + "  " + path + "\n" }

// parseSums parses the SHA256SUMS of the snapshot with the given name and calls fn with
// each blob in it.
func parseSums(r io.Reader, name string, fn func(sha [32]byte) error) error {
	lines := bufio.NewScanner(r)
	records := path.Join(snapshotsDir, name, recordsFile)
	for n := 1; lines.Scan(); n++ {
		sha, file, ok := strings.Cut(lines.Text(), "  ")
		if !ok || !blob.ValidName(sha) || file != records && file != blobPath(sha) {
			return fmt.Errorf("%s: line %d is not what dal writes there", sumsFile, n)
		}
		if file == records {
			continue
		}
		var b [32]byte
		if _, err := hex.Decode(b[:], []byte(sha)); err != nil {
			return err
		}
		if err := fn(b); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return errors.Join(errors.New(sumsFile+" cannot be read"), err)
	}
	return nil
}

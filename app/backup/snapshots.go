package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// Latest selects the newest snapshot.
const Latest = "latest"

// Snapshot is the state of a library at one time.
type Snapshot struct {
	Name string
	Time time.Time
	*Manifest
	Err error // reason why it cannot be used; Manifest is then nil
}

// clockSlack is the tolerated clock difference: another machine may have created the
// snapshot.
const clockSlack = time.Hour

// Snapshots returns the snapshots, newest first. Snapshots from the future were created
// with a wrong clock and are sorted as the oldest.
func (t *Target) Snapshots() (list []Snapshot, err error) {
	entries, err := t.readDir(snapshotsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range slices.Backward(entries) {
		at, ok := snapshotTime(e.Name())
		if !ok || !e.IsDir() {
			continue // not created by dal
		}
		s := Snapshot{Name: e.Name(), Time: at}
		s.Manifest, s.Err = t.manifest(e.Name())
		list = append(list, s)
	}
	soon := time.Now().Add(clockSlack)
	slices.SortStableFunc(list, func(a, b Snapshot) int {
		switch x, y := a.Time.After(soon), b.Time.After(soon); {
		case x == y:
			return 0
		case x:
			return 1
		}
		return -1
	})
	return list, nil
}

// manifest reads the manifest of a snapshot and checks that its database and checksum files
// exist.
func (t *Target) manifest(name string) (*Manifest, error) {
	data, err := t.readFile(path.Join(snapshotsDir, name, manifestFile), maxManifest)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(data, name)
	if err != nil {
		return nil, err
	}
	if m.Library != t.id.Library {
		return nil, errors.New("it belongs to another library than this backup folder")
	}
	for _, f := range []File{m.Records, m.Sums} {
		info, err := t.root.Lstat(path.Join(snapshotsDir, name, f.Path))
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is not a regular file", f.Path)
		case info.Size() != f.Size:
			return nil, fmt.Errorf("%s has %d bytes instead of %d", f.Path, info.Size(), f.Size)
		}
	}
	return m, nil
}

// whole verifies the size and checksum of a file of a snapshot.
func (t *Target) whole(ctx context.Context, name string, f File) error {
	n, sha, err := t.sum(ctx, path.Join(snapshotsDir, name, f.Path))
	if err == nil && (n != f.Size || sha != f.SHA256) {
		err = fmt.Errorf("%s is damaged: its bytes do not match its checksum", f.Path)
	}
	return err
}

// Pick returns the newest snapshot, the newest one up to a time, or the one with the given
// name. A date means the end of that day in UTC.
func (t *Target) Pick(at string) (Snapshot, error) {
	list, err := t.Snapshots()
	if err != nil {
		return Snapshot{}, err
	}
	if len(list) == 0 {
		return Snapshot{}, fmt.Errorf("%s: there is no snapshot yet", t.dir)
	}
	i := slices.IndexFunc(list, func(s Snapshot) bool { return s.Name == at })
	if i < 0 {
		i = 0
	}
	if at != "" && at != Latest && list[i].Name != at {
		when, err := parseTime(at)
		if err != nil {
			return Snapshot{}, err
		}
		if i = slices.IndexFunc(list, func(s Snapshot) bool { return !s.Time.After(when) }); i < 0 {
			return Snapshot{}, fmt.Errorf("there is no snapshot from %s or before; the oldest is %s", at, list[len(list)-1].Name)
		}
	}
	if list[i].Err == nil {
		return list[i], nil
	}
	hint := ""
	for _, s := range list[i+1:] {
		if s.Err == nil {
			hint = fmt.Sprintf("; --at %s takes the one before it", s.Name)
			break
		}
	}
	return Snapshot{}, fmt.Errorf("snapshot %s cannot be used: %w%s", list[i].Name, list[i].Err, hint)
}

// parseTime parses a time in one of several common formats.
func parseTime(s string) (time.Time, error) {
	if t, ok := snapshotTime(s); ok {
		return t, nil
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t.AddDate(0, 0, 1).Add(-time.Millisecond), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, dam.Errorf(dam.Invalid,
		"%q is neither the name of a snapshot nor a time such as 2026-01-31 or 2026-01-31T12:00:00Z", s)
}

// place returns the absolute path of a file of a snapshot.
func (t *Target) place(name, file string) string {
	return filepath.Join(t.dir, snapshotsDir, name, file)
}

// in returns the path of a file of a snapshot, relative to the target.
func (s Snapshot) in(file string) string { return path.Join(snapshotsDir, s.Name, file) }

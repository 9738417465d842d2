package backup

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	testName = "20260131T120000.000Z"
	testSHA  = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
)

func goodManifest() Manifest {
	return Manifest{
		Format:   manifestFormat,
		Version:  1,
		Snapshot: testName,
		Library:  "lib",
		Time:     time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
		Records:  File{recordsFile, 1, testSHA},
		Sums:     File{sumsFile, 2, testSHA},
		Extras:   []File{{"signatures/my.hdb", 3, testSHA}},
	}
}

// A modified or truncated manifest is rejected with a clear error.
func TestParseManifest(t *testing.T) {
	t.Parallel()
	if _, err := parseManifest(encode(t, goodManifest()), testName); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		edit func(*Manifest)
		want string
	}{
		{"format", func(m *Manifest) { m.Format = "x" }, "not what dal writes"},
		{"newer", func(m *Manifest) { m.Version = 2 }, "newer version"},
		{"another name", func(m *Manifest) { m.Snapshot = "20260131T120000.001Z" }, "another snapshot"},
		{"another time", func(m *Manifest) { m.Time = m.Time.Add(time.Second) }, "another snapshot"},
		{"no library", func(m *Manifest) { m.Library = "" }, "names no library"},
		{"negative", func(m *Manifest) { m.Files = -1 }, "less than nothing"},
		{"records elsewhere", func(m *Manifest) { m.Records.Path = "../../dal.db" }, "other files"},
		{"sums elsewhere", func(m *Manifest) { m.Sums.Path = "/etc/passwd" }, "other files"},
		{"checksum", func(m *Manifest) { m.Records.SHA256 = "../../x" }, "no valid checksum"},
		{"extra checksum", func(m *Manifest) { m.Extras[0].SHA256 = strings.ToUpper(testSHA) }, "no valid checksum"},
		{"size", func(m *Manifest) { m.Extras[0].Size = -1 }, "no valid checksum or size"},
		{"twice", func(m *Manifest) { m.Extras = append(m.Extras, m.Extras[0]) }, "twice"},
		{"out of it", func(m *Manifest) { m.Extras[0].Path = "signatures/../dal.db" }, "no file that dal keeps"},
		{"absolute", func(m *Manifest) { m.Extras[0].Path = "/signatures/x" }, "no file that dal keeps"},
		{"the records", func(m *Manifest) { m.Extras[0].Path = "dal.db-wal" }, "no file that dal keeps"},
		{"up", func(m *Manifest) { m.Extras[0].Path = "signatures/.." }, "no file that dal keeps"},
		{"backslash", func(m *Manifest) { m.Extras[0].Path = `signatures/..\..\x` }, "no file that dal keeps"},
		{"a drive", func(m *Manifest) { m.Extras[0].Path = "signatures/c:x" }, "no file that dal keeps"},
		{"a folder", func(m *Manifest) { m.Extras[0].Path = "signatures/" }, "no file that dal keeps"},
		{"many missing", func(m *Manifest) { m.Missing = make([]Missing, maxMissing+1) }, "too many"},
	} {
		m := goodManifest()
		c.edit(&m)
		if _, err := parseManifest(encode(t, m), testName); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
	whole := encode(t, goodManifest())
	for n := range whole {
		if _, err := parseManifest(whole[:n], testName); err == nil {
			t.Errorf("%d of %d bytes are taken for a manifest", n, len(whole))
		}
	}
}

func encode(t testing.TB, m Manifest) []byte {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		testName:                    "2026-01-31T12:00:00Z",
		"2026-01-31":                "2026-01-31T23:59:59.999Z",
		"2026-01-31T12:00:00+02:00": "2026-01-31T10:00:00Z",
		"2026-01-31 12:00":          "2026-01-31T12:00:00Z",
		"2026-01-31 12:00:01":       "2026-01-31T12:00:01Z",
		"yesterday":                 "", "": "", "2026-02-30": "", "20260230T120000.000Z": "",
	} {
		got, err := parseTime(s)
		if (err != nil) != (want == "") || err == nil && got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%q is %v, %v; want %s", s, got, err, want)
		}
	}
}

// No manifest can refer to files outside its folders.
func FuzzManifest(f *testing.F) {
	f.Add(encode(f, goodManifest()))
	f.Add([]byte(`{"format":"dal-snapshot","version":1,"snapshot":"20260131T120000.000Z","extras":[{"path":"signatures/../../x"}]}`))
	f.Add([]byte(`{"created_at":"9999-99-99"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseManifest(data, testName)
		if err != nil {
			return
		}
		for _, e := range m.Extras {
			if dir, _ := filepath.Split(filepath.Clean(filepath.FromSlash(e.Path))); dir != signatures+string(filepath.Separator) {
				t.Errorf("%q leads out", e.Path)
			}
		}
		if m.Records.Path != recordsFile || m.Sums.Path != sumsFile || m.Snapshot != testName || m.Files < 0 {
			t.Errorf("%+v", m)
		}
	})
}

// Only lines that can be written to SHA256SUMS are accepted.
func FuzzSums(f *testing.F) {
	line := sumLine(testSHA, blobPath(testSHA))
	f.Add(line)
	f.Add(sumLine(testSHA, "snapshots/"+testName+"/dal.db") + line)
	f.Add(sumLine(testSHA, "blobs/sha256/../../x"))
	f.Add(testSHA + "\n\n")
	f.Fuzz(func(t *testing.T, data string) {
		n := 0
		err := parseSums(strings.NewReader(data), testName, func([32]byte) error { n++; return nil })
		if err == nil && n > strings.Count(data, blobsDir) {
			t.Errorf("%d files", n)
		}
	})
}

func FuzzIdentity(f *testing.F) {
	f.Add([]byte(`{"format":"dal-backup","version":1,"id":"a","library":"b","created_at":"2026-01-31T12:00:00Z"}`))
	f.Add([]byte(`{"format":"dal-backup","version":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if id, err := parseIdentity(data); err == nil && (id.Format != identityFormat || id.Library == "" || id.Version != 1) {
			t.Errorf("%+v", id)
		}
	})
}

// Other names are not treated as snapshots.
func TestSnapshotNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "..", "20260131T120000Z", "20260131T120000.000Z.old", "20261331T120000.000Z", "2026-01-31"} {
		if _, ok := snapshotTime(name); ok {
			t.Errorf("%q is taken for a snapshot", name)
		}
	}
	names := []string{testName, "20260131T120000.001Z", "20270101T000000.000Z"}
	if !slices.IsSorted(names) {
		t.Error("names do not sort by time")
	}
}

package search_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// watched is a library that counts the changes it returns from Columns, and can run a
// hook meanwhile.
type watched struct {
	*library
	narrowed int
}

func (w *watched) Columns(ctx context.Context, after int64, limit int) ([]dam.Change, error) {
	list, err := w.library.Columns(ctx, after, limit)
	w.narrowed += len(list)
	return list, err
}

func openWatched(t testing.TB, dir string, w *watched, log *slog.Logger) *search.Engine {
	t.Helper()
	w.narrowed = 0
	e, err := search.Open(context.Background(), dir, w, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// keep writes a snapshot of an engine's columns and closes the engine.
func keep(t testing.TB, e *search.Engine) {
	t.Helper()
	if err := e.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// motley returns an asset with varied values in all columns.
func motley(id int64, rnd *rand.Rand) *dam.Asset {
	a := asset(id, []string{"", "Zoë", "boat 2", "Boat 10", strings.Repeat("long ", 300)}[rnd.IntN(5)])
	a.OriginalFilename = fmt.Sprintf("IMG_%d.jpg", rnd.IntN(50))
	a.MIMEType = []string{"image/jpeg", "video/mp4", ""}[rnd.IntN(3)]
	a.Creator = []string{"", "Müller", fmt.Sprint("Creator ", id%10)}[rnd.IntN(3)]
	a.PHash, a.FileSize = rnd.Uint64(), rnd.Int64N(1<<40)
	a.Width, a.Height = rnd.IntN(5000), rnd.IntN(5000)
	if rnd.IntN(2) == 0 {
		at, stars := epoch.Add(-time.Duration(rnd.IntN(1e9))*time.Second), rnd.Int64N(6)
		a.CaptureDate, a.Rating = &dam.CaptureTime{Time: dam.AtOffset(at, 60*rnd.IntN(3))}, &stars
	}
	if rnd.IntN(3) == 0 {
		lat, lon := rnd.Float64()*180-90, rnd.Float64()*360-180
		a.Location = &dam.Location{Latitude: &lat, Longitude: &lon, Place: "Bremen"}
	}
	if rnd.IntN(5) == 0 {
		a.DeletedAt = &epoch
	}
	a.Keywords = []string{[]string{"sea", "sky"}[rnd.IntN(2)]}
	return a
}

// answers returns the responses of an engine to queries on all its columns.
func answers(t testing.TB, e *search.Engine) string {
	t.Helper()
	var b strings.Builder
	for _, by := range append(dam.ListSorts(), "") {
		for _, trashed := range trashChoices {
			q := dam.Query{Sort: by, Trashed: trashed, Page: dam.Page{Limit: 1000},
				Facets: []string{"mime_type", "creator", "rating", "keywords"}}
			r := find(t, e, q)
			for _, f := range r.Facets { // equally frequent values have no defined order
				slices.SortFunc(f, func(a, b dam.FacetValue) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			fmt.Fprintln(&b, by, trashed, r.Total, ids(r), r.Facets)
		}
	}
	for _, f := range []*dam.Filter{
		filterOf(t, "location.latitude", "greater_than", "10"), filterOf(t, "location.longitude", "is_empty", "true"),
		filterOf(t, "title", "contains", `"oat"`), filterOf(t, "original_filename", "ends_with", `"7.jpg"`),
		filterOf(t, "capture_date", "is_empty", "true"), filterOf(t, "file_size", "greater_than", "500000000000"),
	} {
		fmt.Fprintln(&b, ids(find(t, e, dam.Query{Filter: f, Page: dam.Page{Limit: 1000}})))
	}
	groups, err := e.Duplicates(t.Context(), 20)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&b, groups)
	return b.String()
}

// fresh returns the answers of an engine that has read all records.
func fresh(t testing.TB, l *library) string {
	t.Helper()
	e := open(t, t.TempDir(), &library{seq: l.seq, changes: l.changes})
	defer e.Close()
	return answers(t, e)
}

// An engine started from a snapshot answers the same as one that reads all records, and
// reads only the later changes.
func TestKeptColumns(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	w, dir := &watched{library: newLibrary()}, t.TempDir()
	for id := int64(1); id <= 400; id++ {
		w.put(motley(id, rnd))
	}
	w.remove(7)
	keep(t, openWatched(t, dir, w, slog.New(slog.DiscardHandler)))
	for round, most := range []int{0, 1, 10, 100} {
		for range most {
			if id := 1 + rnd.Int64N(450); rnd.IntN(4) == 0 {
				w.remove(id)
			} else {
				w.put(motley(id, rnd))
			}
		}
		e := openWatched(t, dir, w, slog.New(slog.NewTextHandler(t.Output(), nil)))
		if w.narrowed > most {
			t.Errorf("%d: %d assets were read, %d have changed", round, w.narrowed, most)
		}
		if got, want := answers(t, e), fresh(t, w.library); got != want {
			t.Errorf("%d: answers differ\n got %.2000s\nwant %.2000s", round, got, want)
		}
		keep(t, e)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "columns-*")); len(files) != 1 {
		t.Errorf("files %q", files)
	}
}

// Folder names are not patterns: an index finds its own files and ignores those of
// others.
func TestFoldersWithSigns(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	other, dir := filepath.Join(parent, "ab"), filepath.Join(parent, "a[b]")
	kept := func(dir string) (names []string) {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			names = append(names, e.Name())
		}
		return names
	}
	w := &watched{library: newLibrary()}
	w.put(asset(1, "harbour"))
	keep(t, openWatched(t, other, w, slog.New(slog.DiscardHandler)))
	before := kept(other)
	w = &watched{library: newLibrary()}
	w.put(asset(1, "harbour"))
	for range 3 {
		keep(t, openWatched(t, dir, w, slog.New(slog.DiscardHandler)))
	}
	if got := kept(dir); len(got) != 2 {
		t.Errorf("the folder has %q", got)
	}
	if got := kept(other); !slices.Equal(got, before) {
		t.Errorf("the other folder has %q instead of %q", got, before)
	}
}

// A snapshot that is damaged, truncated, of another version or library, of a later state
// or not the latest is rejected and removed.
func TestUnusableKeptColumns(t *testing.T) {
	t.Parallel()
	rewrite := func(change func(b []byte) []byte) func(testing.TB, *watched, string) {
		return func(t testing.TB, _ *watched, path string) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(b), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, spoil := range map[string]func(t testing.TB, w *watched, path string){
		"empty":     rewrite(func([]byte) []byte { return nil }),
		"cut":       rewrite(func(b []byte) []byte { return b[:len(b)/2] }),
		"cut a bit": rewrite(func(b []byte) []byte { return b[:len(b)-1] }),
		"longer":    rewrite(func(b []byte) []byte { return append(b, 0) }),
		"a bit":     rewrite(func(b []byte) []byte { b[len(b)*2/3] ^= 4; return b }),
		"zeros":     rewrite(func(b []byte) []byte { clear(b[len(b)/3:]); return b }),
		"another version": rewrite(func(b []byte) []byte {
			return bytes.Replace(b, []byte("dal columns 2"), []byte("dal columns 3"), 1)
		}),
		"gone": func(t testing.TB, _ *watched, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
		"a folder": func(t testing.TB, _ *watched, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"of other records": func(_ testing.TB, w *watched, _ string) { w.kept = "" },
		"under the name of another": func(t testing.TB, w *watched, path string) {
			w.kept = "another"
			if err := os.Rename(path, filepath.Join(filepath.Dir(path), "columns-another")); err != nil {
				t.Fatal(err)
			}
		},
		"of a later state": func(_ testing.TB, w *watched, _ string) {
			delete(w.changes, 300)
			w.seq = 299
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(3, 4))
			w, dir := &watched{library: newLibrary()}, t.TempDir()
			for id := int64(1); id <= 300; id++ {
				w.put(motley(id, rnd))
			}
			keep(t, openWatched(t, dir, w, slog.New(slog.DiscardHandler)))
			spoil(t, w, filepath.Join(dir, "columns-"+w.kept))
			e := openWatched(t, dir, w, slog.New(slog.DiscardHandler))
			defer e.Close()
			if w.narrowed != len(w.changes) {
				t.Errorf("%d assets were read of %d", w.narrowed, len(w.changes))
			}
			if answers(t, e) != fresh(t, w.library) {
				t.Error("answers differ")
			}
			if files, _ := filepath.Glob(filepath.Join(dir, "columns-*")); len(files) != 0 {
				t.Errorf("files %q", files)
			}
		})
	}
}

// If the records or the index were restored from a copy, results still match the records:
// each state of the records is combined with the index folder of each other state.
func TestKeptColumnsPutBack(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	type state struct {
		library
		dir string
	}
	var states []*state
	save := func(w *watched, dir string) {
		s := &state{library: library{seq: w.seq, kept: w.kept, changes: map[int64]dam.Change{}}, dir: t.TempDir()}
		for id, c := range w.changes {
			s.changes[id] = c
		}
		if err := os.CopyFS(s.dir, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		states = append(states, s)
	}
	// Two histories that diverge after the first state and have the same change numbers.
	for range 2 {
		w, dir := &watched{library: newLibrary()}, t.TempDir()
		for step := range 3 {
			if step == 1 && len(states) > 3 { // the other history starts with the first state
				w.library = &library{seq: states[0].seq, kept: states[0].kept, changes: map[int64]dam.Change{}}
				for id, c := range states[0].changes {
					w.changes[id] = c
				}
			}
			for range 100 {
				w.put(motley(1+rnd.Int64N(150), rnd))
			}
			keep(t, openWatched(t, dir, w, slog.New(slog.DiscardHandler)))
			save(w, dir)
		}
	}
	for i, records := range states {
		want := fresh(t, &records.library)
		for j, index := range states {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(index.dir)); err != nil {
				t.Fatal(err)
			}
			l := &library{seq: records.seq, kept: records.kept, changes: records.changes}
			e := open(t, dir, l)
			if answers(t, e) != want {
				t.Errorf("records %d with index %d answer something else", i, j)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Changes made while a snapshot is written are read again.
func TestKeptWhileBusy(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	w, dir := &watched{library: newLibrary()}, t.TempDir()
	for id := int64(1); id <= 2000; id++ {
		w.put(motley(id, rnd))
	}
	e := openWatched(t, dir, w, slog.New(slog.DiscardHandler))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			w.put(motley(1+rnd.Int64N(2500), rnd))
			if id := 1 + rnd.Int64N(2500); id%3 == 0 {
				w.remove(id)
			}
			_, err := e.Search(context.Background(), dam.Query{Page: dam.Page{Limit: 1}}, search.Scope{})
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 5 {
		if err := e.Keep(t.Context()); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-stopped
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openWatched(t, dir, w, slog.New(slog.NewTextHandler(t.Output(), nil)))
	defer e.Close()
	if w.narrowed >= 2000 {
		t.Errorf("%d assets were read", w.narrowed)
	}
	if answers(t, e) != fresh(t, w.library) {
		t.Error("answers differ")
	}
}

// Rebuilding the index also reloads the columns from the records.
func TestRebuildForgetsKept(t *testing.T) {
	t.Parallel()
	w, dir := &watched{library: shelf(50)}, t.TempDir()
	e := openWatched(t, dir, w, slog.New(slog.DiscardHandler))
	if err := e.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Rebuild(t.Context(), func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openWatched(t, dir, w, slog.New(slog.DiscardHandler))
	defer e.Close()
	if w.narrowed != 50 {
		t.Errorf("%d assets were read", w.narrowed)
	}
}

// An engine writes a snapshot when it stops, if enough has changed.
func TestRunKeeps(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]int{9_000: 0, 11_000: 1} {
		dir := t.TempDir()
		e, err := search.Open(t.Context(), dir, &made{n: n, words: []string{"sea", "sky"}}, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		e.Run(ctx)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "columns-*")); len(files) != want {
			t.Errorf("with %d assets: %q", n, files)
		}
	}
}

const keepEnv = "DAL_SEARCH_TEST_KEEP"

// TestKilledKeeping kills a process that continuously writes snapshots: the next start
// uses the previous one, or reads the records.
func TestKilledKeeping(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(keepEnv); dir != "" {
		keepOn(t, dir)
		return
	}
	l, dir := shelf(3000), t.TempDir()
	want := answers(t, open(t, t.TempDir(), l))
	for round := range 4 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledKeeping$")
		cmd.Env = append(os.Environ(), keepEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		names := make([]byte, 26*(round+1)+1+round*7) // at a different moment in each round
		_, err = out.Read(names)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() // the error is that it was killed
		if err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "columns-*"))
		if len(files) == 0 {
			t.Fatal("the other process kept nothing")
		}
		for _, file := range files { // whichever the records name
			l.kept = strings.TrimPrefix(filepath.Base(file), "columns-")
			at := t.TempDir()
			if err := os.CopyFS(at, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			e := open(t, at, l)
			if answers(t, e) != want {
				t.Errorf("%s answers something else", file)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// keepOn writes snapshots until it is killed.
func keepOn(t *testing.T, dir string) {
	e, err := search.Open(t.Context(), dir, shelf(3000), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for {
		if err := e.Keep(t.Context()); err != nil {
			t.Fatal(err)
		}
		fmt.Println("kept")
	}
}

// FuzzKeptColumns opens almost valid snapshots: they are rejected, or all queries are
// answered.
func FuzzKeptColumns(f *testing.F) {
	rnd := rand.New(rand.NewPCG(9, 10))
	l, dir := newLibrary(), f.TempDir()
	for id := int64(1); id <= 20; id++ {
		l.put(motley(id, rnd))
	}
	e := open(f, dir, l)
	keep(f, e)
	path := filepath.Join(dir, "columns-"+l.kept)
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), []byte{}, false)
	f.Add(uint32(len(whole)/2), []byte{1}, true)
	f.Add(uint32(120), []byte{255, 255, 255, 255}, true)
	f.Add(uint32(len(whole)-9), slices.Repeat([]byte{0}, 100), false)
	f.Fuzz(func(t *testing.T, at uint32, change []byte, mend bool) {
		b := slices.Clone(whole)
		copy(b[int(at)%len(b):], change)
		if mend {
			search.MendSums(b)
		}
		if err := search.TryColumns(b, l.kept); err == nil && !mend && !bytes.Equal(b, whole) {
			t.Error("a change was not noticed")
		}
	})
}

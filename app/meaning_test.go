package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/enrich/textvec"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/storage"
)

// running is a running library, as with dal serve.
type running struct {
	*app.App
	dir   string
	actor dam.Actor
	stop  func()
}

// run opens a library and starts its background work.
func run(t *testing.T, dir string, change func(*app.Config)) *running {
	t.Helper()
	cfg := app.DefaultConfig()
	cfg.OCR = analyze.OCROff
	cfg.DataDir, cfg.Workers = dir, 2
	cfg.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	if change != nil {
		change(&cfg)
	}
	a, err := app.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := a.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.OpenSearch(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	r := &running{App: a, dir: dir}
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		unlock()
	})
	t.Cleanup(r.stop)
	r.actor.User = &dam.User{Name: "Test", Email: "test@example.com", Role: dam.RoleAdmin}
	users, err := a.Accounts.Users(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(users) > 0 {
		r.actor.User = users[0]
	} else if err := a.Accounts.CreateUser(t.Context(), r.actor.User, "correct horse battery"); err != nil {
		t.Fatal(err)
	}
	return r
}

// bring imports a picture for each title and returns the assets in that order.
func (r *running) bring(t *testing.T, titles ...string) (list []*dam.Asset) {
	t.Helper()
	dir := t.TempDir()
	for i, title := range titles {
		img := image.NewRGBA(image.Rect(0, 0, 32, 24))
		for y := range 24 {
			for x := range 32 {
				img.Set(x, y, color.RGBA{uint8(x * (i + 1) * 8), uint8(y * 10), uint8(len(title) * 9), 255})
			}
		}
		f, err := os.Create(filepath.Join(dir, title+".jpg"))
		if err != nil {
			t.Fatal(err)
		}
		if err := jpeg.Encode(f, img, nil); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	p, err := r.Importer.Import(t.Context(), r.actor, dir, bulk.ImportOptions{
		Problem:  func(path, why string) { t.Errorf("%s: %s", path, why) },
		Progress: func(bulk.ImportProgress) {},
	})
	if err != nil || p.Ready != len(titles) {
		t.Fatalf("import: %+v, %v", p, err)
	}
	all, err := r.Finder.Assets(t.Context(), r.actor, dam.Query{Page: dam.Page{Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range titles {
		for _, h := range all.Hits {
			if h.Title == title {
				list = append(list, h.Asset)
			}
		}
	}
	if len(list) != len(titles) {
		t.Fatalf("%d assets with these titles, want %d", len(list), len(titles))
	}
	return list
}

func (r *running) update(t *testing.T, a *dam.Asset, p *dam.AssetPatch) {
	t.Helper()
	if _, err := r.Assets.Update(t.Context(), r.actor, a.GAID, p, nil); err != nil {
		t.Fatal(err)
	}
}

func set[T any](v T) dam.Opt[T] { return dam.Opt[T]{Sent: true, Value: v} }

// rows reads the stored vectors of assets from the database, as another process
// would.
func (r *running) rows(t *testing.T, assets ...*dam.Asset) (all map[int64]*storage.AssetVector) {
	t.Helper()
	s, err := storage.Open(t.Context(), filepath.Join(r.dir, "dal.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var ids []int64
	for _, a := range assets {
		ids = append(ids, a.ID)
	}
	err = s.View(t.Context(), func(tx *storage.Tx) error {
		all, err = tx.VectorsOf(ids)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// meant lists the titles that a text finds by meaning only.
func (r *running) meant(t *testing.T, text string) (titles []string, state dam.Meaning) {
	t.Helper()
	l, err := r.Finder.Assets(t.Context(), r.actor, dam.Query{Text: text, Sort: dam.SortTitle, Page: dam.Page{Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range l.Hits {
		if len(h.MatchedOn) > 0 && (h.MatchedOn[0] == "meaning" || h.MatchedOn[0] == "synonym") {
			titles = append(titles, h.Title)
		}
	}
	return titles, l.Meaning
}

// until waits until a condition holds.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.After(60 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-deadline:
			t.Fatalf("it did not come to this: %s", what)
		case <-tick.C:
		}
	}
}

// findsByMeaning waits until a text finds the wanted titles.
func (r *running) findsByMeaning(t *testing.T, text string, want ...string) {
	t.Helper()
	until(t, fmt.Sprintf("%s finds %q", text, want), func() bool {
		got, state := r.meant(t, text)
		return state == dam.MeaningReady && slices.Equal(got, want)
	})
}

const (
	dog     = "a young dog playing in the snow"
	volcano = "lava flowing from a volcano"
	camera  = "IMG 7"
	bridge  = "wooden bridge over a canal"
)

// Vectors follow changes of the assets' texts, in the database and in memory.
func TestMeaning(t *testing.T) {
	t.Parallel()
	r := run(t, t.TempDir(), nil)
	assets := r.bring(t, dog, volcano, camera)
	r.findsByMeaning(t, "puppy", dog)
	r.findsByMeaning(t, "eruption", volcano)
	r.findsByMeaning(t, "income tax")
	// A camera's file name carries no meaning.
	until(t, "all are read", func() bool { return len(r.rows(t, assets...)) == 3 })
	first := r.rows(t, assets...)
	if v := first[assets[2].ID]; v == nil || v.Values != nil || len(v.TextHash) != 32 {
		t.Errorf("%s has the vector %+v", camera, v)
	}
	for _, a := range assets[:2] {
		if v := first[a.ID]; v == nil || v.Model != textvec.LiteModel || len(v.Values) == 0 || len(v.TextHash) != 32 || v.Err != "" {
			t.Errorf("%s has the vector %+v", a.Title, v)
		}
	}
	// A new title changes the meaning.
	const tax = "declaration of earnings for the revenue office"
	r.update(t, assets[0], &dam.AssetPatch{Title: set(tax)})
	r.findsByMeaning(t, "income tax", tax)
	r.findsByMeaning(t, "puppy")
	// So do keywords, captions, tags and custom fields.
	for _, p := range []*dam.AssetPatch{
		{Keywords: set([]string{"a little dog", "snow"})},
		{AICaption: set("a young dog in a garden")},
		{AITags: set([]string{"dog", "young animal"})},
		{Metadata: set(map[string]any{"story": "a young dog playing with a ball"})},
	} {
		r.update(t, assets[2], p)
		r.findsByMeaning(t, "puppy", camera)
		r.update(t, assets[2], &dam.AssetPatch{
			Keywords:  set[[]string](nil),
			AICaption: set(""),
			AITags:    set[[]string](nil),
			Metadata:  dam.Opt[map[string]any]{Sent: true, Null: true},
		})
		r.findsByMeaning(t, "puppy")
	}
	second := r.rows(t, assets...)
	before, after := first[assets[0].ID], second[assets[0].ID]
	if slices.Equal(before.Values, after.Values) || slices.Equal(before.TextHash, after.TextHash) {
		t.Error("the vector of a changed text is the same")
	}
	if !slices.Equal(first[assets[1].ID].Values, second[assets[1].ID].Values) {
		t.Error("the vector of a text that did not change is another")
	}
	r.update(t, assets[0], &dam.AssetPatch{Title: set("IMG 1")})
	until(t, "no meaning", func() bool { v := r.rows(t, assets[0])[assets[0].ID]; return v != nil && v.Values == nil })
	r.findsByMeaning(t, "income tax")
	// Assets in the trash keep their vectors, deleted ones do not.
	if err := r.Assets.Trash(t.Context(), r.actor, assets[1].GAID, nil); err != nil {
		t.Fatal(err)
	}
	r.findsByMeaning(t, "eruption")
	if len(r.rows(t, assets[1])) != 1 {
		t.Error("in the trash it has no vector")
	}
	if _, err := r.Assets.Restore(t.Context(), r.actor, assets[1].GAID, nil); err != nil {
		t.Fatal(err)
	}
	r.findsByMeaning(t, "eruption", volcano)
	if err := r.Assets.Delete(t.Context(), r.actor, assets[1].GAID, nil); err != nil {
		t.Fatal(err)
	}
	r.findsByMeaning(t, "eruption")
	if rows := r.rows(t, assets...); len(rows) != 2 || rows[assets[1].ID] != nil {
		t.Errorf("%d vectors are left", len(rows))
	}
	left := storage.VectorModel{Model: textvec.LiteModel, Vectors: 2}
	if list, err := r.Finder.Meanings(t.Context()); err != nil || len(list) != 1 || list[0] != left {
		t.Errorf("%+v, %v", list, err)
	}
}

// service is an embedding endpoint that can be made to fail.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	status  int            // HTTP status of the answer, 0 to return vectors
	refused string         // texts that contain this are refused
	numbers int            // dimensions of a vector; 0 for all
	asked   map[string]int // number of requests per text
}

func newService(t *testing.T) *service {
	s := &service{asked: map[string]int{}}
	lite := textvec.NewLite(1)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		status, numbers := s.status, s.numbers
		for _, text := range body.Input {
			s.asked[text]++
			if s.refused != "" && strings.Contains(text, s.refused) {
				status = http.StatusBadRequest
			}
		}
		s.mu.Unlock()
		if status != 0 {
			w.WriteHeader(status)
			return
		}
		vectors, err := lite.Embed(r.Context(), body.Input)
		if err != nil {
			return // the client has disconnected
		}
		type item struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var reply struct {
			Data []item `json:"data"`
		}
		for i, v := range vectors {
			if v == nil {
				v = make([]float32, 512)
				v[0] = 1
			}
			if numbers > 0 {
				v = v[:numbers]
			}
			reply.Data = append(reply.Data, item{i, v})
		}
		json.NewEncoder(w).Encode(reply)
	}))
	t.Cleanup(s.Close)
	return s
}

// config configures a library to use a model of the service.
func (s *service) config(model string) func(*app.Config) {
	return func(c *app.Config) { c.Embeddings, c.EmbeddingsModel = s.URL+"/v1", model }
}

func (s *service) change(do func(*service)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(s)
}

// count returns how often the model was asked for a text.
func (s *service) count(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[text]
}

// A text is embedded once, and again only when it or the model changes: not when
// anything else changes, and not after a restart.
func TestMeaningIsReadOnce(t *testing.T) {
	t.Parallel()
	s, dir := newService(t), t.TempDir()
	r := run(t, dir, s.config("one"))
	assets := r.bring(t, dog, volcano, bridge)
	r.findsByMeaning(t, "puppy", dog)
	counts := func(when string, want ...int) {
		t.Helper()
		var got []int
		for _, text := range []string{dog, volcano, bridge} {
			got = append(got, s.count(text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s the texts were read %v times, want %v", when, got, want)
		}
	}
	until(t, "all are read", func() bool { return len(r.rows(t, assets...)) == 3 })
	counts("at first", 1, 1, 1)

	// Changes are followed in order: once the last is processed, so are all earlier
	// ones.
	r.update(t, assets[0], &dam.AssetPatch{WorkflowStatus: set(dam.WorkflowStatus("approved"))})
	r.update(t, assets[0], &dam.AssetPatch{Creator: set("Ada"), Copyright: set("© Ada")})
	if err := r.Assets.Trash(t.Context(), r.actor, assets[1].GAID, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Assets.Restore(t.Context(), r.actor, assets[1].GAID, nil); err != nil {
		t.Fatal(err)
	}
	r.update(t, assets[2], &dam.AssetPatch{Title: set("first change")})
	until(t, "the change is read", func() bool { return s.count("first change") > 0 })
	counts("after other changes", 1, 1, 1)
	r.stop()

	r = run(t, dir, s.config("one"))
	r.findsByMeaning(t, "puppy", dog)
	r.update(t, assets[2], &dam.AssetPatch{Title: set(bridge)})
	until(t, "the change is read", func() bool { return s.count(bridge) > 1 })
	counts("after a restart", 1, 1, 2)
	r.findsByMeaning(t, "eruption", volcano)
	like, state, err := r.Finder.Similar(t.Context(), r.actor, assets[0].GAID, 10)
	if err != nil || state != dam.MeaningReady {
		t.Errorf("similar assets after a restart: %+v, %s, %v", like, state, err)
	}
	r.stop()

	r = run(t, dir, s.config("two"))
	r.findsByMeaning(t, "puppy", dog)
	r.findsByMeaning(t, "eruption", volcano)
	until(t, "all are read", func() bool {
		rows := r.rows(t, assets...)
		return !slices.ContainsFunc(assets, func(a *dam.Asset) bool { return rows[a.ID].Model != "endpoint/two" })
	})
	counts("with another model", 2, 2, 3)
	r.stop()

	// The service replaces its model by another one with the same name:
	// incompatible vectors find nothing, and are rebuilt once that is detected.
	s.change(func(s *service) { s.numbers = 100 })
	r = run(t, dir, s.config("two"))
	until(t, "vectors are loaded", func() bool { _, state := r.meant(t, "anything"); return state != dam.MeaningLoading })
	if _, _, err := r.Finder.Similar(t.Context(), r.actor, assets[0].GAID, 10); err != nil {
		t.Errorf("similar assets by vectors that cannot be compared: %v", err)
	}
	r.update(t, assets[2], &dam.AssetPatch{Title: set("second change")})
	until(t, "all are read again", func() bool {
		rows := r.rows(t, assets...)
		return len(rows) == 3 && !slices.ContainsFunc(assets, func(a *dam.Asset) bool { return len(rows[a.ID].Values) != 100 })
	})
	r.stop()

	r = run(t, dir, nil)
	r.findsByMeaning(t, "puppy", dog)
	if got := r.rows(t, assets[0])[assets[0].ID]; got.Model != textvec.LiteModel || len(got.Values) == 100 {
		t.Errorf("built in again: the vector is of %s", got.Model)
	}
}

// While the service fails, full-text search finds everything, and texts wait to be
// embedded. A text that the service refuses gets no vector.
func TestMeaningFails(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.change(func(s *service) { s.status, s.refused = http.StatusUnauthorized, "volcano" })
	r := run(t, t.TempDir(), s.config("one"))
	assets := r.bring(t, dog, volcano, bridge)
	until(t, "the service is asked", func() bool { return s.count(dog) > 0 })
	l, err := r.Finder.Assets(t.Context(), r.actor, dam.Query{Text: "volcano", Page: dam.Page{Limit: 10}})
	if err != nil || l.Total != 1 || l.Hits[0].Title != volcano || l.Meaning != dam.MeaningUnavailable {
		t.Errorf("words while the service fails: %+v, %v", l, err)
	}
	if rows := r.rows(t, assets...); len(rows) != 0 {
		t.Errorf("%d vectors although the service fails", len(rows))
	}
	s.change(func(s *service) { s.status = 0 })
	until(t, "texts are read", func() bool { return len(r.rows(t, assets...)) == 3 })
	r.findsByMeaning(t, "puppy", dog)
	r.findsByMeaning(t, "eruption")
	if v := r.rows(t, assets[1])[assets[1].ID]; v.Values != nil || v.Err == "" {
		t.Errorf("a text that was refused: %+v", v)
	}
	want := storage.VectorModel{Model: "endpoint/one", Vectors: 3, Refused: 1}
	if list, err := r.Finder.Meanings(t.Context()); err != nil || len(list) != 1 || list[0] != want {
		t.Errorf("%+v, %v", list, err)
	}
	// A refused text is not retried until it changes.
	n := s.count(volcano)
	r.update(t, assets[1], &dam.AssetPatch{Creator: set("Ada")})
	r.update(t, assets[0], &dam.AssetPatch{Title: set("a sleeping cat")})
	until(t, "the change is read", func() bool { return s.count("a sleeping cat") > 0 })
	if again := s.count(volcano); again != n {
		t.Errorf("a text that was refused was sent %d times, then %d", n, again)
	}
	s.change(func(s *service) { s.refused = "" })
	r.update(t, assets[1], &dam.AssetPatch{Title: set("lava and ashes of a volcano")})
	r.findsByMeaning(t, "eruption", "lava and ashes of a volcano")
}

func TestMeaningOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := run(t, dir, func(c *app.Config) { c.Embeddings = find.EmbeddingsOff })
	assets := r.bring(t, dog, volcano)
	if list, state := r.meant(t, "puppy"); state != dam.MeaningOff || len(list) != 0 {
		t.Errorf("off: %s, %v", state, list)
	}
	if l, err := r.Finder.Assets(t.Context(), r.actor, dam.Query{Text: "volcano", Page: dam.Page{Limit: 10}}); err != nil || l.Total != 1 {
		t.Errorf("words: %+v, %v", l, err)
	}
	if _, state, err := r.Finder.Similar(t.Context(), r.actor, assets[0].GAID, 5); err != nil || state != dam.MeaningOff {
		t.Errorf("similar assets: %s, %v", state, err)
	}
	r.stop()
	if rows := r.rows(t, assets...); len(rows) != 0 {
		t.Errorf("%d vectors", len(rows))
	}
	// Changes made in the meantime are processed once it is enabled.
	r = run(t, dir, nil)
	r.findsByMeaning(t, "puppy", dog)
	r.stop()
	for _, tt := range []struct{ embeddings, model, key string }{
		{"on", "", ""},
		{"http://example.com/v1", "", ""},
		{"ftp://example.com/v1", "m", ""},
		{"http://example.com/v1", "m", "a key"},
	} {
		c := app.DefaultConfig()
		c.OCR = analyze.OCROff
		c.DataDir, c.Log = t.TempDir(), slog.New(slog.DiscardHandler)
		c.Embeddings, c.EmbeddingsModel, c.EmbeddingsKey = tt.embeddings, tt.model, tt.key
		if a, err := app.Open(t.Context(), c); err == nil {
			t.Errorf("%q with the model %q was taken", c.Embeddings, c.EmbeddingsModel)
			a.Close()
		} else if strings.Contains(err.Error(), "a key") {
			t.Errorf("the key is in %q", err)
		}
	}
}

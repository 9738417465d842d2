package textvec

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

// embed returns the vector of one text, or nil.
func embed(t testing.TB, l *Lite, text string) []float32 {
	t.Helper()
	vectors, err := l.Embed(context.Background(), []string{text})
	if err != nil || len(vectors) != 1 {
		t.Fatalf("%q: %d vectors, %v", text, len(vectors), err)
	}
	return vectors[0]
}

// isUnit reports whether a vector has length 1, except for rounding.
func isUnit(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Abs(sum-1) < 1e-5
}

func TestLiteWithoutMeaning(t *testing.T) {
	t.Parallel()
	l := NewLite(1)
	for text, want := range map[string]bool{
		"": false, " \n\t\u00a0": false, "\u2581": false, "🎉🎉": false, "東京タワーの夜景": false, "Привет, мир": false,
		"\xff\xfe": false, "\x00": false,
		"x": true, "42": true, "...": true, "東京 tower": true, "naïve café": true, "€5": true,
	} {
		v := embed(t, l, text)
		if (v != nil) != want || l.Reads(text) != want {
			t.Errorf("%q has a vector of %d numbers", text, len(v))
		}
		if v != nil && (len(v) != dim || !isUnit(v)) {
			t.Errorf("the vector of %q has %d numbers, of length 1: %v", text, len(v), isUnit(v))
		}
	}
}

// Texts that differ only in whitespace or Unicode form have the same vector.
func TestLiteClean(t *testing.T) {
	t.Parallel()
	l := NewLite(1)
	want := embed(t, l, "The fine café is open")
	for _, text := range []string{"  The fine café\n\nis\topen ", "The fine cafe\u0301 is\u00a0open", "Ｔｈｅ ﬁne café is\r\nopen"} {
		if !slices.Equal(embed(t, l, text), want) {
			t.Errorf("%q has another vector", text)
		}
	}
	if slices.Equal(embed(t, l, "The fine café is closed"), want) {
		t.Error("another text has the same vector")
	}
}

// Most paraphrases are closer to each other than to 51 other texts.
func TestLiteParaphrases(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/paraphrases.json")
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][2]string
	if err := json.Unmarshal(data, &pairs); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, p := range pairs {
		texts = append(texts, p[0], p[1])
	}
	vectors, err := NewLite(1).Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	first := 0
	for i := range texts {
		best, at := -2.0, 0
		for j := range texts {
			if c := cosine(vectors[i], vectors[j]); j != i && c > best {
				best, at = c, j
			}
		}
		if at == i^1 {
			first++
		} else {
			t.Logf("%q is nearest to %q", texts[i], texts[at])
		}
	}
	t.Logf("%d of %d have their partner first", first, len(texts))
	if first < 44 {
		t.Errorf("only %d of %d have their partner first", first, len(texts))
	}
}

func TestLiteLongText(t *testing.T) {
	t.Parallel()
	l := NewLite(1)
	m := loadModel(t)
	dogs := strings.Repeat("The dog runs over the green grass and barks. ", 12)
	bills := strings.Repeat("Please pay the invoice within thirty days of receipt. ", 12)

	// The mean of the windows, weighted by length.
	s, ids := newScratch(matrix.Fastest()), m.vocabulary.encode(clean(dogs+bills, maxLiteText))
	want := make([]float32, dim)
	windows := m.vocabulary.windows(ids)
	for _, part := range windows {
		addScaled(want, m.encode(s, part), float32(len(part)))
	}
	got := embed(t, l, dogs+bills)
	if len(windows) < 2 || cosine(got, want) < 0.999999 || !isUnit(got) {
		t.Errorf("%d windows, cosine %v", len(windows), cosine(got, want))
	}
	for _, half := range []string{dogs, bills} {
		if c := cosine(got, embed(t, l, half)); c < 0.5 {
			t.Errorf("the cosine to %.20q… is %v", half, c)
		}
	}

	// Text beyond the limit is ignored.
	wide := strings.Repeat("东", maxLiteText/3)
	if embed(t, l, wide+dogs+dogs) != nil {
		t.Error("a text beyond 64 KiB counts")
	}
}

func TestLiteConcurrent(t *testing.T) {
	t.Parallel()
	texts := []string{"a dog", "sunset over the ocean", "", examples["caption"], examples["page"]}
	want, err := NewLite(1).Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	l := NewLite(2)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			got, err := l.Embed(context.Background(), texts)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("other vectors than alone, %v", err)
			}
		})
	}
	wg.Wait()
	if len(l.free) != 2 {
		t.Errorf("%d of 2 workers are free", len(l.free))
	}
}

func TestLiteCancelled(t *testing.T) {
	t.Parallel()
	l := NewLite(1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, text := range []string{"a dog", ""} {
		if _, err := l.Embed(ctx, []string{text}); !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v", text, err)
		}
	}

	// A call that waits for a worker.
	busy := <-l.free
	ctx, cancel = context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := l.Embed(ctx, []string{"a dog"})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	l.free <- busy
	if embed(t, l, "a dog") == nil {
		t.Error("no vector after a cancelled one")
	}
}

func TestNewLiteBounds(t *testing.T) {
	t.Parallel()
	for workers, want := range map[int]int{-1: 1, 0: 1, 3: 3, 1000: maxLiteWorkers} {
		if l := NewLite(workers); cap(l.free) != want || l.Model() != LiteModel {
			t.Errorf("NewLite(%d): %d workers of %s", workers, cap(l.free), l.Model())
		}
	}
}

package objects

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/draw"
	"image/jpeg"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

func kernels() []matrix.Kernels {
	list := []matrix.Kernels{{}}
	if matrix.Fastest().Vector {
		list = append(list, matrix.Kernels{Vector: true})
	}
	if matrix.Fastest().Long {
		list = append(list, matrix.Fastest())
	}
	return list
}

func photograph(t testing.TB, name string) ([]byte, image.Image) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return data, img
}

// The scores match those of TensorFlow.js with every kernel.
func TestScores(t *testing.T) {
	t.Parallel()
	var golden []struct {
		File   string
		Scores []float64
	}
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden) == 0 {
		t.Fatal(err)
	}
	for i, k := range kernels() {
		m, err := newModel(modelFile, k)
		if err != nil {
			t.Fatal(err)
		}
		for j, g := range golden {
			if i == 0 && j > 0 {
				break // slow
			}
			_, img := photograph(t, g.File)
			small := image.NewRGBA(image.Rect(0, 0, side, side))
			draw.Draw(small, small.Rect, img, image.Point{}, draw.Src)
			got := m.best(small, false)
			for class, want := range g.Scores {
				// JPEG decoders also differ.
				if diff := math.Abs(got[class+1] - want); diff > 0.03 {
					t.Errorf("%+v: %s: %s is %.3f, want %.3f", k, g.File, names[class+1], got[class+1], want)
				}
			}
		}
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	e, err := NewEngine()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"chelsea.jpg": "cat", "coffee.jpg": "cup", "astronaut.jpg": "person"} {
		data, _ := photograph(t, name)
		look, err := e.Look(t.Context(), engine.Job{Least: 0.5}, bytes.NewReader(data))
		if err != nil || len(look.Tags) == 0 || look.Tags[0].Name != want {
			t.Errorf("%s: %v, %v", name, look, err)
		}
		for _, tag := range look.Tags {
			if tag.Score < 0.5 || tag.Score > 1 {
				t.Errorf("%s: %v", name, tag)
			}
		}
	}
	if _, err := e.Look(t.Context(), engine.Job{}, strings.NewReader("no picture")); err == nil {
		t.Error("nonsense is looked at")
	}
	if tags, err := e.model.Tags(t.Context(), image.NewRGBA(image.Rect(0, 0, 1, 1000)), 0.5); err != nil || len(tags) > 0 {
		t.Errorf("a line: %v, %v", tags, err)
	}
	nothing := image.NewRGBA(image.Rect(0, 0, 0, 0))
	if tags, err := e.model.Tags(t.Context(), nothing, 0.5); err != nil || len(tags) > 1 {
		t.Errorf("nothing: %v, %v", tags, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.model.Tags(ctx, image.NewRGBA(image.Rect(0, 0, 10, 10)), 0.5); err == nil {
		t.Error("it goes on after it was cancelled")
	}
}

// A model file is either rejected or can be run.
func FuzzParse(f *testing.F) {
	whole := "DALSSD1\n" +
		"\x03\x00" +
		"\x00\x01\x00\x00\x00\x00\x01\x02\x03\x00\x02\x00" + strings.Repeat("\x00", 4*2+2*3*16) +
		"\x01\x00\x01\x00\x00\x00\x03\x01\x02\x00\x02\x00" + strings.Repeat("\x00", 4*2+4*9*2) +
		"\x02\x01\x02\x00\x01\x00\x01\x01\x02\x00\x02\x00"
	if _, err := parse(whole); err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:40])
	f.Add(modelFile[:2000])
	f.Fuzz(func(t *testing.T, file string) {
		net, err := parse(file)
		if err != nil {
			return
		}
		work := 0
		for _, l := range net.layers {
			work += l.size * l.size * l.in * l.out
		}
		if work > 1<<20 {
			return
		}
		net.run(newScratch(matrix.Fastest(), net), grid{5, 4, colors, make([]float32, 5*4*colors+64)}, func(grid, int) {})
	})
}

func BenchmarkTags(b *testing.B) {
	m, err := New()
	if err != nil {
		b.Fatal(err)
	}
	_, img := photograph(b, "chelsea.jpg")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Tags(b.Context(), img, 0.5); err != nil {
			b.Fatal(err)
		}
	}
}

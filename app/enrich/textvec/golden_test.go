package textvec

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

// liteSHA256 is what ./convert prints.
const liteSHA256 = "35fd154b3afef023b0ab7f4ecff0300b8ffea673448b9010fe80b72b3c565315"

func TestModelFile(t *testing.T) {
	t.Parallel()
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(liteFile))); sum != liteSHA256 {
		t.Errorf("the model file has the sha256 %s, not %s", sum, liteSHA256)
	}
}

// loadModel reads the built-in model.
func loadModel(t testing.TB) *model {
	t.Helper()
	m, err := parseModel(liteFile)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// kernelsHere is the ways to calculate on this processor.
func kernelsHere() []matrix.Kernels {
	list := []matrix.Kernels{{}}
	if matrix.Fastest().Vector {
		list = append(list, matrix.Kernels{Vector: true})
	}
	if matrix.Fastest().Long {
		list = append(list, matrix.Fastest())
	}
	return list
}

// golden is a text with its tokens and the vector of the first 128 of them, as
// the model's own JavaScript calculates them. testdata/golden.json is made by
// testdata/npm/textvec/golden.mjs.
type golden struct {
	Text   string
	Tokens []uint16
	Vector []byte // float32, little endian
}

func readGolden(t *testing.T) []golden {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []golden
	if err := json.Unmarshal(data, &list); err != nil || len(list) < 40 {
		t.Fatalf("%d texts, %v", len(list), err)
	}
	return list
}

func TestGolden(t *testing.T) {
	t.Parallel()
	m := loadModel(t)
	for _, k := range kernelsHere() {
		s := newScratch(k)
		worst := 1.0
		for _, g := range readGolden(t) {
			ids := m.vocabulary.encode(norm.NFKC.String(g.Text))
			if !slices.Equal(ids, g.Tokens) {
				t.Errorf("%q has the tokens %v, want %v", g.Text, ids, g.Tokens)
				continue
			}
			if len(g.Tokens) == 0 {
				continue
			}
			want := make([]float32, dim)
			if _, err := binary.Decode(g.Vector, binary.LittleEndian, want); err != nil {
				t.Fatalf("%q: %v", g.Text, err)
			}
			got := m.encode(s, ids[:min(len(ids), window)])
			worst = min(worst, cosine(got, want))
			if c := cosine(got, want); !(c > 0.99999) {
				t.Errorf("%q has the cosine %v to its reference with %+v", g.Text, c, k)
			}
		}
		t.Logf("%+v, least cosine: %v", k, worst)
	}
}

// Vectors of 16 numbers give the same meanings as those of 8, to the last bit.
func TestLongVectors(t *testing.T) {
	t.Parallel()
	if !matrix.Fastest().Long {
		t.Skip("this processor has no such vectors")
	}
	m := loadModel(t)
	long, short := newScratch(matrix.Fastest()), newScratch(matrix.Kernels{Vector: true})
	for _, g := range readGolden(t) {
		for _, n := range []int{1, 4, 5, 12, window} {
			ids := g.Tokens[:min(len(g.Tokens), n)]
			if len(ids) > 0 && !slices.Equal(m.encode(long, ids), m.encode(short, ids)) {
				t.Errorf("%d tokens of %q mean something else", len(ids), g.Text)
			}
		}
	}
}

// cosine is that of the angle between two vectors of any length.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

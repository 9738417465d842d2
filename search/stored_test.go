package search_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/search"
)

func TestPostingsAreReadAsBleveReadsThem(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	z := rand.NewZipf(rnd, 1.1, 3, 300)
	l, dir := newLibrary(), t.TempDir()
	e := open(t, dir, l)
	put := func(from, to int64) {
		for id := from; id < to; id++ {
			a := motley(id, rnd)
			a.OCRText = strings.Repeat(words(z, 1)+" ", 1+rnd.IntN(200)) + words(z, rnd.IntN(300))
			a.Description, a.Metadata = words(z, rnd.IntN(30)), map[string]any{word(z.Uint64()): words(z, 3)}
			l.put(a)
		}
		indexAll(t, e)
	}
	put(1, 1200)
	put(1200, 1300)
	put(40, 60) // again, which deletes the previous documents
	l.remove(1250)
	indexAll(t, e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(t, dir, l) // all segments are in files now
	defer e.Close()
	n, err := e.ComparePostings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n < 2000 {
		t.Errorf("compared %d lists of postings", n)
	}
}

// FuzzPostings reads possibly invalid postings.
func FuzzPostings(f *testing.F) {
	f.Add([]byte{1, 6, 2, 1, 5, 3, 0xff, 1}, uint64(0), uint32(3), uint32(9), uint32(9))
	f.Add([]byte{0, 2, 4, 4, 0, 1, 2, 0x80}, uint64(1), uint32(3), uint32(70_000), uint32(3))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, uint64(0), uint32(0), uint32(0), uint32(0))
	f.Fuzz(func(t *testing.T, data []byte, at uint64, a, b, without uint32) {
		if n, err := search.TryPostings(data, at, []uint32{a, b, 1 << 30}, []uint32{without}); err == nil && n > 3 {
			t.Errorf("%d postings of 3 documents", n)
		}
	})
}

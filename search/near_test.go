package search

import (
	"math/rand/v2"
	"testing"
)

// Very many nearly equal hashes take about as long as other hashes: none is compared with
// all.
func TestNearDuplicatesOfManyAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ flips, most int }{{64, 500}, {3, 100}, {6, 1000}, {10, 2000}} {
		rnd := rand.New(rand.NewPCG(1, uint64(c.flips)))
		var pictures []picture
		for id := range int64(20_000) {
			h := uint64(0x0f1e2d3c4b5a6978)
			for range rnd.IntN(c.flips + 1) {
				h ^= 1 << rnd.IntN(64)
			}
			pictures = append(pictures, picture{h, id})
		}
		g := newGrouping(pictures, NearDuplicate)
		if err := g.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := len(g.hashes)
		if g.compared/n > c.most {
			t.Errorf("%d flips: each of %d hashes was compared %d times", c.flips, n, g.compared/n)
		}
	}
}

package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Packed texts return the latest value, after any sequence of changes.
func TestTexts(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(2, 3))
	const n = 500
	var packed texts
	packed.grow(n)
	plain := make([]string, n)
	for range 8000 {
		id, s := uint32(rnd.IntN(n)), strings.Repeat(fmt.Sprint(rnd.IntN(1000)), rnd.IntN(500))
		packed.set(id, s)
		plain[id] = s
	}
	held := packed.get(7)
	packed.set(7, strings.Repeat("long", maxText))
	if s := packed.get(7); len(s) != maxText || !strings.HasPrefix(s, "longlong") {
		t.Errorf("%d bytes of a very long text", len(s))
	}
	if held != plain[7] {
		t.Error("a text changed while somebody had it")
	}
	packed.set(7, plain[7])
	for id, s := range plain {
		if packed.get(uint32(id)) != s {
			t.Fatalf("%d has %.20q, not %.20q", id, packed.get(uint32(id)), s)
		}
	}
	all := 0
	for _, c := range packed.chunks {
		all += len(c)
	}
	if most := 2*packed.size + 2*chunkSize; all > most {
		t.Errorf("%d bytes for %d", all, packed.size)
	}
}

// Packed lists contain the values added since they were cleared.
func TestLists(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	const n = 3000
	var packed lists
	plain := make([][]uint32, n)
	for range 2_000_000 {
		id := uint32(rnd.IntN(n))
		if len(plain[id]) > rnd.IntN(60) {
			packed.clear(id)
			plain[id] = nil
			continue
		}
		v := rnd.Uint32()
		packed.add(id, v)
		plain[id] = append(plain[id], v)
	}
	left := 0
	for id, list := range plain {
		left += len(list)
		if !slices.Equal(packed.get(uint32(id)), list) {
			t.Fatalf("%d has %d, not %d", id, packed.get(uint32(id)), list)
		}
	}
	if most := 2*left + 4*chunkSize; len(packed.data) > most {
		t.Errorf("%d numbers for %d", len(packed.data), left)
	}
	packed.clear(n + 5)
	if packed.get(n+5) != nil {
		t.Error("an asset without a list has one")
	}
}

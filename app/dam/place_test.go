package dam_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// After any move the list has the requested order, and positions behind the moved item are
// distinct.
func TestMoved(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]dam.Place[int], 40) // all at position 0, sorted by key
	for i := range list {
		list[i].Key = i + 1
	}
	want := make([]int, len(list))
	for i, p := range list {
		want[i] = p.Key
	}
	for range 2000 {
		key, after := 1+random.IntN(len(list)), random.IntN(len(list)+1)
		changed, ok := dam.Moved(list, key, after)
		if ok != (key != after) {
			t.Fatalf("%d behind %d: %v", key, after, ok)
		}
		if !ok {
			continue
		}
		want = slices.DeleteFunc(want, func(k int) bool { return k == key })
		want = slices.Insert(want, slices.Index(want, after)+1, key)
		for _, c := range changed {
			list[slices.IndexFunc(list, func(p dam.Place[int]) bool { return p.Key == c.Key })].Position = c.Position
			if c.Position < 0 || c.Position > dam.MaxPosition {
				t.Fatal(c)
			}
		}
		slices.SortFunc(list, func(a, b dam.Place[int]) int { // equal positions by key
			if a.Position != b.Position {
				return a.Position - b.Position
			}
			return a.Key - b.Key
		})
		for i, p := range list {
			if p.Key != want[i] {
				t.Fatalf("%d behind %d: %v, want %v", key, after, list, want)
			}
		}
	}
}

func TestMovedEdges(t *testing.T) {
	t.Parallel()
	at := func(positions ...int) (list []dam.Place[string]) {
		for i, p := range positions {
			list = append(list, dam.Place[string]{Key: string(rune('a' + i)), Position: p})
		}
		return list
	}
	for _, c := range []struct {
		list       []dam.Place[string]
		key, after string
		want       string
	}{
		{at(0, 10, 20), "c", "a", "[{c 5}] true"},
		{at(0, 10, 20), "b", "a", "[] true"},
		{at(0, 10, 20), "x", "c", "[{x 36}] true"},
		{at(8, 10), "b", "", "[{b 3}] true"},
		{at(), "x", "", "[{x 0}] true"},
		{at(0, 1), "x", "", "[{x 0} {a 16} {b 32}] true"},
		{at(0, 1), "x", "y", "[] false"},
		{at(0, 1), "a", "a", "[] false"},
		{at(5, dam.MaxPosition), "a", "b", "[{b 0} {a 500000}] true"},
	} {
		changed, ok := dam.Moved(c.list, c.key, c.after)
		if got := fmt.Sprint(changed, ok); got != c.want {
			t.Errorf("%v, %s behind %q: %s, want %s", c.list, c.key, c.after, got, c.want)
		}
	}
}

package dam

import "slices"

// placeGap is the default distance between positions in a list, which leaves room for
// insertions.
const placeGap = 16

// Place is the position of an item in a manually ordered list.
type Place[K comparable] struct {
	Key      K
	Position int
}

// Moved returns the positions that change when the item key moves directly behind the item
// after, or to the front if after is zero. The list must be sorted; key need not be in it.
// ok is false if after is not among the other items.
func Moved[K comparable](list []Place[K], key, after K) (changed []Place[K], ok bool) {
	is := func(k K) func(Place[K]) bool { return func(p Place[K]) bool { return p.Key == k } }
	order := slices.DeleteFunc(slices.Clone(list), is(key))
	at := 0
	var first K
	if after != first {
		if at = slices.IndexFunc(order, is(after)) + 1; at == 0 {
			return nil, false
		}
	}
	order = slices.Insert(order, at, Place[K]{Key: key})
	if slices.EqualFunc(order, list, func(a, b Place[K]) bool { return a.Key == b.Key }) {
		return nil, true
	}
	makeRoom(order, at)
	had := make(map[K]int, len(list))
	for _, p := range list {
		had[p.Key] = p.Position
	}
	for _, p := range order {
		if before, there := had[p.Key]; !there || before != p.Position {
			changed = append(changed, p)
		}
	}
	return changed, true
}

// makeRoom sets the position of the item at an index between its neighbors, and shifts the
// following items as far as necessary.
func makeRoom[K comparable](order []Place[K], at int) {
	before := -placeGap
	if at > 0 {
		before = order[at-1].Position
	}
	order[at].Position = before + placeGap
	if at+1 < len(order) {
		if room := order[at+1].Position - max(before, -1); room > 1 {
			order[at].Position = max(before, -1) + room/2
		}
	}
	for i := at + 1; i < len(order) && order[i].Position <= order[i-1].Position; i++ {
		order[i].Position = order[i-1].Position + placeGap
	}
	if order[len(order)-1].Position <= MaxPosition {
		return
	}
	for i := range order {
		order[i].Position = i * (MaxPosition / len(order))
	}
}

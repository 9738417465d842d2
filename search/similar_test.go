package search_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/enrich/textvec"
	"github.com/digital-asset-library/dal/search"
)

func similar(t testing.TB, e *search.Engine, asset int64, n int) []search.Similar {
	t.Helper()
	list, _, err := e.Similar(t.Context(), asset, n)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Near duplicates are images whose hashes differ in up to 6 bits, nearest first, without
// the asset itself, those in the trash, and those without a hash.
func TestSimilarPictures(t *testing.T) {
	t.Parallel()
	const hash = 0xA5C3_0F96_1E78_D2B4
	l := newLibrary()
	put := func(id int64, phash uint64) *dam.Asset {
		a := asset(id, fmt.Sprint(id))
		a.PHash = phash
		l.put(a)
		return a
	}
	put(1, hash)
	put(2, hash^0b111111)
	put(3, hash^1<<63^1)
	put(4, hash)
	put(5, hash^0b1111111)
	put(6, 0)
	put(7, 0)
	put(8, ^uint64(hash))
	put(9, hash^1<<40)
	put(10, hash^0b11)
	put(11, hash).DeletedAt = &epoch
	put(12, 0b1)
	e := open(t, t.TempDir(), l)
	defer e.Close()
	want := []search.Similar{
		{AssetID: 4},
		{AssetID: 9, Distance: 1},
		{AssetID: 3, Distance: 2},
		{AssetID: 10, Distance: 2},
		{AssetID: 2, Distance: 6},
	}
	if got := similar(t, e, 1, 100); !slices.Equal(got, want) {
		t.Errorf("like 1: %+v, want %+v", got, want)
	}
	for n := range want {
		if got := similar(t, e, 1, n); !slices.Equal(got, want[:n]) {
			t.Errorf("the first %d like 1: %+v", n, got)
		}
	}
	for id, want := range map[int64]int{6: 0, 7: 0, 8: 0, 12: 0, 99: 0, -1: 0, 1 << 40: 0, 5: 2} {
		if got := similar(t, e, id, 100); len(got) != want {
			t.Errorf("like %d: %+v", id, got)
		}
	}
	// Changes take effect immediately.
	put(4, ^uint64(hash))
	put(9, hash).DeletedAt = &epoch
	put(6, hash^0b111)
	l.remove(10)
	want = []search.Similar{{AssetID: 3, Distance: 2}, {AssetID: 6, Distance: 3}, {AssetID: 2, Distance: 6}}
	if got := similar(t, e, 1, 100); !slices.Equal(got, want) {
		t.Errorf("after changes, like 1: %+v, want %+v", got, want)
	}
	if got := similar(t, e, 8, 100); !slices.Equal(got, []search.Similar{{AssetID: 4}}) {
		t.Errorf("after changes, like 8: %+v", got)
	}
}

// Assets with a similar meaning follow the near duplicates, each asset once.
func TestSimilarMeaning(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	all := []*dam.Asset{
		asset(1, "a volcano erupting at night"),
		asset(2, "volcanic eruption in the dark"),
		asset(3, "lava flowing from a volcano"),
		asset(4, "a volcano erupting at night"),
		asset(5, "contract with a supplier"),
		asset(6, "volcano at night"),
		asset(7, ""),
	}
	all[0].PHash, all[1].PHash, all[4].PHash, all[6].PHash = 0b1111, 0b1110, 0b1000, 0b1111
	all[5].DeletedAt = &epoch
	l.put(all...)
	model := textvec.NewLite(2)
	e := openWith(t, l, model)
	defer e.Close()
	understand(t, e, model, all...)
	got, state, err := e.Similar(t.Context(), 1, 100)
	if err != nil || state != dam.MeaningReady {
		t.Fatalf("%s, %v", state, err)
	}
	var order []int64
	for i, s := range got {
		order = append(order, s.AssetID)
		if s.Distance < 0 && i > 0 && got[i-1].Distance < 0 && s.Cosine > got[i-1].Cosine {
			t.Errorf("%+v comes after %+v", s, got[i-1])
		}
	}
	if !slices.Equal(order, []int64{7, 2, 5, 4, 3}) {
		t.Fatalf("like 1: %+v", got)
	}
	for i, want := range []search.Similar{
		{AssetID: 7, Distance: 0},
		{AssetID: 2, Distance: 1},
		{AssetID: 5, Distance: 3},
		{AssetID: 4, Distance: -1},
		{AssetID: 3, Distance: -1},
	} {
		if got[i].Distance != want.Distance {
			t.Errorf("%+v, want the distance %d", got[i], want.Distance)
		}
	}
	if got[0].Cosine != 0 { // it has no text
		t.Errorf("%+v", got[0])
	}
	if c := got[3].Cosine; c < 0.9999 || c > 1.0001 { // the same text
		t.Errorf("%+v", got[3])
	}
	if got[1].Cosine <= got[4].Cosine || got[4].Cosine <= got[2].Cosine || got[4].Cosine >= 1 {
		t.Errorf("cosines: %+v", got)
	}
	for n := range got {
		if part := similar(t, e, 1, n); !slices.Equal(part, got[:n]) {
			t.Errorf("the first %d: %+v", n, part)
		}
	}
	if got := similar(t, e, 7, 100); len(got) != 3 || got[0].AssetID != 1 { // images alone
		t.Errorf("like one without a text: %+v", got)
	}
	odd := func(s search.Similar) bool { return s.AssetID == 5 || s.AssetID == 6 || s.AssetID == 3 }
	if got := similar(t, e, 3, 100); len(got) == 0 || got[0].Distance != -1 || slices.ContainsFunc(got, odd) {
		t.Errorf("like one without a picture: %+v", got)
	}
	if got := similar(t, e, 5, 100); len(got) != 3 { // no similar meaning
		t.Errorf("like another: %+v", got)
	}
}

// plainDuplicates compares every image with every other.
func plainDuplicates(pictures map[int64]uint64, distance int) (out [][]int64) {
	var list []int64
	group := map[int64]int64{} // the smallest connected id
	for id, h := range pictures {
		if h != 0 {
			list = append(list, id)
			group[id] = id
		}
	}
	slices.Sort(list)
	for i, a := range list {
		for _, b := range list[i+1:] {
			if from, to := group[b], group[a]; from != to && bits.OnesCount64(pictures[a]^pictures[b]) <= distance {
				for id, g := range group {
					if g == from || g == to {
						group[id] = min(from, to)
					}
				}
			}
		}
	}
	members := map[int64][]int64{}
	for _, id := range list {
		members[group[id]] = append(members[group[id]], id)
	}
	for _, g := range members {
		if len(g) > 1 {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b []int64) int { return cmp.Compare(a[0], b[0]) })
	return out
}

func TestNearDuplicates(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	pictures := map[int64]uint64{}
	var hashes []uint64
	for len(pictures) < 2000 {
		h := rnd.Uint64()
		if n := len(hashes); n > 0 && rnd.IntN(3) == 0 { // near another, which may be near a third
			h = hashes[rnd.IntN(n)]
			for range rnd.IntN(17) {
				h ^= 1 << rnd.IntN(64)
			}
		}
		if rnd.IntN(40) == 0 {
			h = []uint64{0, 1, 1 << 63, 0b111}[rnd.IntN(4)] // unknown, and near that
		}
		hashes = append(hashes, h)
		pictures[rnd.Int64N(1<<40)] = h
	}
	before := -1 // assets in groups
	for distance := range 16 {
		want := plainDuplicates(pictures, distance)
		got, err := search.NearDuplicates(t.Context(), pictures, distance)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("distance %d: %d groups, want %d", distance, len(got), len(want))
		}
		n := len(slices.Concat(want...))
		if n <= before {
			t.Errorf("distance %d finds %d assets, a smaller one %d", distance, n, before)
		}
		before = n
	}
	for name, none := range map[string]map[int64]uint64{
		"none": nil, "one": {1: 5}, "unknown": {1: 0, 2: 0, 3: 1}, "far": {1: 1, 2: ^uint64(0)},
	} {
		if got, err := search.NearDuplicates(t.Context(), none, 6); err != nil || len(got) != 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := search.NearDuplicates(ctx, pictures, 6); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// Similar returns the same as comparing with all others.
func TestSimilarAgainstPlain(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	l := newLibrary()
	var all []*dam.Asset
	for id := int64(1); id <= 400; id++ {
		a := asset(id, "")
		a.PHash = rnd.Uint64N(4) * 0x123456789
		for range rnd.IntN(8) {
			a.PHash ^= 1 << rnd.IntN(64)
		}
		if rnd.IntN(6) == 0 {
			a.DeletedAt = &epoch
		}
		all = append(all, a)
	}
	l.put(all...)
	e := open(t, t.TempDir(), l)
	defer e.Close()
	total := 0
	for _, a := range all {
		var want []search.Similar
		for _, b := range all {
			if d := bits.OnesCount64(a.PHash ^ b.PHash); a != b && b.DeletedAt == nil && a.PHash != 0 && b.PHash != 0 && d <= search.NearDuplicate {
				want = append(want, search.Similar{AssetID: b.ID, Distance: d})
			}
		}
		slices.SortStableFunc(want, func(a, b search.Similar) int { return cmp.Compare(a.Distance, b.Distance) })
		if got := similar(t, e, a.ID, 1000); !slices.Equal(got, want) {
			t.Errorf("like %d: %v, want %v", a.ID, got, want)
		}
		total += len(want)
	}
	if total < 1000 {
		t.Errorf("only %d pairs", total)
	}
}

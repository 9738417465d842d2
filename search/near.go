package search

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// NearDuplicates groups pictures that are the same or nearly so, given the
// perceptual hashes of assets, 0 for none: in a group each is within distance bits
// of another. The oldest assets come first.
func NearDuplicates(ctx context.Context, pictures map[int64]uint64, distance int) ([][]int64, error) {
	g := newGrouping(pictures, distance)
	if err := g.run(ctx); err != nil {
		return nil, err
	}
	return g.groups(), nil
}

// grouping puts hashes into groups.
type grouping struct {
	pictures []picture // by hash, and then by asset
	hashes   []uint64  // each once, ascending
	distance int
	parent   []uint32 // of each hash another one of the group, itself for its first
	compared int      // pairs
}

type picture struct {
	hash  uint64
	asset int64
}

func newGrouping(pictures map[int64]uint64, distance int) *grouping {
	g := &grouping{distance: distance, pictures: make([]picture, 0, len(pictures))}
	for asset, h := range pictures {
		if h != 0 {
			g.pictures = append(g.pictures, picture{h, asset})
		}
	}
	slices.SortFunc(g.pictures, func(a, b picture) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		return cmp.Compare(a.asset, b.asset)
	})
	for i, p := range g.pictures {
		if i == 0 || p.hash != g.pictures[i-1].hash {
			g.parent = append(g.parent, uint32(len(g.hashes)))
			g.hashes = append(g.hashes, p.hash)
		}
	}
	return g
}

// groups returns the groups of several assets.
func (g *grouping) groups() (out [][]int64) {
	number := make([]int, len(g.hashes)) // of the group of a root, from 1
	first := make([]int64, len(g.hashes))
	n := -1 // of the hash
	for i, p := range g.pictures {
		if i == 0 || p.hash != g.pictures[i-1].hash {
			n++
		}
		root := g.root(uint32(n))
		switch {
		case first[root] == 0:
			first[root] = p.asset
		case number[root] == 0:
			out = append(out, []int64{first[root], p.asset})
			number[root] = len(out)
		default:
			out[number[root]-1] = append(out[number[root]-1], p.asset)
		}
	}
	for _, ids := range out {
		slices.Sort(ids)
	}
	slices.SortFunc(out, func(a, b []int64) int { return cmp.Compare(a[0], b[0]) })
	return out
}

func (g *grouping) root(i uint32) uint32 {
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}

// run groups all hashes. Of distance+2 parts of two near hashes at least two are the
// same, so only those have to be compared that share two parts.
func (g *grouping) run(ctx context.Context) error {
	parts := g.distance + 2
	mask := func(p int) uint64 {
		from, to := 64*p/parts, 64*(p+1)/parts
		return ^uint64(0) >> (64 - (to - from)) << from
	}
	for p := range parts {
		for q := range p {
			if err := g.sharing(ctx, mask(p)|mask(q)); err != nil {
				return err
			}
		}
	}
	return nil
}

// sharing groups the hashes that are near and have the bits of a mask in common.
func (g *grouping) sharing(ctx context.Context, mask uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// A bucket may have others, too, which makes it only slower.
	width := min(max(bits.Len(uint(len(g.hashes))), 8), 20)
	bucketOf := func(h uint64) uint64 { return (h & mask) * 0x9e3779b97f4a7c15 >> (64 - width) }
	ends := make([]uint32, 1<<width+1)
	for _, h := range g.hashes {
		ends[bucketOf(h)+1]++
	}
	for b := range 1 << width {
		ends[b+1] += ends[b]
	}
	order := make([]uint32, len(g.hashes))
	for i, h := range g.hashes {
		b := bucketOf(h)
		order[ends[b]] = uint32(i)
		ends[b]++ // from where it begins to where it ends
	}
	from := uint32(0)
	for b := range 1 << width {
		if ends[b] == from {
			continue
		}
		if err := g.bucket(ctx, order[from:ends[b]]); err != nil {
			return err
		}
		from = ends[b]
	}
	return nil
}

// ball is a hash with those near it that came after it: they are all of one group.
type ball struct {
	center uint32
	others []uint32
}

// fewAlike is up to how many hashes are compared with all others of their bucket.
const fewAlike = 32

// bucket groups the hashes of a bucket that are near. Of very many that are nearly
// the same, most are in one group soon, and need not be compared one by one: a
// hash is compared with the others of a ball only if it is not in their group yet,
// and not too far from the center for any of them.
func (g *grouping) bucket(ctx context.Context, bucket []uint32) error {
	if len(bucket) <= fewAlike {
		for n, i := range bucket {
			for _, j := range bucket[:n] {
				if g.apart(i, j) <= g.distance {
					g.join(i, j)
				}
			}
		}
		return nil
	}
	var balls []ball
	for n, i := range bucket {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		own := -1
		for b := range balls {
			d := g.apart(i, balls[b].center)
			switch {
			case d <= g.distance:
				g.join(i, balls[b].center)
				if own < 0 {
					own = b
				}
			case d <= 2*g.distance && g.root(i) != g.root(balls[b].center):
				if g.nearAny(i, balls[b].others) {
					g.join(i, balls[b].center)
				}
			}
		}
		if own < 0 {
			balls = append(balls, ball{center: i})
		} else {
			balls[own].others = append(balls[own].others, i)
		}
	}
	return nil
}

func (g *grouping) nearAny(i uint32, others []uint32) bool {
	return slices.ContainsFunc(others, func(j uint32) bool { return g.apart(i, j) <= g.distance })
}

// apart is how many bits of two hashes differ.
func (g *grouping) apart(i, j uint32) int {
	g.compared++
	return bits.OnesCount64(g.hashes[i] ^ g.hashes[j])
}

func (g *grouping) join(i, j uint32) {
	if a, b := g.root(i), g.root(j); a != b {
		g.parent[max(a, b)] = min(a, b)
	}
}

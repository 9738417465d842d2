package search

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// NearDuplicates groups identical or nearly identical images by the perceptual hashes of
// assets, 0 for none: in a group, each is within distance bits of another. The oldest
// assets come first.
func NearDuplicates(ctx context.Context, pictures map[int64]uint64, distance int) ([][]int64, error) {
	list := make([]picture, 0, len(pictures))
	for asset, h := range pictures {
		if h != 0 {
			list = append(list, picture{h, asset})
		}
	}
	slices.SortFunc(list, func(a, b picture) int { return cmp.Compare(a.asset, b.asset) })
	return nearDuplicates(ctx, list, distance)
}

// nearDuplicates is NearDuplicates for images with hashes, in the order of their assets.
func nearDuplicates(ctx context.Context, pictures []picture, distance int) ([][]int64, error) {
	g := newGrouping(pictures, distance)
	if err := g.run(ctx); err != nil {
		return nil, err
	}
	return g.groups(), nil
}

// grouping puts hashes into groups.
type grouping struct {
	pictures []picture // by hash, then by asset
	hashes   []uint64  // distinct, ascending
	distance int
	forest
}

// forest is a union-find structure of the known groups.
type forest struct {
	parent   []uint32 // for each hash another one of its group, or itself for the root
	compared int      // number of compared pairs
}

type picture struct {
	hash  uint64
	asset int64
}

func newGrouping(pictures []picture, distance int) *grouping {
	pictures = byHash(pictures)
	g := &grouping{distance: distance, pictures: pictures}
	for i, p := range pictures {
		if i == 0 || p.hash != pictures[i-1].hash {
			g.hashes = append(g.hashes, p.hash)
		}
	}
	g.forest = newForest(len(g.hashes))
	return g
}

// byHash returns images in the order of their hashes, keeping the order of those with
// equal ones. It is a radix sort by byte, which takes a tenth of the time of a comparison
// sort.
func byHash(pictures []picture) []picture {
	from, to := slices.Clone(pictures), make([]picture, len(pictures))
	for shift := 0; shift < 64; shift += 8 {
		var ends [257]int
		for _, p := range from {
			ends[p.hash>>shift&0xff+1]++
		}
		for b := range 256 {
			ends[b+1] += ends[b]
		}
		for _, p := range from {
			b := p.hash >> shift & 0xff
			to[ends[b]] = p
			ends[b]++
		}
		from, to = to, from
	}
	return from
}

func newForest(n int) forest {
	f := forest{parent: make([]uint32, n)}
	for i := range f.parent {
		f.parent[i] = uint32(i)
	}
	return f
}

// groups returns the groups of two or more assets.
func (g *grouping) groups() (out [][]int64) {
	number := make([]int, len(g.hashes)) // by root: number of the group, from 1
	first := make([]int64, len(g.hashes))
	n := -1 // index of the hash
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

// hashesAPart is the number of hashes that justifies another processor.
const hashesAPart = 10_000

// run groups all hashes. If two near hashes are divided into distance+2 parts, at least
// two parts are equal, so only hashes that share two parts are compared. Each processor
// handles some of the pairs of parts.
func (g *grouping) run(ctx context.Context) error {
	parts := g.distance + 2
	mask := func(p int) uint64 {
		from, to := 64*p/parts, 64*(p+1)/parts
		return ^uint64(0) >> (64 - (to - from)) << from
	}
	var masks []uint64
	for p := range parts {
		for q := range p {
			masks = append(masks, mask(p)|mask(q))
		}
	}
	n := min(partsOf(len(g.hashes), hashesAPart), len(masks))
	found := inParts(n, len(masks), func(from, to int) *comparison {
		c := &comparison{ctx: ctx, distance: g.distance, forest: newForest(len(g.hashes))}
		for _, mask := range masks[from:to] {
			c.sharing(g.hashes, mask)
		}
		return c
	})
	for _, c := range found {
		if err := ctx.Err(); err != nil {
			return err
		}
		g.compared += c.compared
		for i := range c.parent {
			g.join(uint32(i), c.root(uint32(i)))
		}
	}
	return nil
}

func (f *forest) root(i uint32) uint32 {
	for f.parent[i] != i {
		f.parent[i] = f.parent[f.parent[i]]
		i = f.parent[i]
	}
	return i
}

func (f *forest) join(i, j uint32) {
	if a, b := f.root(i), f.root(j); a != b {
		f.parent[max(a, b)] = min(a, b)
	}
}

// comparison groups hashes that share some of their bits.
type comparison struct {
	ctx      context.Context // comparing stops once it is done
	distance int
	forest
	ends  []uint32
	items []hashed
}

// hashed is a hash with its number.
type hashed struct {
	hash uint64
	n    uint32
}

// sharing groups near hashes that have equal bits under a mask.
func (c *comparison) sharing(hashes []uint64, mask uint64) {
	// A bucket may contain other hashes too, which only costs time.
	width := min(max(bits.Len(uint(len(hashes))), 8), 20)
	bucketOf := func(h uint64) uint64 { return (h & mask) * 0x9e3779b97f4a7c15 >> (64 - width) }
	if c.ends == nil {
		c.ends, c.items = make([]uint32, 1<<width+1), make([]hashed, len(hashes))
	}
	clear(c.ends)
	for _, h := range hashes {
		c.ends[bucketOf(h)+1]++
	}
	for b := range 1 << width {
		c.ends[b+1] += c.ends[b]
	}
	for i, h := range hashes {
		b := bucketOf(h)
		c.items[c.ends[b]] = hashed{h, uint32(i)}
		c.ends[b]++ // moves from the start to the end of the bucket
	}
	from := uint32(0)
	for b := range 1 << width {
		if b%1024 == 0 && c.ctx.Err() != nil {
			return
		}
		if to := c.ends[b]; to > from {
			c.bucket(c.items[from:to])
			from = to
		}
	}
}

// ball is a hash with later ones near it: all are in one group.
type ball struct {
	center hashed
	others []hashed
}

// fewAlike is the size up to which all hashes of a bucket are compared with each other.
const fewAlike = 32

// bucket groups the near hashes of a bucket. If very many are nearly equal, most are soon
// in one group and need not be compared one by one: a hash is compared with the others of
// a ball only if it is not in their group yet, and its distance from the center allows
// one of them to be near.
func (c *comparison) bucket(bucket []hashed) {
	if len(bucket) <= fewAlike {
		c.compared += len(bucket) * (len(bucket) - 1) / 2
		for n, i := range bucket {
			for _, j := range bucket[:n] {
				if bits.OnesCount64(i.hash^j.hash) <= c.distance {
					c.join(i.n, j.n)
				}
			}
		}
		return
	}
	var balls []ball
	for n, i := range bucket {
		if n%1024 == 0 && c.ctx.Err() != nil {
			return
		}
		own := -1
		c.compared += len(balls)
		for b := range balls {
			center := balls[b].center
			d := bits.OnesCount64(i.hash ^ center.hash)
			switch {
			case d <= c.distance:
				c.join(i.n, center.n)
				if own < 0 {
					own = b
				}
			case d <= 2*c.distance && c.root(i.n) != c.root(center.n):
				if c.nearAny(i, balls[b].others) {
					c.join(i.n, center.n)
				}
			}
		}
		if own < 0 {
			balls = append(balls, ball{center: i})
		} else {
			balls[own].others = append(balls[own].others, i)
		}
	}
}

func (c *comparison) nearAny(i hashed, others []hashed) bool {
	return slices.ContainsFunc(others, func(j hashed) bool {
		c.compared++
		return bits.OnesCount64(i.hash^j.hash) <= c.distance
	})
}

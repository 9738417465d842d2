package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
)

// keptVersion names what a file of columns has and how: a number that is increased
// when that changes, and the columns. A file of another version is discarded.
func keptVersion() string {
	return fmt.Sprintf("dal columns 2 %d %q", scalars, slices.Sorted(maps.Keys(wordColumns())))
}

// The states of an asset.
const (
	stateNone = iota
	stateLive
	stateBin
)

// packColumns writes the columns with a name and returns the change up to which they
// are certain. Changes may come in meanwhile, since the lock is held for one column
// at a time: what is written has some of their values and lacks others, but whoever
// reads it takes in all changes after that one, again if need be. Only the orders
// cannot be mended like this; then they are left out.
func (e *Engine) packColumns(w io.Writer, name string) (seq int64, err error) {
	e.colMu.RLock()
	k := &keeping{packer: packer{w: w}, e: e, of: e.columns, seq: e.columns.seq, n: len(e.columns.has)}
	e.colMu.RUnlock()
	k.block([]byte(keptVersion()))
	k.block([]byte(name))
	k.block(binary.LittleEndian.AppendUint64(nil, uint64(k.seq)), binary.LittleEndian.AppendUint32(nil, uint32(k.n)))
	k.numbers()
	k.words()
	for _, t := range k.of.texts() {
		var now texts
		k.locked(func(*columns) { now = texts{chunks: slices.Clone(t.chunks), of: slices.Clone(t.of[:k.n])} })
		k.texts(k.n, func(i int) string { return now.get(uint32(i)) })
	}
	k.orders()
	return k.seq, k.err
}

// keeping is one writing of the columns.
type keeping struct {
	packer
	e   *Engine
	of  *columns
	seq int64
	n   int // only the assets below are written
}

// locked calls do with the columns as they are now, which it must not change.
func (k *keeping) locked(do func(c *columns)) {
	k.e.colMu.RLock()
	defer k.e.colMu.RUnlock()
	if k.e.columns != k.of && k.err == nil {
		k.err = errors.New("another library has taken the place of this one")
	}
	if k.err == nil {
		do(k.of)
	}
}

// column writes a block.
func (k *keeping) column(pack func(c *columns) []byte) {
	var b []byte
	k.locked(func(c *columns) { b = pack(c) })
	k.block(b)
}

func (k *keeping) numbers() {
	k.column(func(c *columns) []byte { return packNumbers(c.states(k.n), stateNone) })
	for s := range scalars {
		k.column(func(c *columns) []byte { return packNumbers(c.numbers[s][:k.n], noTime) })
	}
	k.column(func(c *columns) []byte { return packNumbers(bitsOf(c.latitude[:k.n]), noBits) })
	k.column(func(c *columns) []byte { return packNumbers(bitsOf(c.longitude[:k.n]), noBits) })
	k.column(func(c *columns) []byte { return packNumbers(hashesOf(c.phash[:k.n]), 0) })
}

func (k *keeping) words() {
	for _, field := range k.of.wordFields() {
		var texts []string
		k.column(func(c *columns) []byte {
			texts = c.words[field].texts // which grows only at its end
			return packNumbers(c.words[field].of[:k.n], -1)
		})
		k.block(binary.LittleEndian.AppendUint32(nil, uint32(len(texts))))
		k.texts(len(texts), func(i int) string { return texts[i] })
	}
}

func (k *keeping) orders() {
	var orders [][]uint32
	k.locked(func(c *columns) {
		if c.seq != k.seq || c.unsorted {
			return
		}
		for _, by := range c.sorts() {
			orders = append(orders, slices.Clone(c.orders[by].ids))
		}
	})
	k.block([]byte{byte(len(orders))})
	for _, ids := range orders {
		k.block(packNumbers(ids, -1))
	}
}

// texts returns all columns of texts, in the same order each time.
func (c *columns) texts() []*texts {
	list := []*texts{&c.title, &c.filename}
	for _, by := range c.sorts() {
		if o := c.orders[by]; o.keys != nil {
			list = append(list, o.keys)
		}
	}
	return list
}

// wordFields returns the fields of words.
func (c *columns) wordFields() []string { return slices.Sorted(maps.Keys(c.words)) }

// sorts returns what there are orders for.
func (c *columns) sorts() []dam.Sort { return slices.Sorted(maps.Keys(c.orders)) }

// states returns which assets there are, and which of them are in the trash.
func (c *columns) states(n int) []uint8 {
	list := make([]uint8, n)
	each(c.live, func(id uint32) {
		if int(id) < n {
			list[id] = stateLive
		}
	})
	each(c.bin, func(id uint32) {
		if int(id) < n {
			list[id] = stateBin
		}
	})
	return list
}

// noBits are the bits of NaN.
var noBits = int64(math.Float64bits(math.NaN()))

func bitsOf(list []float64) []int64 {
	all := make([]int64, len(list))
	for i, v := range list {
		all[i] = int64(math.Float64bits(v))
	}
	return all
}

func hashesOf(list []uint64) []int64 {
	all := make([]int64, len(list))
	for i, v := range list {
		all[i] = int64(v)
	}
	return all
}

// texts writes n texts: their lengths, and then the texts, as many in a block as fit.
func (p *packer) texts(n int, get func(i int) string) {
	lengths := make([]uint32, n)
	for i := range lengths {
		lengths[i] = uint32(len(get(i)))
	}
	p.block(packNumbers(lengths, 0))
	var b []byte
	for i := range n {
		s := get(i)
		if len(b)+len(s) > chunkSize {
			p.block(b)
			b = b[:0]
		}
		b = append(b, s...)
	}
	p.block(b)
}

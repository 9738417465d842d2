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

// keptVersion identifies the format of a snapshot: a number that is incremented when the
// format changes, and the columns. Snapshots of another version are discarded.
func keptVersion() string {
	return fmt.Sprintf("dal columns 2 %d %q", scalars, slices.Sorted(maps.Keys(wordColumns())))
}

// The states of an asset.
const (
	stateNone = iota
	stateLive
	stateBin
)

// packColumns writes a snapshot with a name and returns the change up to which it is
// reliable. Changes may be applied meanwhile, because the lock is held for one column at
// a time: the snapshot then contains some of their values and lacks others, but its
// reader applies all changes after the returned one, if necessary again. This does not
// work for the orders, which are omitted in this case.
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

// keeping is the writing of one snapshot.
type keeping struct {
	packer
	e   *Engine
	of  *columns
	seq int64
	n   int // only assets below n are written
}

// locked calls do with the current columns, which it must not change.
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

// column writes a column as a block.
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
			texts = c.words[field].texts // grows only at its end
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

// texts returns all text columns, always in the same order.
func (c *columns) texts() []*texts {
	list := []*texts{&c.title, &c.filename}
	for _, by := range c.sorts() {
		if o := c.orders[by]; o.keys != nil {
			list = append(list, o.keys)
		}
	}
	return list
}

// wordFields returns the fields with word columns.
func (c *columns) wordFields() []string { return slices.Sorted(maps.Keys(c.words)) }

// sorts returns the sorts with an order.
func (c *columns) sorts() []dam.Sort { return slices.Sorted(maps.Keys(c.orders)) }

// states returns the state of each asset below n.
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

// texts writes n texts: their lengths, then the texts, as many per block as fit.
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

package search

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
)

// readColumns reads the snapshot with a name, which must not include changes after last.
func readColumns(path, name string, last int64) (*columns, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	c, err := unpackColumns(bufio.NewReaderSize(f, 1<<20), info.Size(), name)
	if err == nil && c.seq > last {
		err = errors.New("it knows more changes than the library has")
	}
	return c, err
}

// unpackColumns reads a snapshot of size bytes that packColumns has written with a name.
// The result is reliable up to its seq: the caller must apply all later changes, then
// call sort.
func unpackColumns(r io.Reader, size int64, name string) (*columns, error) {
	u := &unpacker{r: r, left: size}
	if version := string(u.block()); u.err == nil && version != keptVersion() {
		return nil, fmt.Errorf("it has version %.99q and this dal writes %q", version, keptVersion())
	}
	if got := string(u.block()); u.err == nil && got != name {
		return nil, fmt.Errorf("it calls itself %.99q", got)
	}
	head := u.block()
	if u.err != nil || len(head) != 12 {
		return nil, cmp.Or(u.err, errPacked)
	}
	c := newColumns()
	c.seq = int64(binary.LittleEndian.Uint64(head))
	c.recent.after = c.seq
	n := int(binary.LittleEndian.Uint32(head[8:]))
	if c.seq < 0 || int64(n) > size { // each asset takes several bytes
		return nil, errPacked
	}
	u.numbers(c, n)
	for _, field := range c.wordFields() {
		u.words(c.words[field], n, size)
	}
	for _, t := range c.texts() {
		u.column(t, n)
	}
	u.orders(c)
	if u.left != 0 {
		u.fail()
	}
	return c, u.err
}

// numbers reads the number columns of the assets below n.
func (u *unpacker) numbers(c *columns, n int) {
	c.has = make([]bool, n)
	live, bin := make([]uint64, (n+63)/64), make([]uint64, (n+63)/64)
	for id, state := range numbersOf[uint8](u, n, stateNone) {
		c.has[id] = state != stateNone
		switch state {
		case stateNone:
		case stateLive:
			live[id/64] |= 1 << (id % 64)
		case stateBin:
			bin[id/64] |= 1 << (id % 64)
		default:
			u.fail()
		}
	}
	c.live, c.bin = roaring.FromDense(live, true), roaring.FromDense(bin, true)
	for s := range scalars {
		c.numbers[s] = numbersOf[int64](u, n, noTime)
	}
	c.latitude, c.longitude = u.floats(n), u.floats(n)
	c.phash = make([]uint64, n)
	for id, h := range numbersOf[int64](u, n, 0) {
		c.phash[id] = uint64(h)
	}
}

func (u *unpacker) floats(n int) []float64 {
	list := make([]float64, n)
	for i, b := range numbersOf[int64](u, n, noBits) {
		list[i] = math.Float64frombits(uint64(b))
	}
	return list
}

// words reads a word column from a file of size bytes.
func (u *unpacker) words(w *wordColumn, n int, size int64) {
	w.of = numbersOf[uint32](u, n, -1)
	head := u.block()
	if u.err != nil || len(head) != 4 || int64(binary.LittleEndian.Uint32(head)) > size {
		u.fail()
		return
	}
	count := binary.LittleEndian.Uint32(head)
	u.texts(int(count), maxBlock, func(i int, piece string, from, length int) {
		if w.number(piece[from:from+length]) != uint32(i) { // it is a duplicate
			u.fail()
		}
	})
	for _, number := range w.of {
		if number >= count {
			u.fail()
		}
	}
}

// column reads the texts of the assets below n.
func (u *unpacker) column(t *texts, n int) {
	t.of = make([]textAt, n)
	u.texts(n, maxText, func(i int, piece string, from, length int) {
		if length == 0 {
			return
		}
		if from == 0 { // the first of its piece
			t.chunks = append(t.chunks, piece)
		}
		t.of[i] = textAt(len(t.chunks)-1)<<(2*textBits) | textAt(from)<<textBits | textAt(length)
		t.size += length
	})
}

// texts reads n texts of up to most bytes and calls do for each, with its position in a
// piece.
func (u *unpacker) texts(n, most int, do func(i int, piece string, from, length int)) {
	lengths := numbersOf[uint32](u, n, 0)
	piece, from := string(u.block()), 0
	for i, l := range lengths {
		length := int(l)
		if from+length > chunkSize {
			if from != len(piece) {
				u.fail()
			}
			piece, from = string(u.block()), 0
		}
		if length > most || from+length > len(piece) {
			u.fail()
		}
		if u.err != nil {
			return
		}
		do(i, piece, from, length)
		from += length
	}
	if from != len(piece) {
		u.fail()
	}
}

// orders reads the orders, and checks that each contains every asset once and is sorted.
func (u *unpacker) orders(c *columns) {
	sorts := c.sorts()
	switch head := u.block(); {
	case u.err != nil:
		return
	case len(head) == 1 && head[0] == 0:
		c.unsorted = true
		return
	case len(head) != 1 || int(head[0]) != len(sorts):
		u.fail()
		return
	}
	all := int(c.live.GetCardinality() + c.bin.GetCardinality())
	var wg sync.WaitGroup
	var wrong atomic.Bool
	for _, by := range sorts {
		ids := numbersOf[uint32](u, all, -1)
		seen := make([]bool, len(c.has))
		for _, id := range ids {
			if !c.known(id) || seen[id] {
				u.fail()
				break
			}
			seen[id] = true
		}
		if u.err != nil {
			break
		}
		o := c.orders[by]
		o.ids = ids
		wg.Go(func() {
			if !slices.IsSortedFunc(ids, o.cmp) {
				wrong.Store(true)
			}
		})
	}
	if wg.Wait(); wrong.Load() {
		u.fail()
	}
}

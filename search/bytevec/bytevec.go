// Package bytevec compares many vectors with one, by numbers of a byte each: an
// eighth of the reading that float64 takes, a quarter of float32, and 16 products
// in an instruction where the processor has AVX2. A cosine is off by about 0.0005.
package bytevec

import (
	"math"
	"slices"
)

const (
	// lane is how many numbers the kernel takes at once; rows are as many or a
	// multiple.
	lane = 16
	// blockRows is how many vectors are kept in one piece of memory.
	blockRows = 1024
	// MaxDimension is the most numbers a vector may have: the sum of their
	// products fits into 32 bits.
	MaxDimension = math.MaxInt32 / (largest * largest) / lane * lane

	largest = 127
)

// Table holds vectors of one dimension, each under an ID. Readers may be many; one
// that writes has to be alone.
type Table struct {
	dimension, stride int
	blocks            [][]int8
	scale             []float32 // of each row, 0 for one that is free
	ids               []uint32  // of each row
	rows              []int32   // of each ID, from 1; 0 for none
	free              []int32
}

// New returns an empty table for vectors of dimension numbers, from 1 to
// MaxDimension.
func New(dimension int) *Table {
	return &Table{dimension: dimension, stride: (dimension + lane - 1) / lane * lane}
}

// Dimension is the number of numbers in a vector.
func (t *Table) Dimension() int { return t.dimension }

// Len is the number of vectors.
func (t *Table) Len() int { return len(t.ids) - len(t.free) }

// Rows is the number of rows, of which some may be free; see Scan.
func (t *Table) Rows() int { return len(t.ids) }

// Put sets the vector of an ID. v has the table's dimension.
func (t *Table) Put(id uint32, v []float32) {
	row := t.row(id)
	if row < 0 {
		row = t.take(id)
	}
	t.scale[row] = quantize(t.at(row), v[:t.dimension])
}

// Remove forgets the vector of an ID, if there is one.
func (t *Table) Remove(id uint32) {
	if row := t.row(id); row >= 0 {
		t.scale[row], t.rows[id] = 0, 0
		t.free = append(t.free, int32(row))
	}
}

// row returns the row of an ID, -1 for none.
func (t *Table) row(id uint32) int {
	if int(id) >= len(t.rows) {
		return -1
	}
	return int(t.rows[id]) - 1
}

// take gives an ID a free row.
func (t *Table) take(id uint32) int {
	if n := int(id) + 1; n > len(t.rows) {
		t.rows = slices.Grow(t.rows, n-len(t.rows))[:n]
	}
	row := len(t.ids)
	if n := len(t.free); n > 0 {
		row, t.free = int(t.free[n-1]), t.free[:n-1]
		t.ids[row] = id
	} else {
		if row%blockRows == 0 {
			t.blocks = append(t.blocks, make([]int8, blockRows*t.stride))
		}
		t.ids, t.scale = append(t.ids, id), append(t.scale, 0)
	}
	t.rows[id] = int32(row) + 1
	return row
}

// at returns the numbers of a row.
func (t *Table) at(row int) []int8 {
	return t.blocks[row/blockRows][row%blockRows*t.stride:][:t.stride]
}

// quantize fills row, which may be longer than v, and returns what its numbers have
// to be multiplied by.
func quantize(row []int8, v []float32) (scale float32) {
	var most float32
	for _, x := range v {
		most = max(most, x, -x)
	}
	clear(row)
	if most == 0 || math.IsInf(float64(most), 0) || most != most {
		return 0
	}
	scale = most / largest
	for i, x := range v {
		row[i] = int8(math.RoundToEven(float64(x / scale)))
	}
	return scale
}

// Query is a vector that others are compared with.
type Query struct {
	numbers []int16 // of a byte, but as the kernel wants them
	scale   float32
}

// Query prepares a vector of the table's dimension. Products are cosines if it and
// the table's vectors have length 1.
func (t *Table) Query(v []float32) Query {
	row := make([]int8, t.stride)
	q := Query{numbers: make([]int16, t.stride), scale: quantize(row, v[:t.dimension])}
	for i, x := range row {
		q.numbers[i] = int16(x)
	}
	return q
}

// Of returns the product of a query and the vector of an ID, and whether there is
// one.
func (t *Table) Of(q Query, id uint32) (product float32, ok bool) {
	row := t.row(id)
	if row < 0 {
		return 0, false
	}
	var sum [1]int32
	products(sum[:], q.numbers, t.at(row))
	return float32(sum[0]) * q.scale * t.scale[row], true
}

// Scan calls found with each vector from row from up to row to, exclusive, and its
// product with a query.
func (t *Table) Scan(q Query, from, to int, found func(id uint32, product float32)) {
	var sums [blockRows]int32
	for from < to {
		n := min(to-from, blockRows-from%blockRows)
		rows := t.blocks[from/blockRows][from%blockRows*t.stride:]
		products(sums[:n], q.numbers, rows[:n*t.stride])
		for i, s := range sums[:n] {
			if scale := t.scale[from+i]; scale != 0 {
				found(t.ids[from+i], float32(s)*q.scale*scale)
			}
		}
		from += n
	}
}

// Float returns the vector of an ID as it is compared, nil for none.
func (t *Table) Float(id uint32) []float32 {
	row := t.row(id)
	if row < 0 {
		return nil
	}
	v := make([]float32, t.dimension)
	for i, x := range t.at(row)[:t.dimension] {
		v[i] = float32(x) * t.scale[row]
	}
	return v
}

// products fills sums with the product of q and each row. len(rows) is len(sums)
// times len(q), which is a multiple of lane.
func products(sums []int32, q []int16, rows []int8) {
	if len(sums) == 0 {
		return
	}
	if len(q)%lane != 0 || len(rows) != len(sums)*len(q) || len(q) == 0 {
		panic("bytevec: rows of the wrong size")
	}
	if vector {
		productsVector(&sums[0], &q[0], &rows[0], len(sums), len(q))
		return
	}
	productsGo(sums, q, rows)
}

func productsGo(sums []int32, q []int16, rows []int8) {
	for i := range sums {
		row := rows[i*len(q):][:len(q)]
		var a, b, c, d int32
		for j := 0; j+3 < len(q); j += 4 {
			a += int32(q[j]) * int32(row[j])
			b += int32(q[j+1]) * int32(row[j+1])
			c += int32(q[j+2]) * int32(row[j+2])
			d += int32(q[j+3]) * int32(row[j+3])
		}
		sums[i] = a + b + c + d
	}
}

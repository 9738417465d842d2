package export

import (
	"encoding/csv"
	"io"
)

// Rows writes rows as a table without formulas.
type Rows struct{ table *csv.Writer }

// NewRows begins a table with its header.
func NewRows(w io.Writer, head ...string) (*Rows, error) {
	r := &Rows{csv.NewWriter(w)}
	r.table.UseCRLF = true
	return r, r.table.Write(head)
}

// Add writes a row. Whatever a cell has, it is no formula.
func (r *Rows) Add(cells ...string) error {
	for i, c := range cells {
		cells[i] = harmless(c)
	}
	return r.table.Write(cells)
}

// Flush writes what is left.
func (r *Rows) Flush() error {
	r.table.Flush()
	return r.table.Error()
}

package export

import (
	"encoding/csv"
	"io"
)

// Rows writes a table without formulas.
type Rows struct{ table *csv.Writer }

// NewRows starts a table with its header.
func NewRows(w io.Writer, head ...string) (*Rows, error) {
	r := &Rows{csv.NewWriter(w)}
	r.table.UseCRLF = true
	return r, r.table.Write(head)
}

// Add writes a row. It escapes formulas.
func (r *Rows) Add(cells ...string) error {
	for i, c := range cells {
		cells[i] = harmless(c)
	}
	return r.table.Write(cells)
}

// Flush writes buffered data.
func (r *Rows) Flush() error {
	r.table.Flush()
	return r.table.Error()
}

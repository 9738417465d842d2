package export

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/digital-asset-library/dal/app/dam"
)

// Result writes the outcome of each row of a table, together with the row.
type Result struct {
	table   *csv.Writer
	columns int // of the rows
}

// NewResult starts a result with its header, given the columns of the rows.
func NewResult(w io.Writer, columns []string) (*Result, error) {
	r := &Result{csv.NewWriter(w), len(columns)}
	r.table.UseCRLF = true
	var head []string
	for _, name := range []string{"line", "outcome", "error", "field", "message", "gaid"} {
		head = append(head, dam.ResultPrefix+name)
	}
	return r, r.table.Write(append(head, columns...))
}

// Add writes an item with the cells of its row.
func (r *Result) Add(item *dam.OperationItem) error {
	var fault dam.OperationError
	if item.Error != nil {
		fault = *item.Error
	}
	cells := []string{
		strconv.Itoa(item.Line), string(item.State), string(fault.Code), fault.Field, harmless(fault.Message), string(item.GAID),
	}
	for i := range r.columns { // an unreadable row has no cells
		text := ""
		if i < len(item.Row.Cells) {
			text = harmless(Plain(item.Row.Cells[i]))
		}
		cells = append(cells, text)
	}
	return r.table.Write(cells)
}

// Flush writes buffered data.
func (r *Result) Flush() error {
	r.table.Flush()
	return r.table.Error()
}

package dam

import (
	"slices"
	"strings"
	"time"
)

// The bounds of a table that changes assets.
const (
	MaxImportColumns   = 1200    // of which an export has 1,000 for custom fields
	MaxImportRow       = 4 << 20 // bytes of one row, as the file has it
	MaxImportFiles     = 20      // of one user that are in use, or have been
	MaxImportLeftovers = 5       // of one user that no operation has used; the oldest makes way for another one
	maxColumnExample   = 100     // characters
)

// ImportFile is a table that somebody has uploaded, for operations of the type
// metadata_import. Its rows are kept with it.
type ImportFile struct {
	ID          int64
	Filename    string
	Size        int64  // bytes, as uploaded
	SHA256      string // of the upload, lower-case hex
	Encoding    TableEncoding
	Separator   string // of the cells: "," or ";" or a tab
	Columns     []ImportColumn
	Rows        int // without the header
	CreatedByID int64
	CreatedAt   time.Time
	ExpiresAt   time.Time // while an operation that has not ended uses it, it stays
}

// TableEncoding is how a file has its text.
type TableEncoding string

// The encodings of tables.
const (
	TableUTF8    TableEncoding = "utf-8"
	TableUTF16LE TableEncoding = "utf-16le"
	TableUTF16BE TableEncoding = "utf-16be"
)

// Values lists the encodings of tables.
func (TableEncoding) Values() []TableEncoding {
	return []TableEncoding{TableUTF8, TableUTF16LE, TableUTF16BE}
}

// ColumnUse is what becomes of a column of a table.
type ColumnUse string

// What becomes of a column.
const (
	ColumnWrites  ColumnUse = "writes"  // its cells change assets
	ColumnIgnored ColumnUse = "ignored" // it says what nobody can change, like a file's size
	ColumnUnknown ColumnUse = "unknown" // there is no such field
)

// Values lists what becomes of columns.
func (ColumnUse) Values() []ColumnUse {
	return []ColumnUse{ColumnWrites, ColumnIgnored, ColumnUnknown}
}

// ImportColumn is a column of a table.
type ImportColumn struct {
	Name    string    // in the header
	Use     ColumnUse // of its cells
	Matches bool      // whether it can say which asset a row is about
	Kept    bool      // whether rows have its cells
	Example string    // the first cell with something in it, or its beginning
}

// NewImportColumn returns what becomes of a column, given whether exports have
// one of that name.
func NewImportColumn(name string, exported bool) ImportColumn {
	c := ImportColumn{Name: name, Use: ColumnUnknown, Matches: CanMatch(name)}
	switch {
	case isCell(name):
		c.Use = ColumnWrites
	case exported || strings.HasPrefix(name, ResultPrefix):
		c.Use = ColumnIgnored
	}
	c.Kept = c.Matches || c.Use == ColumnWrites
	return c
}

// SetExample sets the example of c to a cell, if it has none.
func (c *ImportColumn) SetExample(text string) {
	if c.Example == "" {
		c.Example = clipped(Visible(cut(text, 2*maxColumnExample)), maxColumnExample)
	}
}

// ResultPrefix begins the names of the columns that the result of an import has
// besides those of its table. A table may have them again.
const ResultPrefix = "import."

// Column returns the position of a column, -1 if there is none with this name.
func (f *ImportFile) Column(name string) int {
	return slices.IndexFunc(f.Columns, func(c ImportColumn) bool { return c.Name == name })
}

// Kept returns the names of the columns that rows have, in their order.
func (f *ImportFile) Kept() []string {
	var names []string
	for _, c := range f.Columns {
		if c.Kept {
			names = append(names, c.Name)
		}
	}
	return names
}

// Unknown returns the names of the columns that no field has.
func (f *ImportFile) Unknown() []string {
	var names []string
	for _, c := range f.Columns {
		if c.Use == ColumnUnknown {
			names = append(names, c.Name)
		}
	}
	return names
}

// ImportRow is a row of a table.
type ImportRow struct {
	Position int      // from 0
	Line     int      // of the file in which it begins, from 1
	Cells    []string // of the columns that are kept, in their order; nil if there is a problem
	Problem  string   // why the row cannot be read; "" if it can
}

// EmptyCells says what an empty cell of a table means.
type EmptyCells string

// What an empty cell means.
const (
	EmptyKeep  EmptyCells = "keep"  // the value stays as it is
	EmptyClear EmptyCells = "clear" // the value is removed
)

// Values lists what an empty cell can mean.
func (EmptyCells) Values() []EmptyCells { return []EmptyCells{EmptyKeep, EmptyClear} }

// ImportSpec is what a metadata_import is to do.
type ImportSpec struct {
	FileID        int64
	MatchBy       string // the column that says which asset a row is about
	Empty         EmptyCells
	IgnoreUnknown bool // columns that no field has are left out instead of refused

	// Set when the operation starts.
	Filename string `json:",omitempty"`
	Metadata bool   `json:",omitempty"` // whether it writes custom fields
}

// CanMatch reports whether the cells of a column can say which asset a row is
// about.
func CanMatch(column string) bool {
	switch column {
	case "gaid", "original_filename", "checksum_sha256":
		return true
	}
	key, ok := strings.CutPrefix(column, "metadata.")
	return ok && ValidMetadataKey(key)
}

// Use sets the file of s, or returns why it cannot be used.
func (s *ImportSpec) Use(f *ImportFile) error {
	var p Problems
	if unknown := f.Unknown(); len(unknown) > 0 && !s.IgnoreUnknown {
		p.Add("ignore_unknown", "The file has columns that no field has: %s. With ignore_unknown, they are left out.",
			listed(unknown[:min(len(unknown), 10)]))
	}
	if f.Column(s.MatchBy) < 0 {
		p.Add("match_by", "The file has no column %s.", s.MatchBy)
	}
	writes := false
	for _, c := range f.Columns {
		if c.Use == ColumnWrites && c.Name != s.MatchBy {
			writes = true
			s.Metadata = s.Metadata || strings.HasPrefix(c.Name, "metadata.")
		}
	}
	if !writes {
		p.Add("file_id", "The file has no column that changes assets.")
	}
	s.Filename = f.Filename
	return p.Err()
}

// check adds what is wrong with s.
func (s *ImportSpec) check(p *Problems) {
	if s.FileID <= 0 {
		p.required("file_id")
	}
	switch {
	case s.MatchBy == "":
		p.required("match_by")
	case !CanMatch(s.MatchBy):
		p.Add("match_by", "match_by must be gaid, original_filename, checksum_sha256 or metadata. and the key of a field.")
	}
	oneOf(p, "empty", s.Empty, s.Empty.Values())
}

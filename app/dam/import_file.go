package dam

import (
	"slices"
	"strings"
	"time"
)

// The limits of a table that changes assets.
const (
	MaxImportColumns   = 1200    // an export has 1,000 of these for custom fields
	MaxImportRow       = 4 << 20 // bytes of one row in the file
	MaxImportFiles     = 20      // per user, including used files
	MaxImportLeftovers = 5       // unused files per user; the oldest is deleted to make room
	maxColumnExample   = 100     // characters
)

// ImportFile is a table that a user uploaded for operations of the type metadata_import.
// Its rows are stored separately.
type ImportFile struct {
	ID          int64
	Filename    string
	Size        int64  // bytes of the upload
	SHA256      string // of the upload, lower-case hex
	Encoding    TableEncoding
	Separator   string // cell separator: "," or ";" or a tab
	Columns     []ImportColumn
	Rows        int // without the header
	CreatedByID int64
	CreatedAt   time.Time
	ExpiresAt   time.Time // ignored while an unfinished operation uses the file
}

// TableEncoding is the text encoding of a table.
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

// ColumnUse is the use of a column of a table.
type ColumnUse string

// The uses of columns.
const (
	ColumnWrites  ColumnUse = "writes"  // its cells change assets
	ColumnIgnored ColumnUse = "ignored" // contains data that users cannot change, such as a file size
	ColumnUnknown ColumnUse = "unknown" // not a field of the library
)

// Values lists the uses of columns.
func (ColumnUse) Values() []ColumnUse {
	return []ColumnUse{ColumnWrites, ColumnIgnored, ColumnUnknown}
}

// ImportColumn is a column of a table.
type ImportColumn struct {
	Name    string // in the header
	Use     ColumnUse
	Matches bool   // can identify the asset of a row
	Kept    bool   // stored in rows
	Example string // first cell that is not empty, truncated
}

// NewImportColumn classifies a column. exported tells whether exports have a column of that
// name.
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

// SetExample sets the example of c to a cell unless it already has one.
func (c *ImportColumn) SetExample(text string) {
	if c.Example == "" {
		c.Example = clipped(Visible(cut(text, 2*maxColumnExample)), maxColumnExample)
	}
}

// ResultPrefix is the prefix of the columns that the result of an import adds to its table.
// A table may contain them again.
const ResultPrefix = "import."

// Column returns the index of a column, -1 if no column has this name.
func (f *ImportFile) Column(name string) int {
	return slices.IndexFunc(f.Columns, func(c ImportColumn) bool { return c.Name == name })
}

// Kept returns the names of the stored columns in their order.
func (f *ImportFile) Kept() []string {
	var names []string
	for _, c := range f.Columns {
		if c.Kept {
			names = append(names, c.Name)
		}
	}
	return names
}

// Unknown returns the names of the columns that do not match a field.
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
	Line     int      // line in the file where it starts, from 1
	Cells    []string // cells of the stored columns in their order; nil if there is a problem
	Problem  string   // reason why the row cannot be parsed; "" for none
}

// EmptyCells is the meaning of empty cells in a table.
type EmptyCells string

// The meanings of empty cells.
const (
	EmptyKeep  EmptyCells = "keep"  // the value is kept
	EmptyClear EmptyCells = "clear" // the value is removed
)

// Values lists the meanings of empty cells.
func (EmptyCells) Values() []EmptyCells { return []EmptyCells{EmptyKeep, EmptyClear} }

// ImportSpec is the specification of a metadata_import.
type ImportSpec struct {
	FileID        int64
	MatchBy       string // column that identifies the asset of a row
	Empty         EmptyCells
	IgnoreUnknown bool // ignore columns that are not a field instead of failing

	// Set when the operation starts.
	Filename string `json:",omitempty"`
	Metadata bool   `json:",omitempty"` // the import writes custom fields
}

// CanMatch reports whether a column can identify the asset of a row.
func CanMatch(column string) bool {
	switch column {
	case "gaid", "original_filename", "checksum_sha256":
		return true
	}
	key, ok := strings.CutPrefix(column, "metadata.")
	return ok && ValidMetadataKey(key)
}

// Use sets the file of s, or returns an error if the file does not fit s.
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

// check adds the problems of s.
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

package table

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/dam"
)

func known(name string) bool { return name == "gaid" || name == "title" || name == "keywords" }

// read formats a table as lines of text.
func read(text string) (string, error) {
	r, err := NewReader(strings.NewReader(text), 1<<20, known)
	if err != nil {
		return "", err
	}
	lines := []string{fmt.Sprintf("%s %q %q", r.Encoding, r.Separator, r.Header)}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return strings.Join(lines, "\n"), nil
		}
		if err != nil {
			return strings.Join(lines, "\n"), err
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %q %s", row.Line, row.Cells, row.Problem)))
	}
}

func inUTF16(text string, big bool) string {
	var b []byte
	for _, u := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
		if hi, lo := byte(u>>8), byte(u); big {
			b = append(b, hi, lo)
		} else {
			b = append(b, lo, hi)
		}
	}
	return string(b)
}

func TestTables(t *testing.T) {
	t.Parallel()
	const two = "title,gaid\r\n\"a \"\"b\"\",\nc\",X\r\n\r\n,\r\n🚢,Y\r\n"
	const rows = " ',' [\"title\" \"gaid\"]\n2 [\"a \\\"b\\\",\\nc\" \"X\"]\n6 [\"🚢\" \"Y\"]"
	for name, tt := range map[string]struct{ in, want string }{
		"commas":        {two, "utf-8" + rows},
		"mark":          {"\ufeff" + two, "utf-8" + rows},
		"little endian": {inUTF16(two, false), "utf-16le" + rows},
		"big endian":    {inUTF16(two, true), "utf-16be" + rows},
		"semicolons":    {"gaid; title\nX;a, b\n", `utf-8 ';' ["gaid" "title"]` + "\n" + `2 ["X" "a, b"]`},
		"tabs":          {"gaid\ttitle\nX\t\n", `utf-8 '\t' ["gaid" "title"]` + "\n" + `2 ["X" ""]`},
		"known names":   {"gaid;a,b,c,d\nX;1,2,3,4", `utf-8 ';' ["gaid" "a,b,c,d"]` + "\n" + `2 ["X" "1,2,3,4"]`},
		"told":          {"sep=;\ngaid;title\nX;y", `utf-8 ';' ["gaid" "title"]` + "\n" + `3 ["X" "y"]`},
		"returns":       {"gaid,title\rX,y\rZ,\"a\rb\"", `utf-8 ',' ["gaid" "title"]` + "\n2 [\"X\" \"y\"]\n3 [\"Z\" \"a\\nb\"]"},
		"no rows":       {"gaid", `utf-8 ',' ["gaid"]`},
		"cells too few": {
			"gaid,title\nX\nY,z", "utf-8 ',' [\"gaid\" \"title\"]\n2 [] The row has 1 cells and the header has 2.\n3 [\"Y\" \"z\"]",
		},
		"too many":     {"gaid,title\nX,y,z", "utf-8 ',' [\"gaid\" \"title\"]\n2 [] The row has 3 cells and the header has 2."},
		"empty beyond": {"gaid,title,,\nX,y,,,\n", "utf-8 ',' [\"gaid\" \"title\"]\n2 [\"X\" \"y\"]"},
	} {
		if got, err := read(tt.in); err != nil || got != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, tt.want)
		}
	}
}

func TestBadTables(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"empty":           {"", "The file is empty"},
		"blank":           {"\n\n", "The file is empty"},
		"only separators": {",,\n", "The first line must have"},
		"twice":           {"gaid,title,gaid\n", `The header has the column "gaid" twice`},
		"no name":         {"gaid,,title\n", "The header has no name for column 2"},
		"workbook":        {"PK\x03\x04\x14\x00", "The file is a workbook"},
		"bytes":           {"gaid,\x00title\n", "The file is not a text"},
		"Latin-1":         {"gaid,title\nX,y\nZ,M\xfcnchen\n", "Line 3 is not in UTF-8"},
		"open quote":      {"gaid,title\nX,\"y\n", "Line 2 cannot be read: a quotation mark is missing"},
		"bare quote":      {"sep=,\ngaid,title\nX,5\" disk\n", "Line 3 cannot be read: a cell with a quotation mark"},
		"long row":        {"gaid,title\nX,\"" + strings.Repeat("y", 2<<20), "After line 1, a row is longer than"},
		"long header":     {strings.Repeat("gaid,", 100_000), "The header is longer than"},
		"many columns":    {"c" + strings.Repeat(",c", 1200), `The header has the column "c" twice`},
	} {
		got, err := read(tt.in)
		if dam.KindOf(err) != dam.Invalid || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, read %.100s", name, err, got)
		}
	}
	failure := errors.New("failure")
	broken := io.MultiReader(strings.NewReader("gaid,title\nX,"+strings.Repeat("y", 300<<10)), errReader{failure})
	r, err := NewReader(broken, 1<<20, known)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, failure) {
		t.Errorf("what goes wrong with reading is %v", err)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// For any file, the reader ends, and its rows are valid UTF-8 and as long as its header.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"gaid,title\nX,\"a\nb\"\n", "sep=;\r\ngaid;title\r\nX;y\r\n", "\ufeffgaid\ttitle\n\t\n", inUTF16("gaid,title\nX,y", true),
		inUTF16("gaid;title\nX;y", false), "gaid,title\rX,y\r", "a,\"\n", "PK\x03\x04", "gaid,,\n,,,,\n\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(strings.NewReader(string(data)), 1<<10, known)
		if err != nil {
			return
		}
		last := 0
		for range len(data) + 1 {
			row, err := r.Next()
			if err != nil {
				return
			}
			if row.Line <= last || row.Problem == "" && len(row.Cells) != len(r.Header) {
				t.Fatalf("row %+v after line %d, header %q", row, last, r.Header)
			}
			if slices.ContainsFunc(row.Cells, func(c string) bool { return !utf8.ValidString(c) }) {
				t.Fatalf("%q", row.Cells)
			}
			last = row.Line
		}
		t.Fatal("there are more rows than bytes")
	})
}

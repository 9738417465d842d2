package dam_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// noEnums are the string types without a fixed set of values.
var noEnums = []string{"GAID"}

// noValues are the constants that represent several values.
var noValues = []string{"AllEvents"}

// fromTables are the enums whose Values come from a table.
var fromTables = map[string][]string{"Rendition": wordsOf[dam.Rendition](), "FieldType": wordsOf[dam.FieldType]()}

func wordsOf[E dam.Enum[E]]() (list []string) {
	for _, v := range dam.Values[E]() {
		list = append(list, string(v))
	}
	return list
}

// Every string type has a method Values that lists all of its constants in the order of
// their declaration, without the empty string.
func TestEnumsListTheirConstants(t *testing.T) {
	t.Parallel()
	types, constants, values := declarations(t)
	for name, words := range fromTables {
		values[name] = words
	}
	if len(types) < 20 {
		t.Fatalf("only %d types: %v", len(types), types)
	}
	for _, name := range types {
		switch {
		case slices.Contains(noEnums, name):
		case values[name] == nil:
			t.Errorf("%s has no method Values that returns a list of its constants", name)
		case !slices.Equal(values[name], constants[name]):
			t.Errorf("%s: the constants are %v, Values returns %v", name, constants[name], values[name])
		}
	}
}

// declarations parses the package. It returns the string types, their constants, and the
// constants returned by their Values methods.
func declarations(t *testing.T) (types []string, constants, values map[string][]string) {
	t.Helper()
	constants, values = map[string][]string{}, map[string][]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if is, ok := n.Type.(*ast.Ident); ok && is.Name == "string" {
					types = append(types, n.Name.Name)
				}
			case *ast.ValueSpec:
				if is, ok := n.Type.(*ast.Ident); ok && len(n.Values) == 1 && literal(n.Values[0]) != `""` &&
					!slices.Contains(noValues, n.Names[0].Name) {
					name := n.Names[0].Name
					if fromTables[is.Name] != nil {
						name = strings.Trim(literal(n.Values[0]), `"`)
					}
					constants[is.Name] = append(constants[is.Name], name)
				}
			case *ast.FuncDecl:
				if n.Name.Name == "Values" && n.Recv != nil {
					values[n.Recv.List[0].Type.(*ast.Ident).Name] = listedIn(n.Body)
				}
			}
			return true
		})
	}
	return types, constants, values
}

func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok {
		return l.Value
	}
	return ""
}

// listedIn returns the identifiers in the slice literal that a function returns.
func listedIn(body *ast.BlockStmt) (names []string) {
	ast.Inspect(body, func(n ast.Node) bool {
		if list, ok := n.(*ast.CompositeLit); ok {
			for _, e := range list.Elts {
				if id, ok := e.(*ast.Ident); ok {
					names = append(names, id.Name)
				}
			}
		}
		return true
	})
	return names
}

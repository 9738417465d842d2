package web_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// enumComponents are dam's enums in the API, by component.
var enumComponents = map[string][]string{
	"Ability":            wordsOf[dam.Ability](),
	"AuditEvent":         wordsOf[dam.AuditEvent](),
	"BatchStatus":        wordsOf[dam.BatchStatus](),
	"Channel":            wordsOf[dam.Channel](),
	"ColumnUse":          wordsOf[dam.ColumnUse](),
	"ConsentContext":     wordsOf[dam.ConsentContext](),
	"ErrorCode":          wordsOf[dam.ErrorCode](),
	"DeliveryStatus":     wordsOf[dam.DeliveryStatus](),
	"EmptyCells":         wordsOf[dam.EmptyCells](),
	"Direction":          wordsOf[dam.Direction](),
	"EventType":          wordsOf[dam.EventType](),
	"ExportFormat":       wordsOf[dam.ExportFormat](),
	"FieldType":          wordsOf[dam.FieldType](),
	"FileCategory":       wordsOf[dam.FileCategory](),
	"FileErrorCode":      wordsOf[dam.FileErrorCode](),
	"FileStatus":         wordsOf[dam.FileStatus](),
	"FilterOperator":     wordsOf[dam.FilterOperator](),
	"Fit":                wordsOf[dam.Fit](),
	"Gravity":            wordsOf[dam.Gravity](),
	"ItemState":          wordsOf[dam.ItemState](),
	"Language":           wordsOf[dam.Language](),
	"Meaning":            wordsOf[dam.Meaning](),
	"OperationErrorCode": wordsOf[dam.OperationErrorCode](),
	"OperationState":     wordsOf[dam.OperationState](),
	"OperationType":      wordsOf[dam.OperationType](),
	"PartRole":           wordsOf[dam.PartRole](),
	"PictureFormat":      wordsOf[dam.PictureFormat](),
	"ProcessingStatus":   wordsOf[dam.ProcessingStatus](),
	"Rendition":          wordsOf[dam.Rendition](),
	"Role":               wordsOf[dam.Role](),
	"RootState":          wordsOf[dam.RootState](),
	"Availability":       wordsOf[dam.Availability](),
	"MarkPlacement":      wordsOf[dam.MarkPlacement](),
	"MatchMode":          wordsOf[dam.MatchMode](),
	"ShareAction":        wordsOf[dam.ShareAction](),
	"ShareType":          wordsOf[dam.ShareType](),
	"Sort":               wordsOf[dam.Sort](),
	"SuggestionType":     wordsOf[dam.SuggestionType](),
	"TableEncoding":      wordsOf[dam.TableEncoding](),
	"TrackKind":          wordsOf[dam.TrackKind](),
	"TagSource":          wordsOf[dam.TagSource](),
	"Trashed":            wordsOf[dam.Trashed](),
	"UsageState":         wordsOf[dam.UsageState](),
	"UserState":          wordsOf[dam.UserState](),
	"Visibility":         wordsOf[dam.Visibility](),
	"WebhookStatus":      wordsOf[dam.WebhookStatus](),
	"WorkflowStatus":     wordsOf[dam.WorkflowStatus](),
}

func wordsOf[E dam.Enum[E]]() (list []string) {
	for _, v := range dam.Values[E]() {
		list = append(list, string(v))
	}
	return list
}

// Every enum of dam that the API uses is a component of the document with exactly its
// values.
func TestEnums(t *testing.T) {
	t.Parallel()
	d := loadSpec(t)
	for name, want := range enumComponents {
		var got []string
		list, _ := d.at("components", "schemas", name)["enum"].([]any)
		for _, v := range list {
			got = append(got, v.(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("the document has %s as %v, dam as %v", name, got, want)
		}
	}
	for name := range enumsOfFields(t) {
		if enumComponents[name] == nil {
			t.Errorf("the type dam.%s is in the API, but not in registerEnums or not in this test", name)
		}
	}
}

// enumsOfFields returns the types of dam with a method Values that occur in struct fields
// of this package. It fails if a field tag lists values itself.
func enumsOfFields(t *testing.T) map[string]bool {
	t.Helper()
	enums, found := map[string]bool{}, map[string]bool{}
	eachFile(t, "../app/dam/*.go", func(f *ast.File) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "Values" {
				enums[fn.Recv.List[0].Type.(*ast.Ident).Name] = true
			}
		}
	})
	if len(enums) < 20 {
		t.Fatalf("only %d enums in dam", len(enums))
	}
	tag := regexp.MustCompile(`\benum:"[^"]*,`)
	eachFile(t, "*.go", func(f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok || field.Tag == nil {
				return true
			}
			if tag.MatchString(field.Tag.Value) {
				t.Errorf("%v has its words in a tag: %s", field.Names, field.Tag.Value)
			}
			ast.Inspect(field.Type, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && fmt.Sprint(s.X) == "dam" && enums[s.Sel.Name] {
					found[s.Sel.Name] = true
				}
				return true
			})
			return true
		})
	})
	return found
}

// eachFile parses the non-test files that match a pattern.
func eachFile(t *testing.T, pattern string, do func(*ast.File)) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		do(f)
	}
}

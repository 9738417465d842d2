package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unplain matches wording that plain English has a better word for: rebuild, permanently,
// immediately, or a noun instead of a relative clause.
var unplain = regexp.MustCompile(`(?i)\b(whoever|what (is|are|was|were|has|had) |` +
	`(is|are|was|were|be) told|tells? of|anew|mend(s|ed|ing)?|(go|goes|going|went|gone) on\b|bec[ao]mes? of|` +
	`as (it|they) (is|are|was|were)\b|hand(s|ed|ing)? in\b|for good|at once|lies|stands)\b`)

// TestPlainEnglish limits how often texts use such wording. The limits may only fall.
func TestPlainEnglish(t *testing.T) {
	t.Parallel()
	found := map[string][]string{}
	words := func(kind, where, text string) {
		for line := range strings.Lines(text) {
			for _, m := range unplain.FindAllString(line, -1) {
				found[kind] = append(found[kind], where+": "+m+" in "+strings.TrimSpace(line))
			}
		}
	}
	files := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", ".ci", ".release", "node_modules", "testdata", "dist"}, name):
			return fs.SkipDir
		case strings.HasSuffix(name, ".go"):
			file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, group := range file.Comments {
				words("comments", files.Position(group.Pos()).String(), group.Text())
			}
			if strings.HasSuffix(name, "_test.go") {
				return nil
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
					if text, err := strconv.Unquote(s.Value); err == nil && strings.Contains(text, " ") {
						words("messages", files.Position(s.Pos()).String(), text)
					}
				}
				return true
			})
		case strings.HasSuffix(name, ".md"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			words("pages", path, string(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for kind, limit := range map[string]int{"comments": 4, "messages": 55, "pages": 4} {
		if n := len(found[kind]); n > limit {
			t.Errorf("%d places in %s, at most %d:\n%s", n, kind, limit, strings.Join(found[kind], "\n"))
		}
	}
}

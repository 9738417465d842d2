package cli

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sameButCase returns the paths that equal an earlier one except for case.
func sameButCase(paths []string) []string {
	var same []string
	seen := make(map[string]bool, len(paths))
	for _, p := range paths {
		lower := strings.ToLower(p)
		if seen[lower] {
			same = append(same, p)
		}
		seen[lower] = true
	}
	return same
}

func TestSameButCase(t *testing.T) {
	for _, tt := range []struct{ paths, want []string }{
		{[]string{"a/b.go", "a/c.go", "b/b.go"}, nil},
		{[]string{"Text.tsx", "text.tsx"}, []string{"text.tsx"}},
		{[]string{"a/b", "A/b", "A/B"}, []string{"A/b", "A/B"}},
	} {
		if got := sameButCase(tt.paths); !slices.Equal(got, tt.want) {
			t.Errorf("%v: got %v, want %v", tt.paths, got, tt.want)
		}
	}
}

// Two files whose names differ only by case cannot both be checked out on macOS and Windows.
func TestNamesDifferByMoreThanCase(t *testing.T) {
	var paths []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "dist") {
			return filepath.SkipDir
		}
		paths = append(paths, path)
		return err
	})
	if err != nil || len(paths) < 1000 {
		t.Fatal(len(paths), err)
	}
	if same := sameButCase(paths); same != nil {
		t.Errorf("differ only by case: %v", same)
	}
}

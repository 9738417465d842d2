package cli_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// macOS and Windows ignore case in file names, and an import in TypeScript omits the
// extension, so there two files whose names differ only in that would be the same.
func TestFileNamesDifferByMoreThanCase(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && slices.Contains([]string{".git", "node_modules", "dist"}, d.Name()) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		key := strings.ToLower(path)
		if ext := filepath.Ext(key); ext == ".ts" || ext == ".tsx" {
			key = strings.TrimSuffix(key, ext)
		}
		if other := seen[key]; other != "" {
			t.Errorf("%s and %s are one file where case does not count", other, path)
		}
		seen[key] = path
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 1000 {
		t.Errorf("only %d files were found", len(seen))
	}
}

package cli_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The layer rules: each package may import only these of dal's packages.
func TestImports(t *testing.T) {
	t.Parallel()
	allowed := map[string]string{
		"": "cli",
		"cli": "app app/access app/account app/analyze app/backup app/bulk app/confine app/dam app/engine app/engine/worker " +
			"app/external app/find app/ingest app/library app/maintain app/media app/packed app/schema search storage " +
			"web",
		"web": "app app/access app/account app/asset app/bulk app/collection app/confine app/dam app/find app/idempotency " +
			"app/ingest app/maintain app/render app/schema app/share",
		"app": "app/access app/account app/analytics app/analyze app/asset app/backup app/bulk app/collection app/dam " +
			"app/engine app/engine/module app/external app/find app/idempotency app/index app/ingest app/job app/library " +
			"app/live app/maintain app/media app/original app/render app/report app/schema app/share app/trail " +
			"app/webhook search storage storage/blob",

		"app/access":    "app/dam app/live storage",
		"app/account":   "app/access app/dam app/trail storage",
		"app/analytics": "app/access app/dam storage",
		"app/analyze": "app/access app/dam app/engine app/engine/language app/enrich/vision app/index app/job app/media " +
			"app/original app/render storage",
		"app/asset": "app/access app/dam app/find app/index app/media app/media/embed app/original app/render storage",
		"app/bulk": "app/access app/analytics app/analyze app/asset app/collection app/dam app/export app/find app/index " +
			"app/ingest app/job app/library app/media app/original app/render app/table storage storage/blob",
		"app/collection": "app/access app/dam app/find app/index storage",
		"app/external": "app/access app/asset app/collection app/dam app/index app/ingest app/job app/media app/original " +
			"storage",
		"app/find":        "app/access app/dam app/enrich/textvec app/index app/media search storage",
		"app/idempotency": "app/dam storage",
		"app/index":       "app/dam app/job app/media search storage",
		"app/ingest": "app/access app/analyze app/asset app/collection app/dam app/engine app/find app/index app/job " +
			"app/library app/media app/original app/render app/scan app/schema storage storage/blob",
		"app/library": "app/dam storage storage/blob",
		"app/maintain": "app/access app/account app/analytics app/analyze app/asset app/backup app/bulk app/dam " +
			"app/external app/idempotency app/index app/ingest app/job app/library app/media app/original " +
			"app/share app/webhook storage storage/blob",
		"app/original": "app/dam app/index storage storage/blob",
		"app/render": "app/access app/dam app/engine app/index app/job app/media app/media/embed app/original app/transcode " +
			"storage storage/blob",
		"app/report": "app/access app/analytics app/dam app/export app/find app/index app/share storage",
		"app/schema": "app/access app/dam app/find app/index storage",
		"app/share": "app/access app/account app/analytics app/collection app/dam app/engine/document app/export app/find " +
			"app/ingest app/job app/library app/mail app/media app/media/embed app/media/vtt app/original " +
			"app/render storage",

		"app/backup":  "app/dam storage storage/blob",
		"app/child":   "",
		"app/confine": "",
		"app/export":  "app/dam",
		"app/job":     "app/dam storage",
		"app/live":    "app/dam storage",
		"app/mail":    "",
		"app/media":   "app/dam app/engine app/engine/cicp app/media/baseline app/media/embed app/media/planar app/media/tiff app/media/vtt",
		"app/table":   "app/dam",
		"app/trail":   "app/dam storage",

		"app/engine":           "app/child app/engine/cicp app/engine/module",
		"app/engine/archive":   "app/engine app/engine/document",
		"app/engine/cicp":      "",
		"app/engine/document":  "app/engine",
		"app/engine/host":      "",
		"app/engine/magick":    "app/engine app/engine/cicp app/engine/host",
		"app/engine/make":      "app/npm",
		"app/engine/module":    "app/packed",
		"app/engine/ffmpeg":    "app/engine app/engine/cicp app/engine/host",
		"app/engine/language":  "app/packed",
		"app/engine/pdfium":    "app/engine app/engine/host",
		"app/engine/resvg":     "app/engine app/engine/host",
		"app/engine/tesseract": "app/engine app/engine/host app/engine/language",
		"app/engine/worker": "app/confine app/engine app/engine/archive app/engine/document app/engine/ffmpeg app/engine/host " +
			"app/engine/magick " +
			"app/engine/module app/engine/pdfium app/engine/resvg app/engine/tesseract app/enrich/objects",

		"app/enrich/matrix":          "",
		"app/enrich/objects":         "app/engine app/enrich/matrix",
		"app/enrich/objects/convert": "app/enrich/matrix app/npm",
		"app/enrich/service":         "",
		"app/enrich/vision":          "app/enrich/service",
		"app/enrich/textvec":         "app/enrich/matrix app/enrich/service",
		"app/enrich/textvec/convert": "app/enrich/matrix app/npm",
		"app/media/baseline":         "",
		"app/media/embed":            "app/dam app/media/tiff",
		"app/media/planar":           "",
		"app/media/tiff":             "",
		"app/media/vtt":              "",
		"app/npm":                    "",
		"app/packed":                 "",
		"search/bytevec":             "",
		"search/thesaurus":           "",
		"search/thesaurus/make":      "app/npm",

		"app/scan":      "app/dam",
		"app/transcode": "app/child app/confine",
		"app/webhook":   "app/access app/account app/dam storage",
		"storage":       "app/dam",
		"storage/blob":  "app/dam",
		"search":        "app/dam search/bytevec search/thesaurus",
		"app/dam":       "",
	}
	const module = "github.com/digital-asset-library/dal"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(strings.TrimPrefix(words[0], module), "/")
		list, known := allowed[pkg]
		if !known {
			t.Errorf("package %s has no rule", pkg)
		}
		for _, imp := range words[1:] {
			sub, ours := strings.CutPrefix(imp, module+"/")
			if ours && !slices.Contains(strings.Fields(list), sub) {
				t.Errorf("%s must not import %s", pkg, sub)
			}
			if pkg == "app/dam" && strings.Contains(imp, ".") && imp != "golang.org/x/text/unicode/norm" {
				t.Errorf("app/dam is to use only the standard library and Unicode normalisation, not %s", imp)
			}
		}
	}
}

// Packages stay small enough to read. Those that are larger may only shrink: dam and storage are
// stars, with a file for each noun, and ingest keeps the stages of a file together. The others
// are to be split.
func TestPackageSizes(t *testing.T) {
	t.Parallel()
	const most = 5000 // lines
	larger := map[string]int{
		"app/dam": 10_200, "app/ingest": 5200, "app/media": 10_300, "app/media/embed": 7000,
		"cli": 8950, "search": 9500, "storage": 8750, "web": 14_550,
	}
	lines := map[string]int{}
	if err := fs.WalkDir(os.DirFS(".."), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(filepath.Join("..", file))
		lines[path.Dir(file)] += bytes.Count(text, []byte("\n"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(lines) < 50 {
		t.Fatalf("only %d packages were found", len(lines))
	}
	for pkg, n := range lines {
		if limit := max(most, larger[pkg]); n > limit {
			t.Errorf("%s has %d lines, more than %d: split it", pkg, n, limit)
		}
	}
}

// Every package below app is in the lists that a new contributor reads.
func TestPackagesAreListed(t *testing.T) {
	t.Parallel()
	dirs, err := os.ReadDir("../app")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"../app/doc.go", "../.github/CONTRIBUTING.md"} {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range dirs {
			word := regexp.MustCompile(`\b` + d.Name() + `\b`)
			if d.IsDir() && !word.Match(text) {
				t.Errorf("%s does not list %s", list, d.Name())
			}
		}
	}
}

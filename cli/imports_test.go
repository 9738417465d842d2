package cli_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The layer rules: each package may import only these of dal's packages.
func TestImports(t *testing.T) {
	t.Parallel()
	allowed := map[string]string{
		"":    "cli",
		"cli": "web app app/backup app/confine app/dam app/engine app/engine/worker app/media app/packed storage search",
		"web": "app app/confine app/dam",
		"app": "app/backup app/dam app/engine app/engine/document app/engine/language app/engine/module app/enrich/textvec app/enrich/vision " +
			"app/export app/job app/live app/mail app/media app/media/embed app/media/vtt app/scan app/table app/trail app/transcode app/webhook " +
			"search storage storage/blob",
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
		"app/webhook":   "app/dam storage",
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

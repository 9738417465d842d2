package web_test

import (
	"bytes"
	"image"
	"image/draw"
	_ "image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/engine/language"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/web"
)

// recall returns the percentage of a text's words that were recognized, ignoring
// punctuation and case.
func recall(text, read string) float64 {
	words := func(s string) []string {
		var list []string
		for w := range strings.FieldsSeq(strings.ToLower(s)) {
			w = strings.Map(func(r rune) rune {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					return r
				}
				return -1
			}, w)
			if w != "" {
				list = append(list, w)
			}
		}
		return list
	}
	left := map[string]int{}
	for _, w := range words(read) {
		left[w]++
	}
	want, found := words(text), 0
	for _, w := range want {
		if left[w] > 0 {
			left[w]--
			found++
		}
	}
	return 100 * float64(found) / float64(max(len(want), 1))
}

// asScan returns a picture as a one-page PDF without text.
func asScan(b *testing.B, data []byte) []byte {
	b.Helper()
	p, _, err := image.Decode(bytes.NewReader(data))
	must(b, err)
	gray := image.NewGray(p.Bounds())
	draw.Draw(gray, gray.Rect, p, p.Bounds().Min, draw.Src)
	return scannedPDF(b, gray)
}

// BenchmarkWords recognizes the pages in the folder DAL_BENCH_PAGES, as created by
// testdata/words/make.sh: NAME.png or NAME.jpg, with their words in NAME.txt; scan.jpg is
// read as a PDF. If a program tesseract is installed, it reads the same with the same
// language data.
func BenchmarkWords(b *testing.B) {
	texts, _ := filepath.Glob(filepath.Join(os.Getenv("DAL_BENCH_PAGES"), "*.txt"))
	if os.Getenv("DAL_BENCH_PAGES") == "" || len(texts) == 0 {
		b.Skip("there are no pages in the folder DAL_BENCH_PAGES")
	}
	languages := b.TempDir()
	for _, l := range []string{"eng", "deu", "osd"} {
		data, err := language.Open(l, "")
		must(b, err)
		must(b, os.WriteFile(filepath.Join(languages, l+".traineddata"), data, 0o600))
	}
	s := start(b, func(c *app.Config, _ *web.Options) { c.OCR, c.Embeddings = analyze.OCRAll, find.EmbeddingsOff })
	s.recognized(b, s.one(b, "first.png", asPNG(b, written(b, 900, 400, 60, "The engine starts")))) // compiles the engine
	for _, path := range texts {
		text, err := os.ReadFile(path)
		must(b, err)
		page := strings.TrimSuffix(path, ".txt") + ".png"
		if _, err := os.Stat(page); err != nil {
			page = strings.TrimSuffix(path, ".txt") + ".jpg"
		}
		data, err := os.ReadFile(page)
		must(b, err)
		name := filepath.Base(page)
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if name == "scan.jpg" {
					name, data = "scan.pdf", asScan(b, data)
				}
				began := time.Now()
				asset := s.recognized(b, s.one(b, name, data))
				read, _ := asset.get("data.ocr_text").(string)
				b.ReportMetric(time.Since(began).Seconds(), "s")
				b.ReportMetric(recall(string(text), read), "%words")
				cmd := exec.Command("tesseract", page, "-", "--tessdata-dir", languages, "-l", "eng+deu", "--psm", "1", "--dpi", "300")
				cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
				began = time.Now()
				if out, err := cmd.Output(); err == nil {
					b.ReportMetric(time.Since(began).Seconds(), "s-tesseract")
					b.ReportMetric(recall(string(text), string(out)), "%tesseract")
				}
			}
		})
	}
}

package textvec

import (
	"context"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

var examples = map[string]string{
	"query":   "sunset over the ocean",
	"caption": "A red sports car parked in front of a glass building, seen from the side.",
	"page": strings.Repeat("The photographs were taken on the second day of the shoot, when the rain had stopped. "+
		"Most of them show the new ferry from the pier; a few were made from the air. ", 16), // 500 words
}

func BenchmarkEmbed(b *testing.B) {
	l := NewLite(1)
	for _, name := range []string{"query", "caption", "page"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			texts := []string{examples[name]}
			for b.Loop() {
				if _, err := l.Embed(context.Background(), texts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	m := loadModel(b)
	ids := m.vocabulary.encode(examples["page"])
	for _, k := range kernelsHere() {
		s := newScratch(k)
		kind := map[matrix.Kernels]string{{}: "portable/", {Vector: true}: "vector/", {Vector: true, Long: true}: "long/"}[k]
		for name, n := range map[string]int{"4": 4, "12": 12, "128": 128} {
			b.Run(kind+name, func(b *testing.B) {
				for b.Loop() {
					m.encode(s, ids[:n])
				}
			})
		}
	}
}

func BenchmarkTokens(b *testing.B) {
	v := loadModel(b).vocabulary
	for name, text := range examples {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v.encode(text)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		loadModel(b)
	}
}

package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"

	"github.com/digital-asset-library/dal/app/dam"
)

// Lag returns how many changes the text index does not have yet.
func (e *Engine) Lag(ctx context.Context) (int64, error) {
	changes, _, err := e.Behind(ctx)
	return changes, err
}

// VectorCount returns how many assets have a meaning in memory.
func (e *Engine) VectorCount() int {
	if e.vectors.table == nil {
		return 0
	}
	return e.vectors.table.Len()
}

// Word is a word as it is indexed.
type Word struct {
	Start, End, Pos int
	Text, Other     string
	Stems           []string
}

// Words returns the words of a text in a language.
func Words(language, text string) ([]Word, error) {
	a, err := newAnalyzer(language)
	if err != nil {
		return nil, err
	}
	var list []Word
	for _, w := range a.words(compose(text)) {
		list = append(list, Word{w.start, w.end, w.pos, w.text, w.other, w.stems})
	}
	return list, nil
}

// Compose brings a text into the form that the places of Words are in.
func Compose(text string) string { return compose(text) }

// NamePieces returns a file name as the words of it are looked for.
func NamePieces(name string) string { return spacedOut(compose(name)) }

// Nearness returns what assets are compared by with a query that was asked before:
// the product of their vectors.
func (e *Engine) Nearness(text string, asset []float32) float64 {
	return float64(dot(e.vectors.queries[text].probe.values, asset))
}

// TryColumns reads a file of columns and uses all of them.
func TryColumns(file []byte, name string) error {
	c, err := unpackColumns(bytes.NewReader(file), int64(len(file)), name)
	if err != nil {
		return err
	}
	c.sort()
	for by := range c.orders {
		c.page(c.all(dam.TrashedWith), by, true, 0, len(c.has))
	}
	each(c.all(dam.TrashedWith), func(id uint32) {
		for _, t := range c.texts() {
			_ = t.get(id)
		}
	})
	for field := range c.words {
		c.countWords(field, c.live)
	}
	c.apply([]dam.Change{{Seq: c.seq + 1, AssetID: 1, Asset: &dam.Asset{Title: "x"}}, {Seq: c.seq + 2, AssetID: 2}})
	c.sort()
	return nil
}

// MendSums makes the checksums of all blocks right, as far as their lengths are.
func MendSums(file []byte) {
	for len(file) >= 4 {
		n := int(binary.LittleEndian.Uint32(file))
		if file = file[4:]; n > len(file)-4 {
			return
		}
		binary.LittleEndian.PutUint32(file[n:], crc32.Checksum(file[:n], castagnoli))
		file = file[n+4:]
	}
}

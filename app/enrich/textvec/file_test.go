package textvec

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// tinyFile returns the beginning of a model file: a vocabulary and the number of token
// vectors.
func tinyFile(tokens uint32, pieces ...string) string {
	b := []byte(magic)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(pieces)))
	for _, p := range pieces {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(-1))
		b = append(append(b, byte(len(p))), p...)
	}
	return string(binary.LittleEndian.AppendUint32(b, tokens))
}

func TestParseModel(t *testing.T) {
	t.Parallel()
	reserve := []string{"0", "1", "2", "3", "4", "5"}
	weights := liteFile[len(liteFile)-9_900_000:]
	nan := []byte(tinyFile(0, reserve...))
	copy(nan[len(magic)+4:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "no model file"},
		{"another magic", "DALUSE2\n" + liteFile[8:], "no model file"},
		{"magic only", magic, "cut off"},
		{"last byte missing", liteFile[:len(liteFile)-1], "cut off"},
		{"one byte more", liteFile + "x", "1 bytes too many"},
		{"more pieces than bytes", magic + "\xff\xff\xff\xff", "no room"},
		{"more pieces than ids", magic + "\x00\x00\x01\x00" + strings.Repeat("\x00", 9<<16), "too large"},
		{"fewer pieces than reserved", tinyFile(9, "a"), "too small"},
		{"an empty piece", tinyFile(9, append(reserve, "")...), "entry 6"},
		{"a score that is none", string(nan), "entry 0"},
		{"more vectors than bytes", tinyFile(math.MaxUint32, reserve...), "no room"},
		{"fewer vectors than pieces", tinyFile(5, reserve...) + weights, "vectors for 5 of 6"},
	} {
		if m, err := parseModel(c.file); err == nil || m != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func FuzzParseModel(f *testing.F) {
	f.Add([]byte(tinyFile(8, "?", "1", "2", "3", "4", "5", "▁a", "b") + strings.Repeat("\x00\x3c", 8*tokenDim)))
	f.Add([]byte(tinyFile(0)))
	f.Add([]byte(liteFile[:1000]))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := parseModel(string(data)); err == nil || m != nil { // the matrices alone are 10 MB
			t.Fatalf("%d bytes are a model", len(data))
		}
	})
}

// Texts are encoded to tokens of any vocabulary.
func FuzzVocabulary(f *testing.F) {
	for _, pieces := range [][]string{
		{"?", "1", "2", "3", "4", "5", "▁a", "b"}, {"?", "1", "2", "3", "4", "5", "\xff", "▁", "▁"}, {"", "1", "2", "3", "4", "5"}, {"a"},
	} {
		f.Add([]byte(tinyFile(0, pieces...)[len(magic):]), "a b\xff")
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		p := parser{rest: string(data)}
		v := p.vocabulary()
		if p.err != nil {
			return
		}
		if n := len(v.lengths); n < reserved || 10*n > len(data) || len(v.kinds) != n || len(v.pieces) > n-reserved {
			t.Fatalf("%d pieces in %d bytes", n, len(data))
		}
		ids := v.encode(text)
		for _, id := range ids {
			if int(id) >= len(v.lengths) {
				t.Fatalf("the token %d of %d", id, len(v.lengths))
			}
		}
		if v.means(ids) && len(v.windows(ids)) == 0 {
			t.Fatalf("no windows for %q", text)
		}
	})
}

package textvec

import (
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/enrich/service"
)

func TestParseReply(t *testing.T) {
	t.Parallel()
	one := func(embedding string) string { return `{"data":[{"index":0,"embedding":` + embedding + `}]}` }
	for _, c := range []struct {
		name, data string
		n          int
		want       string // error, if any
	}{
		{"one", one(`[3,4]`), 1, ""},
		{"two, turned", `{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}]}`, 2, ""},
		{"more than is asked about", `{"object":"list","model":"m",` +
			`"data":[{"object":"embedding","index":0,"embedding":[3e-3,4E-3]}],"usage":{}}`, 1, ""},
		{"empty", ``, 1, "no list of vectors"},
		{"cut off", `{"data":[{"index":0,"embedding":[3,4]`, 1, "no list of vectors"},
		{"another shape", `[{"index":0,"embedding":[[3,4]]}]`, 1, "no list of vectors"},
		{"null", `null`, 1, "not the 1 vectors"},
		{"no data", `{}`, 1, "not the 1 vectors"},
		{"a native Ollama answer", `{"embedding":[3,4]}`, 1, "not the 1 vectors"},
		{"too few", one(`[3,4]`), 2, "not the 2 vectors"},
		{"too many", `{"data":[{"index":0,"embedding":[3,4]},{"index":1,"embedding":[3,4]}]}`, 1, "not the 1 vectors"},
		{"many too many", `{"data":[` + strings.Repeat(`{"index":0,"embedding":[3,4]},`, 100) + `{}]}`, 1, "not the 1 vectors"},
		{"no index", `{"data":[{"embedding":[3,4]}]}`, 1, "index"},
		{"an index twice", `{"data":[{"index":0,"embedding":[3,4]},{"index":0,"embedding":[3,4]}]}`, 2, "index"},
		{"an index too large", `{"data":[{"index":1,"embedding":[3,4]}]}`, 1, "index"},
		{"an index below zero", `{"data":[{"index":-1,"embedding":[3,4]}]}`, 1, "index"},
		{"no vector", `{"data":[{"index":0}]}`, 1, "a vector of 0 numbers"},
		{"an empty vector", one(`[]`), 1, "a vector of 0 numbers"},
		{"a huge vector", one(`[` + strings.Repeat("1,", maxNumbers) + `1]`), 1, "a vector of 16385 numbers"},
		{"base64", one(`"AACAPw=="`), 1, "no list of vectors"},
		{"NaN", one(`[NaN,1]`), 1, "no list of vectors"},
		{"NaN as text", one(`["NaN",1]`), 1, "something else than numbers"},
		{"null in a vector", one(`[null,1]`), 1, "something else than numbers"},
		{"beyond float32", one(`[1e39,1]`), 1, "something else than numbers"},
		{"beyond float64", one(`[1e999,1]`), 1, "something else than numbers"},
		{"zeros", one(`[0,0]`), 1, "a vector of zeros"},
		{"mixed sizes", `{"data":[{"index":0,"embedding":[3,4]},{"index":1,"embedding":[3,4,5]}]}`, 2, "vectors of 2 and of 3 numbers"},
	} {
		got, err := parseReply([]byte(c.data), c.n)
		if c.want != "" {
			if err == nil || got != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, %v, want %q", c.name, got, err, c.want)
			}
			continue
		}
		if err != nil || len(got) != c.n || !isUnit(got[0]) || cosine(got[0], []float32{3, 4}) < 0.999999 {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`plain`:                                "plain",
		`{"error":"text"}`:                     "text",
		`{"error":{"message":"inner"}}`:        "inner",
		`{"object":"error","message":"outer"}`: "outer",
		`{"detail":"fast"}`:                    "fast",
		`{"detail":[{"msg":"x"}]}`:             "",
		`{"data":[]}`:                          "",
		`{"cut":`:                              "",
		`[1]`:                                  "",
		`null`:                                 "",
		``:                                     "",
	} {
		if got := service.Message([]byte(data)); got != want {
			t.Errorf("%s says %q, want %q", data, got, want)
		}
	}
}

func FuzzParseReply(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":0,"embedding":[3,4]}]}`), 1)
	f.Add([]byte(`{"data":[{"index":1,"embedding":[1e-9]},{"index":0,"embedding":[-0.5]}]}`), 2)
	f.Add([]byte(`{"data":[{"index":0,"embedding":[null]}]}`), 1)
	f.Add([]byte(`{"error":{"message":"no"}}`), 1)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		n = 1 + (n&0xff)%maxInputs
		_ = service.Message(data)
		vectors, err := parseReply(data, n)
		if err != nil {
			return
		}
		if len(vectors) != n {
			t.Fatalf("%d vectors, want %d", len(vectors), n)
		}
		for _, v := range vectors {
			if len(v) == 0 || len(v) != len(vectors[0]) || !isUnit(v) {
				t.Fatalf("the vector %v", v)
			}
		}
	})
}

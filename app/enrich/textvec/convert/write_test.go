package main

import "testing"

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	if _, err := write([]piece{{"", 0}}, nil); err == nil {
		t.Error("an empty piece is written")
	}
	if _, err := write([]piece{{"a", 0}}, nil); err == nil {
		t.Error("a model without weights is written")
	}
	shape := tensor{[]int{256, 8002}, make([]byte, 4*8002*256)}
	if _, err := write(nil, map[string]tensor{"module/Embeddings_en": shape}); err == nil {
		t.Error("a tensor of the wrong shape is written")
	}
}

func TestReadVocabulary(t *testing.T) {
	t.Parallel()
	pieces, err := readVocabulary([]byte(`[["▁a",-1.5],[":",null]]`))
	if err != nil || len(pieces) != 2 || pieces[0] != (piece{"▁a", -1.5}) || pieces[1] != (piece{":", 0}) {
		t.Errorf("%v, %v", pieces, err)
	}
	for _, bad := range []string{``, `[[1,2]]`, `[["a","b"]]`, `{}`} {
		if _, err := readVocabulary([]byte(bad)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

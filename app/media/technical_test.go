package media_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// At most 128 KiB of a file's metadata are kept, and the omission is recorded.
func TestTechnicalIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("with the race detector, which .ci/run uses with -short, the metadata takes longer than it may")
	}
	t.Parallel()
	var packet strings.Builder
	packet.WriteString(xmpHead + `<rdf:Description xmlns:q="http://example.com/q/">`)
	for i := range 390 {
		fmt.Fprintf(&packet, `<q:Property%d>%s</q:Property%d>`, i, strings.Repeat("&lt;", 1900), i)
	}
	packet.WriteString(`</rdf:Description></rdf:RDF></x:xmpmeta>`)
	pic := rawPNG(8, 8, 8, 2, false, nil)
	pic = chunk(pic, "iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+packet.String()))
	r, err := extract(pic, "a.png")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r.Technical)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) < 100<<10 || len(text) > 132<<10 {
		t.Errorf("%d bytes are kept: %.300s", len(text), text)
	}
	if problem := fmt.Sprint(fact(r.Technical, "metadata_error")); !strings.Contains(problem, "left out") {
		t.Errorf("what is left out is not told: %s", problem)
	}
}

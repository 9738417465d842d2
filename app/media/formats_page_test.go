package media

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of web/docs/guide/formats.md")

const formatsPage = "../../web/docs/guide/formats.md"

// The guide's page about formats contains the table of formats. -update writes it.
func TestFormatsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(formatsPage)
	if err != nil {
		t.Fatal(err)
	}
	const head = "|---|---|---|---|---|---|\n"
	before, after, ok := strings.Cut(string(page), head)
	_, after, ok2 := strings.Cut(after, "\n\n")
	if !ok || !ok2 {
		after = strings.TrimLeft(after, "\n")
	}
	want := before + head + formatsTable() + "\n" + after
	if *update {
		if err := os.WriteFile(formatsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(page) {
		t.Errorf("%s has another table than the code: go test ./app/media -run TestFormatsPage -update", formatsPage)
	}
}

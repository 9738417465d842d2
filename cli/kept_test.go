package cli_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A server that stops saves a snapshot of its columns. The next one uses it to give the
// same answers, and applies later changes, whether the server was stopped or killed; a
// reindex discards it.
func TestServerKeepsColumns(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "lib")
	token := strings.TrimSpace(dal(t, "", "bench", "seed", "--data", data, "--assets", "11000", "--collections", "10"))
	kept := func() string {
		files, _ := filepath.Glob(filepath.Join(data, "index", "columns-*"))
		return strings.Join(files, " ")
	}
	const byTitle = "/assets?sort_by=title&facets=file_category&per_page=100"
	type list struct {
		Data []struct{ GAID, Title string }
		Meta struct {
			Total  int
			Facets any
		}
	}
	answer := func(p *process) (l list) {
		noErr(t, p.call(token, "GET", byTitle, "", nil, &l))
		return l
	}
	p := serve(t, data)
	before := answer(p)
	noErr(t, p.cmd.Process.Signal(os.Interrupt))
	noErr(t, p.cmd.Wait())
	file := kept()
	if file == "" {
		t.Fatal("no columns are kept")
	}

	p = serve(t, data)
	if !reflect.DeepEqual(answer(p), before) {
		t.Error("another answer from the kept columns")
	}
	path := "/assets/" + before.Data[0].GAID
	noErr(t, p.call(token, "PUT", path, "application/json", strings.NewReader(`{"title":"zzz, the last one"}`), new(any)))
	changed := answer(p)
	p.kill()
	if reflect.DeepEqual(changed, before) || kept() != file {
		t.Errorf("a change is not in the answer, or %q are kept after one instead of %q", kept(), file)
	}
	p = serve(t, data)
	if !reflect.DeepEqual(answer(p), changed) {
		t.Error("another answer after a kill")
	}
	p.kill()
	dal(t, "", "reindex", "--data", data)
	if kept() != "" {
		t.Errorf("%q are kept after a reindex", kept())
	}
}

package web_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/external"
	"github.com/digital-asset-library/dal/web"
)

// A file written in several bursts is imported once, after it is complete; a file that has
// not been modified recently is imported immediately.
func TestGrowingFileInPlace(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := inPlace(t, func(cfg *app.Config, o *web.Options) {
		still(cfg, o)
		cfg.Now = c.now
	})
	whole := append(picture(1, 400, 300), bytes.Repeat([]byte("tail"), 1000)...)
	path := filepath.Join(p.dir, "growing.jpg")
	write := func(n int) {
		must(t, os.WriteFile(path, whole[:n], 0o644))
		must(t, os.Chtimes(path, c.now(), c.now()))
	}
	const bursts = 6
	write(len(whole) / bursts)
	p.write(t, "old.jpg", picture(2, 40, 30))
	ticks := 0
	res, err := p.app.External.Import(t.Context(), p.actor, p.dir, external.InPlaceOptions{Waiting: func(int) error {
		ticks++
		c.ahead.Add(int64(3 * time.Second))
		if n := ticks / 3; ticks%3 == 0 && n < bursts { // every 9 s
			write(len(whole) * (n + 1) / bursts)
		}
		if n := p.count(t, `SELECT count(*) FROM batch_files WHERE filename = 'old.jpg'`); n != 1 {
			t.Errorf("old.jpg was taken %d times", n)
		}
		return nil
	}})
	must(t, err)
	if res.Unsettled != 0 || res.Root.Counts.Present != 2 {
		t.Errorf("%+v", res)
	}
	a := p.do(t, "GET", "/api/v1/assets/"+p.at(t, "Photos")["growing.jpg"], "").want(t, 200)
	if a.get("data.file_size") != float64(len(whole)) || a.get("data.file_version") != 1.0 {
		t.Errorf("%v bytes, version %v", a.get("data.file_size"), a.get("data.file_version"))
	}
	if n := p.count(t, `SELECT count(*) FROM batch_files WHERE filename = 'growing.jpg'`); n != 1 {
		t.Errorf("ingested %d times", n)
	}
}

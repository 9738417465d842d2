package web_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/bulk"
	"github.com/digital-asset-library/dal/app/external"
	"github.com/digital-asset-library/dal/web"
)

// mixture fills the folder with files of every category that imports count: 11 visible
// ones.
func (p *placed) mixture(t *testing.T) {
	t.Helper()
	for name, data := range photoFiles(t) { // 1 asset, 2 parts, 1 sidecar
		p.write(t, "photo/"+name, data)
	}
	p.write(t, "one.jpg", picture(1, 40, 30))
	p.write(t, "same.jpg", picture(1, 40, 30))
	p.write(t, "one.jpg.xmp", titled("One"))
	p.write(t, "known.jpg", picture(2, 40, 30)) // already uploaded
	p.write(t, "script.sh", []byte("#!/bin/sh\n"))
	p.write(t, "empty.jpg", nil)
	p.write(t, "half.jpg.part", picture(3, 40, 30))
	p.write(t, ".hidden.jpg", picture(4, 40, 30)) // ignored
	p.write(t, "Thumbs.db", []byte("thumbs"))
}

// The counts of an import add up to the number of files seen.
func TestImportTotals(t *testing.T) {
	t.Parallel()
	p := inPlace(t, still)
	p.ingest(t, upload{"known.jpg", picture(2, 40, 30)})
	p.mixture(t)
	bring := func() bulk.ImportProgress {
		t.Helper()
		sum, err := p.app.Importer.Import(t.Context(), p.actor, p.dir, bulk.ImportOptions{
			Progress: func(bulk.ImportProgress) {}, Problem: func(string, string) {},
		})
		must(t, err)
		if sum.Ended() != sum.Found {
			t.Errorf("%d of %d files: %+v", sum.Ended(), sum.Found, sum)
		}
		sum.Sent = 0
		return sum
	}
	want := bulk.ImportProgress{Found: 11, Ready: 2, Parts: 2, Sidecars: 2, Present: 2, Failed: 2, Partial: 1}
	if got := bring(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	p.total(t, p.token, "/api/v1/assets", 3)
	if got, want := bring(), (bulk.ImportProgress{Found: 11, Present: 8, Failed: 2, Partial: 1}); got != want {
		t.Errorf("again: %+v, want %+v", got, want)
	}
}

// So do those of a scan of an external library, and of the library's entry in the API.
func TestScanTotals(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := inPlace(t, func(cfg *app.Config, o *web.Options) {
		still(cfg, o)
		cfg.Now = c.now
	})
	p.ingest(t, upload{"known.jpg", picture(2, 40, 30)})
	p.mixture(t)
	type counts struct{ Found, New, Linked, Same, Parts, Sidecars, Refused, Partial, Unsettled, Skipped int }
	scan := func(opt external.InPlaceOptions, waiting func()) counts {
		t.Helper()
		opt.Waiting = func(int) error {
			waiting()
			return nil
		}
		r, err := p.app.External.Import(t.Context(), p.actor, p.dir, opt)
		must(t, err)
		if n := r.New + r.Linked + r.Same + r.Parts + r.Sidecars + r.Refused + r.Partial + r.Unsettled + r.Skipped + r.Unread; n != r.Found {
			t.Errorf("%d of %d files: %+v", n, r.Found, r.PlaceProgress)
		}
		if !opt.DryRun {
			root := p.do(t, "GET", "/api/v1/roots/1", "").want(t, 200)
			sum := float64(r.Partial + r.Unsettled)
			for _, member := range []string{"files", "being_ingested", "problems", "excluded", "sidecars"} {
				sum += root.get("data." + member).(float64)
			}
			if sum != float64(r.Found) {
				t.Errorf("%v of %d files: %s", sum, r.Found, root)
			}
		}
		return counts{r.Found, r.New, r.Linked, r.Same, r.Parts, r.Sidecars, r.Refused, r.Partial, r.Unsettled, r.Skipped}
	}
	expect := func(what string, got, want counts) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	none := func() {}
	expect("dry", scan(external.InPlaceOptions{DryRun: true}, none), counts{Found: 11, New: 8, Sidecars: 2, Partial: 1})
	expect("first", scan(external.InPlaceOptions{}, none),
		counts{Found: 11, New: 2, Linked: 2, Parts: 2, Sidecars: 2, Refused: 2, Partial: 1})
	expect("again", scan(external.InPlaceOptions{}, none), counts{Found: 11, Same: 6, Sidecars: 2, Refused: 2, Partial: 1})
	p.move(t, "photo", "moved")
	expect("moved", scan(external.InPlaceOptions{}, none), counts{Found: 11, Linked: 3, Same: 3, Sidecars: 2, Refused: 2, Partial: 1})

	// Files that become stable only after the first scan of an import.
	p.write(t, "new.jpg", picture(5, 40, 30))
	p.write(t, "late.jpg", picture(6, 40, 30))
	must(t, os.Chtimes(filepath.Join(p.dir, "late.jpg"), c.now(), c.now()))
	got := scan(external.InPlaceOptions{}, func() { c.pass(time.Second) })
	expect("late", got, counts{Found: 13, New: 2, Same: 6, Sidecars: 2, Refused: 2, Partial: 1})

	// A permanently deleted file is not imported again.
	p.do(t, "DELETE", "/api/v1/assets/"+p.at(t, "Photos")["new.jpg"]+"?force=true", "").want(t, 200)
	expect("deleted", scan(external.InPlaceOptions{}, none), counts{Found: 13, Same: 7, Sidecars: 2, Refused: 2, Partial: 1, Skipped: 1})
	p.remove(t, "late.jpg")
	expect("gone", scan(external.InPlaceOptions{}, none), counts{Found: 12, Same: 6, Sidecars: 2, Refused: 2, Partial: 1, Skipped: 1})
	p.rewrite(t, "one.jpg", picture(7, 40, 30)) // same.jpg still has its former bytes
	expect("changed", scan(external.InPlaceOptions{}, none),
		counts{Found: 12, New: 1, Same: 5, Sidecars: 2, Refused: 2, Partial: 1, Skipped: 1})
	verified := scan(external.InPlaceOptions{Verify: true}, none)
	expect("verified", verified, counts{Found: 12, Same: 6, Sidecars: 2, Refused: 2, Partial: 1, Skipped: 1})
}

package web_test

import (
	"fmt"
	"testing"

	"github.com/digital-asset-library/dal/app/external"
)

// Files that other programs are still downloading are not imported, neither in external
// libraries nor by an import, until they get their final names; the summary counts them.
func TestPartialDownloads(t *testing.T) {
	t.Parallel()
	partials := []string{"b.jpg.part", "c.jpg.crdownload", "sub/d.jpg.filepart", "Safari.jpg.download/Safari.jpg", "~syncthing~e.jpg.tmp"}
	fill := func(p *placed) {
		p.write(t, "a.jpg", picture(1, 40, 30))
		for i, name := range partials {
			p.write(t, name, picture(i+2, 40, 30))
		}
		p.write(t, "f.jpg", picture(20, 40, 30)) // as with aria2, which allocates the full size
		p.write(t, "f.jpg.aria2", []byte("\x00\x01\x00\x00"))
	}
	end := func(p *placed) {
		p.move(t, "b.jpg.part", "b.jpg")
		p.move(t, "Safari.jpg.download/Safari.jpg", "Safari.jpg")
		p.remove(t, "f.jpg.aria2")
	}
	t.Run("in place", func(t *testing.T) {
		t.Parallel()
		p := inPlace(t, still)
		fill(p)
		if dry := p.scan(t, external.InPlaceOptions{DryRun: true}); dry.Found != 8 || dry.New != 1 || dry.Partial != 7 {
			t.Errorf("%+v", dry)
		}
		if res := p.scan(t, external.InPlaceOptions{}); res.Found != 8 || res.New != 1 || res.Partial != 7 || res.Root.Counts.Problems > 0 {
			t.Errorf("%+v", res)
		}
		end(p)
		if res := p.scan(t, external.InPlaceOptions{}); res.New != 3 || res.Partial != 4 || res.Gone != 0 {
			t.Errorf("%+v", res)
		}
		p.total(t, p.token, "/api/v1/assets", 4)

		// An existing asset stays while its file is downloaded again.
		p.write(t, "f.jpg.aria2", []byte("\x00\x01\x00\x00"))
		p.write(t, "f.jpg", []byte("half of it"))
		if res := p.scan(t, external.InPlaceOptions{}); res.Partial != 6 || res.New+res.Gone != 0 {
			t.Errorf("%+v", res)
		}
		p.total(t, p.token, "/api/v1/assets", 4)
	})
	t.Run("followed", func(t *testing.T) {
		t.Parallel()
		p := inPlace(t, nil)
		fill(p)
		p.scan(t, external.InPlaceOptions{})
		p.until(t, "/api/v1/roots/1", func(a answer) bool { return a.get("data.is_watched") == true })
		end(p)
		p.until(t, "/api/v1/assets", func(a answer) bool { return a.get("meta.total") == 4.0 })
	})
	t.Run("import", func(t *testing.T) {
		t.Parallel()
		p := inPlace(t, still)
		fill(p)
		if sum := p.bring(t); sum.Found != 8 || sum.Ready != 1 || sum.Partial != 7 || sum.Ended() != sum.Found {
			t.Errorf("%+v", sum)
		}
		end(p)
		if sum := p.bring(t); sum.Ready != 3 || sum.Present != 1 || sum.Partial != 4 {
			t.Errorf("%+v", sum)
		}
		a := p.do(t, "GET", "/api/v1/assets?sort_direction=asc&sort_by=original_filename", "").want(t, 200)
		got := fmt.Sprint(column(a, "data", "original_filename"))
		if got != "[Safari.jpg a.jpg b.jpg f.jpg]" && got != "[a.jpg b.jpg f.jpg Safari.jpg]" {
			t.Error(got)
		}
	})
}

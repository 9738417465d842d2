package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/digital-asset-library/dal/app/external"
)

// An unmounted disk takes its library offline: nothing is lost, reported or imported again.
// The disk is a bind mount of another folder, which keeps its files while unmounted.
func TestUnmountedRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root mounts disks")
	}
	p := inPlace(t, nil)
	disk := t.TempDir()
	mount := func() error { return syscall.Mount(disk, p.dir, "", syscall.MS_BIND, "") }
	if err := mount(); err != nil {
		t.Skip("mounting is not permitted here:", err)
	}
	t.Cleanup(func() { syscall.Unmount(p.dir, syscall.MNT_DETACH) }) // in case it is still mounted
	for i := range 3 {
		p.write(t, fmt.Sprintf("%d/a.jpg", i), picture(i+1, 20, 20))
	}
	p.write(t, "0/a.xmp", titled("Beside"))
	res := p.scan(t, external.InPlaceOptions{})
	if res.Root.Counts.Present != 3 {
		t.Fatalf("%+v", res.Root.Counts)
	}
	gaid := p.at(t, "Photos/0")["a.jpg"]
	if got := p.do(t, "GET", "/api/v1/assets/"+gaid, "").want(t, 200).get("data.title"); got != "Beside" {
		t.Error(got)
	}
	before, events, files := manifest(t, disk), p.countEvents(t), p.count(t, `SELECT count(*) FROM batch_files`)
	state := func(want string) {
		t.Helper()
		p.do(t, "POST", "/api/v1/roots/1/scan", "").want(t, 200)
		p.until(t, "/api/v1/roots/1", func(a answer) bool { return a.get("data.state") == want })
		available := map[string]string{"online": "available", "offline": "offline"}[want]
		if n := p.filterTotal(t, "asset.availability", "equals", jsonString(available)); n != 3.0 {
			t.Errorf("%v assets are %s, want 3", n, available)
		}
		p.total(t, p.token, "/api/v1/assets", 3)
	}
	for range 2 {
		must(t, syscall.Unmount(p.dir, syscall.MNT_DETACH))
		if left, err := os.ReadDir(p.dir); err != nil || len(left) > 0 {
			t.Fatal(left, err)
		}
		state("offline")
		p.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 409)
		p.do(t, "GET", "/api/v1/assets/"+gaid+"/download?rendition=thumbnail", "").want(t, 200)
		must(t, mount())
		state("online")
		p.do(t, "GET", "/api/v1/assets/"+gaid+"/download", "").want(t, 200)
	}

	// A file was written at the unmounted mount point: it is another folder.
	must(t, syscall.Unmount(p.dir, syscall.MNT_DETACH))
	must(t, os.WriteFile(filepath.Join(p.dir, "stray.jpg"), picture(9, 20, 20), 0o644))
	state("offline")
	must(t, mount())
	state("online")

	if again := p.scan(t, external.InPlaceOptions{}); again.New+again.Linked+again.Gone > 0 || again.Root.Counts.Present != 3 {
		t.Errorf("%+v", again)
	}
	if n := p.count(t, `SELECT count(*) FROM batch_files`); n != files {
		t.Errorf("%d files were ingested, before %d", n, files)
	}
	if after := p.countEvents(t); fmt.Sprint(after) != fmt.Sprint(events) {
		t.Errorf("events were sent: %v, before %v", after, events)
	}
	if after := manifest(t, disk); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("files were changed: %v, before %v", after, before)
	}
}

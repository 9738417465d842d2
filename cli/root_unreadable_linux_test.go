package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A file in an external library that becomes unreadable is reported as unavailable by the
// asset, the problems of the library, dal check and a download, and becomes available again
// once it is readable.
func TestUnreadableInPlace(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can run commands as others")
	}
	base, bin := openFolder(t)
	lib, dir := filepath.Join(base, "lib"), filepath.Join(base, "Photos")
	makeAdmin(t, lib)
	token := dal(t, "", "token", "create", "--data", lib, "--user", "ada@example.com", "--name", "t", "--all-abilities")
	noErr(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
	for i, name := range []string{"a.jpg", "b.jpg", "sub/c.jpg"} {
		noErr(t, os.WriteFile(filepath.Join(dir, name), picture(i+1, 32), 0o644))
		old(t, filepath.Join(dir, name))
	}
	for _, d := range []string{lib, dir} {
		chown(t, d, nobody)
	}
	run := func(wantCode int, want string, args ...string) {
		t.Helper()
		if out, code := asNobody(t, bin, append(args, "--data", lib)...); code != wantCode || !strings.Contains(out, want) {
			t.Fatalf("%v: exit %d: %s", args, code, out)
		}
	}
	run(0, "The external library Photos has 3 files.", "import", "--in-place", dir, "--user", "ada@example.com")

	cmd := exec.Command(bin, "serve", "--data", lib, "--listen", "127.0.0.1:0", "--log-level", "error", "--tag-threshold", "off")
	cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	p := serveBy(t, cmd)
	gaids := map[string]string{}
	available := func(want map[string]string) {
		t.Helper()
		var list struct {
			Data []struct {
				GAID, Availability string
				Name               string `json:"original_filename"`
			}
		}
		noErr(t, p.call(token, "GET", "/assets", "application/json", nil, &list))
		got := map[string]string{}
		for _, a := range list.Data {
			got[a.Name], gaids[a.Name] = a.Availability, a.GAID
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	download := func(name string) error {
		var file json.RawMessage
		return p.call(token, "GET", "/assets/"+gaids[name]+"/download", "", nil, &file)
	}
	mode := func(name string, mode os.FileMode) { noErr(t, os.Chmod(filepath.Join(dir, name), mode)) }
	all := map[string]string{"a.jpg": "available", "b.jpg": "available", "c.jpg": "available"}
	available(all)

	mode("a.jpg", 0)
	for range 2 {
		run(3, "a.jpg: The file cannot be read: permission denied.", "root", "scan", "Photos")
		available(map[string]string{"a.jpg": "unreadable", "b.jpg": "available", "c.jpg": "available"})
	}
	run(1, "a.jpg: it cannot be read: permission denied", "check")
	if err := download("a.jpg"); err == nil || !strings.Contains(err.Error(), "cannot be read: permission denied") {
		t.Error(err)
	}
	mode("a.jpg", 0o644)
	run(0, "has 3 files", "root", "scan", "Photos")
	available(all)
	run(0, "found 0 problems", "check")

	mode("b.jpg", 0) // a download notices it first
	if err := download("b.jpg"); err == nil || !strings.Contains(err.Error(), "cannot be read: permission denied") {
		t.Error(err)
	}
	available(map[string]string{"a.jpg": "available", "b.jpg": "unreadable", "c.jpg": "available"})
	mode("b.jpg", 0o644)
	run(0, "has 3 files", "root", "scan", "Photos")
	available(all)

	for _, m := range []os.FileMode{0, 0o600} { // a folder that cannot be listed, or not be entered
		mode("sub", m)
		run(0, "", "root", "scan", "Photos")
		available(map[string]string{"a.jpg": "available", "b.jpg": "available", "c.jpg": "unreadable"})
		mode("sub", 0o755)
		run(0, "has 3 files", "root", "scan", "Photos")
		available(all)
	}

	d := filepath.Join(dir, "d.jpg") // a new file
	noErr(t, os.WriteFile(d, picture(9, 32), 0o644))
	old(t, d)
	chown(t, d, nobody)
	mode("d.jpg", 0)
	run(3, "d.jpg: The file cannot be read: permission denied.", "root", "scan", "Photos")
	available(all)
	mode("d.jpg", 0o644)
	run(0, "has 4 files", "root", "scan", "Photos")
	available(map[string]string{"a.jpg": "available", "b.jpg": "available", "c.jpg": "available", "d.jpg": "available"})
}

// old makes a file look as if it had not been modified for an hour.
func old(t testing.TB, path string) {
	t.Helper()
	then := time.Now().Add(-time.Hour)
	noErr(t, os.Chtimes(path, then, then))
}

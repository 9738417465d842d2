package cli_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

type snapshotItem struct {
	Snapshot string
	Files    int
	Complete bool
	Error    string
}

func snapshots(t testing.TB, target string) (list []snapshotItem) {
	t.Helper()
	if err := json.Unmarshal([]byte(dal(t, "", "backup", "list", target, "--json")), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// killAt starts a command and kills it as soon as dir contains this many files, unless the
// command exits first.
func killAt(t testing.TB, dir string, files int, args ...string) (killed bool) {
	t.Helper()
	cmd := exec.Command("dal", args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(200 * time.Microsecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return err != nil
		case <-tick.C:
			if filesIn(dir) >= files {
				cmd.Process.Kill()
				return <-ended != nil
			}
		}
	}
}

func filesIn(dir string) (n int) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil // a file that is being moved is counted next time
	})
	return n
}

// A backup that is killed at any moment leaves the previous one intact, and so does one
// that is killed while it prunes old ones. A restore that is killed leaves no library and
// resumes when it is restarted. DAL_KILL_ROUNDS is the number of rounds, 4 by default.
func TestKillBackup(t *testing.T) {
	t.Parallel()
	rounds := 4
	if n, err := strconv.Atoi(os.Getenv("DAL_KILL_ROUNDS")); err == nil {
		rounds = n
	}
	const files = 60
	dir := t.TempDir()
	data, target := filepath.Join(dir, "lib"), filepath.Join(dir, "target")
	filled(t, data, files)

	kills := 0
	for round := range rounds {
		fresh := filepath.Join(dir, fmt.Sprint("fresh", round)) // for the first snapshot of a target
		if killAt(t, fresh, rand.IntN(files+10), "backup", fresh, "--data", data) {
			kills++
		}
		if _, err := os.Stat(filepath.Join(fresh, "dal-backup.json")); err == nil {
			for _, s := range snapshots(t, fresh) {
				if !s.Complete {
					t.Errorf("round %d: %+v", round, s)
				}
			}
		}
		dal(t, "", "backup", fresh, "--data", data)
		sound(t, fresh)
	}
	dal(t, "", "backup", target, "--data", data)
	for round := range rounds {
		before := snapshots(t, target)
		have := filesIn(target)
		if killAt(t, target, have+rand.IntN(5), "backup", target, "--data", data, "--keep", "2") {
			kills++
		}
		after := snapshots(t, target)
		if len(after) == 0 || after[0].Snapshot < before[0].Snapshot {
			t.Fatalf("round %d: there were %v and are %v", round, before, after)
		}
		sound(t, target)
	}
	for round := range rounds {
		lib := filepath.Join(dir, fmt.Sprint("new", round))
		if killAt(t, lib, 1+rand.IntN(files+10), "restore", target, "--data", lib) {
			kills++
		}
		_, records := os.Stat(filepath.Join(lib, "dal.db"))
		_, marked := os.Stat(filepath.Join(lib, "restore", "restore.json"))
		if records != nil && marked != nil && filesIn(lib) > 2 { // its lock, and the restore marker that is being created
			t.Errorf("round %d: nothing tells that there is half a restore", round)
		}
		if marked == nil {
			out, err := exec.Command("dal", "serve", "--data", lib, "--listen", "127.0.0.1:0").CombinedOutput()
			if err == nil || !strings.Contains(string(out), "was interrupted: to continue, dal restore") {
				t.Errorf("round %d: a server takes half a restore: %v %s", round, err, out)
			}
		}
		if records != nil || marked == nil {
			dal(t, "", "restore", target, "--data", lib)
		}
		dal(t, "", "check", "--data", lib)
		out, err := exec.Command("dal", "restore", target, "--data", lib).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "there is a library in") {
			t.Errorf("round %d: over a library: %v %s", round, err, out)
		}
	}
	t.Logf("%d of %d were killed before their end", kills, 3*rounds)
	if kills == 0 {
		t.Error("no kill was in the middle")
	}
}

// sound checks that all snapshots of a target are intact.
func sound(t testing.TB, target string) {
	t.Helper()
	for _, s := range snapshots(t, target) {
		if !s.Complete || s.Error != "" {
			t.Errorf("%+v", s)
		}
		cmd := exec.Command("sha256sum", "--quiet", "-c", filepath.Join("snapshots", s.Snapshot, "SHA256SUMS"))
		cmd.Dir = target
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", s.Snapshot, err, out)
		}
	}
}

// The server makes scheduled backups, keeps the configured number, and retries
// failed ones.
func TestScheduledBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, target := filepath.Join(dir, "lib"), filepath.Join(dir, "disk", "target")
	filled(t, data, 3)
	p := serve(t, data, "--backup-dir", target, "--backup-every", "1s", "--backup-keep", "2")
	defer p.kill()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(2 * time.Minute)
	until := func(what string, done func() bool) {
		t.Helper()
		for !done() {
			select {
			case <-tick.C:
			case <-deadline:
				t.Fatal("there is no " + what)
			}
		}
	}
	check := func() string {
		out, err := exec.Command("dal", "check", "--quick", "--data", data).CombinedOutput()
		if err != nil {
			t.Fatalf("%v %s", err, out)
		}
		return string(out)
	}
	until("failure", func() bool { return strings.Contains(check(), "is its disk mounted?") })
	if err := os.Mkdir(filepath.Dir(target), 0o700); err != nil {
		t.Fatal(err)
	}
	var first, now []string
	names := func() (all []string) {
		entries, _ := os.ReadDir(filepath.Join(target, "snapshots")) // missing at first
		for _, e := range entries {
			all = append(all, e.Name())
		}
		return all
	}
	until("backup", func() bool { first = names(); return len(first) > 0 })
	until("second and third", func() bool { now = names(); return len(now) >= 2 && now[0] > first[0] })
	if len(now) > 3 { // the oldest and the newest may coexist briefly
		t.Errorf("%d snapshots: %v", len(now), now)
	}
	if out := check(); !strings.Contains(out, "Last backup: ") || !strings.Contains(out, target) {
		t.Errorf("check says %s", out)
	}
}

package cli_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is the user id for commands that must not run as root.
const nobody = 65534

// asNobody runs a command as another user and returns its output and its exit code.
func asNobody(t testing.TB, bin string, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command(bin, args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	b, _ := cmd.CombinedOutput()
	return string(b), cmd.ProcessState.ExitCode()
}

// openFolder creates a folder that every user may enter, containing the binary.
func openFolder(t testing.TB) (dir, bin string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "dal-folder-")
	noErr(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	noErr(t, os.Chmod(dir, 0o755))
	from, err := exec.LookPath("dal")
	noErr(t, err)
	src, err := os.Open(from)
	noErr(t, err)
	defer src.Close()
	bin = filepath.Join(dir, "dal")
	dst, err := os.OpenFile(bin, os.O_CREATE|os.O_WRONLY, 0o755)
	noErr(t, err)
	_, err = io.Copy(dst, src)
	noErr(t, err)
	noErr(t, dst.Close())
	return dir, bin
}

func chown(t testing.TB, dir string, id int) {
	t.Helper()
	noErr(t, filepath.Walk(dir, func(path string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, id, id)
	}))
}

// Users without permission, or without good reason, to write to a data folder get a plain
// error, and those with read access can check it.
func TestFolderRights(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can run commands as others")
	}
	base, bin := openFolder(t)
	lib := filepath.Join(base, "lib")
	pictureLibrary(t, lib, 1, 4)

	serveIt := []string{"serve", "--listen", "127.0.0.1:0"}
	list := []string{"user", "list"}
	check := []string{"check"}
	recovery := []string{"recover", "--dry-run"}
	expect := func(what, out string, code, wantCode int, want string) {
		t.Helper()
		if code != wantCode || !strings.Contains(out, want) || strings.Contains(out, "readonly database") {
			t.Errorf("%s: exit %d: %s", what, code, out)
		}
	}
	to := func(args []string, dir string, more ...string) []string {
		return append(append(append([]string{}, args...), "--data", dir), more...)
	}

	for _, args := range [][]string{serveIt, list, recovery} {
		out, code := asNobody(t, bin, to(args, lib)...)
		expect("nobody in root's folder", out, code, 1, lib+" belongs to root, and dal runs as nobody")
	}
	out, code := asNobody(t, bin, to(serveIt, filepath.Join(base, "new"))...)
	expect("nobody makes a library", out, code, 1, base+" belongs to root, and dal runs as nobody")

	chown(t, lib, nobody)
	before := folderState(t, lib)
	for _, args := range [][]string{serveIt, list, recovery} {
		out, code := runDal(t, to(args, lib)...)
		expect("root in nobody's folder", out, code, 1, "you are root, and "+lib+" belongs to nobody")
	}
	out, code = runDal(t, to(serveIt, filepath.Join(lib, "new"))...)
	expect("root makes a library there", out, code, 1, "you are root, and "+lib+" belongs to nobody")
	out, code = runDal(t, to(check, lib)...)
	expect("root checks nobody's folder", out, code, 0, "Checked 3 files, found 0 problems")
	if !sameState(before, folderState(t, lib)) {
		t.Error("root has changed nobody's folder")
	}
	out, code = asNobody(t, bin, to(check, lib)...)
	expect("nobody checks their folder", out, code, 0, "Checked 3 files, found 0 problems")

	noErr(t, os.Chmod(lib, 0o500))
	before = folderState(t, lib)
	for _, args := range [][]string{serveIt, list, recovery} {
		out, code := asNobody(t, bin, to(args, lib)...)
		expect("a folder that may not be written", out, code, 1, lib+" cannot be written by its owner, nobody: its mode is 0500")
	}
	out, code = asNobody(t, bin, to(check, lib)...)
	expect("it can be checked", out, code, 0, "Checked 3 files, found 0 problems")
	if !sameState(before, folderState(t, lib)) {
		t.Error("the check has changed the folder")
	}
	noErr(t, os.Chmod(lib, 0o700))

	out, code = runDal(t, to(list, lib, "--allow-root")...)
	expect("root who insists", out, code, 0, "ada@example.com")
}

// A library on a disk mounted read-only can be checked, even if its server was killed.
func TestReadOnlyMount(t *testing.T) {
	t.Parallel()
	base, _ := openFolder(t)
	lib := filepath.Join(base, "lib")
	pictureLibrary(t, lib, 1, 4)
	p := serve(t, lib)
	// This user exists only in the write-ahead log of the database.
	dal(t, "", "user", "create", "--data", lib, "--email", "bob@example.com", "--name", "Bob", "--role", "viewer")
	p.kill()
	if wal, err := os.Stat(filepath.Join(lib, "dal.db-wal")); err != nil || wal.Size() == 0 {
		t.Fatalf("there is no log: %v", err)
	}
	if err := syscall.Mount(lib, lib, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("no disk can be mounted here: %v", err)
	}
	defer syscall.Unmount(lib, syscall.MNT_DETACH)
	noErr(t, syscall.Mount(lib, lib, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	before := folderState(t, lib)
	refusal := lib + " is on a disk that is mounted read-only: nothing can be written there"
	for _, args := range [][]string{
		{"serve", "--listen", "127.0.0.1:0"},
		{"user", "list"},
		{"import", base, "--user", "ada@example.com"},
		{"recover"},
	} {
		if out, code := runDal(t, append(args, "--data", lib)...); code != 1 || !strings.Contains(out, refusal) {
			t.Errorf("%v: exit %d: %s", args, code, out)
		}
	}
	if out, code := runDal(t, "check", "--data", lib); code != 0 || !strings.Contains(out, "Checked 3 files, found 0 problems") {
		t.Errorf("check: exit %d: %s", code, out)
	}
	if !sameState(before, folderState(t, lib)) {
		t.Error("something was written")
	}
}

// Only the owner can read the records and their companion files, regardless of the umask
// and the modes of the folder and of existing files.
func TestPrivate(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	lib := filepath.Join(base, "lib")
	noErr(t, os.Mkdir(lib, 0o777))
	noErr(t, os.Chmod(lib, 0o777))
	noErr(t, os.Mkdir(filepath.Join(lib, "signatures"), 0o777))
	look := func(when string) {
		t.Helper()
		entries, err := os.ReadDir(lib)
		noErr(t, err)
		for _, e := range entries {
			info, err := e.Info()
			noErr(t, err)
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %s has the mode %v", when, e.Name(), info.Mode())
			}
		}
	}
	start := func() *process {
		return serveBy(t, exec.Command("sh", "-c", `umask 0; exec dal serve --data "$0" --listen 127.0.0.1:0`, lib))
	}
	p := start()
	makeAdmin(t, lib)
	look("a new library")
	p.kill()
	for _, name := range []string{"dal.db", "dal.db-wal", "dal.db-shm"} {
		noErr(t, os.Chmod(filepath.Join(lib, name), 0o666))
	}
	for _, name := range []string{"blobs", "cache", "exports", "index", "signatures"} {
		noErr(t, os.Chmod(filepath.Join(lib, name), 0o777))
	}
	p = start()
	defer p.kill()
	look("one that was open to all")
}

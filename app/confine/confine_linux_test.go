package confine_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/digital-asset-library/dal/app/confine"
)

// TestMain runs the tests, or a process that confines itself and tries forbidden actions.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == confine.Argument:
		fmt.Fprintln(os.Stderr, confine.Main(os.Args[2:]))
		os.Exit(1)
	case len(os.Args) > 2 && os.Args[1] == "try":
		if err := try(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var errNotRefused = errors.New("it was not refused")

// try checks the permitted and forbidden actions of a confined process, including another
// thread.
func try(mine, other string) error {
	if err := confine.Apply(confine.Rules{Write: []string{mine, filepath.Join(mine, "missing")}, MaxFile: 1 << 20}); err != nil {
		return err
	}
	failed := make(chan error)
	go func() {
		_, err := os.ReadFile(other)
		failed <- err
	}()
	errs := map[string]error{"read another file": <-failed}
	_, errs["read a folder"] = os.ReadDir("/etc")
	errs["write beside the folder"] = os.WriteFile(mine+"2", nil, 0o600)
	_, errs["connect"] = net.Dial("tcp", "127.0.0.1:9")
	_, errs["look up a name"] = net.Dial("udp", "127.0.0.1:53")
	_, errs["listen"] = net.Listen("unix", filepath.Join(mine, "socket"))
	errs["start a program"] = exec.Command("/bin/true").Run()
	errs["trace"] = syscall.PtraceAttach(os.Getppid())
	for what, err := range errs {
		if !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.EACCES) {
			return fmt.Errorf("%s: %w", what, errors.Join(errNotRefused, err))
		}
	}
	path := filepath.Join(mine, "file")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		return err
	}
	if err := os.Rename(path, path+"2"); err != nil {
		return err
	}
	_, err := os.ReadFile(path + "2")
	return err
}

func needsBoth(t *testing.T) {
	t.Helper()
	if s := confine.Supported(); !s.Files || !s.Network {
		t.Skipf("of confined processes, here %s", s)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	needsBoth(t)
	dir := t.TempDir()
	other := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(other, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("/proc/self/exe", "try", dir, other).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// A confined program can access only its files, including an open one.
func TestCommand(t *testing.T) {
	t.Parallel()
	needsBoth(t)
	dir := t.TempDir()
	mine, other := filepath.Join(dir, "mine"), filepath.Join(dir, "other")
	for _, path := range []string{mine, other} {
		if err := os.WriteFile(path, []byte("text of "+filepath.Base(path)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"/dev/stdin": "text of mine", other: "Permission denied", mine: "text of mine"} {
		file, err := os.Open(mine)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		rules := confine.Rules{Read: []string{"/usr", "/lib", "/lib64", "/bin", "/dev/stdin"}, Write: []string{"/dev/null"}}
		cmd, err := confine.Command(t.Context(), rules, "/bin/cat", path)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdin = file
		if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), want) {
			t.Errorf("%s: %s, want %s", path, out, want)
		}
	}
	for _, arguments := range [][]string{nil, {"{}"}, {"{", "/bin/true"}, {"{}", "/nothing"}} {
		if out, err := exec.Command("/proc/self/exe", append([]string{confine.Argument}, arguments...)...).CombinedOutput(); err == nil {
			t.Errorf("%q: %s", arguments, out)
		}
	}
}

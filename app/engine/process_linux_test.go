package engine_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// The workers of a server that is killed end, even in the middle of a file.
func TestServerDies(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	server, err := os.StartProcess(self, []string{self, "parent"}, &os.ProcAttr{Files: []*os.File{nil, w, os.Stderr}})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	var id int
	if _, err := fmt.Fscan(out, &id); err != nil {
		t.Fatal(err)
	}
	server.Kill()
	server.Wait()
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) { // gone, or for its new parent to reap
			return
		}
		if time.Now().After(deadline) {
			syscall.Kill(id, syscall.SIGKILL)
			t.Fatal("the worker is still there")
		}
	}
}

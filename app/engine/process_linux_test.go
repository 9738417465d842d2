package engine_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The workers of a killed server exit, even while they read a file.
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
		if err != nil || bytes.Contains(stat, []byte(") Z ")) { // gone, or waiting to be reaped by its new parent
			return
		}
		if time.Now().After(deadline) {
			syscall.Kill(id, syscall.SIGKILL)
			t.Fatal("the worker is still there")
		}
	}
}

// Background jobs run in a separate worker with the lowest priority and do not delay other
// jobs.
func TestBackground(t *testing.T) {
	t.Parallel()
	p := pool(t)
	j := job(drawing)
	j.Background = true
	if _, err := p.Look(t.Context(), j, strings.NewReader(drawing), time.Minute); err != nil {
		t.Fatal(err)
	}
	low := p.Running()[0]
	for range 2 {
		if _, err := look(t, p, drawing); err != nil {
			t.Fatal(err)
		}
	}
	if n := p.Running(); len(n) != 2 {
		t.Fatalf("the workers are %v", n)
	}
	for _, id := range p.Running() {
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", id))
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			thread, err := strconv.Atoi(task.Name())
			if err != nil {
				t.Fatal(err)
			}
			nice, err := syscall.Getpriority(syscall.PRIO_PROCESS, thread)
			if is := 20 - nice; err != nil || (is == 19) != (id == low) { // as returned by the system call
				t.Errorf("a thread of %d, of which %d is in the background, has priority %d, %v", id, low, is, err)
			}
		}
	}
}

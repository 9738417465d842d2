package worker

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain runs the tests, or a process that exceeds its memory limit or prints its OOM
// score.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "score" {
		score, err := []byte(nil), limit(64<<20)
		if err == nil {
			score, err = os.ReadFile("/proc/self/oom_score_adj")
		}
		if err != nil {
			panic(err)
		}
		os.Stdout.Write(score)
		os.Exit(0)
	}
	if len(os.Args) == 2 && os.Args[1] == "eat" {
		if err := limit(64 << 20); err != nil {
			panic(err)
		}
		all := make([]byte, 2<<30)
		for i := range all {
			all[i] = 1
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The kernel stops a worker that exceeds its memory limit.
func TestLimit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the race detector, which .ci/run uses with -short, needs more memory than a worker may have")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, "eat").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "out of memory") && !strings.Contains(string(out), "cannot allocate memory") {
		t.Errorf("%v: %.300s", err, out)
	}
}

// If memory runs out, the kernel kills workers before the server.
func TestOOMScore(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, "score").CombinedOutput()
	if score := strings.TrimSpace(string(out)); err != nil || score != "1000" {
		t.Errorf("%v: %s", err, out)
	}
}

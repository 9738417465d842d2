package blob_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/gofrs/flock"

	"github.com/digital-asset-library/dal/storage/blob"
)

// child is the process of TestKilled: it prints each step as a line on stdout and
// continues when it receives a line.
func child(t *testing.T, dir string) {
	in := bufio.NewReader(os.Stdin)
	stop := func(where string) error {
		fmt.Println(where)
		_, err := in.ReadString('\n')
		return err
	}
	s, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var temps []*blob.Temp
	for _, text := range []string{"one", "two", "three"} {
		w, err := s.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		temps = append(temps, w)
	}
	if err := stop("writing"); err != nil {
		t.Fatal(err)
	}
	temps = temps[:2] // the third is never finished
	for _, w := range temps {
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	err = s.Adopt(t.Context(), temps, func() error { return stop("adopting") })
	t.Fatalf("lived on: %v", err)
}

// A process is killed while it records adopted files: until then others cannot remove its
// files, afterwards all its leftovers are found and removed.
func TestKilled(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv("DAL_TEST_KILLED"); dir != "" {
		child(t, dir)
		return
	}
	dir := t.TempDir()
	s := open(t, dir)
	kept := put(t, s, []byte("with a record"), done)
	known := func(sha string) (bool, error) { return sha == kept, nil }

	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), "DAL_TEST_KILLED="+dir)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(stdout)
	expect := func(line string) {
		t.Helper()
		if !lines.Scan() || lines.Text() != line {
			t.Fatalf("the child says %q, %v", lines.Text(), lines.Err())
		}
	}

	expect("writing")
	if n, err := s.Sweep(t.Context(), known); err != nil || n != (blob.Swept{}) {
		t.Errorf("swept %+v while the other process writes, %v", n, err)
	}
	if _, err := io.WriteString(stdin, "\n"); err != nil {
		t.Fatal(err)
	}
	expect("adopting")
	// The lock between processes is a plain flock(2) on this file.
	if ok, err := flock.New(filepath.Join(dir, "lock")).TryLock(); err != nil || ok {
		t.Errorf("nothing keeps others from removing: %v, %v", ok, err)
	}
	var killed atomic.Bool
	removed := make(chan error, 1)
	go func() {
		ok, err := s.Remove(context.Background(), sum([]byte("one")), func(string) (bool, error) {
			if !killed.Load() {
				return false, errors.New("asked while the other process adopts")
			}
			return true, nil
		})
		if err == nil && !ok {
			err = errors.New("it was not there")
		}
		removed <- err
	}()
	killed.Store(true)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-removed; err != nil {
		t.Errorf("remove: %v", err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the child was not killed")
	}

	if n, err := s.Sweep(t.Context(), known); err != nil || n != (blob.Swept{Temps: 1, Blobs: 1, Bytes: 3}) {
		t.Errorf("swept %+v, %v", n, err)
	}
	if n, err := s.Sweep(t.Context(), known); err != nil || n != (blob.Swept{}) {
		t.Errorf("swept %+v the second time, %v", n, err)
	}
	if err := s.Verify(t.Context(), kept); err != nil {
		t.Error(err)
	}
	if _, err := s.Open(sum([]byte("two"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a blob without a record: %v", err)
	}
}

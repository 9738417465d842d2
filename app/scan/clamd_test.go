package scan_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/digital-asset-library/dal/app/scan"
)

// startClamd starts a clamd with a database of one hash and waits until it listens. It
// returns clients for its two addresses, and a function that kills it.
func startClamd(t *testing.T, virus []byte) (unix, tcp *scan.Clamd, kill func()) {
	t.Helper()
	program, err := exec.LookPath("clamd")
	if err != nil {
		t.Skip("clamd is not installed; .ci/run installs it")
	}
	dir, db := t.TempDir(), t.TempDir()
	write(t, filepath.Join(db, "test.hsb"), fmt.Sprintf("%x:%d:Test.Virus:73\n", sha256.Sum256(virus), len(virus)))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().(*net.TCPAddr)
	ln.Close() // clamd cannot choose a free port itself
	conf, socket := filepath.Join(dir, "clamd.conf"), filepath.Join(dir, "s")
	write(t, conf, fmt.Sprintf("Foreground yes\nDatabaseDirectory %s\nTemporaryDirectory %s\nLocalSocket %s\n"+
		"TCPAddr 127.0.0.1\nTCPSocket %d\n", db, dir, socket, address.Port))
	cmd := exec.Command(program, "--config-file="+conf)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() { cmd.Process.Kill(); cmd.Wait() })
	t.Cleanup(kill)
	lines := bufio.NewScanner(out)
	for !strings.HasPrefix(lines.Text(), "Self checking every") { // last line before it accepts commands
		if !lines.Scan() {
			kill()
			t.Fatalf("clamd has ended: %s", &said)
		}
	}
	if unix, err = scan.ParseClamd("unix:" + socket); err != nil {
		t.Fatal(err)
	}
	if tcp, err = scan.ParseClamd("tcp://" + address.String()); err != nil {
		t.Fatal(err)
	}
	return unix, tcp, kill
}

// Many files scanned concurrently, over both kinds of socket, each get the right verdict.
func TestClamdAtOnce(t *testing.T) {
	t.Parallel()
	virus := bytes.Repeat([]byte("a virus of more than one chunk "), 10_000)
	unix, tcp, _ := startClamd(t, virus)
	var work sync.WaitGroup
	for i := range 16 {
		clamd, data := unix, virus
		if i%2 == 1 {
			clamd = tcp
		}
		if i%4 >= 2 {
			data = virus[:len(virus)-i]
		}
		work.Go(func() {
			r, err := clamd.Scan(t.Context(), bytes.NewReader(data))
			if err != nil || r.Infected != (len(data) == len(virus)) {
				t.Errorf("%d: %+v, %v", i, r, err)
			}
		})
	}
	work.Wait()
}

// A clamd that is killed, before or during a scan, gives no verdict, and neither does its
// stale socket.
func TestClamdKilled(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"unix", "tcp"} {
		unix, tcp, kill := startClamd(t, []byte("virus"))
		clamd := map[string]*scan.Clamd{"unix": unix, "tcp": tcp}[network]
		if v, err := clamd.Version(t.Context()); err != nil || !strings.HasPrefix(v, "ClamAV ") {
			t.Errorf("%s: %q, %v", network, v, err)
		}
		half := bytes.NewReader(make([]byte, 1<<20))
		file := io.MultiReader(half, cancels{kill}, strings.NewReader("the rest"))
		if r, err := clamd.Scan(t.Context(), file); !errors.Is(err, scan.ErrUnavailable) {
			t.Errorf("%s, killed in the middle: %+v, %v", network, r, err)
		}
		if r, err := clamd.Scan(t.Context(), strings.NewReader("clean")); !errors.Is(err, scan.ErrUnavailable) {
			t.Errorf("%s, killed before: %+v, %v", network, r, err)
		}
		if v, err := clamd.Version(t.Context()); !errors.Is(err, scan.ErrUnavailable) {
			t.Errorf("%s: %q, %v", network, v, err)
		}
	}
}

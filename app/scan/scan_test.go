package scan_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/scan"
)

// eicar returns the EICAR test file. It is assembled here so that scanners do not detect
// this source file.
func eicar() []byte {
	return []byte(`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-` + `ANTIVIRUS-TEST-FILE!$H+H*`)
}

func run(t *testing.T, s *scan.Scanner, data []byte) (scan.Result, error) {
	t.Helper()
	return s.Scan(t.Context(), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }, int64(len(data)))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad, worse := []byte("a bad file"), bytes.Repeat([]byte("worse "), 1000)
	md, sha := md5.Sum(bad), sha256.Sum256(worse)
	write(t, filepath.Join(dir, "own.hdb"), fmt.Sprintf("# mine\n\n%s:%d:Own.Bad\n%s:9:Own.OtherSize\n",
		hex.EncodeToString(md[:]), len(bad), strings.Repeat("ab", 16)))
	write(t, filepath.Join(dir, "own.hsb"), fmt.Sprintf("%s:*:Own.Worse:73\n", hex.EncodeToString(sha[:])))
	write(t, filepath.Join(dir, "readme.txt"), "no list")
	sigs, err := scan.LoadSignatures(dir)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := sigs.Count(); n != 3 || err != nil {
		t.Errorf("%d signatures, %v", n, err)
	}
	s := &scan.Scanner{Signatures: sigs}
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"clean", []byte("clean"), ""},
		{"empty", nil, ""},
		{"EICAR", eicar(), "EICAR-Test-File"},
		{"EICAR with white space", append(eicar(), "\r\n  "...), "EICAR-Test-File"},
		{"EICAR in the middle of something else", append([]byte("x"), eicar()...), ""},
		{"EICAR with much behind it", append(eicar(), make([]byte, 500)...), ""},
		{"MD5", bad, "Own.Bad"},
		{"SHA-256", worse, "Own.Worse"},
	} {
		r, err := run(t, s, tt.data)
		if err != nil || r.Signature != tt.want || r.Infected != (tt.want != "") || r.Engine == "" {
			t.Errorf("%s: %+v, %v", tt.name, r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(worse)), nil }
	if _, err := s.Scan(ctx, file, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, line := range []string{
		"nonsense",
		"abcd:1:Short",
		strings.Repeat("ab", 16) + ":x:Size",
		strings.Repeat("ab", 16) + ":-1:Size",
		strings.Repeat("zz", 16) + ":1:Hex",
		strings.Repeat("x", 2000),
	} {
		bad := t.TempDir()
		write(t, filepath.Join(bad, "list.hdb"), "# first\n"+line+"\n")
		if _, err := scan.LoadSignatures(bad); err == nil || !strings.Contains(err.Error(), "list.hdb") {
			t.Errorf("%.40q: %v", line, err)
		}
	}
}

func TestParseClamd(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"unix:/run/clamd.sock": true, "unix:///run/clamd.sock": true, "tcp://127.0.0.1:3310": true, "tcp://[::1]:3310": true,
		"": false, "unix:": false, "tcp://": false, "tcp://host": false, "127.0.0.1:3310": false, "http://x:1": false,
	} {
		if _, err := scan.ParseClamd(address); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// A real clamd with a database of one signature.
func TestClamd(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("clamd")
	if err != nil {
		t.Skip("clamd is not installed; .ci/run installs it")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	ln.Close()
	virus := bytes.Repeat([]byte("virus for a test "), 10)
	sum := md5.Sum(virus)
	db := filepath.Join(dir, "db")
	if err := os.Mkdir(db, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(db, "test.hdb"), fmt.Sprintf("%s:%d:Test.Virus\n", hex.EncodeToString(sum[:]), len(virus)))
	socket := filepath.Join(dir, "clamd.sock")
	conf := filepath.Join(dir, "clamd.conf")
	write(t, conf, fmt.Sprintf("DatabaseDirectory %s\nLocalSocket %s\nTCPSocket %d\nTCPAddr 127.0.0.1\nForeground yes\n"+
		"StreamMaxLength 1M\nTemporaryDirectory %s\nUser root\n", db, socket, port, dir))
	cmd := exec.Command(path, "--config-file="+conf)
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	unix, err := scan.ParseClamd("unix:" + socket)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := scan.ParseClamd(fmt.Sprintf("tcp://127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.After(60 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		v, err := unix.Version(t.Context())
		if err == nil && strings.HasPrefix(v, "ClamAV") {
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("clamd does not answer: %v\n%s", err, out)
		}
	}
	sigs, err := scan.LoadSignatures("")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*scan.Clamd{"unix": unix, "tcp": tcp} {
		s := &scan.Scanner{Signatures: sigs, Clamd: c}
		if r, err := run(t, s, []byte("clean")); err != nil || r.Infected || r.Engine != "ClamAV" {
			t.Errorf("%s, clean: %+v, %v", name, r, err)
		}
		if r, err := run(t, s, nil); err != nil || r.Infected {
			t.Errorf("%s, empty: %+v, %v", name, r, err)
		}
		if r, err := run(t, s, virus); err != nil || !r.Infected || !strings.HasPrefix(r.Signature, "Test.Virus") {
			t.Errorf("%s, virus: %+v, %v", name, r, err)
		}
		if _, err := run(t, s, make([]byte, 2<<20)); !errors.Is(err, scan.ErrTooLargeForScanner) {
			t.Errorf("%s, over StreamMaxLength: %v", name, err)
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	if _, err := run(t, &scan.Scanner{Signatures: sigs, Clamd: tcp}, []byte("clean")); !errors.Is(err, scan.ErrUnavailable) {
		t.Errorf("after clamd has gone: %v", err)
	}
}

// A file never passes without a verdict.
func TestClamdNonsense(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{
		"", "\x00", "OK\x00", "stream: ", "stream: OK", "PONG\x00", "stream:  FOUND\x00",
		strings.Repeat("x", 10_000) + "\x00", "stream: Can't open file ERROR\x00",
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			io.CopyN(io.Discard, conn, int64(len("zINSTREAM\x00")+4+len("clean")+4))
			io.WriteString(conn, reply)
		}()
		c, err := scan.ParseClamd("tcp://" + ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if r, err := c.Scan(t.Context(), strings.NewReader("clean")); !errors.Is(err, scan.ErrUnavailable) {
			t.Errorf("%.40q: %+v, %v", reply, r, err)
		}
		ln.Close()
	}
}

func FuzzSignatureList(f *testing.F) {
	f.Add("d41d8cd98f00b204e9800998ecf8427e:0:Empty\n")
	f.Add("# comment\n\nda39a3ee5e6b4b0d3255bfef95601890afd80709:*:Any:73\n")
	f.Add(":::")
	f.Fuzz(func(t *testing.T, list string) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "list.hsb"), list)
		s, err := scan.LoadSignatures(dir)
		if err != nil {
			if !strings.Contains(err.Error(), "list.hsb") {
				t.Errorf("an error without its place: %v", err)
			}
			return
		}
		if n, err := s.Count(); err != nil || n > strings.Count(list, ":")/2 {
			t.Errorf("%d signatures in %q, %v", n, list, err)
		}
	})
}

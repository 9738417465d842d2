package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/cli"
	"github.com/digital-asset-library/dal/storage"
)

// Helpers for the tests of the commands.

// process is a running dal serve.
type process struct {
	cmd *exec.Cmd
	url string
}

// serve starts a server and waits until it listens.
func serve(t testing.TB, data string, args ...string) *process {
	t.Helper()
	args = append([]string{
		"serve", "--data", data, "--listen", "127.0.0.1:0", "--rate-limit", "1000000", "--log-level", "warn", "--tag-threshold", "off",
	}, args...)
	return serveBy(t, exec.Command("dal", args...))
}

// serveBy starts a server with a command and waits until it listens.
func serveBy(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd}
	t.Cleanup(p.kill) // unless the test has stopped it
	lines := bufio.NewScanner(errs)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "listens on "); ok {
			go func() {
				for lines.Scan() {
					t.Log(lines.Text())
				}
			}()
			p.url = url
			return p
		}
		t.Log(lines.Text())
	}
	t.Fatal("the server did not start")
	return nil
}

// kill ends the process without any chance to clean up.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// call sends a request. It returns an error if the server is killed before it answers.
func (p *process) call(token, method, path, kind string, body io.Reader, into any) error {
	req, err := http.NewRequest(method, p.url+"/api/v1"+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", kind)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s = %d %s", method, path, res.StatusCode, data)
	}
	return json.Unmarshal(data, into)
}

// get sends a GET request and returns the decoded answer.
func (p *process) get(t *testing.T, token, path string) (v map[string]any) {
	t.Helper()
	if err := p.call(token, "GET", path, "", nil, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// dal runs a command that must succeed and returns its output. For user create, it creates
// the library first.
func dal(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	if i := slices.Index(args, "--data"); i > 0 && slices.Equal(args[:2], []string{"user", "create"}) {
		if out, err := exec.Command("mklib", args[i+1]).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	cmd := exec.Command("dal", args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("dal %s: %v\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// runDal runs a command and returns its output and its exit code.
func runDal(t testing.TB, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command("dal", args...)
	b, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(b), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b), 0
}

// command runs a command in this process.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Main(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, strings.TrimSpace(out.String()), errs.String()
}

func picture(seed, size int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			img.Set(x, y, color.RGBA{uint8(x*3 + seed*31), uint8(y*5 + seed*57), uint8(seed), 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err) // cannot happen: the picture is valid
	}
	return b.Bytes()
}

// folder creates a folder of n pictures, two of them identical, and returns it.
func folder(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.jpg", i)), picture(max(i, 1), 64), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// library creates a library with an admin and a token.
func library(t *testing.T) (data, token string) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "lib")
	makeAdmin(t, data)
	return data, dal(t, "", "token", "create", "--data", data, "--user", "ada@example.com", "--name", "t", "--all-abilities")
}

// filled creates a library of small pictures.
func filled(t testing.TB, data string, files int) {
	t.Helper()
	photos := t.TempDir()
	for n := range files {
		write := os.WriteFile(filepath.Join(photos, fmt.Sprintf("p%d.jpg", n)), append(picture(n, 16), fmt.Sprint("unique ", n)...), 0o600)
		if write != nil {
			t.Fatal(write)
		}
	}
	makeAdmin(t, data)
	dal(t, "", "import", photos, "--data", data, "--user", "ada@example.com", "--log-level", "error")
}

// makeAdmin creates a library with the admin ada@example.com.
func makeAdmin(t testing.TB, data string) {
	t.Helper()
	dal(t, "correct horse battery\n", "user", "create", "--data", data, "--password-stdin",
		"--email", "ada@example.com", "--name", "Ada", "--role", "admin")
}

// pictureLibrary creates a library with pictures and returns their checksums.
func pictureLibrary(t testing.TB, data string, from, to int) (shas []string) {
	t.Helper()
	makeAdmin(t, data)
	return growLibrary(t, data, from, to)
}

// growLibrary imports pictures and returns their checksums.
func growLibrary(t testing.TB, data string, from, to int) (shas []string) {
	t.Helper()
	dir := t.TempDir()
	for seed := from; seed < to; seed++ {
		p := picture(seed, 32)
		h := sha256.Sum256(p)
		shas = append(shas, hex.EncodeToString(h[:]))
		if err := os.WriteFile(filepath.Join(dir, shas[len(shas)-1]+".jpg"), p, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dal(t, "", "import", dir, "--data", data, "--user", "ada@example.com")
	return shas
}

// seeded creates a library of 300 assets and returns its folder and its token.
func seeded(t *testing.T, seed string) (data, token string) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "lib")
	code, token, stderr := command(t, "bench", "seed", "--data", data, "--assets", "300", "--collections", "20", "--seed", seed)
	if code != 0 || !strings.HasPrefix(token, "dal_") || !strings.Contains(stderr, "300 assets") {
		t.Fatalf("seed: %d %s %s", code, token, stderr)
	}
	return data, token
}

// sqlite changes a database behind dal's back.
func sqlite(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	noErr(t, err)
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// assets counts the assets in a database.
func assets(t testing.TB, path string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	noErr(t, err)
	defer db.Close()
	noErr(t, db.QueryRow(`SELECT count(*) FROM assets`).Scan(&n))
	return n
}

// query returns the single value of a query.
func query(t testing.TB, path, q string) (v string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	noErr(t, err)
	defer db.Close()
	noErr(t, db.QueryRow(q).Scan(&v))
	return v
}

// records opens the records of a library until the end of the test.
func records(t testing.TB, data string) *storage.Store {
	t.Helper()
	store, err := storage.Open(context.Background(), filepath.Join(data, "dal.db"), time.Now)
	noErr(t, err)
	t.Cleanup(func() { store.Close() })
	return store
}

// read runs fn in a read transaction.
func read(t testing.TB, store *storage.Store, fn func(*storage.Tx) error) {
	t.Helper()
	noErr(t, store.View(t.Context(), fn))
}

// assetsOf reads all assets of a library with their collections.
func assetsOf(t *testing.T, data string) (assets []*dam.Asset) {
	t.Helper()
	read(t, records(t, data), func(tx *storage.Tx) error {
		changes, err := tx.Changes(0, 1000, true)
		for _, c := range changes {
			a, err := tx.Asset(c.Asset.GAID)
			if err != nil {
				return err
			}
			of, err := tx.CollectionsOf(storage.Everyone, []int64{a.ID}, nil)
			if err != nil {
				return err
			}
			a.Collections = of[a.ID]
			assets = append(assets, a)
		}
		return err
	})
	return assets
}

// inCollection counts the assets of a collection in the records.
func inCollection(t *testing.T, data, name string) (n int) {
	t.Helper()
	read(t, records(t, data), func(tx *storage.Tx) error {
		id, err := tx.CollectionNamed(storage.Everyone, name)
		if err != nil {
			return err
		}
		order, err := tx.CollectionOrder(id)
		n = len(order)
		return err
	})
	return n
}

// versions returns the version of each asset.
func versions(t *testing.T, store *storage.Store) map[int64]int64 {
	t.Helper()
	all := map[int64]int64{}
	read(t, store, func(tx *storage.Tx) error {
		changes, err := tx.Changes(0, 1_000_000, true)
		for _, c := range changes {
			all[c.AssetID] = c.Asset.Version
		}
		return err
	})
	return all
}

func noErr(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func copyTree(t testing.TB, from, to string) {
	t.Helper()
	noErr(t, os.CopyFS(to, os.DirFS(from)))
	noErr(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error { // CopyFS does not copy modes
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return os.Chmod(filepath.Join(to, rel), info.Mode().Perm())
	}))
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	noErr(t, err)
	noErr(t, os.WriteFile(to, b, 0o600))
}

package cli_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/search"
)

// A block is a fenced code block of a document.
type block struct {
	where string // file:line
	lang  string
	info  string // the word after the language
	text  string
}

// blocks reads the fenced blocks of a document.
func blocks(t *testing.T, file string) (all []block) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var open *block
	for i, line := range strings.Split(string(data), "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			lang, info, _ := strings.Cut(fence, " ")
			open = &block{where: fmt.Sprintf("%s:%d", filepath.Base(file), i+2), lang: lang, info: info}
		case isFence:
			all = append(all, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		t.Fatalf("%s: the block is not closed", open.where)
	}
	return all
}

var guideLink = regexp.MustCompile(`\]\(([a-z]+\.md)\)`)

// guideFiles returns the pages of the guide, in the order of its index.
func guideFiles(t *testing.T) []string {
	t.Helper()
	const dir = "../web/docs/guide"
	index, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(dir, "README.md")}
	for _, m := range guideLink.FindAllSubmatch(index, -1) {
		if f := filepath.Join(dir, string(m[1])); !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files
}

// Blocks that no test runs are of these kinds: sessions that depend on the reader's system,
// files, and program output. None of them contains commands to test.
func TestDocsBlocks(t *testing.T) {
	t.Parallel()
	console := map[string]int{"administration.md": 3} // building dal, systemd, docker
	others := []string{"caddyfile", "http", "ini", "json", "nginx", "yaml"}
	for _, file := range append(guideFiles(t), "../README.md") {
		sessions := 0
		for _, b := range blocks(t, file) {
			switch {
			case b.lang == "console":
				sessions++
				for line := range strings.Lines(b.text) {
					if !strings.HasPrefix(line, "$ ") {
						t.Errorf("%s: %q does not begin with a prompt", b.where, line)
					}
				}
			case b.lang == "sh":
				for line := range strings.Lines(b.text) {
					if strings.HasPrefix(strings.TrimSpace(line), "# ") || strings.Contains(line, " # ") {
						t.Errorf("%s: zsh takes a comment that is typed for a command: %q", b.where, line)
					}
				}
			case !slices.Contains(others, b.lang):
				t.Errorf("%s: no test knows what to do with a block of %q", b.where, b.lang)
			}
		}
		if want := console[filepath.Base(file)]; sessions != want {
			t.Errorf("%s has %d console sessions, want %d", file, sessions, want)
		}
	}
	first := blocks(t, "../README.md")[0]
	if first.lang != "sh" || first.text != "go run . serve\ngo test ./...\n" {
		t.Errorf("the README's first block is\n%s", first.text)
	}
}

// The guide explains the purpose of each direct dependency.
func TestDependenciesInGuide(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../web/docs/guide/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		module, _, ok := strings.Cut(strings.TrimSpace(line), " v")
		if !ok || !strings.HasPrefix(line, "\t") || strings.Contains(line, "// indirect") {
			continue
		}
		if !strings.Contains(string(page), module) && !strings.Contains(string(page), "`"+path.Base(module)+"`") {
			t.Errorf("the guide's table of dependencies lacks %s", module)
		}
	}
}

// Every command of the README and of the guide works, in document order, in both shells.
func TestDocsCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files []string
	}{
		{"readme", []string{"../README.md"}},
		{"guide", guideFiles(t)},
	} {
		for _, shell := range []string{"bash", "zsh"} {
			t.Run(tt.name+" in "+shell, func(t *testing.T) {
				t.Parallel()
				for _, tool := range []string{shell, "curl", "openssl", "sha256sum"} {
					if _, err := exec.LookPath(tool); err != nil {
						t.Skip("there is no " + tool)
					}
				}
				runDocs(t, shell, tt.files)
			})
		}
	}
}

// prelude gives a shell the environment of a reader: a server in another terminal, which is
// stopped before commands that need exclusive access to its folder. It makes failed
// requests fail the script.
const prelude = `
set -e
(set -o pipefail) 2>/dev/null && set -o pipefail
server=
stop_server() {
	if [ -n "$server" ]; then kill $server; wait $server || true; server=; fi
}
trap stop_server EXIT
dal() {
	case $1 in
	serve)
		stop_server
		command dal "$@" 2>>server.log &
		server=$!
		until command dal health >health.log 2>&1; do kill -0 $server; done
		;;
	recover)
		stop_server
		command dal "$@"
		;;
	*) command dal "$@" ;;
	esac
}
go() {
	case "$*" in
	"run . "*) shift 2; dal "$@" ;;
	"test ./...") ;;
	*) return 1 ;;
	esac
}
curl() { command curl -S --fail-with-body "$@"; }
`

// runDocs runs the blocks of documents in one shell, in a folder with the files that they
// assume, and checks that those are unchanged afterwards.
func runDocs(t *testing.T, shell string, files []string) {
	own := photos()
	own["harbour.jpg"], own["dawn.jpg"] = picture(1, 200), picture(2, 200)
	own["dal.conf"] = []byte("max-file-size = 20GiB\n")
	script := ""
	for _, file := range files {
		for _, b := range blocks(t, file) {
			for _, m := range download.FindAllStringSubmatch(b.text, -1) {
				own[m[1]] = []byte("the reader's own")
			}
			switch {
			case b.lang == "yaml" && b.info != "":
				own[b.info] = []byte(b.text)
			case b.lang == "sh":
				script += fmt.Sprintf("printf '%%s\\n' '== %s' >&2\n%s", b.where, b.shell())
			}
		}
	}
	r := newReader(t, shell, own)
	receiver, settings := startReceiver(t)
	out := r.run(t, strings.ReplaceAll(script, "https://example.com/hooks/dal", receiver.url), settings...)
	for name, data := range own {
		if now, err := os.ReadFile(filepath.Join(r.dir, name)); err != nil || !bytes.Equal(now, data) {
			t.Errorf("the reader's own %s is not what it was: %v", name, err)
		}
	}
	if strings.Contains(script, "openssl dgst") {
		receiver.check(t, out)
	}
}

// download matches the file to which a command writes a download.
var download = regexp.MustCompile(`-o (\w+\.\w+)`)

// photos returns a folder to import.
func photos() map[string][]byte {
	return map[string][]byte{"photos/one.jpg": picture(3, 200), "photos/harbour at night.jpg": picture(4, 200)}
}

// A reader follows the documents, with a folder, a second disk, and a shell.
type reader struct {
	shell, dir, disk, address string
}

func newReader(t *testing.T, shell string, own map[string][]byte) *reader {
	t.Helper()
	r := &reader{shell, t.TempDir(), t.TempDir(), freeAddress(t)}
	for name, data := range own {
		file := filepath.Join(r.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// run runs commands as written in a document, and returns their output and that of the
// server.
func (r *reader) run(t *testing.T, commands string, settings ...string) string {
	t.Helper()
	commands = strings.NewReplacer("127.0.0.1:8080", r.address, "/mnt/disk", r.disk).Replace(commands)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.shell, "-c", prelude+commands)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "DAL_LISTEN="+r.address, "DAL_RATE_LIMIT=1000000", "DAL_LOG_LEVEL=warn")
	cmd.Env = append(cmd.Env, settings...)
	cmd.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	log, _ := os.ReadFile(filepath.Join(r.dir, "server.log"))
	if err != nil {
		t.Fatalf("%v\n%s\nthe server's log:\n%s", err, lastBlock(out.String()), log)
	}
	return strings.ReplaceAll(out.String()+string(log), r.address, "127.0.0.1:8080")
}

// The README's picture matches the actual output.
func TestFirstRunPicture(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	data, err := os.ReadFile("../web/docs/guide/first-run.svg")
	if err != nil {
		t.Fatal(err)
	}
	var shown struct {
		Lines []string `xml:"g>text"`
	}
	if err := xml.Unmarshal(data, &shown); err != nil || len(shown.Lines) == 0 {
		t.Fatal(shown, err)
	}
	commands, answers := "", []string{}
	for _, line := range shown.Lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			commands += command + "\n"
		} else {
			answers = append(answers, line)
		}
	}
	out := newReader(t, "sh", photos()).run(t, commands)
	for _, want := range answers {
		if !strings.Contains("\n"+out, "\n"+strings.TrimSuffix(want, "…")) {
			t.Errorf("no command answers %q, but\n%s", want, out)
		}
	}
}

// The commands in the welcome message of a new library work.
func TestWelcomeLeadsOn(t *testing.T) {
	t.Parallel()
	own := map[string][]byte{}
	for name, data := range photos() {
		own[strings.Replace(name, "photos", "Pictures", 1)] = data
	}
	r := newReader(t, "sh", own)
	home := "HOME=" + r.dir
	commands, first := "", r.run(t, "dal serve\n", home)
	if !regexp.MustCompile(`(?m)^  http://[0-9.:]+/setup/[A-Za-z0-9_-]{43}$`).MatchString(first) {
		t.Errorf("the link to set up is not in\n%s", first)
	}
	for line := range strings.Lines(first) {
		if strings.HasPrefix(line, "  dal ") {
			commands += line
		}
	}
	out := r.run(t, "dal serve\n"+commands, home)
	for _, want := range []string{"2 imported", "dal_1_"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if again := r.run(t, ": >server.log\ndal serve\n", home); strings.Contains(again, "user create") {
		t.Errorf("the server welcomes who is there already:\n%s", again)
	}
}

// shell returns the block in the form in which a shell runs it.
func (b block) shell() string {
	switch b.info {
	case "fails": // as the text announces
		return "if " + strings.TrimSpace(b.text) + "; then exit 1; fi\n"
	case "verify": // with the variables that its text mentions
		return "T=1767225600 BODY='{\"id\":1}'\nprintf 'the key is %s\\n' \"$SECRET\"\n" + b.text
	}
	return b.text
}

// freeAddress returns an unused address of this machine.
func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// lastBlock returns the output of the last block, with long lines truncated.
func lastBlock(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out[max(0, strings.LastIndex(out, "== ")):]) {
		fmt.Fprintf(&b, "%.300s\n", strings.TrimSpace(line))
	}
	return b.String()
}

// A hookReceiver receives webhooks.
type hookReceiver struct {
	url string

	mu   sync.Mutex
	last http.Header
	body []byte
}

// startReceiver starts a receiver, and returns the settings that make dal send to it.
func startReceiver(t *testing.T) (*hookReceiver, []string) {
	t.Helper()
	r := &hookReceiver{}
	s := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.last, r.body = req.Header, body
	}))
	t.Cleanup(s.Close)
	r.url = s.URL + "/hooks/dal"
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return r, []string{"DAL_WEBHOOK_CA_FILE=" + ca, "DAL_WEBHOOK_ALLOW_CIDR=127.0.0.0/8"}
}

// check compares the signatures computed by the shell, and the received request, with the
// expected values.
func (r *hookReceiver) check(t *testing.T, out string) {
	t.Helper()
	_, rest, ok := strings.Cut(out, "the key is ")
	secret, _, _ := strings.Cut(rest, "\n")
	sign := func(text string) string {
		h := hmac.New(sha256.New, []byte(secret))
		h.Write([]byte(text))
		return hex.EncodeToString(h.Sum(nil))
	}
	if !ok || !strings.Contains(rest, sign(`1767225600.{"id":1}`)) {
		t.Error("openssl does not sign as dal does")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	stamp, v1, _ := strings.Cut(strings.TrimPrefix(r.last.Get("X-DAL-Signature"), "t="), ",v1=")
	if v1 != sign(stamp+"."+string(r.body)) {
		t.Errorf("the test event has the signature %q", r.last.Get("X-DAL-Signature"))
	}
}

// The guide names every language supported by search.
func TestGuideNamesLanguages(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../web/docs/guide/search.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range search.Languages() {
		if !strings.Contains(string(page), "`"+l+"`") && !strings.Contains(string(page), "--language "+l+"`") {
			t.Errorf("the guide does not name %s", l)
		}
	}
}

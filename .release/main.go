// Command release builds what dal is shipped as: a binary for each system, in an
// archive, as deb and rpm packages and as an image, with a software bill of
// materials and checksums. The same commit gives the same bytes.
//
//	.release/run VERSION [--out DIR] [--targets linux/amd64,…]
//	.release/run licenses      writes cli/licenses.json.zst anew
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// targets are the systems that dal is built for.
const targets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// A release is what one run builds.
type release struct {
	root    string    // of the checkout
	out     string    // receives the files
	version string    // without a leading v
	commit  string    // full hash
	date    time.Time // of the commit
}

// A target is a system, with its binary.
type target struct {
	os, arch string
	binary   string // a path, once it is built
}

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal("release: ", err)
	}
}

func run(args []string) error {
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	if len(args) == 1 && args[0] == "licenses" {
		return writeLicenses(root)
	}
	if len(args) == 0 || !regexp.MustCompile(`^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`).MatchString(args[0]) {
		return errors.New("usage: .release/run VERSION [--out DIR] [--targets LIST]; VERSION is like 1.2.3 or 1.2.3-rc.1")
	}
	f := flag.NewFlagSet("release", flag.ExitOnError)
	out := f.String("out", filepath.Join(root, "dist"), "the `folder` that receives the files; emptied first if a release made it")
	list := f.String("targets", targets, "the systems to build for, separated by commas")
	f.Parse(args[1:])
	r := &release{root: root, version: strings.TrimPrefix(args[0], "v")}
	if r.out, err = filepath.Abs(*out); err != nil {
		return err
	}
	if err := r.readCommit(); err != nil {
		return err
	}
	if err := prepare(r.out); err != nil {
		return err
	}
	var built []*target
	for t := range strings.SplitSeq(*list, ",") {
		system, arch, ok := strings.Cut(t, "/")
		if !ok {
			return fmt.Errorf("%q is not a target such as linux/amd64", t)
		}
		built = append(built, &target{os: system, arch: arch})
	}
	work, err := os.MkdirTemp("", "dal-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, t := range built {
		if err := r.target(t, work); err != nil {
			return fmt.Errorf("%s/%s: %w", t.os, t.arch, err)
		}
	}
	if err := r.image(built); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	return r.checksums()
}

// readCommit finds out what is being released. A tree with changes is refused:
// its commit would not say what the bytes were made from.
func (r *release) readCommit() error {
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stderr = r.root, os.Stderr
		b, err := cmd.Output()
		return strings.TrimSpace(string(b)), err
	}
	changed, err := git("status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("there are changes that are not committed:\n%s", changed)
	}
	if r.commit, err = git("rev-parse", "HEAD"); err != nil {
		return err
	}
	at, err := git("show", "-s", "--format=%cI", "HEAD")
	if err != nil {
		return err
	}
	r.date, err = time.Parse(time.RFC3339, at)
	r.date = r.date.UTC()
	return err
}

const checksumFile = "SHA256SUMS"

// prepare makes the folder for the files. One that is there is emptied only if it
// holds a release.
func prepare(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return os.MkdirAll(dir, 0o755)
	}
	if err != nil || len(entries) == 0 {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, checksumFile)); err != nil {
		return fmt.Errorf("%s is not empty and holds no release", dir)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// target builds all files of one system.
func (r *release) target(t *target, work string) error {
	if err := r.build(t, work); err != nil {
		return err
	}
	if err := r.archive(t); err != nil {
		return err
	}
	if err := r.sbom(t); err != nil {
		return err
	}
	if t.os != "linux" {
		return nil
	}
	return r.packages(t)
}

// build compiles dal. Go's builds are reproducible once paths are trimmed; the
// commit and its date are in the binary by Go's own stamp.
func (r *release) build(t *target, work string) error {
	t.binary = filepath.Join(work, t.os+"-"+t.arch, "dal")
	if t.os == "windows" {
		t.binary += ".exe"
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true",
		"-ldflags", "-s -w -buildid= -X github.com/digital-asset-library/dal/cli.release="+r.version, "-o", t.binary, ".")
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.root, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
	if err := cmd.Run(); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(t.binary)
	if err != nil {
		return err
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && s.Value == r.commit {
			return nil
		}
	}
	return errors.New("the binary does not tell its commit; Go stamps it in a clone, not in a linked work tree")
}

// name is the beginning of the names of a target's files.
func (r *release) name(t *target) string {
	return fmt.Sprintf("dal_%s_%s_%s", r.version, t.os, t.arch)
}

// checksums writes the SHA-256 of every file, as sha256sum -c reads them.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out) // sorted
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		f, err := os.Open(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", hex.EncodeToString(h.Sum(nil)), e.Name())
	}
	fmt.Print(b.String())
	return os.WriteFile(filepath.Join(r.out, checksumFile), []byte(b.String()), 0o644)
}

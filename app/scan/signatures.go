package scan

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Signatures are the signatures that need no daemon: the EICAR test file, and hash lists in
// ClamAV's .hdb and .hsb formats from a folder. Changed lists are reloaded. Format:
// https://docs.clamav.net/manual/Signatures/HashSignatures.html
type Signatures struct {
	dir string // "" for none

	mu      sync.Mutex
	checked time.Time
	stamp   string // state of the loaded lists
	lists   *hashLists
}

// The interval of checking the folder for changes, and the limits of its lists.
const (
	signaturesFresh = time.Minute
	maxLine         = 1024
	maxSignatures   = 5_000_000
)

// LoadSignatures loads the hash lists in a folder, if it exists.
func LoadSignatures(dir string) (*Signatures, error) {
	s := &Signatures{dir: dir}
	_, err := s.current()
	return s, err
}

// Count returns the number of hashes in the lists.
func (s *Signatures) Count() (int, error) {
	l, err := s.current()
	if err != nil {
		return 0, err
	}
	return l.count, nil
}

// Scan reads a file of the given size once and checks all signatures.
func (s *Signatures) Scan(ctx context.Context, r io.Reader, size int64) (Result, error) {
	lists, err := s.current()
	if err != nil {
		return Result{}, err
	}
	var writers []io.Writer
	var hashes []hash.Hash
	for _, h := range []struct {
		size int
		new  func() hash.Hash
	}{{md5.Size, md5.New}, {sha1.Size, sha1.New}, {sha256.Size, sha256.New}} {
		if lists.sizes[h.size] {
			sum := h.new()
			hashes, writers = append(hashes, sum), append(writers, sum)
		}
	}
	head, err := io.ReadAll(io.LimitReader(ctxReader{ctx, r}, eicarMax+1))
	if err != nil {
		return Result{}, err
	}
	if isEICAR(head) {
		return Result{Infected: true, Signature: "EICAR-Test-File", Engine: "Built-in signatures"}, nil
	}
	if len(writers) == 0 {
		return Result{Engine: "Built-in signatures"}, nil
	}
	all := io.MultiReader(bytes.NewReader(head), ctxReader{ctx, r})
	if _, err := io.Copy(io.MultiWriter(writers...), all); err != nil {
		return Result{}, err
	}
	for _, h := range hashes {
		if name, ok := lists.find(h.Sum(nil), size); ok {
			return Result{Infected: true, Signature: name, Engine: "Signature list"}, nil
		}
	}
	return Result{Engine: "Built-in signatures"}, nil
}

// eicarMax is the maximum length of an EICAR test file, including trailing whitespace:
// https://www.eicar.org/download-anti-malware-testfile/
const eicarMax = 128

// isEICAR reports whether a file that starts with head is the EICAR test file.
func isEICAR(head []byte) bool {
	// Split, so that scanners do not mistake this program for the test file.
	const a, b = `X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-`, `ANTIVIRUS-TEST-FILE!$H+H*`
	rest, ok := bytes.CutPrefix(head, []byte(a+b))
	return ok && len(head) <= eicarMax && len(bytes.Trim(rest, " \t\r\n\x1a")) == 0
}

// current returns the current lists of the folder.
func (s *Signatures) current() (*hashLists, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lists != nil && time.Since(s.checked) < signaturesFresh {
		return s.lists, nil
	}
	files, stamp, err := listFiles(s.dir)
	if err != nil {
		return nil, err
	}
	if s.lists == nil || stamp != s.stamp {
		lists := &hashLists{sizes: map[int]bool{}, names: map[signature]string{}}
		for _, f := range files {
			if err := lists.read(f); err != nil {
				return nil, err
			}
		}
		s.lists, s.stamp = lists, stamp
	}
	s.checked = time.Now()
	return s.lists, nil
}

// listFiles returns the paths of the hash lists in a folder, and a stamp that changes with
// them.
func listFiles(dir string) (files []string, stamp string, err error) {
	entries, err := os.ReadDir(dir)
	if dir == "" || errors.Is(err, os.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext != ".hdb" && ext != ".hsb" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // a list may be a link to one that is updated elsewhere
		if err != nil {
			return nil, "", err
		}
		if !info.Mode().IsRegular() { // opening a pipe would block
			return nil, "", fmt.Errorf("the signature list %s is not a regular file", path)
		}
		files = append(files, path)
		stamp += fmt.Sprintln(e.Name(), info.Size(), info.ModTime().UnixNano())
	}
	slices.Sort(files)
	return files, stamp, nil
}

// hashLists are the hashes of all lists.
type hashLists struct {
	count int
	sizes map[int]bool         // lengths of the hashes in bytes
	names map[signature]string // names of malware
}

type signature struct {
	sum  string // bytes of the hash
	size int64  // file size; -1 for any
}

func (l *hashLists) find(sum []byte, size int64) (string, bool) {
	if name, ok := l.names[signature{string(sum), size}]; ok {
		return name, true
	}
	name, ok := l.names[signature{string(sum), -1}]
	return name, ok
}

func (l *hashLists) read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return l.parse(f, filepath.Base(path))
}

// parse parses a hash list. It fails on any invalid line, because a partly loaded list
// would protect only partly.
func (l *hashLists) parse(r io.Reader, name string) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, maxLine), maxLine)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		sig, found, err := parseLine(line)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if l.count++; l.count > maxSignatures {
			return fmt.Errorf("%s:%d: more than %d signatures", name, n, maxSignatures)
		}
		l.sizes[len(sig.sum)] = true
		l.names[sig] = found
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// parseLine parses "hash:size:name" and ignores the rest.
func parseLine(line string) (s signature, name string, err error) {
	parts := strings.Split(line, ":")
	if len(parts) < 3 || parts[2] == "" {
		return s, "", errors.New("a line must be hash:size:name")
	}
	sum, err := hex.DecodeString(parts[0])
	if err != nil || len(sum) != md5.Size && len(sum) != sha1.Size && len(sum) != sha256.Size {
		return s, "", fmt.Errorf("%q is not an MD5, SHA-1 or SHA-256 in hex", parts[0])
	}
	s = signature{string(sum), -1}
	if parts[1] != "*" {
		if s.size, err = strconv.ParseInt(parts[1], 10, 64); err != nil || s.size < 0 {
			return s, "", fmt.Errorf("%q is not a size in bytes", parts[1])
		}
	}
	return s, strings.Clone(parts[2]), nil
}

package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// A server that is killed at any moment while it watches an external library with multi-file
// photos and their sidecars loses none of them, imports none twice and changes no file.
// DAL_KILL_ROUNDS is the number of rounds, 4 by default.
func TestKillInPlace(t *testing.T) {
	t.Parallel()
	rounds := 4
	if n, err := strconv.Atoi(os.Getenv("DAL_KILL_ROUNDS")); err == nil {
		rounds = n
	}
	data, token := library(t)
	dir := filepath.Join(t.TempDir(), "Photos")
	sums := map[string][32]byte{} // of the files, by name
	photos := 0
	write := func(folder, name string, content []byte) {
		path := filepath.Join(dir, folder, name)
		noErr(t, os.MkdirAll(filepath.Dir(path), 0o755))
		noErr(t, os.WriteFile(path+".part", content, 0o644))
		then := time.Now().Add(-time.Hour)
		noErr(t, os.Chtimes(path+".part", then, then))
		noErr(t, os.Rename(path+".part", path))
		sums[name] = sha256.Sum256(content)
	}
	shoot := func() {
		n := photos
		photos++
		folder, name := fmt.Sprint("day ", n%3), fmt.Sprintf("IMG_%d", n)
		date := time.Date(2024, 5, 6, 7, n, 0, 0, time.UTC).Format("2006:01:02 15:04:05")
		title := fmt.Sprintf(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`+
			`<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Photo %d</rdf:li>`+
			`</rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`, n)
		for _, f := range []func(){
			func() { write(folder, name+".CR2", dated(date, picture(2*n, 320))) },
			func() { write(folder, name+".JPG", withEXIF(picture(2*n+1, 640), dated(date, nil))) },
			func() { write(folder, name+".xmp", []byte(title)) },
		} {
			f()
		}
	}
	shoot()
	if out, code := runDal(t, "import", "--in-place", dir, "--data", data, "--user", "ada@example.com"); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	for i := range rounds {
		p := serve(t, data)
		done := make(chan struct{})
		go func() {
			defer close(done)
			shoot()
			if i%2 == 1 { // a folder moves while it is scanned
				noErr(t, os.Rename(filepath.Join(dir, "day 0"), filepath.Join(dir, fmt.Sprint("moved ", i))))
			}
			shoot()
		}()
		<-time.After(time.Duration(20+rand.IntN(600)) * time.Millisecond) // the moment of the fault
		p.kill()
		<-done
	}

	for range 2 { // the second run has no work left
		if out, code := runDal(t, "root", "scan", "Photos", "--data", data); code != 0 {
			t.Fatalf("exit %d: %s", code, out)
		}
	}
	p := serve(t, data)
	list := p.get(t, token, "/assets?per_page=100&sort_by=original_filename")
	if n := list["meta"].(map[string]any)["total"]; n != float64(photos) {
		t.Errorf("%v assets, want %d", n, photos)
	}
	for _, a := range list["data"].([]any) {
		a := p.get(t, token, "/assets/"+a.(map[string]any)["gaid"].(string))["data"].(map[string]any)
		name, _, _ := bytes.Cut([]byte(a["original_filename"].(string)), []byte("."))
		roles := map[string]string{}
		for _, part := range a["parts"].([]any) {
			part := part.(map[string]any)
			roles[part["role"].(string)] = part["filename"].(string)
		}
		got, _ := json.Marshal([]any{a["original_filename"], a["availability"], a["title"], roles})
		want := fmt.Sprintf(`["%[1]s.JPG","available","Photo %[2]s",{"raw":"%[1]s.CR2","sidecar":"%[1]s.xmp"}]`, name,
			bytes.TrimPrefix(name, []byte("IMG_")))
		if string(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	noErr(t, p.cmd.Process.Signal(os.Interrupt))
	noErr(t, p.cmd.Wait())
	dal(t, "", "check", "--data", data)
	files := 0
	noErr(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		if sha256.Sum256(content) != sums[d.Name()] {
			t.Errorf("%s was changed", path)
		}
		return err
	}))
	if files != len(sums) {
		t.Errorf("%d files, want %d", files, len(sums))
	}
}

// dated returns a TIFF with a capture date: the EXIF block of a photo or, with a picture, a
// CR2.
func dated(date string, pic []byte) []byte {
	out := []byte("II*\x00\x08\x00\x00\x00")
	if pic != nil {
		out = []byte("II*\x00\x10\x00\x00\x00CR\x02\x00\x00\x00\x00\x00")
	}
	entries := [][4]uint32{{0x8769, 4, 1, 0}} // tag, type, count, value
	if pic != nil {
		entries = [][4]uint32{{0x100, 4, 1, 320}, {0x101, 4, 1, 320}, {0x103, 4, 1, 6}, {0x111, 4, 1, 0}, {0x117, 4, 1, uint32(len(pic))},
			entries[0]}
	}
	exif := uint32(len(out) + 2 + 12*len(entries) + 4)
	text := exif + 2 + 12 + 4
	for i := range entries {
		switch entries[i][0] {
		case 0x8769:
			entries[i][3] = exif
		case 0x111:
			entries[i][3] = text + 20
		}
	}
	for _, directory := range [][][4]uint32{entries, {{0x9003, 2, 20, text}}} {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(directory)))
		for _, e := range directory {
			out = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(out, uint16(e[0])), uint16(e[1]))
			out = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(out, e[2]), e[3])
		}
		out = append(out, 0, 0, 0, 0)
	}
	return append(append(append(out, date...), 0), pic...)
}

// withEXIF adds EXIF to a JPEG.
func withEXIF(pic, exif []byte) []byte {
	block := append([]byte("Exif\x00\x00"), exif...)
	out := append(bytes.Clone(pic[:2]), 0xff, 0xe1, byte((len(block)+2)>>8), byte(len(block)+2))
	return append(append(out, block...), pic[2:]...)
}

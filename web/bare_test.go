package web_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Guests get originals without metadata, named after the title, for the formats that
// support it; for others they see the reason why not.
func TestSharedCopies(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	photo := grey(600, 400, 120)
	if !bytes.Contains(photo, []byte("SECRETPLACE")) {
		t.Fatal("the photo has nothing to hide")
	}
	gaid, movie := s.one(t, "IMG_1234.jpg", photo), s.one(t, "a.avi", mediaSample(t, "a.avi"))
	text := s.one(t, "a.txt", []byte("a text"))
	s.do(t, "PUT", assets+"/"+gaid, `{"title":"Harbour","creator":"Ada"}`).want(t, 200)
	_, page := s.share(t, shareOf(`,"allow_original":true`, gaid, movie, text))
	g := s.guest(t)
	a := g.get(t, page+"/assets/"+gaid+"/download").want(t, 200)
	if bytes.Contains(a.body, []byte("SECRET")) || !bytes.Contains(a.body, []byte("<rdf:li>Ada</rdf:li>")) || sized(t, a.body).X != 600 {
		t.Errorf("%q", beginning(a.body))
	}
	if name := a.Header.Get("Content-Disposition"); !strings.Contains(name, `"Harbour.jpg"`) || strings.Contains(name, "IMG") {
		t.Error(name)
	}
	files := unzipped(t, g.get(t, page+"/download").want(t, 200).body)
	if !bytes.Equal(files["files/Harbour.jpg"], a.body) || !strings.Contains(string(files["not-included.txt"]), "a\r\n") || len(files) != 2 {
		t.Errorf("%d files, %q", len(files), files["not-included.txt"])
	}
	for of, want := range map[string]string{
		gaid: "Download the file", movie: "played here because its metadata cannot be removed",
		text: "not shared because its metadata cannot be removed",
	} {
		if a := g.get(t, page+"/assets/"+of).want(t, 200); !strings.Contains(string(a.body), want) {
			t.Errorf("%s: %s", want, a.body)
		}
	}
	for _, of := range []string{movie, text} {
		g.get(t, page+"/assets/"+of+"/download").want(t, 404)
		g.get(t, page+"/assets/"+of+"/play").want(t, 404)
	}
	damaged := s.one(t, "b.mp4", mediaSample(t, "a.mp4")[:4000])
	_, page = s.share(t, shareOf(``, damaged))
	g.get(t, page+"/assets/"+damaged+"/play").want(t, 404)
	embed := s.player(t, s.do(t, "POST", assets+"/"+damaged+"/embed", "").want(t, 201))
	if a := g.get(t, embed).want(t, 200); strings.Contains(string(a.body), "<video") {
		t.Errorf("%s", a.body)
	}
	g.get(t, embed+"/video").want(t, 404)
}

// A stripped copy is made from the current file even if one was made before: a file that a
// faulty restore puts in its place may contain other metadata.
func TestSharedCopyOfAnotherFile(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	photo, small := grey(600, 400, 120), grey(16, 16, 120)
	gaid := s.one(t, "a.jpg", photo)
	_, page := s.share(t, shareOf(`,"allow_original":true`, gaid))
	g, download := s.guest(t), page+"/assets/"+gaid+"/download"
	copied := g.get(t, download).want(t, 200).body
	n := len(photo) - len(small) - 2
	said := bytes.Repeat([]byte("SECRET"), n/6+1)[:n-2]
	other := slices.Concat(small[:2], []byte{0xff, 0xe1, byte(n >> 8), byte(n)}, said, small[2:])
	rewrite(t, s.blobOf(t, gaid), other)
	for _, path := range []string{download, page + "/assets/" + gaid + "/preview"} {
		if a := g.get(t, path); bytes.Contains(a.body, []byte("SECRET")) {
			t.Errorf("%s gives away what the other file says", path)
		}
	}
	for name, data := range unzipped(t, g.get(t, page+"/download").want(t, 200).body) {
		if bytes.Contains(data, []byte("SECRET")) {
			t.Errorf("%s in the archive says what the other file says", name)
		}
	}
	rewrite(t, s.blobOf(t, gaid), photo)
	if a := g.get(t, download).want(t, 200); !bytes.Equal(a.body, copied) {
		t.Error("the copy is another one once the file is as it was")
	}
}

// Stripped copies of every format keep the creator and the copyright and nothing else, and
// ranges of a copy match the whole.
func TestSharedKinds(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	names := strings.Fields("a.mp3 a.flac a.wav a.aiff a.ogg a.opus a.mkv pages.tif big.tif a.heic a.avif")
	var gaids []string
	for _, name := range names {
		gaid := s.one(t, name, sharedSample(t, name))
		s.do(t, "PUT", assets+"/"+gaid, `{"creator":"Ada & Co","copyright":"(c) 2026 Ada"}`).want(t, 200)
		gaids = append(gaids, gaid)
	}
	_, page := s.share(t, shareOf(`,"allow_original":true`, gaids...))
	g, dir := s.guest(t), t.TempDir()
	for i, name := range names {
		path := page + "/assets/" + gaids[i] + "/download"
		whole := g.get(t, path).want(t, 200).body
		if bytes.Contains(whole, []byte("Halves")) || bytes.Contains(whole, []byte("Lavc")) && name == "a.opus" {
			t.Errorf("%s says more: %q", name, beginning(whole))
		}
		if strings.Contains("a.mp3 a.flac a.wav a.ogg a.opus", name) { // playable in browsers
			g.header.Set("Range", "bytes=40-299")
			if part := g.get(t, page+"/assets/"+gaids[i]+"/play").want(t, 206).body; !bytes.Equal(part, whole[40:300]) {
				t.Errorf("a part of %s is another: %q", name, part)
			}
			g.header.Del("Range")
		}
		if err := os.WriteFile(filepath.Join(dir, name), whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("exiftool"); err != nil {
		t.Skip("exiftool is not installed")
	}
	for name, tags := range exiftoolOn(t, dir, names) {
		var said []string
		for tag, v := range tags {
			_, key, _ := strings.Cut(tag, ":")
			switch {
			case slices.Contains([]string{"Creator", "Artist", "Rights", "Copyright"}, key):
				said = append(said, strings.Trim(fmt.Sprint(v), "[]"))
			case slices.Contains([]string{"Title", "Comment", "Album", "Genre", "Track", "Year", "Picture", "Software"}, key):
				t.Errorf("%s says %s: %v", name, tag, v)
			}
		}
		slices.Sort(said)
		if said = slices.Compact(said); !slices.Equal(said, []string{"(c) 2026 Ada", "Ada & Co"}) {
			t.Errorf("%s names %q", name, said)
		}
	}
}

// sharedSample returns the sample file of that name.
func sharedSample(t *testing.T, name string) []byte {
	t.Helper()
	for _, folder := range []string{"media", "tiff", "halves"} {
		if data, err := os.ReadFile(filepath.Join("../app/media/testdata", folder, name)); err == nil {
			return data
		}
	}
	t.Fatal("there is no sample " + name)
	return nil
}

package web_test

import (
	"bytes"
	"strings"
	"testing"
)

// Guests get originals that say nothing about themselves, named after the title, of the
// formats that such copies are made of; of others they read why not.
func TestSharedCopies(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	photo := grey(600, 400, 120)
	if !bytes.Contains(photo, []byte("SECRETPLACE")) {
		t.Fatal("the photo has nothing to hide")
	}
	gaid, movie := s.one(t, "IMG_1234.jpg", photo), s.one(t, "a.mkv", mediaSample(t, "a.mkv"))
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
		gaid: "Download the file", movie: "no copy without metadata can be made of this file", text: "it may say more than it shows",
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

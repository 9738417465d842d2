package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

const captions = "WEBVTT\n\nNOTE secret\n\n1\n00:00.200 --> 00:00.900 align:start\n<b>Boats</b>\n"

// The player offers the linked captions and chapters that may be shown: their cues and
// nothing else.
func TestEmbedTracks(t *testing.T) {
	t.Parallel()
	s, clock := standing(t, nil)
	_, path := s.video(t)
	words := s.one(t, "boats.en.vtt", []byte(captions))
	parts := s.one(t, "parts.vtt", []byte("WEBVTT\n\n00:00.000 --> 00:00.500\nLeaving\n\n01:00:00.500 --> 01:00:01.000\n<i>Home</i> & dry\n"))
	text := s.one(t, "a.txt", []byte("a text"))
	if a := s.do(t, "GET", assets+"/"+words, "").want(t, 200); a.get("data.mime_type") != "text/vtt" || a.get("data.extension") != "vtt" {
		t.Error(a)
	}
	track := func(gaid, kind string) string {
		return `{"gaid":"` + gaid + `","kind":"` + kind + `","language":"pt-BR","label":"\"Words\""}`
	}
	made := s.do(t, "POST", path, `{"tracks":[`+track(words, "captions")+`,`+track(parts, "chapters")+`]}`).want(t, 201)
	if made.get("data.tracks.0.gaid") != words || made.get("data.tracks.1.kind") != "chapters" ||
		made.get("data.tracks.0.language") != "pt-BR" {
		t.Error(made)
	}
	page := s.player(t, made)
	g := s.guest(t)
	body := string(g.get(t, page).want(t, 200).body)
	for _, want := range []string{
		`<track kind="captions" src="` + page + `/tracks/1" srclang="pt-BR" label="&#34;Words&#34;">`, `src="` + page + `/tracks/2"`,
		`<a href="?start=3600.5"><time>1:00:00</time> Home &amp; dry</a>`, `<a href="?start=0">`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
	a := g.get(t, page+"/tracks/1").want(t, 200)
	if string(a.body) != "WEBVTT\n\n00:00:00.200 --> 00:00:00.900 align:start\n<b>Boats</b>\n" ||
		a.Header.Get("Content-Type") != "text/vtt; charset=utf-8" {
		t.Errorf("%q, %v", a.body, a.Header)
	}
	for _, n := range []string{"0", "3", "01", "-1", "x", "1/2", "9999999999999999999"} {
		g.get(t, page+"/tracks/"+n).want(t, 404)
	}

	s.licensed(t, words, clock.now().Add(-time.Hour), clock.now().Add(-time.Minute))
	g.get(t, page+"/tracks/1").want(t, 404)
	s.do(t, "DELETE", assets+"/"+parts, "").want(t, 200)
	g.get(t, page+"/tracks/2").want(t, 404)
	if body := string(g.get(t, page).want(t, 200).body); strings.Contains(body, "<track") || strings.Contains(body, "<details") {
		t.Error(body)
	}
	if a := s.do(t, "POST", path, `{"autoplay":true}`).want(t, 201); a.get("data.tracks.1.gaid") != parts {
		t.Errorf("they are forgotten: %s", a)
	}

	s.licensed(t, words, clock.now().Add(-time.Hour), clock.now().Add(time.Hour))
	for body, field := range map[string]string{
		track(text, "captions"): "tracks.0.gaid", track(parts, "captions"): "tracks.0.gaid",
		track("01KB3J8Q5V7X9Z1B3D5F7H9K1M", "captions"): "tracks.0.gaid", track(words, "music"): "tracks.0.kind",
		track(words, "chapters") + "," + track(words, "chapters"):      "tracks.1.kind",
		strings.Replace(track(words, "captions"), "pt-BR", "p t", 1):   "tracks.0.language",
		strings.Replace(track(words, "captions"), `\"Words\"`, " ", 1): "tracks.0.label",
	} {
		if a := s.do(t, "POST", path, `{"tracks":[`+body+`]}`); a.StatusCode != 422 || a.told(field) == "" {
			t.Errorf("%s: %s", body, a)
		}
	}
	s.do(t, "POST", path, `{"tracks":null}`).want(t, 422)
	s.do(t, "POST", path, `{"tracks":[`+strings.Repeat(track(words, "captions")+",", 20)+track(words, "captions")+`]}`).want(t, 422)
	plain, _ := s.mint(t, s.token, `{"name":"part","abilities":["`+string(dam.SharesManage)+`"]}`)
	s.as(t, plain, "POST", path, `{"tracks":[`+track(words, "captions")+`]}`).want(t, 403)
	if a := s.do(t, "POST", path, `{"tracks":[]}`).want(t, 201); len(a.get("data.tracks").([]any)) != 0 {
		t.Error(a)
	}

	// Captions in other formats too, one of them in Windows-1252.
	for name, data := range map[string]string{
		"boats.srt": "1\n00:00:00,200 --> 00:00:00,900\nGr\xfcne Boote, die im Hafen liegen\n",
		"boats.ass": "[Script Info]\n[Events]\nFormat: Start, End, Text\n" +
			"Dialogue: 0:00:00.20,0:00:00.90,Gr\u00fcne Boote, die im Hafen liegen\n",
	} {
		other := s.one(t, name, []byte(data))
		s.do(t, "POST", path, `{"tracks":[`+track(other, "captions")+`]}`).want(t, 201)
		want := "WEBVTT\n\n00:00:00.200 --> 00:00:00.900\nGrüne Boote, die im Hafen liegen\n"
		if a := g.get(t, page+"/tracks/1").want(t, 200); string(a.body) != want {
			t.Errorf("%s: %q", name, a.body)
		}
	}
}

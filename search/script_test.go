package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// shelfOf opens a library with an asset for each title, numbered from 1.
func shelfOf(t *testing.T, titles ...string) *search.Engine {
	t.Helper()
	l := newLibrary()
	for i, title := range titles {
		l.put(asset(int64(i+1), title))
	}
	e := open(t, t.TempDir(), l)
	t.Cleanup(func() { e.Close() })
	return e
}

// Texts in scripts without spaces are found by any part of two or more characters.
func TestScriptsWithoutSpaces(t *testing.T) {
	t.Parallel()
	e := shelfOf(t,
		"แมวดำในสวน", "แม่น้ำ", // Thai: a black cat in the garden; a river
		"ແມວດຳ", "ວັດ", // Lao: a black cat; a temple
		"ឆ្មានៅក្នុងសួន", "ទឹក", // Khmer: a cat in the garden; water
		"ကြောင်နက်", "ရေ", // Burmese: a black cat; water
		"東京の写真", "京都の寺", "日本の写真館", "カメラ", "ひらがな", "서울 사진", // Japanese and Korean
		"北京大学 Peking", "boat",
	)
	wants(t, e, [][2]string{
		{"แมวดำในสวน", "1"}, {"แมว", "1"}, {"สวน", "1"}, {"น้ำ", "2"}, {`"ในสวน"`, "1"}, {`"สวนใน"`, ""},
		{"แมวดำในสวน boat ", "1 16"},
		{"ແມວ", "3"}, {"ວັດ", "4"},
		{"ឆ្មា", "5"}, {"សួន", "5"}, {"ទឹក", "6"},
		{"ကြောင်", "7"}, {"ရေ", "8"},
		{"東京", "9"}, {"京都", "10"}, {"写真", "9 11"}, {"写", "9 11"}, {"京東", ""},
		{"東京写真", "9"},   // two of three pairs
		{"日本写真館", "11"}, // three of four
		{"カメラ", "12"}, {"カメ", "12"}, {"ｶﾒﾗ", "12"}, {"ひらがな", "13"},
		{"서울", "14"}, {"사진", "14"}, {"大学", "15"}, {`"大学 peking"`, "15"}, {`"北京大学 Peking"`, "15"},
		{"title:東京", "9"}, {"title:大京", ""}, {"boat -写真 ", "16"},
	})
}

func TestEmoji(t *testing.T) {
	t.Parallel()
	e := shelfOf(t, "party 🎉", "family 👨‍👩‍👧", "hello 👍🏽👋", "I ❤️ NY", "🇩🇪🇫🇷 summit", "woman 👩")
	wants(t, e, [][2]string{
		{"🎉", "1"}, {"👨‍👩‍👧", "2"}, {"👩", "6"}, {"👍", "3"}, {"👍🏿", "3"}, {"👋", "3"}, {"❤", "4"}, {"❤️", "4"},
		{"🇩🇪", "5"}, {"🇫🇷", "5"}, {"🇪🇫", ""}, {`"party 🎉"`, "1"}, {"-🎉", "2 3 4 5 6"},
	})
}

// Spelling variants find the same.
func TestSpellings(t *testing.T) {
	t.Parallel()
	e := shelfOf(t,
		"l'école de l’été", "dell'arte", // 1 2
		"C++ book", "C# book", "C book", // 3 4 5
		"part AB-1234", "part AB1234", "phone 1234", // 6 7 8
		"1,299 pieces", "costs 1.299,00", "1299", // 9 10 11
		"made in the U.S.A.", "usa today", // 12 13
		"#SummerVibes", "summer vibes", "vibes of autumn", // 14 15 16
		"Ёлка", "елка", // 17 18
		"البيت الكبير", "بيت", // 19 20
		"Herr Müller", "Herr Mueller", "Muller", // 21 22 23
		"Århus", "Aarhus", "Smørrebrød", // 24 25 26
		"mice and men", "a mouse", "the women's team", "one woman", // 27 to 30
		"e-mail", "email", "Αθήνα", "שָׁלוֹם", // 31 to 34
		"İSTANBUL", "straße", // 35 36
	)
	wants(t, e, [][2]string{
		{"école", "1"}, {"ecole", "1"}, {"l'école", "1"}, {"d'école", "1"}, {"été", "1"}, {`"l'école"`, "1"}, {"arte", "2"},
		{"C++ ", "3"}, {"c# ", "4"}, {"c ", "5"}, {"c++ book ", "3 4 5"}, {`"c++ book"`, "3"}, {"title:c++", "3"},
		{"AB1234", "6 7"}, {"AB-1234", "6 7 8"}, {"ab/1234", "6 7 8"}, {"title:AB-1234", "6 7"}, {`"AB-1234"`, "6"}, {"AB12", "6 7"},
		{"1299 ", "9 10 11"}, {"1,299 ", "9 10 11"}, {"1.299 ", "9 10 11"}, {"1'299 ", "9 10 11"}, {"1,29 ", ""},
		{"usa", "12 13"}, {"U.S.A.", "12 13"}, {"U.S.A", "12 13"},
		{"vibes", "14 15 16"}, {"summervibes", "14"}, {"#SummerVibes", "14 15 16"}, {`"summer vibes"`, "14 15"}, {"title:#SummerVibes", "14 15"},
		{"ёлка", "17 18"}, {"елка", "17 18"}, {"ЁЛКА", "17 18"},
		{"بيت", "19 20"}, {"البيت", "19 20"}, {"كبير", "19"}, {"والبيت", "19 20"},
		{"müller", "21 22 23"}, {"mueller", "21 22"}, {"muller", "21 23"}, {`"herr mueller"`, "21 22"}, {`"Herr Müller"`, "21 22"},
		{"århus", "24 25"}, {"aarhus", "24 25"}, {"arhus", "24"}, {"smorrebrod", "26"}, {"smoerrebroed", "26"},
		{"mouse", "27 28"}, {"mice", "27 28"}, {"man ", "27"}, {"woman", "29 30"}, {"women", "29 30"},
		{"email", "31 32"}, {"e-mail ", "31 32"},
		{"αθηνα", "33"}, {"ΑΘΗΝΑ", "33"}, {"שלום", "34"}, {"istanbul", "35"}, {"İstanbul", "35"}, {"strasse", "36"},
	})
	for text, first := range map[string]string{"AB-1234": "6 7 8", "C++ book": "3 ", "#SummerVibes": "14 "} {
		if got := ids(find(t, e, dam.Query{Text: text, Desc: true})); !strings.HasPrefix(got, first) {
			t.Errorf("%s ranks %s, want %s first", text, got, first)
		}
	}
}

// A word finds its compounds, if it is a word of the library itself.
func TestCompounds(t *testing.T) {
	t.Parallel()
	e := shelfOf(t, "Bürostuhl", "Stuhl am Fenster", "Drehstuhl, Gartenhaus",
		"a king", "drinking water", "a ship", "friendship", "sailboats", "the boat", "discovery", "cover", "Fahrradlampe", "Haus")
	wants(t, e, [][2]string{
		{"stuhl", "1 2 3"}, {"Stuhl am ", "1 2 3"}, {"title:stuhl", "1 2 3"}, {"-stuhl", "1 3 4 5 6 7 8 9 10 11 12 13"},
		{`"stuhl"`, "2"}, {"haus", "3 13"},
		{"king", "4"}, {"ship", "6"}, {"boat", "8 9"}, {"boats", "8 9"}, {"cover", "11"},
		{"lampe", ""}, // not a word of this library
	})
	if got := ids(find(t, e, dam.Query{Text: "stuhl", Desc: true})); !strings.HasPrefix(got, "2 ") {
		t.Errorf("stuhl ranks %s, want the word first", got)
	}
}

// File names are split at capitals, digits and punctuation.
func TestFileNameWords(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	for i, name := range []string{
		"IMGHarbourDawn.jpg", "harbours_1234.JPG", "DSC_0042.NEF", "AB-1234.pdf", "Überblick2024.png", "東京写真.jpg",
		"mice-🐭.gif", "iPhoneShots.heic", "clip.mp4", "song.MP3", "Q3-results.pdf", "build812b.txt", "B812.txt",
	} {
		a := asset(int64(i+1), "x")
		a.OriginalFilename = name
		l.put(a)
	}
	e := open(t, t.TempDir(), l)
	defer e.Close()
	wants(t, e, [][2]string{
		{"harbour", "1 2"}, {"harbours", "1 2"}, {"dawn ", "1"}, {"img ", "1"}, {"1234", "2 4"}, {"dsc0042", "3"}, {"DSC_0042", "3"},
		{"AB1234", "4"}, {"ueberblick", "5"}, {"uberblick", "5"}, {"2024", "5"}, {"東京", "6"}, {"京写", "6"}, {"mouse", "7"}, {"🐭", "7"},
		{"mp4", "9"}, {"MP4", "9"}, {"mp3", "10"}, {"Q3", "11"}, {"q3 results", "11"}, {"812", "12 13"}, {"b812", "13"}, {"build812b", "12"},
		{"filename:mp4", "9"}, {`"clip.mp4"`, "9"}, {"clip mp4", "9"},
		{"shot", "8"}, {"phone", "8"}, {"filename:harbour", "1 2"}, {`filename:"harbour dawn"`, "1"}, {`"東京写真.jpg"`, "6"},
	})
	for name, want := range map[string]string{
		"IMGHarbour": "IMG Harbour", "harbourDawn": "harbour Dawn", "IMG_1234.jpg": "IMG 1234 jpg", "a": "a", "": "",
		"HTTPServer2Go": "HTTP Server 2 Go", "ÄpfelUndBirnen": "Äpfel Und Birnen", "ΑΒγδ": "Α Βγδ", "サマー2024🙂x": "サマー 2024 🙂 x",
	} {
		if got := strings.Join(strings.Fields(search.NamePieces(name)), " "); got != want {
			t.Errorf("%s becomes %q, want %q", name, got, want)
		}
	}
}

// Katakana and Hiragana are two ways to write a word.
func TestKana(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	for i, title := range []string{"トウキョウの夜", "とうきょうの朝", "ｶﾒﾗ", "デジタルカメラ2024", "かめら屋", "キョウト"} {
		l.put(asset(int64(i+1), title))
	}
	e := open(t, t.TempDir(), l)
	defer e.Close()
	wants(t, e, [][2]string{
		{"トウキョウ", "1 2"}, {"とうきょう", "1 2"}, {"カメラ", "3 4 5"}, {"かめら", "3 4 5"}, {`"かめら"`, "3 4 5"}, {"きょうと", "6"},
		{"2024", "4"}, {"デジタル", "4"}, {"夜", "1"},
	})
}

// The text before a colon is a field, a metadata key, or unknown.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	said, tagged, custom, other := asset(1, "one"), asset(2, "two"), asset(3, "three"), asset(4, "apollo eleven")
	said.AICaption, tagged.AITags = "an apollo launch", []string{"apollo", "rocket"}
	custom.Metadata = map[string]any{"project": "Apollo Eleven", "team": []any{"Houston", "Red Stars"}, "year": 1969.0}
	other.Metadata = map[string]any{"project": "Gemini", "note": "after Apollo"}
	other.Description = "a caption by hand"
	l.put(said, tagged, custom, other)
	e := open(t, t.TempDir(), l)
	defer e.Close()
	wants(t, e, [][2]string{
		{"caption:apollo", "1"}, {"caption:hand", "4"}, {"CAPTION:launch", "1"}, {"description:hand", "4"},
		{"tag:apollo", "2"}, {"tags:rocket", "2"}, {"-tag:apollo", "1 3 4"},
		{"project:apollo", "3"}, {"project:apoll", "3"}, {"project:apolo", "3"}, {"project:gemini", "4"}, {"note:apollo", "4"},
		{`project:"apollo eleven"`, "3"}, {`project:"eleven apollo"`, ""}, {"team:stars", "3"}, {"team:houston", "3"}, {"year:1969", "3"},
		{"project:gemini apollo", "4"}, {"-project:apollo", "1 2 4"}, {"project:after", ""}, {"apollo -note:apollo", "1 2 3"},
		{"project:apollo-eleven", "3"}, {"project:nothing", ""},
	})
	for text, want := range map[string]string{
		"nope:apollo": "[nope]", "titel:x -kewyord:y titel:z": "[titel kewyord]", "project:apollo": "[]", "title:x": "[]",
		"http://x": "[]", "12:30": "[]", "std::vector": "[]", `"nope:x"`: "[]", "nope: x": "[]", ":x": "[]", `nope:"a b"`: "[nope]",
		`C:\temp`: "[]", "ключ:x": "[ключ]", strings.Repeat("x", 65) + ":y": "[]",
	} {
		if r := find(t, e, dam.Query{Text: text}); fmt.Sprint(r.UnknownPrefixes) != want {
			t.Errorf("%s has the unknown prefixes %v, want %s", text, r.UnknownPrefixes, want)
		}
	}
}

// FuzzSplit splits arbitrary texts.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"", "Harbour at dawn", "AB-1234/CD.5", "C++ C# F#maj Notepad++ c+++", "l'école d’été", "1,299.00 1.299,5 U.S.A. e.g.",
		"#SummerVibes2024 #a",
		"東京の写真", "แมวดำในสวน", "ឆ្មានៅ", "ကြောင်နက်", "ແມວດຳ", "👨‍👩‍👧 🇩🇪🇫🇷🇩 👍🏽 ❤️ 1️⃣", "البيت الـ ـ والبيت", "Ёлка Й", "שָׁלוֹם",
		"\xff\xfe_:\xf0\x9f", "a\u0301\u0301 \u200d\u200b", "İIıi ß ſ ﬀ", "----", "a-b-c-d-e-f", "a_b:c", "\u0300",
		"ก\u200dข\u200c", "🏽🏽", "\U000E0020",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = search.Compose(text)
		for _, language := range []string{search.English, "de", "fr", "ru", "tr"} {
			list, err := search.Words(language, text)
			if err != nil {
				t.Fatal(err)
			}
			if len(list) > 3*utf8.RuneCountInString(text) {
				t.Fatalf("%d words of %d characters", len(list), utf8.RuneCountInString(text))
			}
			pos := 0
			for _, w := range list {
				if w.Start < 0 || w.Start >= w.End || w.End > len(text) {
					t.Fatalf("%q: %+v is outside", text, w)
				}
				if w.Text == "" || len(w.Stems) > 4 || len(w.Text) > 8*(w.End-w.Start)+8 {
					t.Fatalf("%q: %+v", text, w)
				}
				if w.Pos < 1 || w.Pos > pos+1 {
					t.Fatalf("%q: the place of %+v comes after %d", text, w, pos)
				}
				pos = max(pos, w.Pos)
				if utf8.ValidString(text) && (!utf8.ValidString(w.Text) || !utf8.ValidString(text[w.Start:w.End])) {
					t.Fatalf("%q: %+v is cut in a character", text, w)
				}
			}
		}
		search.NamePieces(text)
	})
}

// Words that matched in place of the query's are highlighted too.
func TestHighlightsOfOtherForms(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{
		{"harbuor", "the old harbour", "the old <mark>harbour</mark>"},
		{"harbuor", "Harbours and the harbour", "<mark>Harbours</mark> and the <mark>harbour</mark>"},
		{"mouse", "three mice", "three <mark>mice</mark>"},
		{"mice", "a mouse", "a <mark>mouse</mark>"},
		{"AB1234", "part AB-1234 here", "part <mark>AB-1234</mark> here"},
		{"ab-1234", "part AB1234 here", "part <mark>AB1234</mark> here"},
		{"ecole", "dans l'école", "dans <mark>l&#39;école</mark>"},
		{"usa", "the U.S.A. team", "the <mark>U.S.A</mark>. team"},
		{"1299", "for 1,299 only", "for <mark>1,299</mark> only"},
		{"mueller", "Herr Müller", "Herr <mark>Müller</mark>"},
		{"c++", "C++ and C", "<mark>C++</mark> and C"},
		{"🎉", "party 🎉 time", "party <mark>🎉</mark> time"},
		{"แมว", "ดูแมวดำ", "ดู<mark>แมว</mark>ดำ"},
		{"東京", "東京と京都", "<mark>東京</mark>と京都"},
		{"vibes", "#SummerVibes", "#Summer<mark>Vibes</mark>"},
		{"ёлка", "елка", "<mark>елка</mark>"},
	} {
		if got := strings.Join(shown(t, tt[0], asset(1, tt[1])), "|"); got != "title: "+tt[2] {
			t.Errorf("%s: got %s, want %s", tt[0], got, tt[2])
		}
	}
	l := newLibrary()
	l.put(asset(1, "stuhl"), asset(2, "ein Bürostuhl"))
	e := open(t, t.TempDir(), l)
	defer e.Close()
	r := find(t, e, dam.Query{Text: "stuhl"})
	if f := r.Highlight.Fragments(asset(2, "ein Bürostuhl"), []string{"title"}); len(f) != 1 || f[0].HTML != "ein <mark>Bürostuhl</mark>" {
		t.Errorf("stuhl shows %v", f)
	}
}

// An engine for an unknown language does not open.
func TestUnknownLanguage(t *testing.T) {
	t.Parallel()
	if _, err := search.OpenIn(context.Background(), t.TempDir(), "xx", newLibrary(), nil, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("there is no such language")
	}
}

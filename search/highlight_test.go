package search_test

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// shown returns the fragments of an asset that a text finds, as "field: HTML".
func shown(t testing.TB, text string, a *dam.Asset) []string {
	t.Helper()
	l := newLibrary()
	l.put(a)
	e := open(t, t.TempDir(), l)
	defer e.Close()
	r := find(t, e, dam.Query{Text: text})
	if len(r.Hits) != 1 {
		t.Errorf("%s does not find the asset", text)
		return nil
	}
	var list []string
	for _, f := range r.Highlight.Fragments(a, r.Hits[0].MatchedOn) {
		list = append(list, f.Field+": "+f.HTML)
	}
	return list
}

// Matches are marked in the text of each field, and the fragments are safe HTML.
func TestHighlights(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		asset dam.Asset
		want  string // fragments, separated by |
	}{
		{"harbour", dam.Asset{Title: "Harbour at dawn"}, "title: <mark>Harbour</mark> at dawn"},
		{"harbours dawn", dam.Asset{Title: "Harbour at dawn"}, "title: <mark>Harbour</mark> at <mark>dawn</mark>"},
		{"run", dam.Asset{Title: "running, runs; RUN!"}, "title: <mark>running</mark>, <mark>runs</mark>; <mark>RUN</mark>!"},
		{"harb", dam.Asset{Title: "the harbour's HARBINGER"}, "title: the <mark>harbour&#39;s</mark> <mark>HARBINGER</mark>"},
		{"harb harbour", dam.Asset{Title: "harbinger harbour"}, "title: harbinger <mark>harbour</mark>"},
		{"x", dam.Asset{Title: "X's and Y’s"}, "title: <mark>X&#39;s</mark> and Y’s"},
		{"y", dam.Asset{Title: "X's and Y’s"}, "title: X&#39;s and <mark>Y’s</mark>"},
		{"dies", dam.Asset{Title: "it died"}, "title: it <mark>died</mark>"},
		{"cafe", dam.Asset{Title: "the café CAFÉ cafe\u0301"}, "title: the <mark>café</mark> <mark>CAFÉ</mark> <mark>café</mark>"},
		{"café", dam.Asset{Title: "a cafe"}, "title: a <mark>cafe</mark>"},
		{"muller", dam.Asset{Creator: "Zoë Müller"}, "creator: Zoë <mark>Müller</mark>"},
		{"東京", dam.Asset{Title: "これは東京の写真"}, "title: これは<mark>東京</mark>の写真"},
		{"写真", dam.Asset{Title: "東京の写真"}, "title: 東京の<mark>写真</mark>"},
		{`"の写真"`, dam.Asset{Title: "東京の写真"}, "title: 東京<mark>の写真</mark>"},
		{"file", dam.Asset{Title: "a ﬁle"}, "title: a <mark>file</mark>"}, // NFKC
		// HTML is text.
		{"script", dam.Asset{Title: "<script>alert('x')</script>"},
			"title: &lt;<mark>script</mark>&gt;alert(&#39;x&#39;)&lt;/<mark>script</mark>&gt;"},
		{"alert", dam.Asset{Title: `<script>alert("x")</script> & more`},
			"title: &lt;script&gt;<mark>alert</mark>(&#34;x&#34;)&lt;/script&gt; &amp; more"},
		{"mark", dam.Asset{Title: "</mark><mark>&lt;"}, "title: &lt;/<mark>mark</mark>&gt;&lt;<mark>mark</mark>&gt;&amp;lt;"},
		{"script", dam.Asset{Keywords: []string{"<script>", "other"}}, "keywords: &lt;<mark>script</mark>&gt;"},
		{"img", dam.Asset{OriginalFilename: `<img src="x">.jpg`}, "original_filename: &lt;<mark>img</mark> src=&#34;x&#34;&gt;.jpg"},
		{"onload", dam.Asset{Metadata: map[string]any{"note": "<b onload=1>"}}, "metadata.note: &lt;b <mark>onload</mark>=1&gt;"},
		// The matching items of lists, up to three.
		{"boat", dam.Asset{Keywords: []string{"sea", "red boat", "boats", "dawn"}},
			"keywords: red <mark>boat</mark>|keywords: <mark>boats</mark>"},
		{"boat", dam.Asset{Keywords: []string{"boat 1", "boat 2", "boat 3", "boat 4"}},
			"keywords: <mark>boat</mark> 1|keywords: <mark>boat</mark> 2|keywords: <mark>boat</mark> 3"},
		{"boat", dam.Asset{AITags: []string{"boat", "sea"}}, "ai_tags: <mark>boat</mark>"},
		{"apollo", dam.Asset{Metadata: map[string]any{"project": "Apollo", "place": "Berlin", "names": []any{"Ada", "Apollo 11"}}},
			"metadata.names: <mark>Apollo</mark> 11|metadata.project: <mark>Apollo</mark>"},
		{"1969", dam.Asset{Metadata: map[string]any{"year": 1969.0, "rating": 5.0}}, "metadata.year: <mark>1969</mark>"},
		// Only fields that match.
		{"boat sea", dam.Asset{Title: "boat", AICaption: "a sea", OCRText: "dawn", Copyright: "© Boat Ltd"},
			"title: <mark>boat</mark>|ai_caption: a <mark>sea</mark>|copyright: © <mark>Boat</mark> Ltd"},
		// Phrases, fields, exclusions, stop words.
		{`"calm sea"`, dam.Asset{Title: "a calm sea"}, "title: a <mark>calm</mark> <mark>sea</mark>"},
		{`"at the sea"`, dam.Asset{Title: "at the sea"}, "title: <mark>at</mark> <mark>the</mark> <mark>sea</mark>"},
		{"the sea", dam.Asset{Title: "the sea"}, "title: the <mark>sea</mark>"},
		{"title:boat", dam.Asset{Title: "a boat"}, "title: a <mark>boat</mark>"},
		{"boat -plane", dam.Asset{Title: "boat"}, "title: <mark>boat</mark>"},
		// File names by piece, or whole.
		{"holiday", dam.Asset{OriginalFilename: "summerHoliday-2019.PNG"}, "original_filename: summer<mark>Holiday</mark>-2019.PNG"},
		{"2019", dam.Asset{OriginalFilename: "summerHoliday-2019.PNG"}, "original_filename: summerHoliday-<mark>2019</mark>.PNG"},
		{"img_1234.jpg", dam.Asset{OriginalFilename: "IMG_1234.jpg"}, "original_filename: <mark>IMG_1234.jpg</mark>"},
		{"mp4", dam.Asset{OriginalFilename: "clip.mp4"}, "original_filename: clip.<mark>mp4</mark>"},
		{"img_1234", dam.Asset{OriginalFilename: "IMG_1234.jpg"}, "original_filename: <mark>IMG_1234</mark>.jpg"},
		{"sea.jpg the", dam.Asset{OriginalFilename: "The calm sea.jpg"}, "original_filename: The calm <mark>sea.jpg</mark>"},
		{"the who", dam.Asset{Title: "The Who live", OriginalFilename: "the_who.jpg"},
			"title: <mark>The</mark> <mark>Who</mark> live|original_filename: <mark>the</mark>_<mark>who</mark>.jpg"},
		{"title:the sea", dam.Asset{Title: "the sea"}, "title: <mark>the</mark> <mark>sea</mark>"},
		{`"img 1234"`, dam.Asset{OriginalFilename: "IMG_1234.jpg"}, "original_filename: <mark>IMG</mark>_<mark>1234</mark>.jpg"},
		{"01TESTTESTTESTTESTTEST0001", dam.Asset{Title: "a"}, ""},
	} {
		a := tt.asset
		a.ID, a.GAID, a.CreatedAt, a.UpdatedAt = 1, "01TESTTESTTESTTESTTEST0001", epoch, epoch
		if got := strings.Join(shown(t, tt.text, &a), "|"); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// The fragment of a long text is around the first match, consists of whole words, and has
// … where the text continues.
func TestHighlightsOfLongTexts(t *testing.T) {
	t.Parallel()
	fill := func(word string, n int) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }
	for name, tt := range map[string]struct {
		ocr, begins, ends string
		marks             int
	}{
		"at the beginning": {"harbour " + fill("word", 200), "<mark>harbour</mark> word ", " word…", 1},
		"in the middle":    {fill("before", 100) + " harbour " + fill("after", 100), "…before ", " after…", 1},
		"at the end":       {fill("before", 200) + " harbour", "…before ", " <mark>harbour</mark>", 1},
		"all near":         {fill("a", 20) + " harbour", "a a ", " <mark>harbour</mark>", 1},
		"twice":            {fill("before", 50) + " harbour one harbour " + fill("after", 50) + " harbour", "…before ", " after…", 2},
		"far apart":        {"harbour " + fill("between", 100) + " harbour", "<mark>harbour</mark> between ", " between…", 1},
		"letters of more":  {fill("größere", 100) + " harbour " + fill("übermäßig", 100), "…größere ", " übermäßig…", 1},
		"no spaces":        {strings.Repeat("é", 300) + "," + "harbour" + "," + strings.Repeat("日", 300), "…é", "日…", 1},
		"lines":            {fill("before", 40) + "\nharbour\n" + fill("after", 60), "…before ", " after…", 1},
		"one long word":    {strings.Repeat("x", 5000) + " harbour", "…<mark>harbour", "</mark>", 1},
	} {
		a := asset(1, "x")
		a.OCRText = tt.ocr
		list := shown(t, "harbour", a)
		if len(list) != 1 {
			t.Errorf("%s: %q", name, list)
			continue
		}
		got := strings.TrimPrefix(list[0], "ocr_text: ")
		if !strings.HasPrefix(got, tt.begins) || !strings.HasSuffix(got, tt.ends) ||
			strings.Count(got, "<mark>harbour</mark>") != tt.marks || !utf8.ValidString(got) {
			t.Errorf("%s: %q, want %q to %q with %d marks", name, got, tt.begins, tt.ends, tt.marks)
		}
		if n := utf8.RuneCountInString(got); n > 220 || n < 20 {
			t.Errorf("%s: %d characters: %q", name, n, got)
		}
	}
	// Far down there may be no fragment, but never a truncated letter.
	for shift := range 4 {
		a := asset(1, "x")
		a.OCRText = strings.Repeat("x", shift) + " " + strings.Repeat("日本 ", 20_000/7) + strings.Repeat("語", 3) + " harbour"
		for _, f := range shown(t, "harbour 日", a) {
			if !utf8.ValidString(f) || strings.Contains(f, "\uFFFD") {
				t.Errorf("shifted by %d: %q", shift, f)
			}
		}
	}
}

// textOf converts the HTML of a fragment back to text.
func textOf(t testing.TB, fragment string) string {
	t.Helper()
	depth, bare := 0, strings.Builder{}
	for rest := fragment; rest != ""; {
		switch i := strings.IndexByte(rest, '<'); {
		case strings.HasPrefix(rest, "<mark>"):
			depth, rest = depth+1, rest[len("<mark>"):]
		case strings.HasPrefix(rest, "</mark>"):
			depth, rest = depth-1, rest[len("</mark>"):]
		case i == 0:
			t.Fatalf("%q has another element than mark", fragment)
		case i > 0:
			bare.WriteString(rest[:i])
			rest = rest[i:]
		default:
			bare.WriteString(rest)
			rest = ""
		}
		if depth < 0 || depth > 1 {
			t.Fatalf("%q has marks in marks", fragment)
		}
	}
	if depth != 0 {
		t.Fatalf("%q has a mark without end", fragment)
	}
	if strings.Contains(fragment, "<mark></mark>") {
		t.Fatalf("%q marks nothing", fragment)
	}
	return html.UnescapeString(bare.String())
}

// FuzzHighlight searches for any text in any text.
func FuzzHighlight(f *testing.F) {
	for _, s := range [][2]string{
		{"Harbour at dawn", "harbour"}, {"<script>alert(1)</script>", "script"}, {"", "x"}, {"x", ""},
		{"café cafe\u0301", "cafe"}, {"これは東京の写真", `"東京"`}, {"a\xffb \xff\xfe harbour", "harbour"},
		{"… harbour …", "harbour"}, {"&lt;mark&gt; &amp; </mark>", "mark lt"}, {"ﬁle ① ⅷ", "file 1"},
		{strings.Repeat("日本語 ", 4000) + "語", "語"}, {strings.Repeat("x", 19_999) + "é y", "xé"}, {"a\u0301\u0301\u0301", "a"},
		{"IMG_1234.jpg", "img_1234"}, {"\x00 a", "\x00a"}, {"dog’s 'dog's", "dogs"}, {"İstanbul ß ſ ﬀ", "istanbul ss s ff"},
		{"\u2028harbour\u2029", "-x harb"}, {strings.Repeat("word ", 500) + "harbour", "harbour title:word"},
		{"カタカナ 한국어 ไทย", "カ 한국 ไ"}, {"👩‍👩‍👧 dog", "dog 👩‍👩‍👧"},
	} {
		f.Add(s[0], s[1])
	}
	e, err := search.Open(context.Background(), f.TempDir(), newLibrary(), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { e.Close() })
	fields := []string{
		"title", "original_filename", "keywords", "ai_tags", "ai_caption", "ocr_text", "creator", "copyright",
		"metadata", "gaid", "meaning", "nope",
	}
	known := append(slices.Clone(fields[:8]), "metadata.key", "metadata.list")
	f.Fuzz(func(t *testing.T, text, query string) {
		r, err := e.Search(t.Context(), dam.Query{Text: query}, search.Scope{})
		if err != nil {
			t.Fatalf("%q: %v", query, err)
		}
		if r.Highlight == nil {
			return
		}
		a := &dam.Asset{
			Title: text, OriginalFilename: text, AICaption: text, OCRText: text, Creator: text, Copyright: text,
			Keywords: []string{"other", text},
			AITags:   []string{text, text, text, text},
			Metadata: map[string]any{"key": text, "list": []any{text, 1.5, true, nil}},
		}
		whole := search.Compose(text)
		count := map[string]int{}
		for _, fr := range r.Highlight.Fragments(a, fields) {
			if count[fr.Field]++; count[fr.Field] > 3 || !slices.Contains(known, fr.Field) {
				t.Fatalf("%d fragments of %s", count[fr.Field], fr.Field)
			}
			piece := textOf(t, fr.HTML)
			cut := strings.TrimSuffix(strings.TrimPrefix(piece, "…"), "…")
			if !strings.Contains(whole, cut) && !strings.Contains("other 1.5 true", cut) {
				t.Fatalf("%q, which is not in %q, of %q", cut, whole, fr.HTML)
			}
			if !strings.Contains(fr.HTML, "<mark>") {
				t.Fatalf("%q has no mark", fr.HTML)
			}
			if utf8.ValidString(text) && !utf8.ValidString(fr.HTML) {
				t.Fatalf("%q is cut in a character", fr.HTML)
			}
			cutBefore := strings.HasPrefix(piece, "…") && !strings.HasPrefix(whole, "…")
			first := strings.HasPrefix(whole, cut) && cut != whole && strings.Count(whole, cut) == 1
			if fr.HTML != piece && cutBefore && first {
				t.Fatalf("%q is from the beginning of %q", fr.HTML, whole)
			}
		}
	})
}

// Highlights of one query do not reveal matches of another.
func TestHighlightWithoutText(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	l.put(asset(1, "boat"))
	e := open(t, t.TempDir(), l)
	defer e.Close()
	for _, text := range []string{"", " ", `"`, "-"} {
		if r := find(t, e, dam.Query{Text: text}); r.Highlight != nil {
			t.Errorf("%q has highlights", text)
		}
	}
	r := find(t, e, dam.Query{Text: "-sea"})
	if list := r.Highlight.Fragments(asset(1, "boat at sea"), []string{"title", "ocr_text"}); len(list) != 0 {
		t.Errorf("a ban is shown: %v", fmt.Sprint(list))
	}
}

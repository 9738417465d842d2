package dam

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Names must be visible: hidden characters are rejected unless scripts or emoji need them.
func TestHidden(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"plain": false, "Zürich": false, "日本": false, "مرحبا": false, "می\u200cخواهم": false, "क्\u200dष": false,
		"👩\u200d👩\u200d👧": false, "🏳️\u200d🌈": false, "❤️\u200d🔥": false,
		"👍🏽": false, "\U0001F3F4\U000E0067\U000E0062\U000E007F": false, "\u0600123": false,
		"a\x00": true, "a\x1b[31m": true, "a\nb": true, "a\tb": true, "a\u0085": true, "a\u2028b": true, "a\u2029": true,
		"a\u202eb": true, "a\u2066b": true, "a\u200eb": true, "a\u200fb": true, "a\u061cb": true, "a\u200bb": true,
		"a\u2060b": true, "\ufeffa": true, "a\u00adb": true, "\u200da": true, "a\u200d": true,
		"a \u200db": true, "a\u200d\u200db": true, "a\U000E0041": true, "a\x7f": true,
	} {
		if _, got := firstHidden(s, false); got != want {
			t.Errorf("%+q has hidden characters: %v", s, got)
		}
	}
	if _, got := firstHidden("a\r\n\tb", true); got {
		t.Error("a text of two lines is refused")
	}
}

func TestNamesAreSeen(t *testing.T) {
	t.Parallel()
	validate := map[string]func(name string) error{
		"user": func(n string) error { return (&User{Name: n, Email: "a@example.com", Role: RoleViewer}).Validate() },
		"collection": func(n string) error {
			return (&CollectionPatch{Name: Opt[string]{Sent: true, Value: n}}).Apply(NewCollection())
		},
		"type":         func(n string) error { return (&NamedID{Name: n}).Validate() },
		"vocabulary":   func(n string) error { return (&Vocabulary{Key: "k", Name: n}).Validate() },
		"term":         func(n string) error { return (&Term{Key: "k", Label: n}).Validate(NewVocabulary(Vocabulary{}, nil)) },
		"field":        func(n string) error { return (&Field{Key: "k", Label: n, Type: FieldText}).Validate(nil) },
		"saved search": func(n string) error { return (&SavedSearch{Name: n}).Validate() },
		"class":        func(n string) error { return (&Definitions{AssetClasses: []ClassDefinition{{Name: n}}}).Validate() },
		"batch":        func(n string) error { return (&Batch{Name: "b" + n}).Validate(1, nil) },
		"webhook": func(n string) error {
			return (&Webhook{URL: "x", Events: []EventType{AllEvents}, Description: n}).Validate()
		},
		"title": func(n string) error {
			return (&AssetPatch{Title: Opt[string]{Sent: true, Value: n}}).Apply(&Asset{Title: "t", WorkflowStatus: WorkflowDraft}, nil)
		},
		"keyword": func(n string) error {
			p := &AssetPatch{Keywords: Opt[[]string]{Sent: true, Value: []string{"k" + n}}}
			return p.Apply(&Asset{Title: "t", WorkflowStatus: WorkflowDraft}, nil)
		},
	}
	for what, fn := range validate {
		if err := fn("Hafen ⚓️"); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for _, name := range []string{"a\u202eb", "a\u200bb", "a\x1bb"} {
			if err := fn(name); KindOf(err) != Invalid || !strings.Contains(err.Error(), "invisible") {
				t.Errorf("%s %+q: %v", what, name, err)
			}
		}
		for _, blank := range []string{" ", "\u200b", "\u3164", " \u2060 ", "\u2800"} {
			if err := fn(blank); KindOf(err) != Invalid && what != "batch" && what != "webhook" && what != "keyword" {
				t.Errorf("%s %+q: %v", what, blank, err)
			}
		}
	}
}

func TestCleanFilename(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a.jpg": "a.jpg", `C:\x\a.jpg`: "a.jpg", "../../a.jpg": "a.jpg",
		"a\u202egpj.exe": "agpj.exe", "a\u200b.jpg\ufeff": "a.jpg", "a\n.jpg": "a.jpg", " a. . ": "a",
		"": "file", "\u200b": "file", "\u3164": "file",
		"CON.jpg": "_CON.jpg", "lpt1": "_lpt1", "console.jpg": "console.jpg", "👩\u200d👧.jpg": "👩\u200d👧.jpg",
	} {
		if got := CleanFilename(in); got != want {
			t.Errorf("%+q is %+q, not %+q", in, got, want)
		}
	}
	if got := DangerousExtension("a.txt:b"); got != "" {
		t.Errorf("%q", got)
	}
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{"a\u202eb", "👩\u200d👩\u200d👧", "a\xffb", "\u200d", "\U0001F3F4\U000E0067", "a\u2028\tb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		// Removing characters can move joiners between characters that they do not join. A
		// second call only has to shrink the text.
		v := Visible(s)
		if len(v) > len(s) || !utf8.ValidString(v) || len(Visible(v)) > len(v) {
			t.Errorf("%+q is %+q", s, v)
		}
		if n := CleanFilename(s); n == "" || len(n) > MaxFilename+1 || strings.ContainsAny(n, "/\\\n\x00") {
			t.Errorf("%+q is the name %+q", s, n)
		}
	})
}

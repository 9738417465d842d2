package dam_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

func found(tags ...string) (list []dam.FoundTag) {
	for _, tag := range tags {
		list = append(list, dam.FoundTag{Tag: tag, Score: 0.9})
	}
	return list
}

func setTags(t *testing.T, a *dam.Asset, tags ...string) {
	t.Helper()
	p := dam.AssetPatch{AITags: dam.Opt[[]string]{Sent: true, Value: tags}}
	if err := p.Apply(a, nil); err != nil {
		t.Fatal(err)
	}
}

func TestFindTags(t *testing.T) {
	t.Parallel()
	a := &dam.Asset{Title: "a", WorkflowStatus: dam.WorkflowDraft, AITags: []string{"Harbour"}}
	step := func(what string, changed, want bool, tags ...string) {
		t.Helper()
		if changed != want || !slices.Equal(a.AITags, tags) {
			t.Errorf("%s: changed %v, tags %q", what, changed, a.AITags)
		}
	}
	find := func(source dam.TagSource, tags ...string) bool { return a.FindTags(source, "m", found(tags...)) }

	step("the first time", find(dam.TagBuiltin, "dog", "harbour", "boat"), true, "Harbour", "dog", "boat")
	step("the same again", find(dam.TagBuiltin, "boat", "Dog", "HARBOUR"), false, "Harbour", "dog", "boat")
	step("another source", find(dam.TagEndpoint, "dog", "pier", "\u200b"), true, "Harbour", "dog", "boat", "pier")
	step("one less", find(dam.TagBuiltin, "dog"), true, "Harbour", "dog", "pier")
	setTags(t, a, "PIER", "sea")
	step("removed", find(dam.TagBuiltin, "dog", "harbour", "cat"), true, "PIER", "sea", "cat")
	setTags(t, a, "dog", "cat")
	step("back by hand", find(dam.TagEndpoint, "sea", "pier", "dog"), false, "dog", "cat")
	for i, want := range []dam.FoundTag{
		{Tag: "dog", Score: 0.9, Source: dam.TagBuiltin, Model: "m"}, {Tag: "cat", Score: 0.9, Source: dam.TagBuiltin, Model: "m"},
	} {
		if got := a.TagDetails()[i]; got != want {
			t.Errorf("%+v", got)
		}
	}
}

// Tags are compared regardless of case and Unicode normalization.
func TestFindTagsInAnySpelling(t *testing.T) {
	t.Parallel()
	a := &dam.Asset{Title: "a", WorkflowStatus: dam.WorkflowDraft}
	setTags(t, a, "caf\u00e9", "Cafe\u0301")
	for _, tags := range [][]string{{"CAFE\u0301", "o\u0308l"}, {"\u00d6L"}} {
		a.FindTags(dam.TagEndpoint, "m", found(tags...))
		if want := []string{"caf\u00e9", "\u00f6l"}; !slices.Equal(a.AITags, want) {
			t.Errorf("%+q", a.AITags)
		}
	}
	setTags(t, a, "caf\u00e9")
	if a.FindTags(dam.TagEndpoint, "m", found("O\u0308l")) {
		t.Errorf("a removed tag is back: %+q", a.AITags)
	}
}

// The number of recorded removed tags is limited, and a model cannot flood an asset with
// tags.
func TestFoundTagsAreBounded(t *testing.T) {
	t.Parallel()
	a := &dam.Asset{Title: "a", WorkflowStatus: dam.WorkflowDraft}
	for round := range 5 {
		var many []dam.FoundTag
		for i := range 2 * dam.MaxKeywords {
			many = append(many, dam.FoundTag{Tag: fmt.Sprint("tag ", round, " ", i)})
		}
		a.FindTags(dam.TagEndpoint, "m", many)
		if n := len(a.AITags); n > dam.MaxKeywords {
			t.Fatalf("%d tags", n)
		}
		if err := a.Validate(); err != nil {
			t.Fatal(err)
		}
		setTags(t, a)
		if n := len(a.Findings.Tags); n > 2*dam.MaxKeywords {
			t.Fatalf("%d tags are remembered", n)
		}
	}
}

func TestFindCaption(t *testing.T) {
	t.Parallel()
	a := &dam.Asset{}
	if !a.FindCaption("m", "A pier.") || a.FindCaption("m", "A pier.") || !a.FindCaption("n", "A boat.") || a.AICaption != "A boat." {
		t.Errorf("%+v", a)
	}
	a.AICaption = ""
	if a.FindCaption("m", "A pier.") {
		t.Error("a caption that was removed is back")
	}
	a.AICaption = "Ours"
	if a.FindCaption("m", "A pier.") || a.AICaption != "Ours" {
		t.Error("a person's caption is gone")
	}
	if a := (&dam.Asset{OCRText: "a page"}); a.FindText("words") || (&dam.Asset{}).FindText(" ") || !(&dam.Asset{}).FindText("words") {
		t.Error("text")
	}
}

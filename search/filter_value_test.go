package search_test

import (
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// A custom field may contain texts, numbers, booleans or lists of texts, and different
// ones per asset. Numbers in a rule are compared with numbers, texts with the text form
// of any value.
func TestFilterMetadata(t *testing.T) {
	t.Parallel()
	values := []any{
		"Apollo 11", "apollo", []any{"Apollo", "Gemini"}, []any{"gemini", "APÓLLO", "gemini"}, []any{"apollo"}, // 1 to 5
		nil, "", " \t", []any{}, []any{"", " "}, // 6 to 10: none
		5.0, "5", 15.0, 5.25, -5.0, 0.0, []any{"5"}, 1e21, // 11 to 18
		true, false, "true", []any{"False"}, // 19 to 22
		"2026-01-31", "2026-01-31T12:00:00Z", "2026-02-01", "31.01.2026", []any{"2019-01-01", "2026-01-31"}, // 23 to 27
	}
	n := int64(len(values))
	e := build(t, n, func(a *dam.Asset) {
		a.Metadata = map[string]any{"other": "apollo"}
		if v := values[a.ID-1]; v != nil {
			a.Metadata["x"] = v
		}
	})
	finds(t, e, n, "metadata.x", [][3]string{
		{"is_empty", "6 7 8 9 10", ""},
		{"equals", "2 5", `"APOLLO"`}, {"equals", "2 5", `["apollo","Apollo"]`},
		{"equals", "3 4", `["Gemini","apollo"]`}, {"equals", "1", `"apóllo 11"`},
		{"contains", "1 2 3 4 5", `"apollo"`}, // a part of a text, or a member of a list
		{"contains", "1 2", `"poll"`}, {"contains", "1", `"O 1"`}, {"contains", "3 4", `"gemini"`},
		{"in", "2 3 4 5", `["apollo","nope"]`}, {"in", "1 3 4", `["Apollo 11","gemini"]`},
		{"starts_with", "1 2 3 4 5", `"apo"`}, {"ends_with", "3 4", `"mini"`}, {"ends_with", "1", `" 11"`},

		{"equals", "11", "5"}, {"equals", "11", "5.0"}, {"equals", "11 12 17", `"5"`},
		{"equals", "16", "0"}, {"equals", "18", "1e21"}, {"equals", "14", "5.25"},
		{"in", "11 13", "[15,5]"}, {"in", "11 12 13 17", `["5",15]`}, {"in", "15", `["-5"]`}, {"in", "2 3 4 5 16", `["apollo",0]`},
		{"contains", "11 12 13 14 15 17", `"5"`}, {"contains", "11 12 13 14 15 17", "5"},
		{"contains", "14", `"5.2"`}, {"contains", "14", "5.20"}, {"contains", "15", `"-5"`},
		{"starts_with", "13", "15"}, {"ends_with", "14", `".25"`},
		{"starts_with", "18", `"1000000000000000000000"`}, {"starts_with", "18", "1e3"},
		{"greater_than", "13 14 18", "5"}, {"greater_than_or_equal", "11 13 14 18", "5"}, {"greater_than_or_equal", "11 13 14 18", `"5"`},
		{"less_than", "15 16", "5"}, {"less_than_or_equal", "11 15 16", "5"}, {"less_than", "15", "0"},
		{"between", "11 14", "[5,6]"}, {"between", "11 15 16", "[-5,5]"}, {"between", "16", "[0,0]"},
		{"greater_than", "", "1e22"},

		{"equals", "19", "true"}, {"equals", "20", "false"}, {"in", "19 20", "[true,false]"},
		{"equals", "19 21", `"TRUE"`}, {"equals", "20 22", `"false"`}, {"equals", "20 22", `["false"]`},
		{"contains", "19 21", `"ru"`}, {"starts_with", "20 22", `"fal"`}, {"in", "11 19 21", `["true",5]`},

		{"equals", "23", `"2026-01-31"`}, {"starts_with", "23 24 25 27", `"20"`},
		{"greater_than", "25", `"2026-01-31"`}, {"greater_than_or_equal", "23 24 25 27", `"2026-01-31"`},
		{"less_than", "27", `"2026-01-31"`}, {"less_than_or_equal", "23 24 27", `"2026-01-31"`},
		{"greater_than", "25", `"2026-01-31T12:00:00Z"`}, {"greater_than_or_equal", "24 25", `"2026-01-31T12:00:00Z"`},
		{"between", "23 24 27", `["2026-01-31","2026-01-31"]`}, {"between", "24 25", `["2026-01-31T06:00:00Z","2026-02-01"]`},
		{"between", "27", `["2019-01-01","2019-01-01"]`},
	})
	finds(t, e, n, "metadata.nope", [][3]string{
		{"is_empty", all(n), ""},
		{"equals", "", `"a"`}, {"contains", "", `"a"`}, {"in", "", "[1]"}, {"greater_than", "", "0"},
	})
}

func all(n int64) string {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i + 1)
	}
	return joined(list)
}

func TestFilterEnum(t *testing.T) {
	t.Parallel()
	e := build(t, 4, func(a *dam.Asset) {
		a.FileCategory = []dam.FileCategory{dam.CategoryImage, dam.CategoryVideo, dam.CategoryAudio, dam.CategoryDocument}[a.ID-1]
		a.WorkflowStatus = []dam.WorkflowStatus{dam.WorkflowDraft, dam.WorkflowInReview, dam.WorkflowDraft, dam.WorkflowArchived}[a.ID-1]
		a.ProcessingStatus = []dam.ProcessingStatus{dam.ProcessingReady, dam.ProcessingFailed, dam.ProcessingRunning, ""}[a.ID-1]
	})
	finds(t, e, 4, "asset.file_category", [][3]string{
		{"equals", "1", `"image"`}, {"equals", "2", `"VIDEO"`},
		{"in", "3 4", `["Audio","document","Audio"]`}, {"is_empty", "", ""},
	})
	finds(t, e, 4, "asset.workflow_status", [][3]string{
		{"equals", "1 3", `"Draft"`}, {"equals", "2", `"in_review"`}, {"equals", "", `"approved"`},
		{"in", "2 4", `["in_review","archived"]`},
	})
	finds(t, e, 4, "asset.processing_status", [][3]string{
		{"equals", "3", `"processing"`}, {"in", "1 2", `["ready","failed"]`}, {"is_empty", "4", ""},
	})
}

// A palette matches if one of its colours is near enough.
func TestFilterColor(t *testing.T) {
	t.Parallel()
	// The differences from #1e90ff: 0, 0.13, 8.4, 17, and 38 or more.
	palettes := [][]string{{"#1e90ff"}, {"#ffffff", "#1e90fe"}, {"#4682b4"}, {"#00bfff", "#000000"}, {"#ff0000"}, nil, {"#FFFFFF", "#FF0000"}}
	e := build(t, 7, func(a *dam.Asset) {
		for _, hex := range palettes[a.ID-1] {
			a.Colors = append(a.Colors, dam.Color{Hex: hex, Share: 0.5})
		}
	})
	finds(t, e, 7, "asset.colors", [][3]string{
		{"color_equals", "1 2", `"#1e90ff"`},
		{"color_equals", "1 2", `"#1E90FF"`},
		{"color_near", "1 2 3 4", `"#1e90ff"`},
		{"color_near", "1", `{"color":"#1e90ff","distance":0}`},
		{"color_near", "1 2", `{"color":"#1e90ff","distance":1}`},
		{"color_near", "1 2 3", `{"color":"#1e90ff","distance":"10"}`},
		{"color_near", "1 2 3 4 5 7", `{"color":"#1e90ff","distance":100}`},
		{"color_equals", "2 7", `"#ffffff"`},
		{"color_equals", "5 7", `"#fe0000"`},
		{"is_empty", "6", ""},
	})
}

// A group matches all or any of its rules; an empty "and" matches everything, an empty
// "or" nothing.
func TestFilterGroup(t *testing.T) {
	t.Parallel()
	e := build(t, 6, func(a *dam.Asset) {
		a.Title = []string{"a", "a", "b", "b", "", "ab"}[a.ID-1]
		a.Keywords = [][]string{{"x"}, nil, {"x"}, {"y"}, nil, {"x", "y"}}[a.ID-1]
		a.Width = []int{10, 20, 30, 40, 0, 20}[a.ID-1]
	})
	a, b := rule("asset.title", "contains", `"a"`), rule("asset.title", "contains", `"b"`)
	x, wide := rule("asset.keywords", "contains", `"x"`), rule("asset.width", "greater_than", "15")
	notX := rule("asset.keywords", "not_contains", `"x"`)
	tests := []struct{ doc, want string }{
		{group("and", a), "1 2 6"}, {group("or", a), "1 2 6"},
		{group("and", a, b), "6"}, {group("or", a, b), "1 2 3 4 6"},
		{group("and", a, x), "1 6"}, {group("and", a, notX), "2"}, {group("or", x, notX), "1 2 3 4 5 6"}, {group("and", x, notX), ""},
		{group("and", group("or", a, b), group("or", x, wide)), "1 2 3 4 6"},
		{group("or", group("and", a, x), group("and", b, notX, wide)), "1 4 6"},
		{group("or", group("and", group("or", group("and", a)))), "1 2 6"},
		{group("and"), "1 2 3 4 5 6"}, {group("or"), ""},
		{group("and", a, group("or")), ""}, {group("or", a, group("or")), "1 2 6"}, {group("or", a, group("and")), "1 2 3 4 5 6"},
		{group("and", a, a, a), "1 2 6"}, {group("or", x, x), "1 3 6"},
		{rule("asset.title", "is_empty", ""), "5"},
	}
	for _, tt := range tests {
		for range 2 {
			if got := filtered(t, e, tt.doc); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.doc, got, tt.want)
			}
		}
	}
}

package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// rule returns the JSON of a rule; value is JSON, "" for none.
func rule(field, operator, value string) string {
	if value != "" {
		value = `,"value":` + value
	}
	return fmt.Sprintf(`{"type":"filter","field":%q,"operator":%q%s}`, field, operator, value)
}

func group(operator string, rules ...string) string {
	return fmt.Sprintf(`{"type":"group","operator":%q,"rules":[%s]}`, operator, strings.Join(rules, ","))
}

// filtered returns the ids that match a filter document, in ascending order.
func filtered(t testing.TB, e *search.Engine, doc string) string {
	t.Helper()
	f, err := dam.ParseFilter(doc, nil)
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	r := find(t, e, dam.Query{Filter: f, Page: dam.Page{Limit: 1000}})
	list := make([]int64, len(r.Hits))
	for i, h := range r.Hits {
		list[i] = h.AssetID
	}
	slices.Sort(list)
	return joined(list)
}

func joined(list []int64) string { return strings.Trim(fmt.Sprint(list), "[]") }

// negative maps each operator to its negation.
var negative = map[string]string{"equals": "not_equals", "contains": "not_contains", "in": "not_in", "is_empty": "is_not_empty"}

// finds checks the results of rules: each line contains an operator, the expected assets,
// and a value, "" for none. Negations must match all other assets.
func finds(t *testing.T, e *search.Engine, n int64, field string, rules [][3]string) {
	t.Helper()
	for _, r := range rules {
		op, want, value := r[0], r[1], r[2]
		doc := rule(field, op, value)
		for range 2 { // the second time from the cache
			if got := filtered(t, e, doc); got != want {
				t.Errorf("%s %s %s: %q, want %q", field, op, value, got, want)
			}
		}
		not, ok := negative[op]
		if !ok {
			continue
		}
		var rest []int64
		for id := int64(1); id <= n; id++ {
			if !slices.Contains(strings.Fields(want), fmt.Sprint(id)) {
				rest = append(rest, id)
			}
		}
		if got := filtered(t, e, rule(field, not, value)); got != joined(rest) {
			t.Errorf("%s %s %s: %q, want %q", field, not, value, got, joined(rest))
		}
	}
}

// Text fields compare regardless of case, accents and spelling variants.
func TestFilterText(t *testing.T) {
	t.Parallel()
	texts := []string{
		"Straße am Café", "STRASSE AM CAFE", "strasse am cafe\u0301", "ﬁne ﬀ.Tar", "FINE FF.TAR", "Ｆｉｎｅ　ｆｆ.tar", // 1 to 6
		"か", "が", "か\u3099", "ガ", "ｶﾞ", "カ", // 7 to 12: the mark makes a different letter
		"ΟΔΥΣΣΕΎΣ", "Οδυσσεύς", "ἈΓΆΠΗ", "αγαπη", "Ёлка", "елка", // 13 to 18
		"İstanbul", "ISTANBUL", "ıstanbul", "", "  \t", // 19 to 23: 21 has a different letter, 22 and 23 are blank
		"a ≠ b", "a = b", "각", "\u1100\u1161\u11a8", "가", "हिन्दी", "हन्द", // 24 to 30
		`100%_\ "x" [a].*`, "ﬃ", "FFI", "\u212b", "\u00e5", "a\u030a", // 31 to 36: Ångström sign, letter, and two characters
		"x\u200dy", "🙂", "\u0301", "ǆ", "Ǆ", "dž", // 37 to 42
	}
	fields := map[string]func(*dam.Asset, string){
		"title":             func(a *dam.Asset, s string) { a.Title = s },
		"original_filename": func(a *dam.Asset, s string) { a.OriginalFilename = s },
		"creator":           func(a *dam.Asset, s string) { a.Creator = s },
		"copyright":         func(a *dam.Asset, s string) { a.Copyright = s },
		"ai_caption":        func(a *dam.Asset, s string) { a.AICaption = s },
		"ocr_text":          func(a *dam.Asset, s string) { a.OCRText = s },
		"mime_type":         func(a *dam.Asset, s string) { a.MIMEType = s },
		"extension":         func(a *dam.Asset, s string) { a.Extension = s },
		"metadata.text": func(a *dam.Asset, s string) {
			if a.Metadata = map[string]any{"text": s, "other": "Straße"}; s == "" {
				delete(a.Metadata, "text")
			}
		},
	}
	for name, set := range fields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary()
			for i, s := range texts {
				a := asset(int64(i+1), "same")
				set(a, s)
				l.put(a)
			}
			e := open(t, t.TempDir(), l)
			defer e.Close()
			if !strings.HasPrefix(name, "metadata.") {
				name = "asset." + name
			}
			finds(t, e, int64(len(texts)), name, [][3]string{
				{"equals", "1 2 3", `"straße am café"`},
				{"equals", "1 2 3", `"Strasse Am Cafe"`},
				{"equals", "1 2 3", `"STRASSE AM CAFÉ"`},
				{"equals", "", `"strase am cafe"`},
				{"equals", "", `"strasse am cafe "`},
				{"contains", "1 2 3", `"SSE am cafe"`},
				{"contains", "1 2 3", `"ß"`},
				{"contains", "29 30", `"न्द"`},
				{"starts_with", "1 2 3", `"STRAß"`},
				{"ends_with", "1 2 3", `"FÉ"`},
				{"equals", "4 5 6", `"fine ff.tar"`},
				{"equals", "4 5 6", `"ﬁnｅ ﬀ.tar"`},
				{"contains", "4 5 6 32 33", `"ff"`},
				{"ends_with", "4 5 6", `".TAR"`},
				{"equals", "7", `"か"`},
				{"equals", "8 9", `"が"`},
				{"contains", "8 9", `"か\u3099"`},
				{"contains", "7", `"か"`},
				{"equals", "10 11", `"ガ"`},
				{"in", "7 12", `["か","ｶ"]`},
				{"equals", "13 14", `"οδυσσευσ"`},
				{"ends_with", "13 14", `"ς"`},
				{"equals", "15 16", `"Αγάπη"`},
				{"equals", "17 18", `"ЕЛКА"`},
				{"starts_with", "17 18", `"ё"`},
				{"equals", "19 20", `"istanbul"`},
				{"contains", "21", `"ı"`},
				{"is_empty", "22 23", ""},
				{"contains", "24", `"≠"`},
				{"contains", "25", `"="`},
				{"equals", "26 27", `"각"`},
				{"contains", "28", `"가"`},
				{"equals", "29", `"हिन्दी"`},
				{"contains", "31", `"100%_\\"`},
				{"contains", "31", `"[A].*"`},
				{"contains", "", `"%100"`},
				{"starts_with", "", `".*"`},
				{"equals", "32 33", `"ffi"`},
				{"equals", "34 35 36", `"a"`},
				{"equals", "37", `"X\u200dY"`},
				{"contains", "38", `"🙂"`},
				{"contains", "39", `"\u0301"`},
				{"equals", "39", `"\u0301"`},
				{"equals", "40 41 42", `"DZ"`},
				{"in", "1 2 3 7 24", `["nope","STRASSE AM CAFE","か","A ≠ B","か"]`},
				{"in", "", `["nope"]`},
			})
		})
	}
}

// build opens an engine over assets 1 to n that set has filled.
func build(t *testing.T, n int64, set func(*dam.Asset)) *search.Engine {
	t.Helper()
	l := newLibrary()
	for id := int64(1); id <= n; id++ {
		a := asset(id, "same")
		set(a)
		l.put(a)
	}
	e := open(t, t.TempDir(), l)
	t.Cleanup(func() { e.Close() })
	return e
}

// An unknown number does not match any comparison.
func TestFilterNumber(t *testing.T) {
	t.Parallel()
	numbers := []int64{0, 1, 2, 100, 2, 40_000} // 0 for none, except for file_size
	fields := map[string]func(*dam.Asset, int64){
		"width":              func(a *dam.Asset, n int64) { a.Width = int(n) },
		"height":             func(a *dam.Asset, n int64) { a.Height = int(n) },
		"page_count":         func(a *dam.Asset, n int64) { a.PageCount = int(n) },
		"asset_class_id":     func(a *dam.Asset, n int64) { a.AssetClassID = n },
		"ingestion_batch_id": func(a *dam.Asset, n int64) { a.BatchID = n },
		"duration":           func(a *dam.Asset, n int64) { a.DurationMS = n * 1000 },
		"file_size":          func(a *dam.Asset, n int64) { a.FileSize = n },
	}
	for name, set := range fields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := build(t, 6, func(a *dam.Asset) { set(a, numbers[a.ID-1]) })
			zero := "" // assets with the number 0
			if name == "file_size" {
				zero = "1"
			}
			with := func(ids string) string { return strings.TrimSpace(zero + " " + ids) }
			missing := "1"
			if zero != "" {
				missing = ""
			}
			finds(t, e, 6, "asset."+name, [][3]string{
				{"equals", "3 5", "2"}, {"equals", "3 5", `"2"`}, {"equals", "3 5", "2.0"}, {"equals", "3 5", "2e0"},
				{"equals", "", "2.5"}, {"equals", "", "-2"},
				{"equals", zero, "0"}, {"equals", zero, "-0"}, {"equals", "6", "4e4"}, {"equals", "", "1e300"},
				{"in", "2 3 5", `[2,"1",3]`}, {"in", zero, "[0]"}, {"in", with("4"), "[0,100]"},
				{"greater_than", "4 6", "2"}, {"greater_than", "3 4 5 6", "1.5"}, {"greater_than", "2 3 4 5 6", "0"},
				{"greater_than", with("2 3 4 5 6"), "-1"}, {"greater_than", "", "40000"},
				{"greater_than_or_equal", "3 4 5 6", "2"}, {"greater_than_or_equal", with("2 3 4 5 6"), "0"}, {"greater_than_or_equal", "6", "40000"},
				{"less_than", with("2"), "2"}, {"less_than", with("2"), "1.5"}, {"less_than", zero, "1"},
				{"less_than", "", "0"}, {"less_than", with("2 3 4 5 6"), "1e300"},
				{"less_than_or_equal", with("2 3 5"), "2"}, {"less_than_or_equal", zero, "0"}, {"less_than_or_equal", "", "-1e300"},
				{"between", "2 3 5", "[1,2]"}, {"between", "3 5", "[2,2]"}, {"between", with("2 3 4 5 6"), "[0,1e9]"},
				{"between", "", "[3,99]"}, {"between", zero, "[-5,0]"},
				{"is_empty", missing, ""},
			})
		})
	}
	t.Run("part of a second", func(t *testing.T) {
		t.Parallel()
		e := build(t, 3, func(a *dam.Asset) { a.DurationMS = []int64{1500, 1499, 1501}[a.ID-1] })
		finds(t, e, 3, "asset.duration", [][3]string{
			{"equals", "1", "1.5"}, {"equals", "", "1500"}, {"in", "1 2", "[1.499,1.5]"},
			{"less_than", "2", "1.5"}, {"less_than_or_equal", "1 2", "1.5"},
			{"greater_than", "3", "1.5"}, {"greater_than_or_equal", "1 3", "1.5"},
			{"between", "1 2", "[1.499,1.5]"},
		})
	})
}

// A date without a time is the whole day in UTC, one with a time is that millisecond.
func TestFilterDate(t *testing.T) {
	t.Parallel()
	stamps := []string{
		"2026-01-30T23:59:59.999Z", "2026-01-31T00:00:00Z", "2026-01-31T12:34:56.789Z",
		"2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00Z", "1969-12-31T23:59:59.999Z",
		"2026-02-01T04:30:00+05:30", // 2026-01-31T23:00:00Z
		"2024-02-29T10:00:00Z",
	}
	fields := map[string]func(*dam.Asset, time.Time){
		"created_at":   func(a *dam.Asset, d time.Time) { a.CreatedAt = d },
		"updated_at":   func(a *dam.Asset, d time.Time) { a.UpdatedAt = d },
		"capture_date": func(a *dam.Asset, d time.Time) { a.CaptureDate = &dam.CaptureTime{Time: d.UTC()} },
	}
	for name, set := range fields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := build(t, 9, func(a *dam.Asset) {
				if i := int(a.ID) - 1; i < len(stamps) {
					d, err := time.Parse(time.RFC3339, stamps[i])
					if err != nil {
						t.Fatal(err)
					}
					set(a, d)
				} else if name != "capture_date" {
					set(a, time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC))
				}
			})
			last, missing := " 9", "" // the last is far in the future, or unknown
			if name == "capture_date" {
				last, missing = "", "9"
			}
			const before = "1 6 8"
			finds(t, e, 9, "asset."+name, [][3]string{
				{"equals", "2 3 4 7", `"2026-01-31"`},
				{"greater_than", "5" + last, `"2026-01-31"`},
				{"greater_than_or_equal", "2 3 4 5 7" + last, `"2026-01-31"`},
				{"less_than", before, `"2026-01-31"`},
				{"less_than_or_equal", "1 2 3 4 6 7 8", `"2026-01-31"`},
				{"between", "2 3 4 7", `["2026-01-31","2026-01-31"]`},
				{"between", "1 2 3 4 7", `["2026-01-30","2026-01-31"]`},
				{"between", "1 2 3 4 5 7", `["2026-01-30","2026-02-01"]`},
				{"in", "1 5 8", `["2026-01-30","2026-02-01","2024-02-29"]`},
				{"equals", "6", `"1969-12-31"`},
				{"less_than", "6", `"1970-01-01"`},
				{"less_than", "", `"0001-01-01"`},

				{"equals", "3", `"2026-01-31T12:34:56.789Z"`},
				{"equals", "3", `"2026-01-31T18:04:56.789+05:30"`},
				{"equals", "", `"2026-01-31T12:34:56Z"`},
				{"equals", "2", `"2026-01-31T00:00:00Z"`},
				{"equals", "7", `"2026-01-31T23:00:00Z"`},
				{"greater_than", "4 5 7" + last, `"2026-01-31T12:34:56.789Z"`},
				{"greater_than_or_equal", "3 4 5 7" + last, `"2026-01-31T12:34:56.789Z"`},
				{"less_than", "1 2 6 8", `"2026-01-31T12:34:56.789Z"`},
				{"less_than_or_equal", "1 2 3 6 8", `"2026-01-31T12:34:56.789Z"`},
				{"between", "2 3", `["2026-01-31T00:00:00Z","2026-01-31T12:34:56.789Z"]`},
				{"between", "3 4 7", `["2026-01-31T12:34:56.789Z","2026-01-31"]`},
				{"between", "2 3", `["2026-01-31","2026-01-31T12:34:56.789Z"]`},
				{"between", "3", `["2026-01-31T12:34:56.789Z","2026-01-31T12:34:56.789Z"]`},
				{"in", "2 3 4 6 7", `["1969-12-31T23:59:59.999Z","2026-01-31"]`},
				{"is_empty", missing, ""},
			})
		})
	}
}

// Words and ids are sets: operators match any member, equals the whole set.
func TestFilterSet(t *testing.T) {
	t.Parallel()
	sets := [][]string{
		{"Sea", "boat"}, {"sea"}, {"boat", "SEÁ", "Boat"}, nil, {"seaside"},
		{"sky", "boat", "sea"}, {"straße"}, {"か", "が"}, {"calm sea"},
	}
	fields := map[string]func(*dam.Asset, []string){
		"asset.keywords": func(a *dam.Asset, s []string) { a.Keywords = s },
		"asset.ai_tags":  func(a *dam.Asset, s []string) { a.AITags = s },
		"metadata.list": func(a *dam.Asset, s []string) {
			list := []any{"", " "} // blank texts are not members
			for _, x := range s {
				list = append(list, x)
			}
			a.Metadata = map[string]any{"list": list, "other": []any{"sea"}}
		},
	}
	for name, set := range fields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := build(t, 9, func(a *dam.Asset) { set(a, sets[a.ID-1]) })
			finds(t, e, 9, name, [][3]string{
				{"equals", "2", `"SEA"`}, {"equals", "2", `["séa","Sea"]`},
				{"equals", "1 3", `["boat","sea"]`}, {"equals", "1 3", `["SEA","boat","BOÁT"]`},
				{"equals", "6", `["boat","sea","sky"]`}, {"equals", "", `["boat","sea","sun"]`}, {"equals", "", `"boat"`},
				{"equals", "7", `"STRASSE"`}, {"equals", "8", `["が","か"]`},
				{"contains", "1 2 3 6", `"sea"`}, {"contains", "", `"se"`}, {"contains", "1 3 6", `"BOAT"`},
				{"contains", "9", `"Calm Sea"`}, {"contains", "8", `"か\u3099"`},
				{"in", "1 2 3 6", `["sea","nope"]`}, {"in", "1 2 3 6 7", `["ſea","Straße"]`}, {"in", "", `["ea"]`},
				{"starts_with", "1 2 3 5 6", `"SE"`}, {"starts_with", "9", `"calm"`}, {"starts_with", "", `"ea"`},
				{"ends_with", "1 2 3 6 9", `"éa"`}, {"ends_with", "5", `"side"`},
				{"is_empty", "4", ""},
			})
		})
	}
	t.Run("collections", func(t *testing.T) {
		t.Parallel()
		e := build(t, 4, func(a *dam.Asset) {
			for _, id := range [][]int64{{1, 2}, {2}, nil, {12, 2, 1}}[a.ID-1] {
				a.Collections = append(a.Collections, dam.CollectionRef{ID: id, Name: "2"})
			}
		})
		finds(t, e, 4, "asset.collections", [][3]string{
			{"in", "1 4", "[1]"}, {"in", "1 2 4", `[1,"2",99]`}, {"in", "", "[99]"}, {"in", "4", "[12]"},
			{"contains", "1 4", "1"}, {"contains", "1 2 4", `"2"`}, {"contains", "", "99"},
			{"equals", "2", "2"}, {"equals", "1", "[2,1,2]"}, {"equals", "", "1"}, {"equals", "4", "[1,2,12]"},
			{"is_empty", "3", ""},
		})
	})
}

package search_test

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// The operators of fields, without the negations.
const (
	likeText = "equals contains starts_with ends_with in is_empty"
	likeSize = "equals greater_than greater_than_or_equal less_than less_than_or_equal in between is_empty"
	likeWord = "equals in is_empty"
	likeAny  = likeSize + " contains starts_with ends_with"
)

type fieldKind struct{ name, kind, operators string }

var fieldKinds = []fieldKind{
	{"asset.title", "text", likeText}, {"asset.original_filename", "text", likeText},
	{"asset.creator", "text", likeText}, {"asset.copyright", "text", likeText},
	{"asset.ai_caption", "text", likeText}, {"asset.ocr_text", "text", likeText},
	{"asset.description", "text", likeText}, {"asset.usage_terms", "text", likeText}, {"asset.place", "text", likeText},
	{"asset.rating", "number", likeSize}, {"asset.location.latitude", "number", likeSize}, {"asset.location.longitude", "number", likeSize},
	{"asset.usage_from", "date", likeSize}, {"asset.usage_until", "date", likeSize},
	{"asset.mime_type", "text", likeText}, {"asset.extension", "text", likeText},
	{"asset.file_category", "enum", likeWord}, {"asset.workflow_status", "enum", likeWord}, {"asset.processing_status", "enum", likeWord},
	{"asset.width", "number", likeSize}, {"asset.height", "number", likeSize},
	{"asset.page_count", "number", likeSize}, {"asset.duration", "number", likeSize},
	{"asset.file_size", "number", likeSize}, {"asset.asset_class_id", "number", likeSize}, {"asset.ingestion_batch_id", "number", likeSize},
	{"asset.created_at", "date", likeSize}, {"asset.updated_at", "date", likeSize}, {"asset.capture_date", "date", likeSize},
	{"asset.keywords", "set", likeText}, {"asset.ai_tags", "set", likeText},
	{"asset.keywords", "set", likeText}, {"asset.ai_tags", "set", likeText},
	{"asset.collections", "ids", "equals contains in is_empty"}, {"asset.collections", "ids", "equals contains in is_empty"},
	{"asset.colors", "colors", "color_equals color_near is_empty"},
	{"asset.owner", "user", "equals in is_empty"}, {"asset.created_by", "user", "equals in is_empty"},
	{"asset.updated_by", "user", "equals in is_empty"},
	{"asset.orientation", "enum", likeWord}, {"asset.aspect_ratio", "number", likeSize}, {"asset.megapixels", "number", likeSize},
	{"asset.camera", "text", likeText}, {"asset.lens", "text", likeText},
	{"asset.iso", "number", likeSize}, {"asset.focal_length", "number", likeSize}, {"asset.file_version", "number", likeSize},
	{"asset.deleted_at", "date", likeSize},
	{"metadata.", "any", likeAny}, {"metadata.", "any", likeAny}, {"metadata.", "any", likeAny},
	{"metadata.", "any", likeAny}, {"metadata.", "any", likeAny},
}

// tree returns a random filter.
func (w *world) tree(depth int) *node {
	if depth > 3 || w.IntN(4) < depth || depth == 0 && w.IntN(3) == 0 {
		f := one(w, fieldKinds...)
		op := one(w, strings.Fields(f.operators)...)
		n := &node{Type: "filter", Field: f.name, Operator: op, kind: f.kind, positive: op, Value: w.value(f, op)}
		if f.kind == "any" {
			n.Field += w.key()
		}
		if not := negative[op]; not != "" && w.IntN(3) == 0 {
			n.Operator = not
		}
		return n
	}
	rules := []*node{}
	for range one(w, 0, 1, 2, 2, 3, 3, 4) {
		rules = append(rules, w.tree(depth+1))
	}
	return &node{Type: "group", Operator: one(w, "and", "or", "not"), Rules: &rules}
}

// value returns a random valid value for a rule.
func (w *world) value(f fieldKind, op string) any {
	item := func() any { return w.item(f, op) }
	switch {
	case op == "is_empty":
		return nil
	case op == "color_equals":
		return w.color()
	case op == "color_near":
		return one[any](w, w.color(), map[string]any{"color": w.color(), "distance": w.IntN(60)})
	case op == "between":
		a, b := item(), item()
		for { // not reversed, and of the same kind
			x, isNumber := toNumber(a)
			y, both := toNumber(b)
			if !isNumber && !both {
				from, _ := dateOf(a.(string))
				_, to := dateOf(b.(string))
				both = from < to
			} else {
				both = isNumber && both && x <= y
			}
			if both {
				return []any{a, b}
			}
			a, b = item(), item()
		}
	case op == "in", op == "equals" && (f.kind == "set" || f.kind == "ids" || f.kind == "any") && w.IntN(2) == 0:
		return append(list(w, 2, item), item())
	}
	return item()
}

func (w *world) item(f fieldKind, op string) any {
	date := func() any { return w.time().Format(one(w, time.DateOnly, "2006-01-02T15:04:05.000Z")) }
	text := func() any {
		for {
			if s := w.text(2); strings.TrimSpace(s) != "" {
				return s
			}
		}
	}
	switch f.kind {
	case "number":
		return one[any](w, 0, 1, 5, -1, 2, 3, 1000, 2000, 1.5, 15, "5", "1.5", 1<<40)
	case "date":
		return date()
	case "ids", "user":
		return one[any](w, 1, 2, 3, 4, 5, "2")
	case "enum":
		switch s := one(w, fieldWords[f.name]...); w.IntN(3) {
		case 0:
			return strings.ToUpper(s)
		default:
			return s
		}
	case "any":
		switch {
		case op == "between" || strings.Contains(op, "than"):
			return one[any](w, date(), w.number(), "5", "-5")
		case op == "equals" || op == "in":
			return one[any](w, text(), w.number(), w.IntN(2) == 0)
		}
		return one[any](w, text(), w.number())
	}
	return text()
}

var fieldWords = map[string][]string{
	"asset.file_category": {"Image", "Video", "Audio", "Document"}, "asset.processing_status": {"processing", "ready", "failed"},
	"asset.orientation":     {"landscape", "portrait", "square"},
	"asset.workflow_status": {"draft", "in_review", "approved", "rejected", "archived"},
}

// holds reports whether an asset matches a filter.
func (w *world) holds(n *node, a *dam.Asset) bool {
	if n.Rules != nil {
		holds := func(r *node) bool { return w.holds(r, a) }
		switch n.Operator {
		case "or":
			return slices.ContainsFunc(*n.Rules, holds)
		case "not":
			return !slices.ContainsFunc(*n.Rules, holds)
		}
		return !slices.ContainsFunc(*n.Rules, func(r *node) bool { return !holds(r) })
	}
	return w.fits(n, a) == (n.Operator == n.positive)
}

// item is a value of an asset or of a rule.
type item struct {
	text     string // the compared form of texts, also of numbers and booleans
	isText   bool
	number   float64
	isNumber bool
	from, to int64 // of a date, in milliseconds
	isDay    bool  // of a rule
	local    int64 // of an asset's date: compared with days
}

// fits reports whether an asset matches a rule, ignoring its negation.
func (w *world) fits(n *node, a *dam.Asset) bool {
	if n.kind == "colors" {
		return fitsColors(n, a)
	}
	has, isList := w.has(n, a)
	if n.want == nil {
		n.want = w.wanted(n)
	}
	want := n.want
	wants := func(h item) bool { return slices.ContainsFunc(want, func(x item) bool { return n.same(h, x) }) }
	var fits func(h item) bool
	switch op := n.positive; op {
	case "is_empty":
		return len(has) == 0
	case "in":
		fits = wants
	case "equals":
		if fits = wants; n.kind == "set" || n.kind == "ids" || n.kind == "any" {
			return len(has) > 0 && !slices.ContainsFunc(has, func(h item) bool { return !wants(h) }) &&
				!slices.ContainsFunc(want, func(x item) bool { return !slices.ContainsFunc(has, func(h item) bool { return n.same(h, x) }) })
		}
	case "contains":
		fits = func(h item) bool {
			if n.kind == "ids" {
				return h.number == want[0].number
			}
			return h.text == want[0].text || !isList && strings.Contains(h.text, want[0].text)
		}
	case "starts_with":
		fits = func(h item) bool { return strings.HasPrefix(h.text, want[0].text) }
	case "ends_with":
		fits = func(h item) bool { return strings.HasSuffix(h.text, want[0].text) }
	default:
		fits = func(h item) bool {
			if want[0].isNumber {
				return h.isNumber && fitsNumber(op, h.number, want)
			}
			return h.to != 0 && fitsDate(op, h, want)
		}
	}
	return slices.ContainsFunc(has, fits)
}

// same reports whether a value of an asset equals an item of a rule.
func (n *node) same(h, x item) bool {
	switch {
	case n.kind == "date":
		return h.at(x) >= x.from && h.at(x) < x.to
	case x.isNumber:
		return h.isNumber && h.number == x.number
	case x.isText:
		return h.text == x.text
	}
	return !h.isText && !h.isNumber && h.text == x.text
}

func fitsNumber(op string, n float64, want []item) bool {
	x := want[0].number
	switch op {
	case "greater_than":
		return n > x
	case "greater_than_or_equal":
		return n >= x
	case "less_than":
		return n < x
	case "less_than_or_equal":
		return n <= x
	}
	return n >= x && n <= want[1].number
}

// at returns the time of a date that is compared with that of a rule.
func (h item) at(x item) int64 {
	if x.isDay {
		return h.local
	}
	return h.from
}

func fitsDate(op string, h item, want []item) bool {
	at := h.at(want[0])
	switch x := want[0]; op {
	case "greater_than":
		return at >= x.to
	case "greater_than_or_equal":
		return at >= x.from
	case "less_than":
		return at < x.from
	case "less_than_or_equal":
		return at < x.to
	}
	return at >= want[0].from && h.at(want[1]) < want[1].to
}

func fitsColors(n *node, a *dam.Asset) bool {
	color, distance := n.Value, 5
	switch n.positive {
	case "is_empty":
		return len(a.Colors) == 0
	case "color_near":
		distance = 20
		if m, ok := n.Value.(map[string]any); ok {
			color, distance = m["color"], m["distance"].(int)
		}
	}
	return slices.ContainsFunc(a.Colors, func(c dam.Color) bool { return search.ColorDistance(color.(string), c.Hex) <= float64(distance) })
}

// has returns the values of an asset in the field of a rule, and whether the field is a
// list.
func (w *world) has(n *node, a *dam.Asset) (has []item, isList bool) {
	text := func(list ...string) {
		for _, s := range list {
			if strings.TrimSpace(s) != "" {
				has = append(has, w.textItem(s))
			}
		}
	}
	number := func(x float64) {
		if x != 0 || n.Field == "asset.file_size" {
			has = append(has, item{number: x, isNumber: true})
		}
	}
	date := func(t *time.Time) {
		if t != nil {
			has = append(has, item{from: t.UnixMilli(), to: t.UnixMilli() + 1, local: t.UnixMilli()})
		}
	}
	key, isCustom := strings.CutPrefix(n.Field, "metadata.")
	if isCustom {
		switch v := a.Metadata[key].(type) {
		case string:
			text(v)
		case float64:
			has = append(has, item{text: numbers[v], number: v, isNumber: true})
		case bool:
			has = append(has, item{text: strconv.FormatBool(v)})
		case []any:
			for _, x := range v {
				text(x.(string))
			}
			return has, true
		}
		return has, false
	}
	switch strings.TrimPrefix(n.Field, "asset.") {
	case "title":
		text(a.Title)
	case "original_filename":
		text(a.OriginalFilename)
	case "creator":
		text(a.Creator)
	case "copyright":
		text(a.Copyright)
	case "ai_caption":
		text(a.AICaption)
	case "ocr_text":
		text(a.OCRText)
	case "description":
		text(a.Description)
	case "usage_terms":
		text(a.UsageTerms)
	case "place", "location.latitude", "location.longitude":
		if l := a.Location; l != nil && n.kind == "text" {
			text(l.Place)
		} else if l != nil && l.Latitude != nil {
			x := map[string]float64{"asset.location.latitude": *l.Latitude, "asset.location.longitude": *l.Longitude}[n.Field]
			has = append(has, item{number: x, isNumber: true})
		}
	case "rating":
		if a.Rating != nil {
			has = append(has, item{number: float64(*a.Rating), isNumber: true})
		}
	case "usage_from":
		date(a.UsageFrom)
	case "usage_until":
		date(a.UsageUntil)
	case "mime_type":
		text(a.MIMEType)
	case "extension":
		text(a.Extension)
	case "keywords":
		text(a.Keywords...)
	case "ai_tags":
		text(a.AITags...)
	case "file_category":
		text(string(a.FileCategory))
	case "workflow_status":
		text(string(a.WorkflowStatus))
	case "processing_status":
		text(string(a.ProcessingStatus))
	case "width":
		number(float64(a.Width))
	case "height":
		number(float64(a.Height))
	case "page_count":
		number(float64(a.PageCount))
	case "duration":
		number(float64(a.DurationMS) / 1000)
	case "file_size":
		number(float64(a.FileSize))
	case "asset_class_id":
		number(float64(a.AssetClassID))
	case "ingestion_batch_id":
		number(float64(a.BatchID))
	case "created_at":
		date(&a.CreatedAt)
	case "updated_at":
		date(&a.UpdatedAt)
	case "capture_date":
		if c := a.CaptureDate; c != nil {
			date(&c.Time)
			has[0].local = dam.LocalTime(c.Time).UnixMilli()
		}
	case "owner":
		number(float64(a.OwnerID))
	case "created_by":
		number(float64(a.CreatedByID))
	case "updated_by":
		number(float64(a.UpdatedByID))
	case "orientation":
		if a.Width*a.Height > 0 {
			text([]string{"portrait", "square", "landscape"}[1+cmp.Compare(a.Width, a.Height)])
		}
	case "aspect_ratio":
		if a.Width*a.Height > 0 {
			x := math.Round(100*float64(a.Width)/float64(a.Height)) / 100
			has = append(has, item{number: x, isNumber: true})
		}
	case "megapixels":
		if a.Width*a.Height > 0 {
			has = append(has, item{number: math.Round(float64(a.Width*a.Height)/1e5) / 10, isNumber: true})
		}
	case "camera":
		exif, _ := a.Technical["exif"].(map[string]any)
		model, _ := exif["Model"].(string)
		text(model)
	case "lens":
		exif, _ := a.Technical["exif"].(map[string]any)
		lens, _ := exif["LensModel"].(string)
		text(lens)
	case "iso":
		exif, _ := a.Technical["exif"].(map[string]any)
		n, _ := exif["ISO"].(float64)
		number(n)
	case "focal_length":
		exif, _ := a.Technical["exif"].(map[string]any)
		n := map[any]float64{"3/2": 1.5, "5/1": 5, "15": 15}[exif["FocalLength"]]
		number(n)
	case "file_version":
		number(float64(a.FileVersion))
	case "deleted_at":
		date(a.DeletedAt)
	case "collections":
		for _, c := range a.Collections {
			number(float64(c.ID))
		}
	}
	return has, n.kind == "set"
}

func (w *world) textItem(s string) item {
	i := item{text: strings.ToLower(s), isText: true}
	if plain, ok := w.plain[s]; ok {
		i.text = plain
	}
	i.from, i.to = dateOf(s)
	i.local, i.isDay = i.from, i.to > i.from+1
	return i
}

// wanted returns the items of a rule's value.
func (w *world) wanted(n *node) (want []item) {
	values, isList := n.Value.([]any)
	if !isList {
		values = []any{n.Value}
	}
	for _, v := range values {
		x, isNumber := toNumber(v)
		_, isText := v.(string)
		asNumber := n.kind != "text" && n.kind != "set" // whether a text of digits is a number
		if n.kind == "any" {
			asNumber = n.positive == "between" || strings.Contains(n.positive, "than")
		}
		switch {
		case isNumber && (!isText || asNumber):
			want = append(want, item{text: numbers[x], number: x, isNumber: true})
		case isText:
			want = append(want, w.textItem(v.(string)))
		case v != nil:
			want = append(want, item{text: strconv.FormatBool(v.(bool))})
		}
	}
	return want
}

func toNumber(v any) (float64, bool) {
	switch x := v.(type) {
	case int:
		return float64(x), true
	case float64:
		return x, true
	case string:
		n, err := strconv.ParseFloat(x, 64)
		return n, err == nil
	}
	return 0, false
}

// dateOf returns the start and end of a date, 0 for none.
func dateOf(s string) (from, to int64) {
	if day, err := time.Parse("2006-01-02", s); err == nil {
		return day.UnixMilli(), day.Add(24 * time.Hour).UnixMilli()
	}
	if at, err := time.Parse("2006-01-02T15:04:05Z", s); err == nil {
		return at.UnixMilli(), at.UnixMilli() + 1
	}
	return 0, 0
}

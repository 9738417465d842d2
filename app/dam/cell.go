package dam

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Cell is the value of an asset in a column of a table.
type Cell struct {
	Column string
	Text   string // "" clears the field
}

// cells are the table columns that change built-in fields. Each function parses a cell into
// a patch of an asset. For an invalid cell it returns the predicate of an error sentence
// whose subject is the field.
var cells = map[string]func(p *AssetPatch, a *Asset, text string) (problem string){
	"title":          textCell(func(p *AssetPatch) *Opt[string] { return &p.Title }),
	"creator":        textCell(func(p *AssetPatch) *Opt[string] { return &p.Creator }),
	"copyright":      textCell(func(p *AssetPatch) *Opt[string] { return &p.Copyright }),
	"description":    textCell(func(p *AssetPatch) *Opt[string] { return &p.Description }),
	"usage_terms":    textCell(func(p *AssetPatch) *Opt[string] { return &p.UsageTerms }),
	"ai_caption":     textCell(func(p *AssetPatch) *Opt[string] { return &p.AICaption }),
	"keywords":       listCell(func(p *AssetPatch) *Opt[[]string] { return &p.Keywords }),
	"people":         listCell(func(p *AssetPatch) *Opt[[]string] { return &p.People }),
	"ai_tags":        listCell(func(p *AssetPatch) *Opt[[]string] { return &p.AITags }),
	"capture_date":   captureCell,
	"usage_from":     timeCell(startOfDay, func(p *AssetPatch) *Opt[time.Time] { return &p.UsageFrom }),
	"usage_until":    timeCell(endOfDay, func(p *AssetPatch) *Opt[time.Time] { return &p.UsageUntil }),
	"rating":         integerCell(func(p *AssetPatch) *Opt[int64] { return &p.Rating }),
	"asset_class_id": integerCell(func(p *AssetPatch) *Opt[int64] { return &p.AssetClassID }),
	"owner_id":       integerCell(func(p *AssetPatch) *Opt[int64] { return &p.OwnerID }),
	"capture_utc_offset": func(p *AssetPatch, _ *Asset, text string) string {
		p.CaptureUTCOffset = opt(strings.TrimSpace(text), text == "")
		return ""
	},
	"workflow_status": func(p *AssetPatch, _ *Asset, text string) string {
		p.WorkflowStatus = opt(WorkflowStatus(strings.TrimSpace(text)), text == "")
		return ""
	},
	"location.latitude":  numberCell(func(p *AssetPatch) *Opt[float64] { return &location(p).Latitude }),
	"location.longitude": numberCell(func(p *AssetPatch) *Opt[float64] { return &location(p).Longitude }),
	"location.place":     textCell(func(p *AssetPatch) *Opt[string] { return &location(p).Place }),
	"focal_point.x":      focalCell(func(f *FocalPoint) *float64 { return &f.X }),
	"focal_point.y":      focalCell(func(f *FocalPoint) *float64 { return &f.Y }),
}

// isCell reports whether a column changes assets.
func isCell(column string) bool {
	key, custom := strings.CutPrefix(column, "metadata.")
	return cells[column] != nil || custom && ValidMetadataKey(key)
}

// PatchOf returns the change that cells make to an asset, or an error in which each problem
// names its column.
func PatchOf(a *Asset, s *Schema, row []Cell) (*AssetPatch, error) {
	var p AssetPatch
	var wrong Problems
	for _, c := range row {
		if key, custom := strings.CutPrefix(c.Column, "metadata."); custom {
			if !p.Metadata.Sent {
				p.Metadata = Opt[map[string]any]{Sent: true, Value: map[string]any{}}
			}
			p.Metadata.Value[key] = s.metadataCell(key, c.Text, a.Metadata[key])
			continue
		}
		read := cells[c.Column]
		if read == nil {
			wrong.Add(c.Column, "There is no field %s that can be changed.", c.Column)
			continue
		}
		if problem := read(&p, a, c.Text); problem != "" {
			wrong.Add(c.Column, "%s %s", c.Column, problem)
		}
	}
	if p.FocalPoint.Sent {
		checkFocalCells(&p, a, row, &wrong)
	}
	return &p, wrong.Err()
}

// checkFocalCells reports a focal point with only one coordinate.
func checkFocalCells(p *AssetPatch, a *Asset, row []Cell, wrong *Problems) {
	has := func(column string) bool {
		if i := slices.IndexFunc(row, func(c Cell) bool { return c.Column == column }); i >= 0 {
			return row[i].Text != ""
		}
		return a.FocalPoint != nil
	}
	x, y := has("focal_point.x"), has("focal_point.y")
	switch {
	case x && !y:
		wrong.Add("focal_point.y", "focal_point.y is required with focal_point.x.")
	case y && !x:
		wrong.Add("focal_point.x", "focal_point.x is required with focal_point.y.")
	}
	p.FocalPoint.Null = !x && !y
}

// opt returns a patch field that sets v or null.
func opt[T any](v T, null bool) Opt[T] {
	o := Opt[T]{Sent: true, Null: null}
	if !null {
		o.Value = v
	}
	return o
}

func textCell(field func(*AssetPatch) *Opt[string]) func(*AssetPatch, *Asset, string) string {
	return func(p *AssetPatch, _ *Asset, text string) string {
		*field(p) = opt(text, text == "")
		return ""
	}
}

// ListSeparator separates list items in a cell. dal writes a space after it.
const ListSeparator = ";"

func listCell(field func(*AssetPatch) *Opt[[]string]) func(*AssetPatch, *Asset, string) string {
	return func(p *AssetPatch, _ *Asset, text string) string {
		*field(p) = opt(listItems(text), text == "")
		return ""
	}
}

// listItems splits the list in a cell.
func listItems(text string) []string {
	items := strings.Split(text, ListSeparator)
	for i, item := range items {
		items[i] = strings.TrimSpace(item)
	}
	return slices.DeleteFunc(items, func(item string) bool { return item == "" })
}

// timeCell parses an instant, or a day in UTC that moment converts to an instant.
func timeCell(
	moment func(day time.Time) time.Time, field func(*AssetPatch) *Opt[time.Time],
) func(*AssetPatch, *Asset, string) string {
	return func(p *AssetPatch, _ *Asset, text string) string {
		var at time.Time
		if text != "" {
			var err error
			if at, err = time.Parse(time.RFC3339, strings.TrimSpace(text)); err != nil {
				at, err = time.Parse(time.DateOnly, strings.TrimSpace(text))
				at = moment(at)
			}
			if err != nil || at.Year() < 1 || at.UTC().Year() > 9999 {
				return "must be a date, such as 2026-01-31 or 2026-01-31T12:00:00Z."
			}
		}
		*field(p) = opt(at, text == "")
		return ""
	}
}

// captureCell parses an instant, a camera's local time, or a day, which means midnight
// local time.
func captureCell(p *AssetPatch, _ *Asset, text string) string {
	if text == "" {
		p.CaptureDate = opt(CaptureTime{}, true)
		return ""
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			p.CaptureDate, p.isClock = opt(CaptureTime{t}, false), layout != time.RFC3339
			return ""
		}
	}
	return "must be a date, such as 2026-01-31, 2026-01-31T12:00:00 or 2026-01-31T12:00:00-08:00."
}

func integerCell(field func(*AssetPatch) *Opt[int64]) func(*AssetPatch, *Asset, string) string {
	return func(p *AssetPatch, _ *Asset, text string) string {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if text != "" && err != nil {
			return "must be an integer."
		}
		*field(p) = opt(n, text == "")
		return ""
	}
}

// readDecimal parses a decimal number.
func readDecimal(text string) (n float64, ok bool) {
	n, ok = parseNumber(nil, nil, text).(float64)
	return n, ok
}

func numberCell(field func(*AssetPatch) *Opt[float64]) func(*AssetPatch, *Asset, string) string {
	return func(p *AssetPatch, _ *Asset, text string) string {
		n, ok := readDecimal(text)
		if text != "" && !ok {
			return "must be a number."
		}
		*field(p) = opt(n, text == "")
		return ""
	}
}

// location marks the location as sent in p and returns its patch.
func location(p *AssetPatch) *LocationPatch {
	p.Location.Sent = true
	return &p.Location.Value
}

// focalCell sets one coordinate of the focal point. Cells must set both or neither.
func focalCell(part func(*FocalPoint) *float64) func(*AssetPatch, *Asset, string) string {
	return func(p *AssetPatch, a *Asset, text string) string {
		if !p.FocalPoint.Sent {
			p.FocalPoint = Opt[FocalPoint]{Sent: true}
			if a.FocalPoint != nil {
				p.FocalPoint.Value = *a.FocalPoint
			}
		}
		n, ok := readDecimal(text)
		if text != "" && !ok {
			return "must be a number."
		}
		*part(&p.FocalPoint.Value) = n
		return ""
	}
}

// metadataCell parses a cell of a custom field: by the type of a declared field, otherwise
// by the type of the asset's current value.
func (s *Schema) metadataCell(key, text string, had any) any {
	if text == "" {
		return nil
	}
	if f := s.Field(key); f != nil {
		return s.fieldCell(f, text)
	}
	switch had.(type) {
	case float64:
		if n, ok := readDecimal(text); ok {
			return n
		}
	case bool:
		return parseBoolean(nil, nil, text)
	case []any:
		return anyList(listItems(text))
	}
	return text
}

// fieldCell parses a cell of a declared field. It returns text that is not of the field's
// type unchanged.
func (s *Schema) fieldCell(f *Field, text string) any {
	switch {
	case f.isText():
		return text
	case f.Type != FieldTerms:
		return s.parse(f, strings.TrimSpace(text))
	}
	v := s.Vocabulary(f)
	if v != nil && len(v.Find(strings.TrimSpace(text))) == 1 { // a label that contains the separator
		return []any{s.parse(f, text)}
	}
	list := anyList(listItems(text))
	for i, item := range list {
		list[i] = s.parse(f, item)
	}
	return list
}

func anyList(words []string) []any {
	list := make([]any, len(words))
	for i, w := range words {
		list[i] = w
	}
	return list
}

// MatchKeys returns the possible values of a column for assets that match the cell. They
// are texts except for custom fields.
func (s *Schema) MatchKeys(column, text string) []any {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	key, custom := strings.CutPrefix(column, "metadata.")
	switch {
	case column == "gaid":
		return []any{strings.ToUpper(text)}
	case column == "checksum_sha256":
		return []any{strings.ToLower(text)}
	case !custom:
		return []any{CleanFilename(text)}
	}
	if f := s.Field(key); f != nil {
		v, problem := f.kind().read(s, f, s.fieldCell(f, text))
		if problem != "" {
			return nil
		}
		return []any{v}
	}
	keys := []any{text}
	if n, ok := readDecimal(text); ok {
		keys = append(keys, n)
	}
	if b, ok := parseBoolean(nil, nil, text).(bool); ok {
		keys = append(keys, b)
	}
	return keys
}

// CellColumns returns the sorted built-in columns that change assets.
func CellColumns() []string { return slices.Sorted(maps.Keys(cells)) }

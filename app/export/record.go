// Package export writes the files of exports: ZIP archives, CSV tables and JSON manifests.
package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// Record is the record of an asset in an export.
type Record struct {
	*dam.Asset
	Path       string // path of its file in the archive; "" without a file
	UsageState dam.UsageState
}

// column is a member of a record in a manifest, and a column of the same name in a table.
type column struct {
	name   string
	always bool              // written even if the value is empty
	value  func(*Record) any // JSON value
}

// Columns returns the names of the built-in columns in order. The members of an object have
// one column each. The columns of custom fields come after them.
func Columns() []string {
	var names []string
	for _, c := range columns() {
		switch c.name {
		case "location":
			names = append(names, "location.latitude", "location.longitude", "location.place")
		case "focal_point":
			names = append(names, "focal_point.x", "focal_point.y")
		default:
			names = append(names, c.name)
		}
	}
	return names
}

func columns() []column {
	return []column{
		{"gaid", true, func(r *Record) any { return r.GAID }},
		{"path", false, func(r *Record) any { return r.Path }},
		{"title", true, func(r *Record) any { return r.Title }},
		{"original_filename", true, func(r *Record) any { return r.OriginalFilename }},
		{"mime_type", true, func(r *Record) any { return r.MIMEType }},
		{"file_category", true, func(r *Record) any { return r.FileCategory }},
		{"extension", true, func(r *Record) any { return r.Extension }},
		{"width", false, func(r *Record) any { return r.Width }},
		{"height", false, func(r *Record) any { return r.Height }},
		{"duration", false, func(r *Record) any { return float64(r.DurationMS) / 1000 }}, // seconds
		{"page_count", false, func(r *Record) any { return r.PageCount }},
		{"file_size", true, func(r *Record) any { return r.FileSize }},
		{"checksum_sha256", true, func(r *Record) any { return r.SHA256 }}, // of the original
		{"asset_class_id", false, func(r *Record) any { return r.AssetClassID }},
		{"ingestion_batch_id", false, func(r *Record) any { return r.BatchID }},
		{"capture_date", false, func(r *Record) any {
			if r.CaptureDate == nil {
				return ""
			}
			return timeText(&r.CaptureDate.Time)
		}},
		{"capture_local_time", false, func(r *Record) any { return r.CaptureLocalTime() }},
		{"capture_utc_offset", false, func(r *Record) any { return r.CaptureUTCOffset() }},
		{"creator", false, func(r *Record) any { return r.Creator }},
		{"copyright", false, func(r *Record) any { return r.Copyright }},
		{"description", false, func(r *Record) any { return r.Description }},
		{"keywords", false, func(r *Record) any { return r.Keywords }},
		{"people", false, func(r *Record) any { return r.People }},
		{"collections", false, func(r *Record) any { return collections(r.Collections) }},
		{"rating", false, func(r *Record) any { return r.Rating }},
		{"location", false, func(r *Record) any { return locationOf(r.Location) }},
		{"focal_point", false, func(r *Record) any { return focalPointOf(r.FocalPoint) }},
		{"usage_from", false, func(r *Record) any { return timeText(r.UsageFrom) }},
		{"usage_until", false, func(r *Record) any { return timeText(r.UsageUntil) }},
		{"usage_state", true, func(r *Record) any { return r.UsageState }},
		{"usage_terms", false, func(r *Record) any { return r.UsageTerms }},
		{"ai_caption", false, func(r *Record) any { return r.AICaption }},
		{"ai_tags", false, func(r *Record) any { return r.AITags }},
		{"ocr_text", false, func(r *Record) any { return r.OCRText }},
		{"workflow_status", true, func(r *Record) any { return r.WorkflowStatus }},
		{"owner_id", false, func(r *Record) any { return r.OwnerID }},
		{"version", true, func(r *Record) any { return r.Version }},
		{"created_at", true, func(r *Record) any { return timeText(&r.CreatedAt) }},
		{"updated_at", true, func(r *Record) any { return timeText(&r.UpdatedAt) }},
	}
}

const timeFormat = "2006-01-02T15:04:05.000Z"

func timeText(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(timeFormat)
}

// collection is a collection in a record. Its cell contains the name.
type collection struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func collections(refs []dam.CollectionRef) []collection {
	list := make([]collection, len(refs))
	for i, c := range refs {
		list[i] = collection(c)
	}
	return list
}

// location is a location in a record.
type location struct {
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
	Place     *string  `json:"place"`
}

func locationOf(l *dam.Location) *location {
	if l == nil {
		return nil
	}
	to := &location{Latitude: l.Latitude, Longitude: l.Longitude}
	if l.Place != "" {
		to.Place = &l.Place
	}
	return to
}

// focalPoint is a focal point in a record.
type focalPoint struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

func focalPointOf(p *dam.FocalPoint) *focalPoint {
	if p == nil {
		return nil
	}
	to := focalPoint(*p)
	return &to
}

// WriteLine writes a record as a line of JSON, the input of WriteManifest and WriteCSV.
func (r *Record) WriteLine(w io.Writer) error {
	var b bytes.Buffer
	between := byte('{')
	for _, c := range append(columns(), column{"metadata", false, func(r *Record) any { return r.Metadata }}) {
		v := c.value(r)
		if !c.always && empty(v) {
			continue
		}
		member, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("%s of asset %s: %w", c.name, r.GAID, err)
		}
		b.WriteByte(between)
		between = ','
		fmt.Fprintf(&b, "%q:%s", c.name, member)
	}
	b.WriteString("}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// empty reports whether encoding/json omits v with omitempty.
func empty(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Slice, reflect.Map:
		return r.Len() == 0
	default:
		return r.IsZero()
	}
}

// eachLine calls fn with each line.
func eachLine(lines io.Reader, fn func(line []byte) error) error {
	r := bufio.NewReaderSize(lines, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			if err := fn(bytes.TrimSpace(line)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// WriteManifest writes the records of op, given as lines of WriteLine, as one JSON object.
func WriteManifest(w io.Writer, lines io.Reader, op *dam.Operation) error {
	rendition := "null"
	if op.Spec.Rendition != "" {
		rendition = strconv.Quote(string(op.Spec.Rendition))
	}
	if _, err := fmt.Fprintf(w, "{\"operation_id\":%d,\"created_at\":%q,\"rendition\":%s,\"assets_count\":%d,\"assets\":[",
		op.ID, op.CreatedAt.Format(timeFormat), rendition, op.Done); err != nil {
		return err
	}
	between := "\n"
	err := eachLine(lines, func(line []byte) error {
		_, err := fmt.Fprintf(w, "%s%s", between, line)
		between = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n]}\n")
	return err
}

package storage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// An assetColumn maps one column to a field of an asset.
type assetColumn struct {
	name  string
	dest  func(*dam.Asset) any // scan destination
	value func(*dam.Asset) any // value to write
	uses  columnUse

	read  string // expression to read, if not the name
	write string // expression that an update assigns, with %d for the parameter's number, if not the parameter itself
}

// A columnUse is a set of uses of a column, beyond reading whole assets.
type columnUse uint8

const (
	inLists   columnUse = 1 << iota // lists filter and sort by it
	canChange                       // UpdateAsset writes it
	notListed                       // too long to be read for lists
	ofFile                          // SetFile writes it
	derived                         // read from elsewhere, never written
)

// assetColumns are the columns of the table assets.
var assetColumns = []assetColumn{
	column("id", inLists, func(a *dam.Asset) *int64 { return &a.ID }),
	column("gaid", 0, func(a *dam.Asset) *dam.GAID { return &a.GAID }),
	column("title", inLists|canChange, func(a *dam.Asset) *string { return &a.Title }),
	column("original_filename", inLists|ofFile, func(a *dam.Asset) *string { return &a.OriginalFilename }),
	column("mime_type", inLists|ofFile, func(a *dam.Asset) *string { return &a.MIMEType }),
	column("file_category", inLists|ofFile, func(a *dam.Asset) *dam.FileCategory { return &a.FileCategory }),
	column("extension", inLists|ofFile, func(a *dam.Asset) *string { return &a.Extension }),
	column("width", inLists|ofFile, func(a *dam.Asset) *int { return &a.Width }),
	column("height", inLists|ofFile, func(a *dam.Asset) *int { return &a.Height }),
	column("duration_ms", inLists|ofFile, func(a *dam.Asset) *int64 { return &a.DurationMS }),
	column("page_count", inLists|ofFile, func(a *dam.Asset) *int { return &a.PageCount }),
	column("file_size", inLists|ofFile, func(a *dam.Asset) *int64 { return &a.FileSize }),
	column("sha256", ofFile, func(a *dam.Asset) *string { return &a.SHA256 }),
	refColumn("asset_class_id", inLists|canChange, func(a *dam.Asset) *int64 { return &a.AssetClassID }),
	refColumn("batch_id", inLists, func(a *dam.Asset) *int64 { return &a.BatchID }),
	{
		name: "capture_date", uses: inLists | canChange,
		dest: func(a *dam.Asset) any {
			return partCol[int64]{func(ms int64) { a.CaptureDate = &dam.CaptureTime{Time: time.UnixMilli(ms).UTC()} }}
		},
		value: func(a *dam.Asset) any {
			if a.CaptureDate == nil {
				return nil
			}
			return msec(a.CaptureDate.Time)
		},
	},
	{
		name: "capture_offset", uses: inLists | canChange, // scanned after the date that it belongs to
		dest: func(a *dam.Asset) any {
			return partCol[int64]{func(minutes int64) {
				if a.CaptureDate != nil {
					a.CaptureDate.Time = dam.AtOffset(a.CaptureDate.Time, int(minutes))
				}
			}}
		},
		value: func(a *dam.Asset) any {
			if a.CaptureDate == nil {
				return nil
			}
			minutes, known := dam.OffsetOf(a.CaptureDate.Time)
			if !known {
				return nil
			}
			return minutes
		},
	},
	column("creator", inLists|canChange, func(a *dam.Asset) *string { return &a.Creator }),
	column("copyright", inLists|canChange, func(a *dam.Asset) *string { return &a.Copyright }),
	column("workflow_status", inLists|canChange, func(a *dam.Asset) *dam.WorkflowStatus { return &a.WorkflowStatus }),
	{
		name: "processing_status", uses: inLists | canChange, read: processingStatus,
		dest:  func(a *dam.Asset) any { return &a.ProcessingStatus },
		value: func(a *dam.Asset) any { return a.ProcessingStatus },
		write: "CASE ?%[1]d WHEN 'damaged' THEN processing_status ELSE ?%[1]d END",
	},
	{
		name: "phash", uses: inLists | ofFile,
		dest:  func(a *dam.Asset) any { return (*hashCol)(&a.PHash) },
		value: func(a *dam.Asset) any { return int64(a.PHash) },
	},
	column("thumbhash", ofFile, func(a *dam.Asset) *[]byte { return &a.ThumbHash }),
	column("has_proxy", canChange, func(a *dam.Asset) *bool { return &a.HasProxy }),
	refColumn("owner_id", canChange, func(a *dam.Asset) *int64 { return &a.OwnerID }),
	refColumn("created_by", 0, func(a *dam.Asset) *int64 { return &a.CreatedByID }),
	refColumn("updated_by", canChange, func(a *dam.Asset) *int64 { return &a.UpdatedByID }),
	column("version", 0, func(a *dam.Asset) *int64 { return &a.Version }),
	{
		name: "created_at", uses: inLists,
		dest:  func(a *dam.Asset) any { return timeCol{&a.CreatedAt} },
		value: func(a *dam.Asset) any { return msec(a.CreatedAt) },
	},
	{
		name: "updated_at", uses: inLists,
		dest:  func(a *dam.Asset) any { return timeCol{&a.UpdatedAt} },
		value: func(a *dam.Asset) any { return msec(a.UpdatedAt) },
	},
	optTimeColumn("deleted_at", func(a *dam.Asset) **time.Time { return &a.DeletedAt }),
	column("rating", inLists|canChange, func(a *dam.Asset) **int64 { return &a.Rating }),
	coordinateColumn("latitude", func(l *dam.Location) **float64 { return &l.Latitude }),
	coordinateColumn("longitude", func(l *dam.Location) **float64 { return &l.Longitude }),
	{
		name: "place", uses: inLists | canChange,
		dest: func(a *dam.Asset) any {
			return partCol[string]{func(s string) {
				if s != "" {
					locationOf(a).Place = s
				}
			}}
		},
		value: func(a *dam.Asset) any {
			if a.Location == nil {
				return ""
			}
			return a.Location.Place
		},
	},
	optTimeColumn("usage_from", func(a *dam.Asset) **time.Time { return &a.UsageFrom }),
	optTimeColumn("usage_until", func(a *dam.Asset) **time.Time { return &a.UsageUntil }),
	column("file_version", ofFile, func(a *dam.Asset) *int64 { return &a.FileVersion }),
	{
		name: "file_at", uses: ofFile,
		dest:  func(a *dam.Asset) any { return optTimeCol{&a.FileAt} },
		value: func(a *dam.Asset) any { return msecPtr(a.FileAt) },
	},
	refColumn("file_by", ofFile, func(a *dam.Asset) *int64 { return &a.FileByID }),
	refColumn("root_id", 0, func(a *dam.Asset) *int64 { return &a.RootID }),
	column("folder", inLists, func(a *dam.Asset) *string { return &a.Folder }),
	{
		name: "availability", uses: inLists | derived, read: availability,
		dest:  func(a *dam.Asset) any { return &a.Availability },
		value: func(a *dam.Asset) any { return a.Availability },
	},
}

// detailColumns are the columns of the table asset_details, which contains the values
// that are too long for scans of all assets. All of them can change.
var detailColumns = []assetColumn{
	focalColumn("focal_x", func(p *dam.FocalPoint) *float64 { return &p.X }),
	focalColumn("focal_y", func(p *dam.FocalPoint) *float64 { return &p.Y }),
	column("usage_terms", canChange, func(a *dam.Asset) *string { return &a.UsageTerms }),
	column("description", canChange, func(a *dam.Asset) *string { return &a.Description }),
	column("ai_caption", canChange, func(a *dam.Asset) *string { return &a.AICaption }),
	column("ocr_text", canChange|notListed, func(a *dam.Asset) *string { return &a.OCRText }),
	jsonColumn("colors", canChange, func(a *dam.Asset) any { return &a.Colors }),
	jsonColumn("technical", canChange|notListed, func(a *dam.Asset) any { return &a.Technical }),
	jsonColumn("findings", canChange|notListed, func(a *dam.Asset) any { return &a.Findings }),
}

// wordLists are the word lists stored in the table asset_words.
var wordLists = []struct {
	field string // name in the API
	kind  string // name in the table
	of    func(*dam.Asset) *[]string
}{
	{"keywords", "keyword", func(a *dam.Asset) *[]string { return &a.Keywords }},
	{"people", "person", func(a *dam.Asset) *[]string { return &a.People }},
	{"ai_tags", "ai_tag", func(a *dam.Asset) *[]string { return &a.AITags }},
}

// column is a column that database/sql can scan and write directly.
func column[T any](name string, uses columnUse, of func(*dam.Asset) *T) assetColumn {
	return assetColumn{name: name, uses: uses,
		dest: func(a *dam.Asset) any { return of(a) }, value: func(a *dam.Asset) any { return *of(a) }}
}

// refColumn is a reference to a row, NULL for 0.
func refColumn(name string, uses columnUse, of func(*dam.Asset) *int64) assetColumn {
	return assetColumn{name: name, uses: uses,
		dest: func(a *dam.Asset) any { return refCol{of(a)} }, value: func(a *dam.Asset) any { return ref(*of(a)) }}
}

// jsonColumn is a value stored as JSON.
func jsonColumn(name string, uses columnUse, of func(*dam.Asset) any) assetColumn {
	return assetColumn{name: name, uses: uses,
		dest: func(a *dam.Asset) any { return jsonCol{of(a)} }, value: func(a *dam.Asset) any { return jsonCol{of(a)} }}
}

// optTimeColumn is an optional time that lists filter and sort by.
func optTimeColumn(name string, of func(*dam.Asset) **time.Time) assetColumn {
	return assetColumn{name: name, uses: inLists | canChange,
		dest: func(a *dam.Asset) any { return optTimeCol{of(a)} }, value: func(a *dam.Asset) any { return msecPtr(*of(a)) }}
}

// coordinateColumn is a coordinate of the location, NULL for none.
func coordinateColumn(name string, of func(*dam.Location) **float64) assetColumn {
	return assetColumn{
		name: name, uses: inLists | canChange,
		dest: func(a *dam.Asset) any { return partCol[float64]{func(v float64) { *of(locationOf(a)) = &v }} },
		value: func(a *dam.Asset) any {
			if a.Location == nil {
				return nil
			}
			return *of(a.Location)
		},
	}
}

func locationOf(a *dam.Asset) *dam.Location {
	if a.Location == nil {
		a.Location = &dam.Location{}
	}
	return a.Location
}

// focalColumn is a member of the focal point, NULL for none.
func focalColumn(name string, of func(*dam.FocalPoint) *float64) assetColumn {
	return assetColumn{
		name: name, uses: canChange,
		dest: func(a *dam.Asset) any {
			return partCol[float64]{func(v float64) {
				if a.FocalPoint == nil {
					a.FocalPoint = &dam.FocalPoint{}
				}
				*of(a.FocalPoint) = v
			}}
		},
		value: func(a *dam.Asset) any {
			if a.FocalPoint == nil {
				return nil
			}
			return *of(a.FocalPoint)
		},
	}
}

// partCol scans one member of an object that exists only if any of its members is set.
type partCol[T any] struct{ set func(T) }

func (c partCol[T]) Scan(v any) error {
	if part, ok := v.(T); ok {
		c.set(part)
	}
	return nil
}

// columnsFor returns the columns that have all of the given uses.
func columnsFor(columns []assetColumn, uses columnUse) []assetColumn {
	return slices.DeleteFunc(slices.Clone(columns), func(c assetColumn) bool { return c.uses&uses != uses })
}

// columnsWithout returns the columns that do not have a use.
func columnsWithout(columns []assetColumn, use columnUse) []assetColumn {
	return slices.DeleteFunc(slices.Clone(columns), func(c assetColumn) bool { return c.uses&use != 0 })
}

// selection returns the SELECT list of columns of a table.
func selection(table string, columns []assetColumn) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		if list[i] = c.read; c.read == "" {
			list[i] = table + "." + c.name
		}
	}
	return strings.Join(list, ", ")
}

// names returns the comma-separated names of columns.
func names(columns []assetColumn) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
	}
	return strings.Join(list, ", ")
}

// parameters returns the comma-separated parameters numbered from one number to another.
func parameters(from, to int) string {
	list := make([]string, 0, to-from+1)
	for i := from; i <= to; i++ {
		list = append(list, fmt.Sprintf("?%d", i))
	}
	return strings.Join(list, ", ")
}

// assignments assigns the parameters, numbered from 1, to columns.
func assignments(columns []assetColumn) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		write := c.write
		if write == "" {
			write = "?%d"
		}
		list[i] = c.name + " = " + fmt.Sprintf(write, i+1)
	}
	return strings.Join(list, ", ")
}

// scanColumns reads the columns of an asset.
func scanColumns(r row, columns []assetColumn) (*dam.Asset, error) {
	var a dam.Asset
	dest := make([]any, len(columns))
	for i, c := range columns {
		dest[i] = c.dest(&a)
	}
	return &a, wrap(r.Scan(dest...), "Asset")
}

// valuesOf returns an asset's values for columns, followed by more.
func valuesOf(columns []assetColumn, a *dam.Asset, more ...any) []any {
	list := make([]any, 0, len(columns)+len(more))
	for _, c := range columns {
		list = append(list, c.value(a))
	}
	return append(list, more...)
}

// hashCol scans a 64-bit hash, which SQLite stores as a signed number.
type hashCol uint64

func (c *hashCol) Scan(v any) error {
	n, _ := v.(int64)
	*c = hashCol(n)
	return nil
}

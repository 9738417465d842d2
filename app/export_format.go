package app

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/digital-asset-library/dal/app/dam"
)

// archive writes the ZIP of an export: files under names that no other has, and
// documents. archive/zip switches to ZIP64 by itself where 32 bits do not do.
type archive struct {
	*zip.Writer
	seed  maphash.Seed
	names map[uint64]int // hashes of the folded names, and how often a name was wanted
}

func newArchive(w io.Writer) *archive {
	return &archive{Writer: zip.NewWriter(w), seed: maphash.MakeSeed(), names: map[uint64]int{}}
}

// add writes a file and returns its path in the archive: files/ and a name like
// the one wanted.
func (a *archive) add(name, mimeType string, modified time.Time, r io.Reader) (string, error) {
	h := &zip.FileHeader{Name: "files/" + a.unique(archiveName(name)), Method: zip.Deflate, Modified: modified}
	if compressed(mimeType) {
		h.Method = zip.Store
	}
	w, err := a.CreateHeader(h)
	if err == nil {
		_, err = io.Copy(w, r)
	}
	return h.Name, err
}

// document begins a file in the root of the archive.
func (a *archive) document(name string, modified time.Time) (io.Writer, error) {
	return a.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified})
}

// unique returns name, with a number if it was given away before, by the rules
// of file systems to which neither case nor composition counts. It remembers
// hashes only: two names that share one are taken for the same.
func (a *archive) unique(name string) string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	first := a.key(name)
	try := name
	for n := a.names[first]; ; n++ {
		if n > 0 {
			try = fmt.Sprintf("%s (%d)%s", stem, n+1, ext)
		}
		if key := a.key(try); n == 0 || a.names[key] == 0 {
			a.names[first] = n + 1
			if key != first {
				a.names[key] = 1
			}
			return try
		}
	}
}

func (a *archive) key(name string) uint64 {
	return maphash.String(a.seed, cases.Fold().String(norm.NFC.String(name)))
}

// archiveName makes a file's name one that every system can have, short enough
// for a number.
func archiveName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, name)
	name = dam.CleanFilename(name)
	ext := path.Ext(name)
	if len(ext) > 20 { // that is none, as CleanFilename has it
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	if len(stem) > 200 {
		stem = strings.TrimRight(strings.ToValidUTF8(stem[:200], ""), ". ")
	}
	if stem == "" || dam.ReservedFilename(stem) {
		stem = "_" + stem
	}
	return stem + ext
}

// compressed reports the types that do not get smaller.
func compressed(mimeType string) bool {
	switch {
	case strings.HasPrefix(mimeType, "text/"), strings.HasSuffix(mimeType, "+xml"), strings.HasSuffix(mimeType, "/xml"):
		return false
	}
	switch mimeType {
	case "image/bmp", "image/tiff", "audio/wav", "audio/x-wav", "audio/aiff", "application/json", "application/rtf", "application/msword":
		return false
	}
	return true
}

// exportRecord is what an export says of an asset.
type exportRecord struct {
	GAID             dam.GAID           `json:"gaid"`
	Path             string             `json:"path,omitempty"` // in the archive
	Title            string             `json:"title"`
	OriginalFilename string             `json:"original_filename"`
	MIMEType         string             `json:"mime_type"`
	FileCategory     dam.FileCategory   `json:"file_category"`
	Extension        string             `json:"extension"`
	Width            int                `json:"width,omitempty"`
	Height           int                `json:"height,omitempty"`
	Duration         float64            `json:"duration,omitempty"` // seconds
	PageCount        int                `json:"page_count,omitempty"`
	FileSize         int64              `json:"file_size"`
	SHA256           string             `json:"checksum_sha256"` // of the original
	AssetClassID     int64              `json:"asset_class_id,omitempty"`
	BatchID          int64              `json:"ingestion_batch_id,omitempty"`
	CaptureDate      string             `json:"capture_date,omitempty"`
	Creator          string             `json:"creator,omitempty"`
	Copyright        string             `json:"copyright,omitempty"`
	Keywords         []string           `json:"keywords,omitempty"`
	Collections      []exportCollection `json:"collections,omitempty"` // that the user may view
	AICaption        string             `json:"ai_caption,omitempty"`
	AITags           []string           `json:"ai_tags,omitempty"`
	OCRText          string             `json:"ocr_text,omitempty"`
	WorkflowStatus   dam.WorkflowStatus `json:"workflow_status"`
	OwnerID          int64              `json:"owner_id,omitempty"`
	Version          int64              `json:"version"`
	CreatedAt        string             `json:"created_at"`
	UpdatedAt        string             `json:"updated_at"`
	Metadata         map[string]any     `json:"metadata,omitempty"`
}

// exportCollection is a collection in an export.
type exportCollection struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

const exportTime = "2006-01-02T15:04:05.000Z"

func newExportRecord(a *dam.Asset) *exportRecord {
	r := &exportRecord{GAID: a.GAID, Title: a.Title, OriginalFilename: a.OriginalFilename, MIMEType: a.MIMEType, FileCategory: a.FileCategory,
		Extension: a.Extension, Width: a.Width, Height: a.Height, Duration: float64(a.DurationMS) / 1000, PageCount: a.PageCount,
		FileSize: a.FileSize, SHA256: a.SHA256, AssetClassID: a.AssetClassID, BatchID: a.BatchID, Creator: a.Creator, Copyright: a.Copyright,
		Keywords: a.Keywords, AICaption: a.AICaption, AITags: a.AITags, OCRText: a.OCRText, WorkflowStatus: a.WorkflowStatus, OwnerID: a.OwnerID,
		Version: a.Version, CreatedAt: a.CreatedAt.Format(exportTime), UpdatedAt: a.UpdatedAt.Format(exportTime), Metadata: a.Metadata}
	for _, c := range a.Collections {
		r.Collections = append(r.Collections, exportCollection{c.ID, c.Name})
	}
	if a.CaptureDate != nil {
		r.CaptureDate = a.CaptureDate.Format(exportTime)
	}
	return r
}

// marshalRecord makes the line of a record in a spool.
func marshalRecord(r *exportRecord) ([]byte, error) {
	line, err := json.Marshal(r)
	return append(line, '\n'), err
}

// eachRecord calls fn with each record of a spool, one JSON object a line.
func eachRecord(r *bufio.Reader, fn func(line []byte) error) error {
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

// writeManifest writes records as one JSON object.
func writeManifest(w io.Writer, records *bufio.Reader, op *dam.Operation) error {
	rendition := "null"
	if op.Spec.Rendition != "" {
		rendition = strconv.Quote(string(op.Spec.Rendition))
	}
	if _, err := fmt.Fprintf(w, "{\"operation_id\":%d,\"created_at\":%q,\"rendition\":%s,\"assets_count\":%d,\"assets\":[",
		op.ID, op.CreatedAt.Format(exportTime), rendition, op.Done); err != nil {
		return err
	}
	between := "\n"
	err := eachRecord(records, func(line []byte) error {
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

// maxExportKeys is for how many custom fields a table has a column; what an
// asset has beyond is in the manifest alone.
const maxExportKeys = 1000

// writeCSV writes records as a table (RFC 4180) in UTF-8 without a byte order
// mark, one column a custom field. The items of lists are separated by "; ".
func writeCSV(w io.Writer, records *bufio.Reader, keys map[string]bool) error {
	table := csv.NewWriter(w)
	table.UseCRLF = true
	custom := slices.Sorted(maps.Keys(keys))
	head := strings.Fields(`gaid path title original_filename mime_type file_category extension width height duration page_count file_size
		checksum_sha256 asset_class_id ingestion_batch_id capture_date creator copyright keywords collections ai_caption ai_tags ocr_text
		workflow_status owner_id version created_at updated_at`)
	for _, k := range custom {
		head = append(head, "metadata."+k)
	}
	if err := table.Write(head); err != nil {
		return err
	}
	err := eachRecord(records, func(line []byte) error {
		var r exportRecord
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		names := make([]string, len(r.Collections))
		for i, c := range r.Collections {
			names[i] = c.Name
		}
		cells := []any{string(r.GAID), r.Path, r.Title, r.OriginalFilename, r.MIMEType, string(r.FileCategory), r.Extension, r.Width, r.Height, r.Duration,
			r.PageCount, r.FileSize, r.SHA256, r.AssetClassID, r.BatchID, r.CaptureDate, r.Creator, r.Copyright, r.Keywords, names, r.AICaption, r.AITags,
			r.OCRText, string(r.WorkflowStatus), r.OwnerID, r.Version, r.CreatedAt, r.UpdatedAt}
		row := make([]string, 0, len(head))
		for i, c := range cells {
			text := csvCell(c)
			if _, isText := c.(string); !isText && text == "0" && i != 11 { // does not apply; a size can be 0
				text = ""
			}
			row = append(row, text)
		}
		for _, k := range custom {
			row = append(row, csvCell(r.Metadata[k]))
		}
		return table.Write(row)
	})
	if err != nil {
		return err
	}
	table.Flush()
	return table.Error()
}

// csvCell is a value as a cell.
func csvCell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return harmless(v)
	case []string:
		return harmless(strings.Join(v, "; "))
	case []any:
		words := make([]string, len(v))
		for i, x := range v {
			words[i] = fmt.Sprint(x)
		}
		return harmless(strings.Join(words, "; "))
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

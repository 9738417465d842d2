package web

import (
	"context"
	"errors"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// ImportFile is an uploaded table; an operation can use it to change assets.
type ImportFile struct {
	ID        int64             `json:"id" example:"12"`
	Filename  string            `json:"filename" example:"harbour.csv"`
	FileSize  int64             `json:"file_size" doc:"Size of the uploaded file in bytes." example:"73400"`
	Checksum  string            `json:"checksum_sha256" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Encoding  dam.TableEncoding `json:"encoding" doc:"Detected encoding." example:"utf-8"`
	Separator string            `json:"separator" doc:"Separator of the cells: a comma, a semicolon or a tab." example:","`
	RowsCount int               `json:"rows_count" minimum:"0" doc:"Number of rows, excluding the header." example:"1200"`
	Columns   []ImportColumn    `json:"columns" doc:"Columns, in the order of the header."`
	CreatedAt Time              `json:"created_at"`
	ExpiresAt Time              `json:"expires_at" doc:"When the table is deleted, unless an unfinished operation uses it."`
}

// ImportColumn is a column of a table.
type ImportColumn struct {
	Name    string        `json:"name" example:"metadata.project"`
	Use     dam.ColumnUse `json:"use" example:"writes"`
	Matches bool          `json:"matches" doc:"Whether the column can be used as match_by." example:"true"`
	Example *string       `json:"example" doc:"First non-empty cell, possibly truncated; null if all are empty." example:"Harbour 2026"`
}

func toImportFile(f *dam.ImportFile) ImportFile {
	return ImportFile{ID: f.ID, Filename: f.Filename, FileSize: f.Size, Checksum: f.SHA256, Encoding: f.Encoding, Separator: f.Separator,
		RowsCount: f.Rows, CreatedAt: Time{f.CreatedAt}, ExpiresAt: Time{f.ExpiresAt},
		Columns: mapped(f.Columns, func(c dam.ImportColumn) ImportColumn { return ImportColumn{c.Name, c.Use, c.Matches, text(c.Example)} })}
}

type (
	importFileInput struct {
		File int64 `path:"file" doc:"The file's id." example:"12"`
	}
	importFileOutput struct{ Body one[ImportFile] }
	// importInput has no body for huma to read: the handler streams it.
	importInput       struct{}
	importResultInput struct {
		OperationInput
		State dam.ItemState `query:"state" doc:"Rows in this state." example:"failed"`
	}
)

func (s *Server) importRoutes() {
	files := group{tag: "Operations", path: "/import-files", abilities: []dam.Ability{dam.AssetsWrite}}
	form := &huma.Schema{Type: "object", AdditionalProperties: false, Required: []string{"file"},
		Properties: map[string]*huma.Schema{"file": {Type: "string", Format: "binary", Description: "The table as CSV."}}}
	add := files.route("uploadImportFile", "POST", "", "Upload a table of metadata").creating().failing(409)
	add.body = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: form}}}
	register(s, add, s.uploadImportFile)
	register(s, files.route("showImportFile", "GET", "/{file}", "Show a table of metadata"), s.showImportFile)

	operations := group{tag: "Operations", path: "/operations"}
	result := operations.route("downloadOperationResult", "GET", "/{operation}/result", "Download the result of a metadata import",
		dam.AssetsRead).failing(409, 410)
	result.responses = s.tableResponses()
	register(s, result, s.downloadResult)
}

func (s *Server) uploadImportFile(ctx context.Context, _ *importInput) (*created[ImportFile], error) {
	r := requestOf(ctx)
	parts, err := multipartReader(r)
	if err != nil {
		return nil, err
	}
	p, err := parts.NextRawPart()
	if errors.Is(err, io.EOF) {
		return nil, dam.InvalidField("file", "file is required.")
	}
	if err != nil {
		return nil, bodyError(&readError{err}, cutOff)
	}
	if name := p.FormName(); name != "file" {
		return nil, dam.InvalidField("file", "There is no field %q; the table belongs in a part named file.", name)
	}
	f, err := s.app.Imports.Add(ctx, r.actor, partFilename(p), p)
	if err != nil {
		return nil, bodyError(err, cutOff)
	}
	_, _ = io.CopyN(io.Discard, r.body, strayBody) // any trailing data
	return made(ctx, "/import-files/"+itoa(f.ID), toImportFile(f)), nil
}

func (s *Server) showImportFile(ctx context.Context, in *importFileInput) (*importFileOutput, error) {
	f, err := s.app.Imports.Show(ctx, requestOf(ctx).actor, in.File)
	if err != nil {
		return nil, err
	}
	return &importFileOutput{one[ImportFile]{toImportFile(f)}}, nil
}

func (s *Server) downloadResult(ctx context.Context, in *importResultInput) (*streamOutput, error) {
	result, err := s.app.Imports.Result(ctx, requestOf(ctx).actor, in.Operation, in.State)
	if err != nil {
		return nil, err
	}
	return s.table(ctx, result.Name, func(_ context.Context, w io.Writer) error { return result.Write(w) }), nil
}

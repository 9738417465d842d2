package web

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// tableType is the media type of CSV answers.
const tableType = "text/csv; charset=utf-8"

// tableResponses returns the answers of operations that send a CSV.
func (s *Server) tableResponses() map[string]*huma.Response {
	return map[string]*huma.Response{"200": {Description: "The table as CSV.", Content: map[string]*huma.MediaType{
		tableType: {Schema: s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[string](), true, "")},
	}}}
}

// table sends a CSV as a file.
func (s *Server) table(ctx context.Context, name string, write dam.WriteTable) *streamOutput {
	return &streamOutput{func(huma.Context) {
		w := requestOf(ctx).w
		h := w.Header()
		h.Set("Content-Type", tableType)
		h.Set("Content-Disposition", disposition(name, false))
		h.Set("Content-Security-Policy", fileCSP)
		h.Set("Cache-Control", "private, no-store")
		if err := write(ctx, w); err != nil {
			s.log.WarnContext(ctx, "a table was not sent whole", "name", name, "err", err)
			panic(http.ErrAbortHandler) // so that the client detects the truncation
		}
	}}
}

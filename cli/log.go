package cli

import (
	"context"
	"io"
	"log/slog"

	"github.com/digital-asset-library/dal/web"
)

// logger returns the log according to the settings. Each line about a request contains its
// id.
func (s *settings) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.logLevel)); err != nil {
		panic(err) // --log-level accepts only names of levels
	}
	opt := &slog.HandlerOptions{Level: level}
	if s.logFormat == "json" {
		return slog.New(requestHandler{slog.NewJSONHandler(w, opt)})
	}
	return slog.New(requestHandler{slog.NewTextHandler(w, opt)})
}

// requestHandler adds the id of the request in the context.
type requestHandler struct{ slog.Handler }

func (h requestHandler) Handle(ctx context.Context, r slog.Record) error {
	if id := web.RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h requestHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return requestHandler{h.Handler.WithAttrs(a)}
}

func (h requestHandler) WithGroup(n string) slog.Handler {
	return requestHandler{h.Handler.WithGroup(n)}
}

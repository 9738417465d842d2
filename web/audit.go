package web

import (
	"context"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// AuditEntry is one authenticated request.
type AuditEntry struct {
	ID             int64   `json:"id" example:"4711"`
	RequestID      string  `json:"request_id" format:"uuid" example:"1f0f2f4e-3f6c-4b43-9d5e-0a7e9d9b4c11"`
	UserID         int64   `json:"user_id" example:"1"`
	TokenID        *int64  `json:"token_id" doc:"Null for a browser's session." example:"7"`
	Method         string  `json:"method" example:"GET"`
	Path           string  `json:"path" doc:"Without the query." example:"/api/v1/assets"`
	Status         int     `json:"status" example:"200"`
	ResponseTimeMS float64 `json:"response_time_ms" example:"3.2"`
	IP             string  `json:"ip" example:"192.0.2.7"`
	CreatedAt      Time    `json:"created_at"`
}

func toAuditEntry(e *dam.AuditEntry) AuditEntry {
	return AuditEntry{ID: e.ID, RequestID: e.RequestID, UserID: e.UserID, TokenID: number(e.TokenID), Method: e.Method, Path: e.Path,
		Status: e.Status, ResponseTimeMS: float64(e.Duration.Microseconds()) / 1000, IP: e.IP, CreatedAt: Time{e.At}}
}

type (
	auditInput struct {
		PageInput
		UserID  int64     `query:"user_id" minimum:"1" doc:"Requests of this user." example:"1"`
		TokenID int64     `query:"token_id" minimum:"1" doc:"Requests with this token." example:"7"`
		Method  string    `query:"method" enum:"GET,HEAD,POST,PUT,DELETE" doc:"Requests with this method." example:"DELETE"`
		Status  int       `query:"status" minimum:"100" maximum:"599" doc:"Requests answered with this status." example:"403"`
		From    time.Time `query:"from" doc:"Requests at this time or later." example:"2026-01-01T00:00:00Z"`
		To      time.Time `query:"to" doc:"Requests before this time." example:"2026-02-01T00:00:00Z"`
	}
	auditOutput struct{ Body list[AuditEntry] }
)

func (s *Server) auditRoutes() {
	register(s, operation{id: "listAuditLogs", method: "GET", path: "/audit-logs", tag: "Audit", summary: "Read the audit trail",
		doc: "Every authenticated request, newest first.", admin: true}.huma(), s.listAudit)
}

func (s *Server) listAudit(ctx context.Context, in *auditInput) (*auditOutput, error) {
	f := storage.AuditFilter{UserID: in.UserID, TokenID: in.TokenID, Method: in.Method, Status: in.Status, From: in.From, To: in.To}
	entries, total, err := s.app.AuditTrail(ctx, requestOf(ctx).actor, f, in.page())
	if err != nil {
		return nil, err
	}
	return &auditOutput{*paginate(ctx, &in.PageInput, mapped(entries, toAuditEntry), total)}, nil
}

package web

import (
	"context"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// AuditEntry records an authenticated request, a login attempt or a change to an account.
type AuditEntry struct {
	ID             int64          `json:"id" example:"4711"`
	Event          dam.AuditEvent `json:"event" example:"request"`
	RequestID      *string        `json:"request_id" example:"1f0f2f4e-3f6c-4b43-9d5e-0a7e9d9b4c11"`
	UserID         *int64         `json:"user_id" doc:"User who made the request. Null for commands and sign-in attempts." example:"1"`
	TokenID        *int64         `json:"token_id" doc:"Token of the request; null if there was none." example:"7"`
	Account        *string        `json:"account" example:"ada@example.com"`
	Target         *string        `json:"target" example:"user 3: editor to viewer"`
	Count          int            `json:"count" minimum:"1" example:"1"`
	Method         string         `json:"method" doc:"HTTP method of the request; CLI for a command." example:"GET"`
	Path           string         `json:"path" doc:"Path without the query; the words of a command." example:"/api/v1/assets"`
	Status         *int64         `json:"status" doc:"HTTP status of the response; null unless event is request." example:"200"`
	ResponseTimeMS *float64       `json:"response_time_ms" doc:"Response time in milliseconds; null unless event is request." example:"3.2"`
	IP             *string        `json:"ip" doc:"IP address of the client; null for a command." example:"192.0.2.7"`
	CreatedAt      Time           `json:"created_at"`
}

func toAuditEntry(e *dam.AuditEntry) AuditEntry {
	v := AuditEntry{ID: e.ID, Event: e.Event, RequestID: text(e.RequestID), UserID: number(e.UserID), TokenID: number(e.TokenID),
		Account: text(e.Account), Target: text(e.Target), Count: e.Count, Method: e.Method, Path: e.Path, Status: number(e.Status),
		IP: text(e.IP), CreatedAt: Time{e.At}}
	if e.Status != 0 {
		v.ResponseTimeMS = ptr(float64(e.Duration.Microseconds()) / 1000)
	}
	return v
}

type (
	auditInput struct {
		PageInput
		UserID  int64          `query:"user_id" minimum:"1" doc:"Requests made by this user." example:"1"`
		TokenID int64          `query:"token_id" minimum:"1" doc:"Requests made with this token." example:"7"`
		Method  RequestMethod  `query:"method" doc:"Requests with this HTTP method; CLI for commands." example:"DELETE"`
		Event   dam.AuditEvent `query:"event" doc:"Entries with this event." example:"login.failed"`
		Account string         `query:"account" maxLength:"254" example:"ada@example.com"`
		Status  int            `query:"status" minimum:"100" maximum:"599" doc:"Requests with this HTTP status." example:"403"`
		Changes bool           `query:"changes" doc:"Exclude read-only requests: those with GET or HEAD." example:"true"`
		From    time.Time      `query:"from" doc:"Entries at or after this time." example:"2026-01-01T00:00:00Z"`
		To      time.Time      `query:"to" doc:"Entries before this time." example:"2026-02-01T00:00:00Z"`
	}
)

func (s *Server) auditRoutes() {
	trail := group{tag: "Audit", path: "/audit-logs"}.route("listAuditLogs", "GET", "", "List audit log entries").administering()
	register(s, trail, s.listAudit)
}

func (s *Server) listAudit(ctx context.Context, in *auditInput) (*listOutput[AuditEntry], error) {
	f := dam.AuditFilter{UserID: in.UserID, TokenID: in.TokenID, Event: in.Event, Account: in.Account,
		Method: string(in.Method), Status: in.Status, Changes: in.Changes, From: in.From, To: in.To}
	return pageAnswer(ctx, &in.PageInput, toAuditEntry)(s.app.Accounts.AuditTrail(ctx, requestOf(ctx).actor, f, in.page()))
}

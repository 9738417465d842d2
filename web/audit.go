package web

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// AuditEntry is an authenticated request, an attempt to log in, or what was done
// to an account.
type AuditEntry struct {
	ID             int64      `json:"id" example:"4711"`
	Event          AuditEvent `json:"event"`
	RequestID      *string    `json:"request_id" doc:"Null for a command, and for an entry about several requests." example:"1f0f2f4e-3f6c-4b43-9d5e-0a7e9d9b4c11"`
	UserID         *int64     `json:"user_id" doc:"Who did it. Null for a command, and while nobody is known." example:"1"`
	TokenID        *int64     `json:"token_id" doc:"Null for a browser's session." example:"7"`
	Account        *string    `json:"account" doc:"The email of the account that was changed, logged in or tried, in lower case, whether there is such an account or not. Null for requests." example:"ada@example.com"`
	Target         *string    `json:"target" doc:"What was done to what, for people. Null for requests and log-ins." example:"user 3: editor to viewer"`
	Count          int        `json:"count" minimum:"1" doc:"How many attempts the entry stands for: those that were turned away are summed." example:"1"`
	Method         string     `json:"method" doc:"Of the request; CLI for a command." example:"GET"`
	Path           string     `json:"path" doc:"Without the query; of a command its words." example:"/api/v1/assets"`
	Status         *int64     `json:"status" doc:"Null unless event is request." example:"200"`
	ResponseTimeMS *float64   `json:"response_time_ms" doc:"Null unless event is request." example:"3.2"`
	IP             *string    `json:"ip" doc:"Null for a command." example:"192.0.2.7"`
	CreatedAt      Time       `json:"created_at"`
}

// AuditEvent names what an entry of the audit trail is about.
type AuditEvent dam.AuditEvent

// Schema describes an event of the audit trail.
func (AuditEvent) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Examples: []any{string(dam.AuditRequest)},
		Description: "request: an authenticated request. login.failed: a wrong email or password. login.limited: an attempt that was turned away unheard. token.refused: requests with a bearer token that does not work, summed. The others say what was done to an account."}
	for _, e := range dam.AuditEvents() {
		s.Enum = append(s.Enum, string(e))
	}
	return s
}

func toAuditEntry(e *dam.AuditEntry) AuditEntry {
	v := AuditEntry{ID: e.ID, Event: AuditEvent(e.Event), RequestID: text(e.RequestID), UserID: number(e.UserID), TokenID: number(e.TokenID),
		Account: text(e.Account), Target: text(e.Target), Count: e.Count, Method: e.Method, Path: e.Path, Status: number(e.Status), IP: text(e.IP), CreatedAt: Time{e.At}}
	if e.Status != 0 {
		v.ResponseTimeMS = ptr(float64(e.Duration.Microseconds()) / 1000)
	}
	return v
}

type (
	auditInput struct {
		PageInput
		UserID  int64      `query:"user_id" minimum:"1" doc:"Requests of this user." example:"1"`
		TokenID int64      `query:"token_id" minimum:"1" doc:"Requests with this token." example:"7"`
		Method  string     `query:"method" enum:"GET,HEAD,POST,PUT,DELETE,CLI" doc:"Requests with this method; CLI stands for commands." example:"DELETE"`
		Event   AuditEvent `query:"event" doc:"Entries about this." example:"login.failed"`
		Account string     `query:"account" maxLength:"254" doc:"What was done to the account with this email, and attempts at it." example:"ada@example.com"`
		Status  int        `query:"status" minimum:"100" maximum:"599" doc:"Requests answered with this status." example:"403"`
		From    time.Time  `query:"from" doc:"Requests at this time or later." example:"2026-01-01T00:00:00Z"`
		To      time.Time  `query:"to" doc:"Requests before this time." example:"2026-02-01T00:00:00Z"`
	}
	auditOutput struct{ Body list[AuditEntry] }
)

func (s *Server) auditRoutes() {
	register(s, route{id: "listAuditLogs", method: "GET", path: "/audit-logs", tag: "Audit", summary: "Read the audit trail",
		doc: "Every authenticated request, every attempt to log in, and whatever requests and commands did to users and tokens, newest first.", administration: true}.huma(), s.listAudit)
}

func (s *Server) listAudit(ctx context.Context, in *auditInput) (*auditOutput, error) {
	f := dam.AuditFilter{UserID: in.UserID, TokenID: in.TokenID, Event: dam.AuditEvent(in.Event), Account: in.Account, Method: in.Method, Status: in.Status, From: in.From, To: in.To}
	entries, total, err := s.app.AuditTrail(ctx, requestOf(ctx).actor, f, in.page())
	if err != nil {
		return nil, err
	}
	return &auditOutput{*paginate(ctx, &in.PageInput, mapped(entries, toAuditEntry), total)}, nil
}

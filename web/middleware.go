package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
)

// request is the middleware's state for a request, stored in the context.
type request struct {
	id    string
	start time.Time
	ip    string
	actor dam.Actor // User is nil without valid credentials
	base  string    // public root of the instance, without a trailing slash
	raw   *http.Request
	body  *liveBody    // of raw
	read  []byte       // the body, if read into memory
	wrong dam.Problems // parameters and members that the operation does not declare
	w     *statusWriter
}

type requestKey struct{}

// gotAll reports whether the answer contains the whole resource.
func (r *request) gotAll() bool {
	return r.w.status == http.StatusOK && r.raw.Method == http.MethodGet
}

func requestOf(ctx context.Context) *request { return ctx.Value(requestKey{}).(*request) }

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r.id
	}
	return ""
}

// observe assigns each request an id, logs it, records it in the audit log if it is
// authenticated, and converts a panic to a 500.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = asSent(r)
		rw := &statusWriter{ResponseWriter: w}
		info := &request{id: uuid.NewString(), start: s.opt.Now(), w: rw, body: bodyOf(r)}
		info.ip, info.base = s.client(r)
		r = r.WithContext(context.WithValue(r.Context(), requestKey{}, info))
		info.raw = r
		rw.Header().Set("X-Request-Id", info.id)
		defer func() {
			if p := recover(); p != nil {
				if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					s.record(r, info, rw.status)
					panic(p)
				}
				s.log.ErrorContext(r.Context(), "panic", "panic", p, "stack", string(debug.Stack()))
				if rw.status == 0 {
					writeError(rw, &apiError{status: http.StatusInternalServerError, Message: "Server Error"})
				}
			}
			s.record(r, info, rw.status)
		}()
		next.ServeHTTP(rw, headAsGet(r)) // net/http drops the body for HEAD
	})
}

func (s *Server) record(r *http.Request, info *request, status int) {
	took := s.opt.Now().Sub(info.start)
	level := slog.LevelInfo
	if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" && status == http.StatusOK { // polled every few seconds
		level = slog.LevelDebug
	}
	s.log.LogAttrs(r.Context(), level, "request", slog.String("method", r.Method), slog.String("path", shownPath(r.URL.Path)),
		slog.Int("status", status), slog.Duration("took", took), slog.String("ip", info.ip))
	if info.actor.User == nil || !strings.HasPrefix(r.URL.Path, apiRoot+"/") { // page requests are not audited
		return
	}
	e := &dam.AuditEntry{At: info.start, RequestID: info.id, UserID: info.actor.User.ID, Method: r.Method,
		Path: shownPath(r.URL.Path), Status: status, Duration: took, IP: info.ip}
	if t := info.actor.Token; t != nil {
		e.TokenID = t.ID
	}
	s.app.Trail.Record(e)
}

// maxAuditPath is the maximum length of a path in the audit log, in bytes.
const maxAuditPath = 2000

func clip(s string, n int) string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	return s
}

// statusWriter records the status, and the whole answer while it is held.
type statusWriter struct {
	http.ResponseWriter
	status int
	held   *bytes.Buffer // answer written so far but not sent; nil unless held
}

func (w *statusWriter) WriteHeader(code int) {
	if w.status == 0 && code >= 200 {
		w.status = code
	}
	if w.held == nil {
		w.ResponseWriter.WriteHeader(code)
	}
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.held != nil {
		return w.held.Write(b)
	}
	return w.ResponseWriter.Write(b)
}

// holding buffers the answer of fn and sends it when fn returns. It is dropped if fn
// panics.
func (w *statusWriter) holding(fn func()) {
	body := &bytes.Buffer{}
	w.held = body
	returned := false
	defer func() {
		if w.held = nil; !returned {
			w.status = 0
		}
	}()
	fn()
	returned = true
	if w.held = nil; w.status != 0 {
		w.ResponseWriter.WriteHeader(w.status)
		_, _ = w.ResponseWriter.Write(body.Bytes()) // the client may have disconnected
	}
}

// ReadFrom lets the operating system copy a file where possible.
func (w *statusWriter) ReadFrom(r io.Reader) (int64, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.held != nil {
		return w.held.ReadFrom(r)
	}
	return io.Copy(w.ResponseWriter, r)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// client returns the address of the client, and the base URL under which it sees the
// instance. Proxy headers are used only if the proxy is trusted.
func (s *Server) client(r *http.Request) (ip, base string) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip, proto := host, "http"
	if r.TLS != nil {
		proto = "https"
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap()
		ip = addr.String()
		if s.trusted(addr) {
			if p := strings.ToLower(r.Header.Get("X-Forwarded-Proto")); p == "https" || p == "http" {
				proto = p
			}
			ip = s.forwarded(r, addr).String()
		}
	}
	if s.opt.SiteURL != nil {
		return ip, strings.TrimSuffix(s.opt.SiteURL.String(), "/")
	}
	return ip, proto + "://" + r.Host
}

func (s *Server) trusted(a netip.Addr) bool {
	for _, p := range s.opt.TrustedProxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// forwarded walks X-Forwarded-For from its end, the nearest hop, to the first address that
// is not a trusted proxy. Entries before that could be forged.
func (s *Server) forwarded(r *http.Request, nearest netip.Addr) netip.Addr {
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		a, err := parseHop(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		if nearest = a.Unmap(); !s.trusted(nearest) {
			break
		}
	}
	return nearest
}

// parseHop parses an address in the formats of proxies, some of which add the port.
func parseHop(s string) (netip.Addr, error) {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr(), nil
	}
	return netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
}

// secure sets the headers common to all answers. Handlers of pages or files set their own
// Content-Security-Policy.
func (s *Server) secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if strings.HasPrefix(r.URL.Path, apiRoot) {
			h.Set("Cache-Control", "private, no-cache")
		}
		if isTus(r.URL.Path) {
			h.Set("Tus-Resumable", tusVersion)
		}
		next.ServeHTTP(w, r)
	})
}

// SessionCookie is the name of the session cookie.
const SessionCookie = "dal_session"

// identify authenticates the caller and enforces the rate limit for every path. Whether
// authentication is required depends on the route.
func (s *Server) identify(next http.Handler) http.Handler {
	crossSite := http.NewCrossOriginProtection()
	crossSite.AddInsecureBypassPattern("POST " + guestRoot + "{token}") // see ownForm
	crossSite.AddInsecureBypassPattern("POST " + guestRoot + "{token}/files")
	crossSite.AddInsecureBypassPattern("POST " + guestRoot + "{token}/assets/{gaid}/feedback")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" { // they must answer even if the database does not
			next.ServeHTTP(w, r)
			return
		}
		info := requestOf(r.Context())
		caller := access.Caller{RequestID: info.id, Method: r.Method, Path: shownPath(r.URL.Path), IP: info.ip,
			UserAgent: r.UserAgent()}
		bearer, isBearer := bearerToken(r)
		cookie, cookieErr := r.Cookie(SessionCookie)
		var err error
		switch {
		case isBearer:
			info.actor, err = s.app.Accounts.TokenActor(access.CalledBy(r.Context(), caller), bearer)
		default:
			if e := crossSite.Check(info.raw); e != nil {
				writeError(w, &apiError{status: http.StatusForbidden, Message: "The request comes from another site.",
					RequiredAbilities: &[]dam.Ability{}})
				return
			}
			if cookieErr == nil && !s.fromSharedOrigin(r) {
				info.actor, err = s.app.Accounts.SessionActor(access.CalledBy(r.Context(), caller), cookie.Value)
			}
		}
		if err != nil && dam.KindOf(err) != dam.Unauthenticated {
			writeError(w, toAPI(r.Context(), s.log, err))
			return
		}
		if info.actor.User != nil && !s.allow(w, info.actor) {
			return
		}
		caller.Actor = info.actor
		next.ServeHTTP(w, r.WithContext(access.CalledBy(r.Context(), caller)))
	})
}

// bearerToken returns the token in the Authorization header, and whether the request has
// that header.
func bearerToken(r *http.Request) (string, bool) {
	h := r.Header.Get("Authorization")
	if h == "" {
		return "", false
	}
	if scheme, token, ok := strings.Cut(h, " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token), true
	}
	return "", true
}

// allow takes one request from the actor's rate limit, sets the rate limit headers, and
// answers 429 if none is left.
func (s *Server) allow(w http.ResponseWriter, actor dam.Actor) bool {
	perMinute, left, wait := s.take(actor)
	if wait == 0 {
		s.showRate(w.Header(), perMinute, left, untilFull(perMinute, left))
		return true
	}
	s.showRate(w.Header(), perMinute, 0, wait)
	w.Header().Set("Retry-After", seconds(wait.Seconds()))
	writeError(w, &apiError{status: http.StatusTooManyRequests, Message: "Too Many Attempts."})
	return false
}

// Package web serves dal over HTTP: the JSON API under /api/v1 and its documentation
// under /docs.
package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gorilla/mux"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
)

// MaxHeader is the maximum total size of a request's headers in bytes, including the
// request line: see http.Server.MaxHeaderBytes. It allows a filter document in the URL:
// 65,536 characters, three times as many bytes when encoded.
const MaxHeader = 256 << 10

// Server serves an App over HTTP.
type Server struct {
	app     *app.App
	opt     Options
	mount   string // see Options.mount
	log     *slog.Logger
	router  *mux.Router
	api     huma.API
	limits  *account.Buckets
	handler http.Handler
	spec    []byte // the OpenAPI document as JSON

	reference *reference // texts of the document

	searches, reads, writes *gate
	shapes                  *gate     // for checking large bodies
	pictures                *fairGate // for rendering pictures of IIIF and of image URLs
}

// New returns a server for a. Start from DefaultOptions for opt.
func New(a *app.App, opt Options) (*Server, error) {
	if opt.Now == nil || opt.Log == nil {
		return nil, errors.New("the options have no clock or no log; start from DefaultOptions")
	}
	if err := errors.Join(opt.Limits().Check(), CheckSiteName(opt.SiteName)); err != nil {
		return nil, err
	}
	if opt.SiteURL != nil {
		if err := CheckSiteURL(opt.SiteURL); err != nil {
			return nil, fmt.Errorf("the site's URL %w", err)
		}
	}
	s := &Server{
		app: a, opt: opt, mount: opt.mount(), log: opt.Log, router: mux.NewRouter().SkipClean(true),
		limits: account.NewBuckets(opt.Now, rateBuckets), reference: newReference(referenceText),
		searches: newGate(processors()), reads: newGate(processors()), writes: newGate(maxWrites), shapes: newGate(max(1, processors()/2)),
		pictures: newFairGate(processors()),
	}
	s.imagePaths()
	s.api = s.newAPI()
	s.userRoutes()
	s.selfRoutes()
	s.useTermsRoutes()
	s.linkRoutes()
	s.tokenRoutes()
	s.assetRoutes()
	s.finderRoutes()
	s.savedSearchRoutes()
	s.rootRoutes()
	s.collectionRoutes()
	s.collectionAssetRoutes()
	s.collectionTypeRoutes()
	s.moveRoutes()
	s.userNameRoutes()
	s.downloadRoutes()
	s.posterRoutes()
	s.logoRoutes()
	s.partRoutes()
	s.versionRoutes()
	s.presetRoutes()
	s.imageRoutes()
	s.iiifRoutes()
	s.shareRoutes()
	s.consentRoutes()
	s.guestRoutes()
	s.embedRoutes()
	s.batchRoutes()
	s.uploadRoutes()
	s.tusRoutes()
	s.fieldRoutes()
	s.assetClassRoutes()
	s.vocabularyRoutes()
	s.termRoutes()
	s.operationRoutes()
	s.importRoutes()
	s.webhookRoutes()
	s.analyticsRoutes()
	s.auditRoutes()
	s.peopleRoutes() // after GET /users/names
	s.streamRoutes()
	s.statusRoutes()
	if err := s.docsRoutes(); err != nil {
		return nil, err
	}
	s.router.HandleFunc("/healthz", s.health).Methods(http.MethodGet)
	s.router.HandleFunc("/readyz", s.ready).Methods(http.MethodGet)
	if err := s.uiRoutes(); err != nil {
		return nil, err
	}
	if err := s.checkMount(); err != nil {
		return nil, err
	}
	s.router.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeError(w, &apiError{status: http.StatusNotFound, Message: "Not found."})
	})
	s.router.MethodNotAllowedHandler = http.HandlerFunc(s.methodNotAllowed)
	answer, err := compress(s.observe(s.secure(s.shareOrigins(s.identify(http.HandlerFunc(s.route))))))
	if err != nil {
		return nil, err
	}
	s.handler = s.unmounted(s.live(answer))
	return s, nil
}

// route passes a request to the route of its path. Paths are taken literally: empty
// segments and slashes encoded as %2F do not match, and no path is redirected.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(strings.ToLower(r.URL.EscapedPath()), "%2f") {
		s.router.NotFoundHandler.ServeHTTP(w, r)
		return
	}
	s.router.ServeHTTP(w, overridden(r))
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// OpenAPI returns the description of the API: an OpenAPI 3.1 document as JSON.
func (s *Server) OpenAPI() []byte { return s.spec }

// health answers as long as the process runs.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, message{"ok"})
}

// ready answers 200 if the library is readable and its disks have enough space.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.app.Maintenance.Ready(r.Context()); err != nil {
		answer := &apiError{status: http.StatusServiceUnavailable, Message: "Not ready.",
			headers: http.Header{"Retry-After": {seconds(retryTime.Seconds())}}}
		if d, ok := errors.AsType[*dam.Error](err); ok && d.Kind == dam.Unavailable {
			answer.Message = d.Msg
		} else {
			s.log.ErrorContext(r.Context(), "not ready", "err", err)
		}
		writeError(w, answer)
		return
	}
	writeJSON(w, http.StatusOK, message{"ready"})
}

// methodNotAllowed answers 405 with the methods of the path.
func (s *Server) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	for _, m := range []string{
		http.MethodOptions, http.MethodHead, http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	} {
		probe := r.Clone(r.Context())
		probe.Method = m
		var match mux.RouteMatch
		if s.router.Match(probe, &match) && match.MatchErr == nil {
			w.Header().Add("Allow", m)
			if m == http.MethodGet {
				w.Header().Add("Allow", http.MethodHead)
			}
		}
	}
	writeError(w, &apiError{status: http.StatusMethodNotAllowed, Message: "Method not allowed."})
}

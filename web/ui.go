package web

import (
	"bytes"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/gorilla/mux"
)

// uiFiles is the web application built from ui/, with compressed files in static/.
//
//go:embed ui/dist/index.html ui/dist/icon.svg all:ui/dist/static
var uiFiles embed.FS

// uiCSP allows only the application's own files. React sets styles through the DOM, which
// does not require 'unsafe-inline'; the single style element that it creates has the nonce.
const uiCSP = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{{nonce}}'; img-src 'self' data: blob:; " +
	"media-src 'self' blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; " +
	"frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// Placeholders for the nonce and for the mount in the page.
const (
	noncePlace = "{{nonce}}"
	mountPlace = "{{mount}}"
)

// uiRoutes serves the web application: its files and, at each of its paths, the page, which
// parses the path itself.
func (s *Server) uiRoutes() error {
	dist, err := fs.Sub(uiFiles, "ui/dist")
	if err != nil {
		return err
	}
	page, err := fs.ReadFile(dist, "index.html")
	if err != nil {
		return err
	}
	page = s.linked(bytes.ReplaceAll(page, []byte(`="./`), []byte(`="/`))) // the build contains relative links
	page = bytes.ReplaceAll(page, []byte(mountPlace), []byte(s.mount))
	s.router.PathPrefix("/static/").Methods(http.MethodGet).HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serveUIFile(w, r, dist)
	})
	icon, err := fs.ReadFile(dist, "icon.svg")
	if err != nil {
		return err
	}
	s.router.HandleFunc("/icon.svg", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=86400")
		http.ServeContent(w, r, "icon.svg", time.Time{}, bytes.NewReader(icon))
	}).Methods(http.MethodGet)
	send := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			raw := make([]byte, 16)
			rand.Read(raw)
			nonce := base64.StdEncoding.EncodeToString(raw)
			h := w.Header()
			h.Set("Content-Type", "text/html; charset=utf-8")
			h.Set("Content-Security-Policy", strings.ReplaceAll(uiCSP, noncePlace, nonce))
			h.Set("Cache-Control", "no-store")
			w.WriteHeader(status)
			w.Write(bytes.ReplaceAll(page, []byte(noncePlace), []byte(nonce)))
		}
	}
	for _, p := range UIPaths() {
		s.router.HandleFunc(pagePattern(p), send(http.StatusOK)).Methods(http.MethodGet)
	}
	s.router.MatcherFunc(isUnknownPage).HandlerFunc(send(http.StatusNotFound))
	return nil
}

// UIPaths returns the paths of the application's pages in the syntax of React Router; they
// match ui/src/app/routes.tsx.
func UIPaths() []string {
	return []string{
		"/", "/assets/:gaid",
		"/collections", "/collections/:collection", "/collections/:collection/assets/:gaid",
		"/assets/:similar/similar", "/assets/:similar/similar/assets/:gaid",
		"/folders", "/duplicates", "/shares/*", "/analytics", "/trash", "/trash/assets/:gaid",
		"/operations", "/operations/:operation", "/account", "/admin/*",
		"/setup/:token", "/invitation/:token",
	}
}

// pageParameter matches a path parameter in the syntax of React Router.
var pageParameter = regexp.MustCompile(`:(\w+)`)

// pagePattern converts a path in the syntax of React Router to a pattern of the router.
// React Router ignores a trailing slash.
func pagePattern(p string) string {
	if p == "/" {
		return p
	}
	segment := `[^/.]+` // names with a dot are files
	if below, ok := strings.CutSuffix(p, "/*"); ok {
		return below + `{below:(?:/` + segment + `)*/?}`
	}
	return pageParameter.ReplaceAllString(p, `{$1:`+segment+`}`) + `{slash:/?}`
}

// isUnknownPage reports whether a browser requests a page that does not exist. The
// application's error page is more helpful than JSON.
func isUnknownPage(r *http.Request, _ *mux.RouteMatch) bool {
	p := r.URL.Path
	others := strings.HasPrefix(p, "/api/") || strings.HasPrefix(p, "/docs/") || strings.Contains(p, "//")
	return !others && path.Ext(p) == "" && r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// serveUIFile sends a file of static/, whose name contains a hash of its content.
func (s *Server) serveUIFile(w http.ResponseWriter, r *http.Request, dist fs.FS) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	data, err := fs.ReadFile(dist, name+".gz") // refuses names with ".."
	if err != nil {
		writeError(w, &apiError{status: http.StatusNotFound, Message: "Not found."})
		return
	}
	h := w.Header()
	if takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
	} else if data, err = unpacked(data); err != nil {
		writeError(w, toAPI(r.Context(), s.log, err))
		return
	}
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

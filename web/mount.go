package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/gorilla/mux"
)

// mountPattern matches the paths that a site URL may have. They need no escaping, in URLs
// or in HTML.
var mountPattern = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*/?$`)

// mount returns the path prefix under which clients see dal, such as "/dam": that of the
// site URL. It is "" for a site at the root of its host.
func (o *Options) mount() string {
	if o.SiteURL == nil {
		return ""
	}
	return strings.TrimSuffix(o.SiteURL.Path, "/")
}

// CheckSiteURL validates a site URL.
func CheckSiteURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return fmt.Errorf("must be an http or https URL, not %q", u)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("must have a scheme, a host and maybe a path only, not %q", u.Redacted())
	case !mountPattern.MatchString(u.Path) || u.Path != "" && path.Clean(u.Path) != "/"+strings.Trim(u.Path, "/"):
		return fmt.Errorf("must have a path of letters, digits and -._~, not %q", u)
	}
	return nil
}

// checkMount refuses a mount that starts like one of dal's paths: it would be ambiguous
// whether a proxy has stripped it.
func (s *Server) checkMount() error {
	first, _, _ := strings.Cut(strings.TrimPrefix(s.mount, "/"), "/")
	if first == "" {
		return nil
	}
	return s.router.Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		pattern, err := route.GetPathTemplate()
		if err != nil { // a route without a path, such as the one for unknown pages
			return nil
		}
		own, _, _ := strings.Cut(strings.TrimPrefix(pattern, "/"), "/")
		if name, _, _ := strings.Cut(own, "{"); name == first {
			return fmt.Errorf("the path of the site's URL begins with /%s, which is a path of dal itself", first)
		}
		return nil
	})
}

// unmounted strips the mount from requests, unless the proxy has already stripped it.
func (s *Server) unmounted(next http.Handler) http.Handler {
	if s.mount == "" {
		return next
	}
	below := http.StripPrefix(s.mount, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == s.mount:
			http.Redirect(w, r, s.mount+"/", http.StatusPermanentRedirect)
		case strings.HasPrefix(r.URL.Path, s.mount+"/"):
			below.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// linked adds the mount to a page's links to paths of dal.
func (s *Server) linked(page []byte) []byte {
	return bytes.ReplaceAll(page, []byte(`="/`), []byte(`="`+s.mount+"/"))
}

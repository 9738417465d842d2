package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// needs returns, for every endpoint of the contract, the abilities that a token must have.
// "admin" beside them restricts the endpoint to administrators; "administration" requires
// an administrator or an administrator's token with all abilities. With "any", every valid
// token will do; "public" endpoints require no token, and "session" endpoints accept no
// token at all.
func needs() map[string]string {
	return map[string]string{
		"GET /user":                                 "any",
		"GET /session":                              "session",
		"POST /session":                             "public",
		"DELETE /session":                           "public",
		"PUT /user":                                 "session",
		"GET /sessions":                             "session",
		"DELETE /sessions":                          "session",
		"DELETE /sessions/{}":                       "session",
		"GET /setup":                                "public",
		"POST /setup":                               "public",
		"GET /invitations/{}":                       "public",
		"POST /invitations/{}":                      "public",
		"GET /users":                                "administration",
		"POST /users":                               "administration",
		"GET /users/{}":                             "administration",
		"PUT /users/{}":                             "administration",
		"POST /users/{}/invitation":                 "administration",
		"GET /tokens":                               "any",
		"POST /tokens":                              "any",
		"GET /tokens/{}":                            "any",
		"PUT /tokens/{}":                            "administration",
		"DELETE /tokens/{}":                         "any",
		"GET /audit-logs":                           "administration",
		"GET /status":                               "administration",
		"GET /settings/logo":                        "administration",
		"PUT /settings/logo":                        "administration",
		"DELETE /settings/logo":                     "administration",
		"GET /stream":                               "any", // each event requires the abilities to read its subject
		"GET /assets":                               "assets:read",
		"GET /assets/outline":                       "assets:read",
		"GET /collections/{}/assets/outline":        "collections:read assets:read",
		"GET /assets/{}":                            "assets:read",
		"PUT /assets/{}":                            "assets:write",
		"DELETE /assets/{}":                         "assets:delete",
		"PUT /assets/{}/metadata":                   "metadata:write",
		"GET /metadata/fields":                      "metadata:read",
		"POST /metadata/fields":                     "metadata:write admin",
		"GET /metadata/fields/{}":                   "metadata:read",
		"PUT /metadata/fields/{}":                   "metadata:write admin",
		"DELETE /metadata/fields/{}":                "metadata:write admin",
		"GET /metadata/vocabularies":                "metadata:read",
		"POST /metadata/vocabularies":               "metadata:write admin",
		"GET /metadata/vocabularies/{}":             "metadata:read",
		"PUT /metadata/vocabularies/{}":             "metadata:write admin",
		"DELETE /metadata/vocabularies/{}":          "metadata:write admin",
		"GET /metadata/vocabularies/{}/terms":       "metadata:read",
		"POST /metadata/vocabularies/{}/terms":      "metadata:write admin",
		"GET /metadata/vocabularies/{}/terms/{}":    "metadata:read",
		"PUT /metadata/vocabularies/{}/terms/{}":    "metadata:write admin",
		"DELETE /metadata/vocabularies/{}/terms/{}": "metadata:write admin",
		"GET /operations":                           "assets:read",
		"POST /operations":                          "any of assets:write assets:delete assets:download", // plus the ability for its type
		"GET /operations/{}":                        "assets:read",
		"POST /operations/{}/cancel":                "any",
		"GET /operations/{}/items":                  "assets:read",
		"GET /operations/{}/download":               "assets:download assets:read",
		"GET /operations/{}/result":                 "assets:read",
		"POST /import-files":                        "assets:write",
		"GET /import-files/{}":                      "assets:write",
		"GET /asset-classes":                        "assets:read",
		"POST /asset-classes":                       "metadata:write admin",
		"GET /asset-classes/{}":                     "assets:read",
		"PUT /asset-classes/{}":                     "metadata:write admin",
		"DELETE /asset-classes/{}":                  "metadata:write admin",
		"GET /collections":                          "collections:read",
		"POST /collections":                         "collections:write",
		"GET /collections/{}":                       "collections:read",
		"PUT /collections/{}":                       "collections:write",
		"DELETE /collections/{}":                    "collections:delete",
		"GET /collections/{}/assets":                "collections:read assets:read",
		"POST /collections/{}/assets":               "collections:write",
		"DELETE /collections/{}/assets":             "collections:write",
		"PUT /collections/{}/assets/order":          "collections:write",
		"GET /collection-types":                     "collections:read",
		"POST /collection-types":                    "collections:write admin",
		"GET /collection-types/{}":                  "collections:read",
		"PUT /collection-types/{}":                  "collections:write admin",
		"DELETE /collection-types/{}":               "collections:delete admin",
		"GET /presets":                              "assets:read",
		"POST /presets":                             "shares:manage admin",
		"GET /presets/{}":                           "assets:read",
		"PUT /presets/{}":                           "shares:manage admin",
		"DELETE /presets/{}":                        "shares:manage admin",
		"GET /assets/{}/embed":                      "shares:read",
		"POST /assets/{}/embed":                     "shares:manage",
		"DELETE /assets/{}/embed":                   "shares:manage",
		"GET /analytics/overview":                   "analytics:read",
		"GET /analytics/overview/download":          "analytics:read",
		"GET /analytics/assets":                     "analytics:read assets:read",
		"GET /analytics/assets/download":            "analytics:read assets:read",
		"GET /analytics/assets/{}":                  "analytics:read assets:read",
		"GET /analytics/assets/{}/download":         "analytics:read assets:read",
		"GET /shares":                               "shares:read",
		"POST /shares":                              "shares:manage", // plus the abilities to fetch the files
		"GET /shares/{}":                            "shares:read",
		"PUT /shares/{}":                            "shares:manage",
		"DELETE /shares/{}":                         "shares:manage",
		"GET /shares/{}/access-logs":                "shares:read",
		"GET /shares/{}/files":                      "shares:read",
		"GET /shares/{}/feedback":                   "shares:read", // assets:read for one asset
		"GET /shares/{}/feedback/download":          "shares:read", // assets:read for one asset
		"GET /shares/{}/feedback/summary":           "shares:read",
		"GET /consents":                             "consents:read",
		"GET /consents/{}":                          "consents:read",
		"GET /consents/download":                    "consents:read",
		"GET /terms":                                "any",
		"POST /terms/accept":                        "session",
		"POST /image-urls":                          "shares:manage assets:download",
		"POST /iiif-urls":                           "shares:manage assets:download",
		"GET /assets/{}/analyses":                   "assets:read",
		"GET /assets/{}/history":                    "assets:read",
		"GET /suggestions":                          "assets:read",
		"GET /duplicates":                           "assets:read",
		"POST /assets/facets":                       "assets:read",
		"GET /assets/{}/similar":                    "assets:read",
		"POST /assets/{}/restore":                   "assets:delete",
		"POST /assets/{}/merge":                     "assets:delete assets:write collections:write",
		"POST /collections/{}/assets/remove":        "collections:write",
		"GET /assets/{}/download":                   "assets:download",
		"GET /assets/{}/pages/{}":                   "assets:read",
		"GET /assets/{}/parts/{}/download":          "assets:download",
		"DELETE /assets/{}/parts/{}":                "assets:delete",
		"POST /assets/{}/parts/{}/detach":           "assets:write",
		"GET /assets/{}/versions":                   "assets:read",
		"POST /assets/{}/versions":                  "assets:write",
		"GET /assets/{}/versions/{}/download":       "assets:download",
		"POST /assets/{}/versions/{}/restore":       "assets:write",
		"DELETE /assets/{}/versions/{}":             "assets:delete",
		"GET /assets/{}/uploads/{}":                 "assets:write",
		"PUT /assets/{}/poster":                     "assets:write",
		"DELETE /assets/{}/poster":                  "assets:write",
		"GET /saved-searches":                       "assets:read",
		"POST /saved-searches":                      "assets:read",
		"GET /saved-searches/{}":                    "assets:read",
		"PUT /saved-searches/{}":                    "assets:read",
		"DELETE /saved-searches/{}":                 "assets:read",
		"GET /roots":                                "assets:read",
		"GET /roots/{}":                             "assets:read",
		"POST /roots/{}/scan":                       "administration",
		"DELETE /roots/{}":                          "administration",
		"GET /folders":                              "assets:read",
		"GET /upload-batches":                       "uploads:manage",
		"POST /upload-batches":                      "uploads:manage",
		"GET /upload-batches/{}":                    "uploads:manage",
		"POST /upload-batches/{}/complete":          "uploads:manage",
		"POST /upload-batches/{}/cancel":            "uploads:manage",
		"GET /upload-batches/{}/files":              "uploads:manage",
		"POST /upload-batches/{}/files":             "uploads:manage",
		"POST /upload-batches/{}/files/{}/retry":    "uploads:manage",
		"OPTIONS /upload-batches/{}/tus/":           "uploads:manage",
		"POST /upload-batches/{}/tus/":              "uploads:manage",
		"HEAD /upload-batches/{}/tus/{}":            "uploads:manage",
		"PATCH /upload-batches/{}/tus/{}":           "uploads:manage",
		"DELETE /upload-batches/{}/tus/{}":          "uploads:manage",
		// Using a webhook requires the abilities to read the subjects of its events; see
		// TestWebhookAbilities.
		"GET /webhooks":                             "any",
		"POST /webhooks":                            "any",
		"GET /webhooks/{}":                          "any",
		"PUT /webhooks/{}":                          "any",
		"DELETE /webhooks/{}":                       "any",
		"GET /webhooks/{}/deliveries":               "any",
		"POST /webhooks/{}/deliveries/{}/redeliver": "any",
		"POST /webhooks/{}/test":                    "any",
		"POST /webhooks/{}/rotate-secret":           "any",

		"POST /collections/{}/move":                    "collections:write",
		"GET /users/names":                             "collections:write",
		"POST /metadata/fields/{}/plan":                "metadata:write admin",
		"POST /metadata/fields/{}/move":                "metadata:write admin",
		"POST /metadata/vocabularies/{}/terms/{}/move": "metadata:write admin",
	}
}

// TestAbilities calls every documented endpoint with each of the 14 abilities alone, with
// all abilities except the required ones, and as each role. Add new endpoints to needs.
func TestAbilities(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	var doc struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(s.do(t, "GET", "/docs/api.json", "").want(t, 200).body, &doc); err != nil {
		t.Fatal(err)
	}
	admin := dam.Actor{}
	users, err := s.app.Accounts.Users(t.Context())
	if err != nil || len(users) != 1 {
		t.Fatal(users, err)
	}
	admin.User = users[0]
	token := func(abilities ...dam.Ability) string {
		plain, err := s.app.Accounts.CreateToken(context.Background(), admin, &dam.Token{Name: "test", Abilities: abilities})
		if err != nil {
			t.Fatal(err)
		}
		return plain
	}
	single := map[dam.Ability]string{}
	for _, a := range dam.Values[dam.Ability]() {
		single[a] = token(a)
	}
	without := map[string]string{} // tokens with all abilities except these
	roles := map[dam.Role]string{dam.RoleAdmin: s.token}
	for _, r := range []dam.Role{dam.RoleEditor, dam.RoleViewer} {
		roles[r] = s.user(t, string(r)+"@example.com", r)
	}

	want := needs()
	seen := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		if !strings.HasPrefix(path, "/api/v1/") {
			continue // public pages
		}
		for method := range doc.Paths[path] {
			name := strings.ToUpper(method) + " " + pathParameter.ReplaceAllString(strings.TrimPrefix(path, "/api/v1"), "{}")
			need, known := want[name]
			if !known {
				t.Errorf("%s is not in the list of what endpoints need", name)
				continue
			}
			seen[name] = true
			// No resource has this id, so authorized requests fail with 404 or 422 and change
			// nothing.
			url := pathParameter.ReplaceAllString(path, "999999")
			ask := func(token string) answer { return s.as(t, token, strings.ToUpper(method), url, "") }
			if need == "public" {
				continue
			}
			if a := ask(""); a.StatusCode != 401 {
				t.Errorf("%s without a token: %d", name, a.StatusCode)
			}
			if need == "session" {
				if a := ask(s.token); a.StatusCode != 403 || fmt.Sprint(a.get("required_abilities")) != "[]" {
					t.Errorf("%s with a token: %d %s", name, a.StatusCode, a)
				}
				continue
			}
			if one, ok := strings.CutPrefix(need, "any of "); ok {
				for a, plain := range single {
					missing := strings.Fields(one)
					if slices.Contains(missing, string(a)) {
						missing = nil
					}
					allowed(t, name, "a token with "+string(a), ask(plain), missing)
				}
				continue
			}
			abilities := slices.DeleteFunc(strings.Fields(need), func(s string) bool { return s == "any" || strings.HasPrefix(s, "admin") })
			admins := strings.Contains(need, "admin")
			if need == "administration" { // a token needs all abilities
				abilities = abilities[:0]
				for _, a := range dam.Values[dam.Ability]() {
					abilities = append(abilities, string(a))
				}
			}
			for a, plain := range single {
				missing := slices.DeleteFunc(slices.Clone(abilities), func(n string) bool { return n == string(a) })
				allowed(t, name, "a token with "+string(a), ask(plain), missing)
			}
			if len(abilities) > 0 && need != "administration" {
				if without[need] == "" {
					others := slices.DeleteFunc(dam.Values[dam.Ability](), func(a dam.Ability) bool {
						return slices.Contains(abilities, string(a))
					})
					without[need] = token(others...)
				}
				allowed(t, name, "a token with all but what it needs", ask(without[need]), abilities)
			}
			for role, plain := range roles {
				may := !slices.ContainsFunc(abilities, func(n string) bool { return !slices.Contains(role.Abilities(), dam.Ability(n)) })
				if !may || admins && role != dam.RoleAdmin { // the role lacks the ability, so every token does
					if a := ask(plain); a.StatusCode != 403 || method != "head" && fmt.Sprint(a.get("required_abilities")) != "[]" {
						t.Errorf("%s as %s: %d %s", name, role, a.StatusCode, a)
					}
					continue
				}
				allowed(t, name, "as "+string(role), ask(plain), nil)
			}
		}
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// allowed fails the test unless the answer is a refusal that names the missing abilities
// or, if none are missing, anything but a refusal.
func allowed(t *testing.T, name, who string, a answer, missing []string) {
	t.Helper()
	refused := a.StatusCode == 401 || a.StatusCode == 403
	if len(missing) == 0 {
		if refused || a.StatusCode >= 500 || a.StatusCode == 405 {
			t.Errorf("%s, %s: %d %s", name, who, a.StatusCode, a)
		}
		return
	}
	var body struct {
		Required []string `json:"required_abilities"`
	}
	if a.Request.Method == "HEAD" && a.StatusCode == 403 {
		return // HEAD answers have no body
	}
	if err := json.Unmarshal(a.body, &body); err != nil || a.StatusCode != 403 || !slices.Equal(body.Required, missing) {
		t.Errorf("%s, %s: %d %s, want 403 with %v", name, who, a.StatusCode, a, missing)
	}
}

package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/digital-asset-library/dal/web"
)

// contract checks responses against the OpenAPI document.
type contract struct{ router routers.Router }

var loadContract = sync.OnceValues(func() (*contract, error) {
	srv, err := web.New(nil, web.Options{})
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(srv.OpenAPI())
	if err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(doc)
	return &contract{router}, err
})

// check reports how a response differs from the document. Requests to paths
// that the document does not have are not its business.
func (c *contract) check(req *http.Request, res *http.Response, body []byte) error {
	find := req.Clone(context.Background())
	find.URL.Host, find.URL.Scheme, find.Host = "", "", ""
	if find.Method == http.MethodHead {
		return nil // has the headers of GET and no body
	}
	route, params, err := c.router.FindRoute(find)
	if err != nil {
		return nil
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "image/") { // the document says octet-stream for any file
		res.Header = res.Header.Clone()
		res.Header.Set("Content-Type", "application/octet-stream")
	}
	opt := &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: find, PathParams: params, Route: route, Options: opt},
		Status:                 res.StatusCode, Header: res.Header, Body: io.NopCloser(bytes.NewReader(body)), Options: opt,
	})
}

// The check must be able to fail.
func TestContractCatchesViolations(t *testing.T) {
	t.Parallel()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest("GET", "/api/v1/user", nil)
	for name, body := range map[string]string{
		"missing field": `{"data":{"id":1,"name":"x"}}`,
		"wrong type":    `{"data":{"id":"1","name":"x","email":"a@example.com"}}`,
		"no envelope":   `{"id":1,"name":"x","email":"a@example.com"}`,
	} {
		res := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}}
		if err := c.check(req, res, []byte(body)); err == nil {
			t.Errorf("%s: %s passed", name, body)
		}
	}
	res := &http.Response{StatusCode: 418, Header: http.Header{"Content-Type": {"application/json"}}}
	if err := c.check(req, res, []byte(`{"message":"x"}`)); err == nil {
		t.Error("an undeclared status passed")
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	srv, err := web.New(nil, web.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OpenAPI string
		Info    struct{ Version string }
		Paths   map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Summary     string
			Tags        []string
			Security    []map[string][]string
			Responses   map[string]any
		}
	}
	if err := json.Unmarshal(srv.OpenAPI(), &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") || doc.Info.Version != "1.0.0" {
		t.Errorf("openapi %s, version %s", doc.OpenAPI, doc.Info.Version)
	}
	seen := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			where := method + " " + path
			if op.OperationID == "" || seen[op.OperationID] || op.Summary == "" || len(op.Tags) != 1 {
				t.Errorf("%s: id %q, summary %q, tags %v", where, op.OperationID, op.Summary, op.Tags)
			}
			seen[op.OperationID] = true
			if path == "/api/v1/session" {
				continue
			}
			if len(op.Security) == 0 {
				t.Errorf("%s: no security", where)
			}
			for _, code := range []string{"401", "403", "429", "500"} {
				if op.Responses[code] == nil {
					t.Errorf("%s: no %s", where, code)
				}
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d operations", len(seen))
	}
}

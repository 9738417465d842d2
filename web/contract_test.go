package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/digital-asset-library/dal/app/confine"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/worker"
	"github.com/digital-asset-library/dal/web"
)

// contract checks responses against the OpenAPI document and records which operations were
// answered with which status.
type contract struct {
	router routers.Router
	doc    *openapi3.T

	mu   sync.Mutex
	seen map[string]bool // such as "GET /api/v1/assets 200"
}

var loadContract = sync.OnceValues(func() (*contract, error) {
	srv, err := web.New(nil, web.DefaultOptions())
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(srv.OpenAPI())
	if err != nil {
		return nil, err
	}
	openapi3filter.RegisterBodyDecoder("text/event-stream", openapi3filter.PlainBodyDecoder)
	router, err := gorillamux.NewRouter(doc)
	return &contract{router: router, doc: doc, seen: map[string]bool{}}, err
})

// check reports how a response deviates from the document. It ignores requests to
// undocumented paths.
func (c *contract) check(req *http.Request, res *http.Response, body []byte) error {
	find := req.Clone(context.Background())
	find.URL.Host, find.URL.Scheme, find.Host = "", "", ""
	if find.Method == http.MethodHead {
		return nil // same headers as GET, no body
	}
	route, params, err := c.router.FindRoute(find)
	if err != nil {
		return nil
	}
	c.mu.Lock()
	c.seen[fmt.Sprint(route.Method, " ", route.Path, " ", res.StatusCode)] = true
	c.mu.Unlock()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "image/") { // the document declares octet-stream for every file
		res.Header = res.Header.Clone()
		res.Header.Set("Content-Type", "application/octet-stream")
	}
	opt := &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: find, PathParams: params, Route: route, Options: opt},
		Status:                 res.StatusCode, Header: res.Header, Body: io.NopCloser(bytes.NewReader(body)), Options: opt,
	})
}

// missing returns the declared success answers that no test has received.
func (c *contract) missing() (list []string) {
	for path, item := range c.doc.Paths.Map() {
		for method, op := range item.Operations() {
			for code := range op.Responses.Map() {
				if name := method + " " + path + " " + code; method != http.MethodHead && code < "400" && !c.seen[name] {
					list = append(list, name)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestMain runs the tests. Together, they must receive every success answer that the
// document declares.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == confine.Argument {
		fmt.Fprintln(os.Stderr, confine.Main(os.Args[2:]))
		os.Exit(1)
	}
	if len(os.Args) > 1 && os.Args[1] == engine.WorkerArgument { // started by a library under test
		if err := worker.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	some := false // only some tests were selected
	for _, name := range []string{"run", "skip", "list", "fuzz"} {
		some = some || flag.Lookup("test."+name).Value.String() != ""
	}
	if c, err := loadContract(); code == 0 && !some && !testing.Short() {
		if err != nil {
			fmt.Println(err)
			code = 1
		} else if missing := c.missing(); len(missing) > 0 {
			fmt.Println("no test has seen: " + strings.Join(missing, ", "))
			code = 1
		}
	}
	os.Exit(code)
}

// The contract check itself must be able to fail.
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
	if err := c.check(req, res, []byte(`{"message":"x","code":"conflict"}`)); err == nil {
		t.Error("an undeclared status passed")
	}
	unseen := &contract{doc: c.doc}
	if n := len(unseen.missing()); n < 60 {
		t.Errorf("of what nobody asked for, only %d successes are missing", n)
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	srv, err := web.New(nil, web.DefaultOptions())
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
			public := path == "/api/v1/setup" || strings.HasPrefix(path, "/api/v1/invitations/")
			if path == "/api/v1/session" || public || op.Tags[0] == "Documentation" {
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

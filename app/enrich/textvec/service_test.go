package textvec

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const testKey = "sk-very-secret/0123"

// fakeService is a scripted service that records its requests.
type fakeService struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
}

type request struct {
	Model string
	Input []string
	path  string
	auth  string
}

func (s *fakeService) asked() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// newService starts a service whose answers come from fn, called with the number of the
// request from 0, and an embedder that uses it. Pauses between attempts are recorded and
// take no time.
func newService(
	t *testing.T, fn func(w http.ResponseWriter, r *http.Request, n int, input []string),
) (*fakeService, *Endpoint, *[]time.Duration) {
	t.Helper()
	s := &fakeService{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q request
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.Method != http.MethodPost {
			t.Errorf("%s, %v", r.Method, err)
		}
		if typ := r.Header.Get("Content-Type"); typ != "application/json" {
			t.Errorf("the type of the request is %q", typ)
		}
		q.path, q.auth = r.URL.Path, r.Header.Get("Authorization")
		s.mu.Lock()
		s.requests = append(s.requests, q)
		n := len(s.requests) - 1
		s.mu.Unlock()
		fn(w, r, n, q.Input)
	}))
	t.Cleanup(s.Close)
	e, err := NewEndpoint(s.URL+"/v1", "nomic", testKey)
	if err != nil {
		t.Fatal(err)
	}
	var pauses []time.Duration
	e.wait = func(ctx context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return ctx.Err()
	}
	return s, e, &pauses
}

// answer sends a vector for each text: its length and 1.
func answer(w http.ResponseWriter, _ *http.Request, _ int, input []string) {
	var data []string
	for i, text := range input {
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,1]}`, i, len(text)))
	}
	slices.Reverse(data)
	fmt.Fprintf(w, `{"object":"list","data":[%s],"model":"nomic","usage":{"total_tokens":1}}`, strings.Join(data, ","))
}

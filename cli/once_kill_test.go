package cli_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A request with an idempotency key is repeated until it is answered, while the server is
// killed repeatedly: each key creates one collection.
func TestKillIdempotentRequest(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "lib")
	pictureLibrary(t, data, 0, 1)
	token := dal(t, "", "token", "create", "--data", data, "--user", "ada@example.com", "--name", "t", "--all-abilities")
	const rounds, keys = 4, 400
	next, interrupted := 0, 0
	create := func(p *process) error {
		req, err := http.NewRequest("POST", p.url+"/api/v1/collections", strings.NewReader(fmt.Sprintf(`{"name":"c%d"}`, next)))
		noErr(t, err)
		req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"},
			"Idempotency-Key": {fmt.Sprint(next)}}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		var a struct {
			Code string
			Data struct{ Name string }
		}
		if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
			return err
		}
		if a.Data.Name != fmt.Sprintf("c%d", next) && a.Code != "idempotency_lost" {
			t.Fatalf("key %d: %d %+v", next, res.StatusCode, a)
		}
		return nil
	}
	for range rounds {
		p := serve(t, data, "--rate-limit", "100000")
		time.AfterFunc(50*time.Millisecond+time.Duration(rand.IntN(50))*time.Millisecond, p.kill) // the moment of the fault
		for next < keys {
			if err := create(p); err != nil {
				interrupted++
				break
			}
			next++
		}
	}
	if interrupted == 0 {
		t.Fatal("no kill was in the middle")
	}
	p := serve(t, data, "--rate-limit", "100000")
	for ; next < keys; next++ {
		noErr(t, create(p))
	}
	list := p.get(t, token, "/collections")
	if total := list["meta"].(map[string]any)["total"]; total != float64(keys) {
		t.Fatalf("%v collections of %d keys", total, keys)
	}
}

package textvec

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/enrich/service"
)

func TestEndpoint(t *testing.T) {
	t.Parallel()
	s, e, pauses := newService(t, answer)
	got, err := e.Embed(context.Background(), []string{"four", "", "six666", " \n"})
	if err != nil || len(got) != 4 {
		t.Fatal(got, err)
	}
	for i, want := range [][]float32{{4, 1}, nil, {6, 1}, nil} {
		if want == nil && got[i] != nil || want != nil && (!isUnit(got[i]) || cosine(got[i], want) < 0.999999) {
			t.Errorf("vector %d is %v, want one along %v", i, got[i], want)
		}
	}
	for text, want := range map[string]bool{"four": true, "": false, " \n": false} {
		if e.Reads(text) != want {
			t.Errorf("it reads %q: %v", text, !want)
		}
	}
	asked := s.asked()
	if len(asked) != 1 || asked[0].path != "/v1/embeddings" || asked[0].Model != "nomic" || asked[0].auth != "Bearer "+testKey ||
		!slices.Equal(asked[0].Input, []string{"four", "six666"}) || len(*pauses) != 0 {
		t.Errorf("asked %+v, pauses %v", asked, *pauses)
	}
	if e.Model() != "endpoint/nomic" {
		t.Errorf("the model is %q", e.Model())
	}
	if got, err := e.Embed(context.Background(), []string{"", " "}); err != nil || len(got) != 2 || len(s.asked()) != 1 {
		t.Errorf("texts without meaning: %v, %v, %d requests", got, err, len(s.asked()))
	}
}

func TestEndpointWithoutKey(t *testing.T) {
	t.Parallel()
	s, e, _ := newService(t, answer)
	e, err := NewEndpoint(e.service.URL, e.model, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(context.Background(), []string{"a"}); err != nil || s.asked()[0].auth != "" {
		t.Errorf("%v, %+v", err, s.asked())
	}
}

// Many texts are sent in several requests, and a long text in parts.
func TestEndpointBatches(t *testing.T) {
	t.Parallel()
	s, e, _ := newService(t, answer)
	texts := []string{"a", strings.Repeat("word ", 300) + strings.Repeat("x", 300)} // 1800 bytes
	for i := range 40 {
		texts = append(texts, strings.Repeat("b", i+1))
	}
	got, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	asked := s.asked()
	if len(asked) != 2 || len(asked[0].Input) != maxInputs || len(asked[1].Input) != 43-maxInputs {
		t.Fatalf("%d requests", len(asked))
	}
	for i, v := range got[2:] {
		if want := []float32{float32(i + 1), 1}; !isUnit(v) || cosine(v, want) < 0.999999 {
			t.Errorf("vector %d is %v, want one along %v", i, v, want)
		}
	}
	// Parts of 999 and 800 bytes, nearly along the first axis.
	if v := got[1]; !isUnit(v) || cosine(v, []float32{1, 0}) < 0.999 || len(asked[0].Input[1]) != 999 || len(asked[0].Input[2]) != 800 {
		t.Errorf("%v from parts of %d and %d bytes", v, len(asked[0].Input[1]), len(asked[0].Input[2]))
	}
}

func TestEndpointTriesAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		fail  func(w http.ResponseWriter)
		least time.Duration // minimum of each pause
	}{
		{"500", func(w http.ResponseWriter) { w.WriteHeader(500) }, backOff / 2},
		{"503", func(w http.ResponseWriter) { w.WriteHeader(503) }, backOff / 2},
		{"429", func(w http.ResponseWriter) { w.WriteHeader(429) }, backOff / 2},
		{"429 with seconds", func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(429)
		}, 7 * time.Second},
		{"503 with a date that is past", func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT")
			w.WriteHeader(503)
		}, backOff / 2},
		{"a connection that breaks", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, backOff / 2},
		{"an answer that breaks off", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"data":[`)
		}, backOff / 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, e, pauses := newService(t, func(w http.ResponseWriter, r *http.Request, n int, input []string) {
				if n < maxTries-1 {
					c.fail(w)
					return
				}
				answer(w, r, n, input)
			})
			got, err := e.Embed(context.Background(), []string{"four"})
			if err != nil || len(got) != 1 || cosine(got[0], []float32{4, 1}) < 0.999999 ||
				len(s.asked()) != maxTries || len(*pauses) != maxTries-1 {
				t.Fatalf("%v, %v, %d requests, pauses %v", got, err, len(s.asked()), *pauses)
			}
			for i, p := range *pauses {
				if p < c.least || p > max(backOff<<i, c.least) {
					t.Errorf("pause %d is %v", i, p)
				}
			}
		})
	}
}

func TestEndpointGivesUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		answer      func(w http.ResponseWriter, r *http.Request)
		want        string
		unavailable bool
		tries       int
		probes      int // requests for a plain word, if the texts may be at fault
	}{
		{"always 500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "answers 500", true, maxTries, 1},
		{"always breaks", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF", true, maxTries, 0},
		{"too slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "Client.Timeout", true, maxTries, 0},
		{"asks for an hour", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(429)
		}, "answers 429", true, 1, 0},
		{"asks for a far day", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "Wed, 21 Oct 2215 07:28:00 GMT")
			w.WriteHeader(503)
		}, "answers 503", true, 1, 0},
		{"wrong key", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(401)
			json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "Incorrect key " + testKey}})
		}, "answers 401: Incorrect key [key]", false, 1, 0},
		{"a key in the plain", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(403)
			io.WriteString(w, strings.Repeat("x", 190)+testKey) // truncation would split the key
		}, "xxx[key]", false, 1, 0},
		{"a key in unknown JSON", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(403)
			io.WriteString(w, `{"why":"`+strings.ReplaceAll(testKey, "/", `\/`)+`"}`)
		}, "answers 403", false, 1, 0},
		{"no such model", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(404)
			io.WriteString(w, `{"error":"model \"nomic\" not found"}`)
		}, `answers 404: model "nomic" not found`, false, 1, 0},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.invalid/?k="+testKey, http.StatusTemporaryRedirect)
		}, "redirect, which is not followed: to http://elsewhere.invalid", false, 1, 0},
		{"redirect to itself", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/v1/embeddings/", http.StatusPermanentRedirect)
		}, "redirect, which is not followed: to http://127.0.0.1", false, 1, 0},
		{"no content", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, "answers 204", false, 1, 0},
		{"no JSON", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>It works!") }, "It works!", false, 1, 1},
		{"an error as success", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"error":{"message":"out of credit"}}`)
		}, "out of credit", false, 1, 1},
		{"too long", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"data":[`)
			for range maxReply>>10 + 1 {
				io.WriteString(w, strings.Repeat(" ", 1<<10))
			}
		}, "longer than", false, 1, 1},
		{"too few", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"data":[{"index":0,"embedding":[1]}]}`)
		}, "not the 2 vectors", false, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, e, pauses := newService(t, func(w http.ResponseWriter, r *http.Request, _ int, _ []string) { c.answer(w, r) })
			if c.name == "too slow" {
				e.service.HTTP.Timeout = 20 * time.Millisecond
			}
			got, err := e.Embed(context.Background(), []string{"a", "b"})
			if got != nil || err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrUnavailable) != c.unavailable {
				t.Errorf("%v, %v, want %q", got, err, c.want)
			}
			if err != nil && (strings.Contains(err.Error(), "secret") || len(err.Error()) > 600) {
				t.Errorf("the error is too long or has the key: %v", err)
			}
			if n := len(*pauses) + 1; n != c.tries {
				t.Errorf("%d tries, want %d", n, c.tries)
			}
			// A timed-out request may not have been read at all.
			if n := len(s.asked()); n != c.tries+c.probes && c.name != "too slow" {
				t.Errorf("%d requests, want %d", n, c.tries+c.probes)
			}
		})
	}
}

// If a plain word has a vector, the texts are at fault.
func TestEndpointRefuses(t *testing.T) {
	t.Parallel()
	say := func(status int, body string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	for _, c := range []struct {
		name    string
		fail    func(w http.ResponseWriter)
		refused bool
	}{
		{"beyond the context", say(400, `{"error":{"message":"maximum context length"}}`), true},
		{"too large", say(413, ``), true},
		{"unprocessable", say(422, `{"detail":"no"}`), true},
		{"always 500", say(500, `{"error":"unsupported value: NaN"}`), true},
		{"null", say(200, `{"data":[{"index":0,"embedding":[null]}]}`), true},
		{"zeros", say(200, `{"data":[{"index":0,"embedding":[0]}]}`), true},
		{"always 503", say(503, ``), false},
		{"always 429", say(429, ``), false},
		{"wrong key", say(401, ``), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, e, _ := newService(t, func(w http.ResponseWriter, r *http.Request, n int, input []string) {
				if input[0] == "bad" {
					c.fail(w)
					return
				}
				answer(w, r, n, input)
			})
			_, err := e.Embed(context.Background(), []string{"bad"})
			r, ok := errors.AsType[interface {
				error
				Refused() bool
			}](err)
			if err == nil || (ok && r.Refused()) != c.refused || c.refused && errors.Is(err, ErrUnavailable) {
				t.Errorf("%v, refused: %v", err, ok)
			}
			if v, err := e.Embed(context.Background(), []string{"good"}); err != nil || v[0] == nil {
				t.Error(v, err)
			}
		})
	}
}

func TestEndpointNobodyThere(t *testing.T) {
	t.Parallel()
	s, e, pauses := newService(t, answer)
	s.Close()
	_, err := e.Embed(context.Background(), []string{"a"})
	if !errors.Is(err, ErrUnavailable) || len(*pauses) != maxTries-1 || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v, pauses %v", err, *pauses)
	}
}

func TestEndpointSizeChanges(t *testing.T) {
	t.Parallel()
	_, e, _ := newService(t, func(w http.ResponseWriter, _ *http.Request, n int, _ []string) {
		io.WriteString(w, `{"data":[{"index":0,"embedding":[1`+strings.Repeat(",1", n)+`]}]}`)
	})
	if _, err := e.Embed(context.Background(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	_, err := e.Embed(context.Background(), []string{"a"})
	if err == nil || !strings.Contains(err.Error(), "has the model nomic been replaced?") {
		t.Error(err)
	}
}

func TestEndpointCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	s, e, pauses := newService(t, func(_ http.ResponseWriter, r *http.Request, _ int, _ []string) {
		cancel()
		<-r.Context().Done()
	})
	if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) || len(*pauses) != 0 {
		t.Errorf("%v, pauses %v", err, *pauses)
	}
	if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) || len(s.asked()) != 1 {
		t.Errorf("%v, %d requests", err, len(s.asked()))
	}

	// While waiting for the next attempt.
	ctx, cancel = context.WithCancel(context.Background())
	s, e, _ = newService(t, func(w http.ResponseWriter, _ *http.Request, _ int, _ []string) { w.WriteHeader(503) })
	e.wait = func(ctx context.Context, _ time.Duration) error {
		cancel()
		return service.Wait(ctx, time.Hour)
	}
	if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) || len(s.asked()) != 1 {
		t.Errorf("%v, %d requests", err, len(s.asked()))
	}
	if err := service.Wait(context.Background(), 0); err != nil {
		t.Error(err)
	}
}

// At most maxRequests are in progress, from any number of goroutines.
func TestEndpointConcurrent(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now, most := 0, 0
	count := func(change int) {
		mu.Lock()
		defer mu.Unlock()
		now += change
		most = max(most, now)
	}
	var full sync.WaitGroup
	full.Add(maxRequests)
	_, e, _ := newService(t, func(w http.ResponseWriter, r *http.Request, n int, input []string) {
		count(1)
		if n < maxRequests { // the first ones wait for each other
			full.Done()
			full.Wait()
		}
		count(-1)
		answer(w, r, n, input)
	})
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			v, err := e.Embed(context.Background(), []string{strings.Repeat("x", i+1)})
			if err != nil || cosine(v[0], []float32{float32(i + 1), 1}) < 0.999999 {
				t.Errorf("%d: %v, %v", i, v, err)
			}
		})
	}
	wg.Wait()
	if most != maxRequests {
		t.Errorf("%d requests at the same time, want %d", most, maxRequests)
	}
}

package textvec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	maxTries = 4
	backOff  = 500 * time.Millisecond // before the second try; then twice as long each time
	maxWait  = 30 * time.Second       // that a service may ask for; else the request has failed
	maxReply = 16 << 20               // bytes
)

// failure is an error of one try.
type failure struct {
	err   error
	again bool          // another try may succeed
	after time.Duration // but not earlier
	texts bool          // the texts may be at fault
}

// refusal is the error of texts that the service does not embed while it does embed
// others.
type refusal struct{ err error }

func (r refusal) Error() string { return r.err.Error() }
func (r refusal) Unwrap() error { return r.err }

// Refused reports that the same texts will fail again.
func (r refusal) Refused() bool { return true }

// request returns the vectors, of length 1, of 1 to maxInputs parts of text.
func (e *Endpoint) request(ctx context.Context, parts []string) ([][]float32, error) {
	for try := 1; ; try++ {
		vectors, fail := e.try(ctx, parts)
		if fail == nil {
			return vectors, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !fail.again || try == maxTries || fail.after > maxWait {
			return nil, e.verdict(ctx, fail)
		}
		// Between half and all of the time, so that clients do not come in step.
		pause := backOff << (try - 1)
		pause = max(pause/2+rand.N(pause/2), fail.after)
		if err := e.wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// verdict tells what a failure that stays is due to: the texts, a lasting trouble or
// a passing one. Statuses do not tell (400 may be a wrong model, and 500 a text
// beyond the model's limit), so the service is asked for the vector of a plain word.
func (e *Endpoint) verdict(ctx context.Context, fail *failure) error {
	if fail.texts {
		_, other := e.try(ctx, []string{"picture"})
		if err := ctx.Err(); err != nil {
			return err
		}
		if other == nil {
			return refusal{fail.err}
		}
	}
	if fail.again {
		return fmt.Errorf("%w: %w", ErrUnavailable, fail.err)
	}
	return fail.err
}

// try sends a request once.
func (e *Endpoint) try(ctx context.Context, parts []string) ([][]float32, *failure) {
	body, err := json.Marshal(struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}{e.model, parts})
	if err != nil {
		return nil, &failure{err: err}
	}
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return nil, &failure{err: ctx.Err()}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, &failure{err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "dal")
	if e.key != "" {
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
	res, err := e.client.Do(req)
	if err != nil {
		return nil, &failure{err: err, again: true}
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	switch {
	case res.StatusCode != http.StatusOK:
		return nil, e.refused(res, data)
	case err != nil:
		return nil, &failure{err: fmt.Errorf("the answer of %s breaks off: %w", e.url, err), again: true}
	case len(data) > maxReply:
		return nil, &failure{err: fmt.Errorf("the answer of %s is longer than %d bytes", e.url, maxReply), texts: true}
	}
	vectors, err := parseReply(data, len(parts))
	if err != nil {
		err = fmt.Errorf("the answer of %s: %s. %s", e.url, e.quote(err.Error()), e.quote(message(data)))
		return nil, &failure{err: err, texts: true}
	}
	if err := e.checkSize(len(vectors[0])); err != nil {
		return nil, &failure{err: err}
	}
	return vectors, nil
}

// refused tells why an answer is none.
func (e *Endpoint) refused(res *http.Response, data []byte) *failure {
	said := e.quote(message(data))
	if to, err := res.Location(); err == nil {
		said = "a redirect, which is not followed: to " + e.quote(to.Redacted())
	}
	fail := &failure{err: fmt.Errorf("%s answers %d: %s", e.url, res.StatusCode, said)}
	if res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500 {
		fail.again, fail.after = true, retryAfter(res.Header.Get("Retry-After"))
	}
	switch res.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusInternalServerError:
		fail.texts = true
	}
	return fail
}

// retryAfter reads the header of that name (RFC 9110, section 10.2.3): seconds or a
// date. It returns 0 for any other.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

// checkSize compares the numbers in a vector with those in the ones before.
func (e *Endpoint) checkSize(n int) error {
	if e.numbers.CompareAndSwap(0, int64(n)) || e.numbers.Load() == int64(n) {
		return nil
	}
	return fmt.Errorf("the embeddings endpoint gives vectors of %d numbers, after ones of %d: "+
		"has the model %s been replaced?", n, e.numbers.Load(), e.model)
}

// message returns what an answer says to people: in the forms that services use, or
// as plain text.
func message(data []byte) string {
	var reply map[string]json.RawMessage
	if json.Unmarshal(data, &reply) != nil {
		if json.Valid(data) || bytes.HasPrefix(data, []byte("{")) {
			return ""
		}
		return string(data)
	}
	for _, key := range []string{"error", "message", "detail"} {
		var text string
		if json.Unmarshal(reply[key], &text) == nil && text != "" {
			return text
		}
		var inner struct{ Message string }
		if json.Unmarshal(reply[key], &inner) == nil && inner.Message != "" {
			return inner.Message
		}
	}
	return ""
}

// maxNumbers is the most in a vector; the largest models in use have 4096.
const maxNumbers = 16 << 10

// number is a JSON number that fits into a float32. In particular it is not null,
// which would be read as 0.
type number float32

func (n *number) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseFloat(string(data), 32)
	if err != nil {
		return errors.New("a vector has something else than numbers")
	}
	*n = number(v)
	return nil
}

// parseReply reads an answer with n vectors, and makes their length 1. The vectors
// may be in any order if they tell it.
func parseReply(data []byte, n int) ([][]float32, error) {
	var reply struct {
		// An array takes no more than it has room for, a slice all that is sent.
		Data [maxInputs + 1]struct {
			Index     *int     `json:"index"`
			Embedding []number `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return nil, fmt.Errorf("no list of vectors: %w", err)
	}
	vectors := make([][]float32, n)
	count := 0
	for _, d := range reply.Data {
		if d.Index == nil && d.Embedding == nil {
			continue
		}
		if count++; count > n {
			break
		}
		if d.Index == nil || *d.Index < 0 || *d.Index >= n || vectors[*d.Index] != nil {
			return nil, fmt.Errorf("vector %d has no index, a wrong one, or another's", count)
		}
		if len(d.Embedding) == 0 || len(d.Embedding) > maxNumbers {
			return nil, fmt.Errorf("a vector of %d numbers", len(d.Embedding))
		}
		v := make([]float32, len(d.Embedding))
		for i, x := range d.Embedding {
			v[i] = float32(x)
		}
		if !scale(v) {
			return nil, errors.New("a vector of zeros")
		}
		vectors[*d.Index] = v
	}
	if count != n {
		return nil, fmt.Errorf("not the %d vectors asked for", n)
	}
	for _, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("vectors of %d and of %d numbers", len(vectors[0]), len(v))
		}
	}
	return vectors, nil
}

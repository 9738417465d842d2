// Package service sends requests to a service with an OpenAI-compatible API, such as
// Ollama, llama.cpp or LM Studio.
package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Config configures a Client.
type Config struct {
	What     string        // name for errors, such as "embeddings endpoint"
	Address  string        // base URL of the API, such as http://localhost:11434/v1, or the full URL
	Path     string        // end of the full URL, such as /embeddings
	Key      string        // sent as a bearer token, never part of an error; "" for none
	Deadline time.Duration // per request
	MaxReply int64         // bytes of a response
	Requests int           // concurrent requests
}

// Client sends requests to a service. It is safe for concurrent use. It does not follow
// redirects, because the data is intended for this service only.
type Client struct {
	URL    string // full URL
	HTTP   *http.Client
	config Config
	slots  chan struct{} // held by each request in progress
}

// New returns a client. Private addresses are allowed, because the administrator configures
// the address.
func New(c Config) (*Client, error) {
	full, err := Address(c.What, c.Address, c.Path)
	if err != nil {
		return nil, err
	}
	for _, r := range c.Key {
		if r <= ' ' || r > '~' {
			return nil, fmt.Errorf("the key of the %s has characters that no key has, such as a space", c.What)
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxResponseHeaderBytes = 64 << 10
	return &Client{
		URL: full, config: c, slots: make(chan struct{}, c.Requests),
		HTTP: &http.Client{
			Transport:     transport,
			Timeout:       c.Deadline,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// CheckModel validates the name of a model.
func CheckModel(name string) error {
	if name == "" || len(name) > 200 || strings.TrimSpace(name) != name {
		return fmt.Errorf("%q is no name of a model", name)
	}
	return nil
}

// Address returns the full URL of an API.
func Address(what, address, path string) (string, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		// The error would quote the address, which may contain a password.
		return "", fmt.Errorf("the address of the %s is no URL", what)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", fmt.Errorf("the address of the %s is to be without a user, ? and #", what)
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", fmt.Errorf("the address of the %s, %q, does not begin with http:// or https:// and a host", what, address)
	}
	full := strings.TrimRight(u.Path, "/")
	if full == "" {
		return "", fmt.Errorf("the address of the %s, %q, has no path, such as /v1", what, address)
	}
	if !strings.HasSuffix(full, path) {
		full += path
	}
	u.Path, u.RawPath = full, ""
	return u.String(), nil
}

// Failure is a failed request.
type Failure struct {
	Err    error
	Again  bool          // a retry may succeed
	After  time.Duration // minimum delay of a retry
	Inputs bool          // the input may be the cause
	Status int           // of the response; 0 without a response
}

// Post sends a request once and returns the response.
func (c *Client) Post(ctx context.Context, request any) ([]byte, *Failure) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, &Failure{Err: err}
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, &Failure{Err: ctx.Err()}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return nil, &Failure{Err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	c.sign(req)
	res, err := c.HTTP.Do(req)
	if err != nil {
		return nil, &Failure{Err: err, Again: true}
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, c.config.MaxReply+1))
	switch {
	case res.StatusCode != http.StatusOK:
		return nil, c.refused(res, data)
	case err != nil:
		return nil, &Failure{Err: fmt.Errorf("the answer of %s breaks off: %w", c.URL, err), Again: true}
	case int64(len(data)) > c.config.MaxReply:
		err := fmt.Errorf("the answer of %s is longer than %d bytes", c.URL, c.config.MaxReply)
		return nil, &Failure{Err: err, Inputs: true, Status: res.StatusCode}
	}
	return data, nil
}

// Get fetches a URL of the service. The caller must close the body.
func (c *Client) Get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	c.sign(req)
	return c.HTTP.Do(req)
}

func (c *Client) sign(req *http.Request) {
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "dal")
	if c.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.config.Key)
	}
}

// Wrong returns the failure for an unexpected response.
func (c *Client) Wrong(answer []byte, err error) *Failure {
	err = fmt.Errorf("the answer of %s: %s. %s", c.URL, c.Quote(err.Error()), c.Quote(Message(answer)))
	return &Failure{Err: err, Inputs: true}
}

// refused returns the failure for an error status.
func (c *Client) refused(res *http.Response, data []byte) *Failure {
	said := c.Quote(Message(data))
	if to, err := res.Location(); err == nil {
		said = "a redirect, which is not followed: to " + c.Quote(to.Redacted())
	}
	fail := &Failure{Err: fmt.Errorf("%s answers %d: %s", c.URL, res.StatusCode, said), Status: res.StatusCode}
	if res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500 {
		fail.Again, fail.After = true, retryAfter(res.Header.Get("Retry-After"))
	}
	switch res.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusInternalServerError:
		fail.Inputs = true
	}
	return fail
}

// retryAfter parses the Retry-After header (RFC 9110, section 10.2.3): seconds or a date.
// It returns 0 for any other value.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

// Quote shortens a message of the service for an error: one line, without the key.
func (c *Client) Quote(s string) string {
	if c.config.Key != "" {
		s = strings.ReplaceAll(s, c.config.Key, "[key]") // before truncation can split the key
	}
	s = strings.Join(strings.Fields(clip(s, 4<<10)), " ")
	return strings.ToValidUTF8(clip(s, 200), "\uFFFD")
}

// clip truncates a text to at most limit bytes at a character boundary.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for cut := limit; cut > limit-utf8.UTFMax; cut-- {
		if utf8.RuneStart(text[cut]) {
			return text[:cut]
		}
	}
	return text[:limit] // not UTF-8
}

// Message returns the error message of a response, in one of the common forms or as plain
// text.
func Message(data []byte) string {
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

// Wait waits for a duration, or returns the context's error if it ends first.
func Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// benchTimeout limits one request.
const benchTimeout = time.Minute

// benchClient sends requests to a running server.
type benchClient struct {
	url, token string
	http       *http.Client
}

func (c *benchClient) flags(f *flags) {
	c.url = "http://" + defaultListen
	f.text(&c.url, "url", "the `URL` of the server")
	f.text(&c.token, "token", "a `token` that can read assets, such as that of dal bench seed")
	f.required("token")
}

// open prepares the client for n concurrent connections.
func (c *benchClient) open(n int) error {
	if u, err := url.Parse(c.url); err != nil || u.Host == "" {
		return usagef("--url must be a URL, not %q", c.url)
	}
	c.url = strings.TrimRight(c.url, "/")
	c.http = &http.Client{Timeout: benchTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: n, MaxConnsPerHost: n}}
	return nil
}

// call sends a request with a JSON body or none, and returns the body of a 200 answer and
// the time until its last byte.
func (c *benchClient) call(ctx context.Context, method, path string, body []byte) ([]byte, time.Duration, error) {
	return c.send(ctx, method, path, "application/json", body, http.StatusOK)
}

// send is call for any content type and expected status.
func (c *benchClient) send(
	ctx context.Context, method, path, contentType string, body []byte, status int,
) ([]byte, time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		req.Header.Set("Content-Type", contentType)
	}
	start := time.Now()
	res, err := c.http.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	took := time.Since(start)
	if err == nil && res.StatusCode != status {
		err = fmt.Errorf("%s %s: %s: %.300s", method, path, res.Status, bytes.TrimSpace(data))
	}
	return data, took, err
}

// assetList is the part of an asset list that the client needs.
type assetList struct {
	Data []struct {
		GAID     dam.GAID `json:"gaid"`
		Checksum string   `json:"checksum_sha256"`
		Filename string   `json:"original_filename"`
	} `json:"data"`
	Meta struct {
		Total int `json:"total"`
	} `json:"meta"`
}

// list requests a list of assets.
func (c *benchClient) list(ctx context.Context, path string) (l assetList, took time.Duration, err error) {
	data, took, err := c.call(ctx, "GET", path, nil)
	if err == nil {
		err = json.Unmarshal(data, &l)
	}
	return l, took, err
}

// assets returns a sample of the library from random pages.
func (c *benchClient) assets(ctx context.Context, rnd *rand.Rand, pages int) (all assetList, err error) {
	const perPage = 50
	for range pages {
		page := 1 + rnd.IntN(max(1, all.Meta.Total/perPage))
		l, _, err := c.list(ctx, "/assets?per_page=50&page="+strconv.Itoa(page))
		if err != nil {
			return all, err
		}
		all.Data, all.Meta = append(all.Data, l.Data...), l.Meta
	}
	if len(all.Data) == 0 {
		return all, errors.New("the library has no assets")
	}
	return all, nil
}

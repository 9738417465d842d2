package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app/account"
)

// The limits of an attack.
const (
	maxAttackClients = 1000
	maxAttackIdle    = 10_000
	attackSettle     = time.Minute // time within which the server must recover
	attackFiles      = 24          // descriptors that a server opens for its own work
)

// attack puts a server under load from many clients, some of them malicious.
type attack struct {
	client  benchClient
	clients int
	idle    int
	pid     int
	length  time.Duration
	each    int // stop after this many answers of each of askedKinds; 0 for no limit but length
	asJSON  bool
	gaids   []string
	stop    func()

	mu    sync.Mutex
	kinds map[string]*attackKind
}

// askedKinds are the requests that any number of clients send and that are answered.
func askedKinds() []string { return []string{"bomb", "filter", "list", "put", "search", "show"} }

// attackKind summarizes the answers to one kind of request. Times are in milliseconds.
type attackKind struct {
	Kind     string         `json:"kind"`
	Requests int            `json:"requests"`
	P50      float64        `json:"p50_ms"`
	P99      float64        `json:"p99_ms"`
	Max      float64        `json:"max_ms"`
	Statuses map[string]int `json:"statuses"`
	Faults   int            `json:"faults"` // answers that no client should ever get
	First    string         `json:"first_fault,omitempty"`

	took []time.Duration
}

// attackResult is the outcome of an attack.
type attackResult struct {
	Kinds  []*attackKind `json:"kinds"`
	Before *processUse   `json:"before,omitempty"`
	Peak   *processUse   `json:"peak,omitempty"`
	After  *processUse   `json:"after,omitempty"`
}

// processUse is the memory and the number of descriptors of a process.
type processUse struct {
	Bytes       int64 `json:"bytes"`
	Descriptors int   `json:"descriptors"`
}

func newBenchAttack() *cobra.Command {
	a := &attack{kinds: map[string]*attackKind{}}
	cmd := &cobra.Command{Use: "attack", Short: "Measure a server under load from many clients, some of them malicious", Args: takes(),
		Long: `Puts a running server under load from many concurrent clients: searches, lists,
single assets, changes of titles, logins with wrong passwords, expensive requests,
bodies that are sent byte by byte or not at all, responses that are not read, and
idle connections. Prints the times and statuses of each kind of request and, with
--pid, the server's memory and descriptors before, at their peak, and after it has
recovered, or a minute later.

The exit code is 3 if a response had a status of 500 or above, except 503 with
Retry-After, or if there was no response.

It changes titles, so it only accepts a server on this machine with a library
created by dal bench seed. Run the server with --rate-limit 100000000.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.check(); err != nil {
				return err
			}
			r, err := a.run(cmd.Context())
			if err != nil {
				return err
			}
			if a.asJSON {
				err = printJSON(cmd.OutOrStdout(), r)
			} else {
				err = r.print(cmd.OutOrStdout())
			}
			faults := 0
			for _, k := range r.Kinds {
				faults += k.Faults
			}
			return errors.Join(err, failure(faults))
		}}
	f := flagsOf(cmd)
	a.client.flags(f)
	a.clients, a.idle = 200, 1000
	f.number(account.NewLimit("clients", &a.clients, a.clients, 10, maxAttackClients), "clients", "number of clients that send requests")
	f.number(account.NewLimit("idle", &a.idle, a.idle, 0, maxAttackIdle), "idle", "number of idle connections")
	f.process(&a.pid)
	f.length(&a.length, "time", 3*time.Minute, "duration of the attack")
	f.number(account.NewLimit("requests", &a.each, 0, 0, 1_000_000), "requests",
		"responses of each kind after which to stop before --time; 0: none")
	f.json(&a.asJSON)
	return cmd
}

// check rejects a server on another machine.
func (a *attack) check() error {
	u, err := url.Parse(a.client.url)
	if err == nil {
		addr, e := netip.ParseAddr(u.Hostname())
		if u.Scheme != "http" || u.Hostname() != "localhost" && (e != nil || !addr.IsLoopback()) {
			err = errors.New("is not on this machine")
		}
	}
	if err != nil {
		return usagef("--url %s: %w", a.client.url, err)
	}
	return a.client.open(a.clients)
}

// run attacks until the time is up.
func (a *attack) run(ctx context.Context) (*attackResult, error) {
	sample, _, err := a.client.list(ctx, "/assets?per_page=100")
	if err != nil {
		return nil, err
	}
	if err := requireSeeded(&sample); err != nil {
		return nil, err
	}
	for _, asset := range sample.Data {
		a.gaids = append(a.gaids, string(asset.GAID))
	}
	if len(a.gaids) == 0 {
		return nil, errors.New("the library has no assets")
	}
	r := &attackResult{Before: useOf(a.pid), Peak: useOf(a.pid)}
	until, stop := context.WithTimeout(ctx, a.length)
	defer stop()
	a.stop = stop
	var work sync.WaitGroup
	for i := range a.clients {
		work.Go(func() { a.behave(until, i) })
	}
	if a.idle > 0 {
		work.Go(func() { a.hold(until) })
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for until.Err() == nil {
		select {
		case <-tick.C:
			r.Peak.raise(useOf(a.pid))
		case <-until.Done():
		}
	}
	work.Wait()
	a.client.http.CloseIdleConnections()
	for settled := time.Now().Add(attackSettle); r.Before != nil && time.Now().Before(settled) && ctx.Err() == nil; {
		if r.After = useOf(a.pid); r.After != nil && r.After.Descriptors <= r.Before.Descriptors+attackFiles {
			break
		}
		<-tick.C
	}
	for _, k := range a.kinds {
		k.P50, k.P99 = milliseconds(quantile(k.took, 0.5)), milliseconds(quantile(k.took, 0.99))
		k.Max = milliseconds(quantile(k.took, 1))
		r.Kinds = append(r.Kinds, k)
	}
	slices.SortFunc(r.Kinds, func(x, y *attackKind) int { return strings.Compare(x.Kind, y.Kind) })
	return r, ctx.Err()
}

// behave is the behaviour of one client. Of ten clients, four read, three write, and three
// are malicious.
func (a *attack) behave(ctx context.Context, i int) {
	bombs := attackBombs()
	for n := 0; ctx.Err() == nil; n++ {
		gaid := a.gaids[(i*31+n)%len(a.gaids)]
		switch i % 10 {
		case 0:
			word := []string{"harbour", "report", "blue", "summer"}[n%4]
			a.ask(ctx, "search", "GET", "/assets?per_page=50&facets=file_category&q="+word, "")
		case 1:
			filters := fmt.Sprintf(`{"type":"filter","field":"asset.width","operator":"greater_than","value":%d}`, n)
			a.ask(ctx, "filter", "GET", "/assets?filters="+url.QueryEscape(filters), "")
		case 2:
			a.ask(ctx, "list", "GET", "/assets?per_page=100&page="+strconv.Itoa(1+n%50), "")
		case 3:
			a.ask(ctx, "show", "GET", "/assets/"+gaid, "")
		case 4, 5, 6:
			a.ask(ctx, "put", "PUT", "/assets/"+gaid, fmt.Sprintf(`{"title":"Attack %d %d"}`, i, n))
		case 7:
			b := bombs[n%len(bombs)]
			a.ask(ctx, "bomb", b[0], strings.ReplaceAll(b[1], "GAID", gaid), b[2])
		case 8:
			if i%20 == 8 {
				body := fmt.Sprintf(`{"email":"nobody%d@example.com","password":"wrong %d"}`, i, n)
				a.ask(ctx, "log-in", "POST", "/session", body)
			} else {
				a.drip(ctx, gaid)
			}
		case 9:
			a.ignore(ctx)
		}
	}
}

// attackBombs returns requests designed to be expensive: method, path, body.
func attackBombs() [][3]string {
	var unknown strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&unknown, `"k%d":1,`, i)
	}
	ones := strings.Repeat("1,", 400_000) + "1"
	return [][3]string{
		{"POST", "/session", "{" + unknown.String()[:10_000] + `"z":1}`},
		{"PUT", "/assets/GAID", "{" + unknown.String() + `"z":1}`},
		{"PUT", "/assets/GAID", `{"keywords":[` + ones + `]}`},
		{"POST", "/operations", `{"type":"bulk_delete","selection":{"gaids":[` + ones + `]}}`},
		{"PUT", "/assets/GAID", strings.Repeat("[", 100_000)},
		{"PUT", "/assets/GAID", strings.Repeat(`{"a":`, 100_000)},
		{"GET", "/assets?zz=" + strings.Repeat("x", 100_000), ""},
		{"GET", "/assets?filters=" + strings.Repeat("%5B", 20_000), ""},
	}
}

// ask sends a request and records the answer.
func (a *attack) ask(ctx context.Context, kind, method, path, body string) {
	req, err := http.NewRequestWithContext(ctx, method, a.client.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		a.note(kind, 0, "", err.Error())
		return
	}
	req.Header.Set("Authorization", "Bearer "+a.client.token)
	req.Header.Set("Idempotency-Key", "attack")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	start := time.Now()
	res, err := a.client.http.Do(req)
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	took := time.Since(start)
	switch {
	case ctx.Err() != nil: // the time is up
	case err != nil:
		a.note(kind, took, "none", err.Error())
	case res.StatusCode >= 500 && (res.StatusCode != 503 || res.Header.Get("Retry-After") == ""):
		a.note(kind, took, strconv.Itoa(res.StatusCode), method+" "+path[:min(len(path), 80)]+": "+res.Status)
	default:
		a.note(kind, took, strconv.Itoa(res.StatusCode), "")
	}
	if err != nil || res.StatusCode == 503 || res.StatusCode == 429 { // even a malicious client waits
		pause(ctx, 100*time.Millisecond)
	}
}

func (a *attack) note(kind string, took time.Duration, status, fault string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.kinds[kind]
	if k == nil {
		k = &attackKind{Kind: kind, Statuses: map[string]int{}}
		a.kinds[kind] = k
	}
	k.Requests++
	k.Statuses[status]++
	k.took = append(k.took, took)
	if fault != "" {
		if k.Faults++; k.First == "" {
			k.First = fault
		}
	}
	if a.each > 0 && k.Requests >= a.each && !slices.ContainsFunc(askedKinds(), func(kind string) bool {
		return a.kinds[kind] == nil || a.kinds[kind].Requests < a.each
	}) {
		a.stop()
	}
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// conn opens a connection that is closed when ctx ends; nil if it is refused.
func (a *attack) conn(ctx context.Context) (c net.Conn, end func()) {
	u, _ := url.Parse(a.client.url) // was validated
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		pause(ctx, 100*time.Millisecond)
		return nil, func() {}
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	return c, func() { stop(); c.Close() }
}

// drip sends a body byte by byte until the server closes the connection.
func (a *attack) drip(ctx context.Context, gaid string) {
	c, end := a.conn(ctx)
	defer end()
	if c == nil {
		return
	}
	_, err := fmt.Fprintf(c, "PUT /api/v1/assets/%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n", gaid, a.client.token)
	for start := time.Now(); ctx.Err() == nil; pause(ctx, time.Second) {
		if err == nil {
			_, err = io.WriteString(c, " ")
		}
		if err != nil {
			a.note("slow body", time.Since(start), "ended", "")
			return
		}
	}
}

// ignore sends many requests and reads none of the answers.
func (a *attack) ignore(ctx context.Context) {
	c, end := a.conn(ctx)
	defer end()
	if c == nil {
		return
	}
	for range 200 {
		if _, err := fmt.Fprintf(c, "GET /docs/redoc.standalone.js HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			break
		}
	}
	start := time.Now()
	for ctx.Err() == nil {
		pause(ctx, time.Second)
		if _, err := io.WriteString(c, "\r\n"); err != nil {
			a.note("slow reader", time.Since(start), "ended", "")
			return
		}
	}
}

// hold keeps idle connections open, and replaces those that the server closes.
func (a *attack) hold(ctx context.Context) {
	room := make(chan struct{}, a.idle)
	var work sync.WaitGroup
	defer work.Wait()
	for {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return
		}
		work.Go(func() {
			defer func() { <-room }()
			c, end := a.conn(ctx)
			defer end()
			if c != nil {
				_, _ = io.Copy(io.Discard, c) // until the server closes it
				pause(ctx, 100*time.Millisecond)
			}
		})
	}
}

// useOf returns the memory and descriptors of a process, or nil if they are unknown. The
// second number in /proc/PID/statm is in pages (proc_pid_statm(5)).
func useOf(pid int) *processUse {
	if pid == 0 {
		return nil
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return nil
	}
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return nil
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(statm), &size, &resident); err != nil {
		return nil
	}
	return &processUse{resident * int64(os.Getpagesize()), len(fds)}
}

// raise raises the values of u to those of o.
func (u *processUse) raise(o *processUse) {
	if u != nil && o != nil {
		u.Bytes, u.Descriptors = max(u.Bytes, o.Bytes), max(u.Descriptors, o.Descriptors)
	}
}

func (r *attackResult) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "REQUESTS\tP50 ms\tP99 ms\tMAX ms\tFAULTS\t  KIND")
	for _, k := range r.Kinds {
		fmt.Fprintf(t, "%d\t%.0f\t%.0f\t%.0f\t%d\t  %s %v\n", k.Requests, k.P50, k.P99, k.Max, k.Faults, k.Kind, k.Statuses)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, k := range r.Kinds {
		if k.First != "" {
			fmt.Fprintf(w, "%s: the first fault: %s\n", k.Kind, k.First)
		}
	}
	for _, u := range []struct {
		when string
		use  *processUse
	}{{"before", r.Before}, {"at most", r.Peak}, {"after", r.After}} {
		if u.use != nil {
			fmt.Fprintf(w, "%s: %.0f MiB, %d descriptors\n", u.when, float64(u.use.Bytes)/(1<<20), u.use.Descriptors)
		}
	}
	return nil
}

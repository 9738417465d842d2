package webhook_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/webhook"
)

func prefixes(list ...string) (all []netip.Prefix) {
	for _, p := range list {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// The first and last address of each non-public range, their neighbors, and all ways to
// embed an IPv4 address in an IPv6 address.
func TestPermits(t *testing.T) {
	t.Parallel()
	refused := `0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.0.0.1 127.255.255.255
		169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.170 192.0.0.255 192.0.2.1
		192.88.99.1 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.7 203.0.113.255 224.0.0.0 239.255.255.255
		240.0.0.0 255.255.255.254 255.255.255.255
		:: ::1 ::2 ::7f00:1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1
		64:ff9b::127.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1::7f00:1 100::1 100:0:0:1::1 1fff:ffff::1 2001::1 2001:0:7f00:1::1 2001:1::1
		2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::1 2002:808:808:: 3fff::1 3fff:fff:ffff::1
		4000::1 5f00::1 fc00::1 fd00:ec2::254 fdff:ffff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 ff0e::1
		2606:4700::1111%eth0 ::ffff:8.8.8.8%1`
	permitted := `1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
		172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0
		198.17.255.255 198.20.0.0 198.51.99.255 203.0.112.255 223.255.255.255 8.8.8.8 ::ffff:8.8.8.8
		2000::1 2001:200::1 2001:4860:4860::8888 2003::1 2606:4700::1111 2a00:1450::1 3ffe::1`
	var g webhook.Guard
	for _, s := range strings.Fields(refused) {
		if g.Permits(netip.MustParseAddr(s)) {
			t.Errorf("%s is permitted", s)
		}
	}
	for _, s := range strings.Fields(permitted) {
		if !g.Permits(netip.MustParseAddr(s)) {
			t.Errorf("%s is refused", s)
		}
	}
	if g.Permits(netip.Addr{}) {
		t.Error("no address is permitted")
	}

	// Exactly the explicitly allowed ranges are permitted.
	g.Allow = prefixes("10.1.2.0/24", "127.0.0.1/32", "fd00:1::/32", "fe80::/10")
	for s, want := range map[string]bool{
		"10.1.2.0": true, "10.1.2.255": true, "10.1.3.0": false, "127.0.0.1": true, "127.0.0.2": false,
		"::ffff:10.1.2.3": true, "::ffff:10.1.3.3": false, "64:ff9b::10.1.2.3": false, "::1": false,
		"fd00:1::5": true, "fd00:2::5": false, "fe80::1%eth0": true, "169.254.169.254": false, "8.8.8.8": true,
	} {
		if g.Permits(netip.MustParseAddr(s)) != want {
			t.Errorf("%s: %v", s, !want)
		}
	}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	dns := newNames(t)
	dns.set("public.example.", "93.184.215.14", "2606:4700::1111")
	dns.set("private.example.", "10.0.0.7")
	dns.set("v6.example.", "fd00::7")
	dns.set("mapped.example.", "::ffff:127.0.0.1")
	dns.set("mixed.example.", "93.184.215.14", "192.168.0.9")
	dns.set("zero.example.", "0.0.0.0")
	dns.set("metadata.example.", "169.254.169.254")
	g := &webhook.Guard{Resolver: dns.resolver()}
	for url, ok := range map[string]bool{
		"https://public.example/": true, "https://PUBLIC.example.:8443/in?x=%20": true,
		"https://unknown.example/": true, "https://8.8.8.8:65535": true,
		"https://private.example/": false, "https://Private.Example./": false, "https://v6.example/": false, "https://mapped.example/": false,
		"https://mixed.example/": false, "https://zero.example/": false, "https://metadata.example/": false, "https://localhost/": false,
		"https://LocalHost./": false, "https://a.b.localhost/": false, "https://0/": false, "https://127.1/": false, "https://127.0.1/": false,
		"https://0x7f.0.0.1/": false, "https://0X7F000001/": false, "https://017700000001/": false,
		"https://2130706433/": false, "https://127.0.0.0x1/": false,
		"https://127.0.0.1.": false, "https://[::ffff:7f00:1]/": false, "https://[::127.0.0.1]/": false, "https://[64:ff9b::7f00:1]": false,
		"https://[fe80::1%25lo]/": false, "https://[2606:4700::1111%25lo]/": false,
		"https://public.example@10.0.0.7/": false, "https://public.example#@private.example/": false,
		"https://public.example\\@private.example/": false, "https://public.example%2f@private.example/": false,
		"https://public.example%00.private.example/": false, "https://public.example:443@private.example/": false,
		"https://１２７.0.0.1/": false, "https://ⓛocalhost/": false, "https://public。example/": false,
		"https://0x/": false, "https://example.0xg/": true, "https://-/": true, "https://a.-1/": true,
	} {
		err := g.CheckURL(t.Context(), url)
		if (err == nil) != ok {
			t.Errorf("%s: %v", url, err)
		}
		if err != nil && dam.KindOf(err) != dam.Invalid {
			t.Errorf("%s: %v is no fault of the URL", url, err)
		}
	}
	// If resolving takes too long, the name is checked at the dial.
	slow := &webhook.Guard{Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := slow.CheckURL(ctx, "https://slow.example/"); err != nil {
		t.Error(err)
	}
}

// sender returns a sender that trusts a server.
func sender(t *testing.T, srv *httptest.Server, g *webhook.Guard) *webhook.Sender {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := webhook.NewSender(webhook.Options{Guard: g, CAFile: ca, Timeout: 10 * time.Second, Agent: "dal/test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// DNS rebinding: a name that resolves to a public address when it is saved, and to this
// machine at the dial, is not called.
func TestRebinding(t *testing.T) {
	t.Parallel()
	var calls sync.Map
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { calls.Store(r.URL.Path, true) }))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	dns := newNames(t)
	g := &webhook.Guard{Resolver: dns.resolver()}
	s := sender(t, srv, g)
	send := func(path string) webhook.Answer {
		return s.Send(t.Context(), webhook.Message{URL: "https://example.com:" + port + path, Secret: "x", Body: []byte("{}"), At: time.Now()})
	}
	for i, to := range []string{"127.0.0.1", "::ffff:127.0.0.1", "::1", "0.0.0.0", "::"} {
		dns.set("example.com.", "93.184.215.14")
		if err := g.CheckURL(t.Context(), "https://example.com:"+port+"/"); err != nil {
			t.Fatal(err)
		}
		before := dns.asked()
		dns.set("example.com.", to)
		if a := send(fmt.Sprint("/", i)); a.Status != 0 || a.Error != "The host's address is not public: nothing was sent." {
			t.Errorf("%s: %+v", to, a)
		}
		if dns.asked() == before {
			t.Errorf("%s: the name was not looked up again", to)
		}
	}
	calls.Range(func(path, _ any) bool { t.Errorf("%v was called", path); return true })

	// The same server is called once it is allowed, so the guard rejected it before.
	g.Allow = prefixes("127.0.0.0/8")
	dns.set("example.com.", "127.0.0.1")
	if a := send("/allowed"); a.Error != "" || a.Status != 200 {
		t.Errorf("%+v", a)
	}
	// If a name has permitted and forbidden addresses, only the permitted one is dialed.
	g.Allow = prefixes("127.0.0.1/32")
	dns.set("example.com.", "10.0.0.1", "127.0.0.1")
	s.Close() // no kept connection
	if a := send("/second"); a.Error != "" || a.Status != 200 {
		t.Errorf("%+v", a)
	}
}

// FuzzCheckURL checks that accepted URLs are https URLs that net/http sends to a host name
// or a public address.
func FuzzCheckURL(f *testing.F) {
	for _, s := range []string{
		"https://example.com/", "https://127.0.0.1/", "https://[::1]:443/", "https://[::ffff:10.0.0.1]/", "https://a@b/",
		"https://2130706433/", "https://0x7f.1/", "https://example.com\\@127.0.0.1/", "https://127.0.0.1./",
		"https://[fe80::1%25eth0]/", "https://１２７.0.0.1/", "https://ⓛocalhost/", "HTTPS://localhost:99999/#x", "https:///",
		"https://%31/", "https://127.0.0.1\t/", "https://example.com:443:443/", "https://[64:ff9b::7f00:1]/", "https://0/",
		"https://a..b/", "https://xn--/", "http://example.com",
	} {
		f.Add(s)
	}
	offline := func(context.Context, string, string) (net.Conn, error) { return nil, io.EOF }
	g := &webhook.Guard{Resolver: &net.Resolver{PreferGo: true, Dial: offline}}
	f.Fuzz(func(t *testing.T, raw string) {
		err := g.CheckURL(t.Context(), raw)
		if err != nil {
			if dam.KindOf(err) != dam.Invalid {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		// The address that net/http dials.
		var dialled string
		c := http.Client{Transport: &http.Transport{DialContext: func(_ context.Context, _, addr string) (net.Conn, error) {
			dialled = addr
			return nil, io.EOF
		}}}
		res, err := c.Post(raw, "application/json", strings.NewReader("{}"))
		if err == nil {
			res.Body.Close()
		}
		host, port, err := net.SplitHostPort(dialled)
		if err != nil || port == "0" || host == "" {
			t.Fatalf("%q passes and leads to %q", raw, dialled)
		}
		if a, err := netip.ParseAddr(host); err == nil {
			if !g.Permits(a) {
				t.Fatalf("%q passes and leads to %s", raw, a)
			}
			return
		}
		labels := strings.Split(strings.TrimSuffix(strings.ToLower(host), "."), ".")
		last := labels[len(labels)-1]
		const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
		if last == "localhost" || strings.Trim(last, "0123456789") == "" || strings.Trim(host, allowed) != "" {
			t.Fatalf("%q passes and leads to %q", raw, host)
		}
	})
}

// names is a DNS server on this machine.
type names struct {
	conn  net.PacketConn
	mu    sync.Mutex
	hosts map[string][]netip.Addr
	count int
}

func newNames(t *testing.T) *names {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &names{conn: conn, hosts: map[string][]netip.Addr{}}
	t.Cleanup(func() { conn.Close() })
	go n.serve()
	return n
}

func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", n.conn.LocalAddr().String())
	}}
}

func (n *names) set(name string, addrs ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hosts[name] = nil
	for _, a := range addrs {
		n.hosts[name] = append(n.hosts[name], netip.MustParseAddr(a))
	}
}

// asked returns the number of answered queries.
func (n *names) asked() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.count
}

func (n *names) serve() {
	buf := make([]byte, 4096)
	for {
		size, from, err := n.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if answer := n.reply(buf[:size]); answer != nil {
			n.conn.WriteTo(answer, from)
		}
	}
}

func (n *names) reply(query []byte) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) != 1 {
		return nil
	}
	n.count++
	q := m.Questions[0]
	out := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}, Questions: m.Questions}
	addrs, known := n.hosts[strings.ToLower(q.Name.String())]
	if !known {
		out.RCode = dnsmessage.RCodeNameError
	}
	for _, a := range addrs {
		h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			out.Answers = append(out.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			out.Answers = append(out.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	answer, err := out.Pack()
	if err != nil {
		return nil
	}
	return answer
}

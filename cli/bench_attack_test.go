package cli_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
)

// Under load from a few clients, some of them malicious, every request is answered, and the
// resources are released afterwards.
func TestBenchAttack(t *testing.T) {
	data, token := seeded(t, "9")
	p := serve(t, data, "--stall", "1s", "--max-connections", "120", "--rate-limit", "100000000")
	defer p.kill()
	code, stdout, stderr := command(t, "bench", "attack", "--url", p.url, "--token", token, "--pid", strconv.Itoa(p.cmd.Process.Pid),
		"--clients", "30", "--idle", "60", "--requests", "20", "--time", "10m", "--json")
	if code != 0 {
		t.Fatalf("%d %s %s", code, stdout, stderr)
	}
	type use struct{ Bytes, Descriptors int64 }
	var r struct {
		Kinds []struct {
			Kind     string
			Requests int
			Statuses map[string]int
		}
		Before, Peak, After *use
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	var seen []string
	allowed := map[string][]string{
		"put":  {"200", "503"},
		"show": {"200", "503"},
		"bomb": {"200", "400", "409", "413", "422", "429", "503"},
	}
	for _, k := range r.Kinds {
		seen = append(seen, k.Kind)
		for status := range k.Statuses {
			if ok := allowed[k.Kind]; ok != nil && !slices.Contains(ok, status) {
				t.Errorf("%s: %v", k.Kind, k.Statuses)
			}
		}
	}
	for _, kind := range []string{"bomb", "put", "search", "show"} {
		if !slices.Contains(seen, kind) {
			t.Errorf("no %s among %v", kind, seen)
		}
	}
	if r.After == nil {
		t.Skip("this system does not show what a process holds")
	}
	if r.Peak.Descriptors > r.Before.Descriptors+120+64+24 { // accepted connections, refused connections, files
		t.Errorf("%d descriptors at most, %d before", r.Peak.Descriptors, r.Before.Descriptors)
	}
	if r.After.Descriptors > r.Before.Descriptors+24 {
		t.Errorf("%d descriptors after, %d before", r.After.Descriptors, r.Before.Descriptors)
	}
	if r.After.Bytes > r.Before.Bytes+400<<20 {
		t.Errorf("%d MiB after, %d before", r.After.Bytes>>20, r.Before.Bytes>>20)
	}
}

// Attacks are limited to this machine, and in size.
func TestBenchAttackRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"--url", "http://192.0.2.1:8080"},
		{"--url", "https://127.0.0.1:8080"},
		{"--url", "http://localhost.example.com"},
		{"--clients", "100000"},
		{"--idle", "-1"},
		{"--time", "2d"},
	} {
		if code, _, stderr := command(t, append([]string{"bench", "attack", "--token", "x"}, args...)...); code != 2 {
			t.Errorf("%v: %d %s", args, code, stderr)
		}
	}
}

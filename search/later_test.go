package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// Searches do not wait for deferred changes until Now is called, and always wait for
// others.
func TestLater(t *testing.T) {
	t.Parallel()
	l := shelf(50)
	e := open(t, t.TempDir(), l)
	defer e.Close()
	indexAll(t, e)
	find(t, e, dam.Query{Text: "begins"})
	part := func(from, to int64) { // assets of an operation, in one of its transactions
		before, _ := l.LastSeq(t.Context())
		for id := from; id <= to; id++ {
			l.put(asset(id, fmt.Sprint("bulk ", id)))
		}
		after, _ := l.LastSeq(t.Context())
		e.Later(before, after)
	}
	read := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.read
	}
	part(1, 10)
	part(11, 20)
	before := read()
	find(t, e, dam.Query{Text: "bulk"})
	if n := read() - before; n != 0 {
		t.Errorf("a search has indexed %d changes of an operation", n)
	}
	// Another change is found, and so are all before it.
	l.put(asset(30, "single"))
	if got := ids(find(t, e, dam.Query{Text: "single"})); got != "30" {
		t.Errorf("found %s", got)
	}
	part(21, 25)
	before = read()
	if r := find(t, e, dam.Query{Text: "bulk"}); r.Total != 20 || read() != before {
		t.Errorf("%d assets found, %d changes indexed", r.Total, read()-before)
	}
	e.Now()
	if r := find(t, e, dam.Query{Text: "bulk"}); r.Total != 25 || r.TextLag != 0 {
		t.Errorf("at the end %d assets, %d changes to come", r.Total, r.TextLag)
	}
	// The order is also up to date: bulk 1 to 29, number 31 to 50, single 30.
	part(26, 29)
	e.Now()
	if got := ids(find(t, e, dam.Query{Sort: dam.SortTitle})); !strings.Contains(got, "25 26 27 28 29 31 32") {
		t.Errorf("by title: %s", got)
	}
}

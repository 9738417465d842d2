package search_test

import (
	"sync/atomic"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
)

// While the index may not grow, searches answer without the words of the newest changes,
// but with their other fields.
func TestHold(t *testing.T) {
	t.Parallel()
	l := shelf(50)
	e := open(t, t.TempDir(), l)
	defer e.Close()
	indexAll(t, e)
	var hold atomic.Bool
	e.SetHold(hold.Load)
	hold.Store(true)
	l.put(asset(7, "renamed"))
	if r := find(t, e, dam.Query{Text: "renamed"}); r.Total != 0 || r.TextLag != 1 {
		t.Errorf("%d found, lag %d", r.Total, r.TextLag)
	}
	if r := find(t, e, dam.Query{Text: "number"}); r.Total != 50 || r.TextLag != 1 {
		t.Errorf("%d found, lag %d", r.Total, r.TextLag)
	}
	if got := find(t, e, dam.Query{Sort: dam.SortTitle, Desc: true, Page: dam.Page{Limit: 1}}).Hits[0].AssetID; got != 7 {
		t.Errorf("by title %d is last", got)
	}
	hold.Store(false)
	if r := find(t, e, dam.Query{Text: "renamed"}); r.Total != 1 || r.TextLag != 0 {
		t.Errorf("%d found, lag %d", r.Total, r.TextLag)
	}
}

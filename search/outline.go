package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// maxRatios is the maximum number of assets for which a result contains aspect ratios.
const maxRatios = 200_000

// The ratio of an image of unknown size, and the minimum and maximum.
const (
	unknownRatio = 100
	minRatio     = 10
	maxRatio     = 1000
)

// Outline returns the layout of a query's result and the index of an asset in it. The
// order is that of all pages of Search together; the page of the query is ignored.
func (e *Engine) Outline(ctx context.Context, q dam.Query, in Scope, asset int64) (*dam.Outline, error) {
	if err := e.refresh(ctx); err != nil {
		return nil, fmt.Errorf("refresh columns: %w", err)
	}
	q.Page = dam.Page{Limit: math.MaxInt}
	set, ranking, err := e.find(ctx, q, in, &Result{})
	if err != nil {
		return nil, err
	}
	defer ranking.free()
	e.colMu.RLock()
	defer e.colMu.RUnlock()
	q.Limit = int(set.GetCardinality())
	ids := e.inOrder(q, in.Order, set, ranking)
	ids = slices.DeleteFunc(ids, func(id uint32) bool { return !e.columns.known(id) }) // deleted meanwhile
	o := &dam.Outline{Total: len(ids), At: slices.Index(ids, uint32(asset))}
	if len(ids) <= maxRatios {
		o.Ratios = make([]int, len(ids))
		for i, id := range ids {
			o.Ratios[i] = e.columns.ratio(id)
		}
	}
	if date := dateOf(q.Sort, ranking); date != "" {
		o.Months = e.columns.months(ids, date)
	}
	return o, nil
}

// inOrder returns the part of a set that a query requests, in its order. The caller holds
// colMu.
func (e *Engine) inOrder(q dam.Query, order []int64, set *roaring.Bitmap, ranking *ranking) []uint32 {
	switch {
	case q.Limit <= 0:
		return nil
	case q.Sort == dam.SortPosition:
		return pageOf(order, set, q.Desc, q.Offset, q.Limit)
	case byRelevance(q.Sort, ranking):
		return ranking.page(set, q.Desc, q.Offset, q.Limit)
	}
	return e.columns.page(set, q.Sort, q.Desc, q.Offset, q.Limit)
}

func byRelevance(by dam.Sort, ranking *ranking) bool {
	return ranking.has() && (by == dam.SortRelevance || by == "")
}

// dateOf returns the date that a result is sorted by, "" for none.
func dateOf(by dam.Sort, ranking *ranking) string {
	switch {
	case by == dam.SortCreatedAt || by == dam.SortUpdatedAt || by == dam.SortCaptureDate:
		return string(by)
	case (by == dam.SortRelevance || by == "") && !ranking.has():
		return string(dam.SortCreatedAt)
	}
	return ""
}

// ratio returns the width divided by the height, times 100.
func (c *columns) ratio(id uint32) int {
	w, h := c.numbers[width][id], c.numbers[height][id]
	if w <= 0 || h <= 0 {
		return unknownRatio
	}
	return min(max(int(math.Round(float64(w)*100/float64(h))), minRatio), maxRatio)
}

// months groups assets that are sorted by a date.
func (c *columns) months(ids []uint32, date string) []dam.Month {
	list := []dam.Month{}
	_, dates := c.dates(date)
	var from, to int64 // of the last month, in Unix milliseconds
	for i, id := range ids {
		t := dates[id]
		if len(list) == 0 || t < from || t >= to {
			m := dam.Month{Index: i}
			m.Month, from, to = monthOf(t)
			list = append(list, m)
		}
		list[len(list)-1].Count++
	}
	return list
}

// monthOf returns the name of the month of a time, its start, and the start of the next
// one.
func monthOf(t int64) (name string, from, to int64) {
	if t == noTime {
		return "", noTime, noTime + 1
	}
	year, month, _ := time.UnixMilli(t).UTC().Date()
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return first.Format("2006-01"), first.UnixMilli(), first.AddDate(0, 1, 0).UnixMilli()
}

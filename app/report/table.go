package report

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/export"
	"github.com/digital-asset-library/dal/storage"
)

// analyticsChunk is the number of asset titles read per query while writing a table.
const analyticsChunk = 500

// UseTable returns a table of the library's use over a range of days, one row per
// day.
func (r *Reports) UseTable(ctx context.Context, actor dam.Actor, days dam.Days) (dam.WriteTable, error) {
	if err := access.MayReadAnalytics(actor); err != nil {
		return nil, err
	}
	r.Analytics.Flush(ctx)
	all := emptyDays(days)
	sums := useSums{bots: &dam.Counts{}, totals: &dam.Counts{}, days: all, channels: &[]dam.ChannelCounts{}}
	if err := r.Store.View(ctx, func(tx *storage.Tx) error { return tx.UsageOf(days, sums.add) }); err != nil {
		return nil, err
	}
	return func(_ context.Context, w io.Writer) error {
		table, err := export.NewRows(w, "date", "views", "visits", "plays", "downloads", "shares", "searches", "searches_without_results")
		for _, d := range all {
			if err != nil {
				return err
			}
			err = table.Add(append([]string{d.Day.String()},
				numbers(d.Views, d.Visits, d.Plays, d.Downloads, d.Shares, d.Searches, d.EmptySearches)...)...)
		}
		return cmp.Or(err, table.Flush())
	}, nil
}

// AssetsUsedTable returns a table of everything that AssetsUsed lists.
func (r *Reports) AssetsUsedTable(
	ctx context.Context, actor dam.Actor, f dam.AssetCountsFilter, collection int64,
) (dam.WriteTable, error) {
	ranked, err := r.rankAssets(ctx, actor, f, collection)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, w io.Writer) error {
		table, err := export.NewRows(w, "gaid", "title", "is_gone", "views", "plays", "downloads")
		if err != nil {
			return err
		}
		for some := range slices.Chunk(ranked, analyticsChunk) {
			named, err := r.nameAssets(ctx, some)
			if err != nil {
				return err
			}
			for _, c := range named {
				row := append([]string{string(c.GAID), c.Title, strconv.FormatBool(c.Gone)}, numbers(c.Views, c.Plays, c.Downloads)...)
				if err := table.Add(row...); err != nil {
					return err
				}
			}
			if err := table.Flush(); err != nil {
				return err
			}
		}
		return table.Flush()
	}, nil
}

// AssetUseTable returns a table of an asset's use over a range of days, one row per
// day.
func (r *Reports) AssetUseTable(ctx context.Context, actor dam.Actor, gaid dam.GAID, days dam.Days) (dam.WriteTable, error) {
	u, err := r.AssetUsed(ctx, actor, gaid, days)
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, w io.Writer) error {
		table, err := export.NewRows(w, "date", "views", "plays", "downloads")
		for _, d := range u.Days {
			if err != nil {
				return err
			}
			err = table.Add(append([]string{d.Day.String()}, numbers(d.Views, d.Plays, d.Downloads)...)...)
		}
		return cmp.Or(err, table.Flush())
	}, nil
}

func numbers(n ...int64) []string {
	cells := make([]string, len(n))
	for i := range n {
		cells[i] = strconv.FormatInt(n[i], 10)
	}
	return cells
}

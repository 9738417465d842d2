package report

import (
	"cmp"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/analytics"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/share"
	"github.com/digital-asset-library/dal/storage"
)

// Reports answers questions about the use of a library. Its methods are safe for concurrent
// use.
type Reports struct {
	Store     *storage.Store
	Analytics *analytics.Analytics
	Index     *index.Index
	Finder    *find.Finder
	Shares    *share.Shares
}

// Overview returns the library's use over a range of days, reduced to the parts that the
// actor may see. It includes all counts up to now.
func (r *Reports) Overview(ctx context.Context, actor dam.Actor, days dam.Days) (*dam.Overview, error) {
	if err := access.MayReadAnalytics(actor); err != nil {
		return nil, err
	}
	owner := actor.User.ID
	if access.SeesShare(actor, 0) {
		owner = 0
	}
	r.Analytics.Flush(ctx)
	o := &dam.Overview{Days: days, ByDay: emptyDays(days)}
	err := r.Analytics.InTurn(ctx, func() error {
		used := map[int64]dam.Counts{}
		err := r.Store.View(ctx, func(tx *storage.Tx) (err error) {
			sums := useSums{bots: &o.Bots, totals: &o.Totals, days: o.ByDay, channels: &o.ByChannel}
			if err := tx.UsageOf(days, sums.add); err != nil {
				return err
			}
			if err := tx.TopUse(o, owner, func(asset int64, n dam.Counts) { used[asset] = n }); err != nil {
				return err
			}
			o.Storage, err = tx.StorageUse()
			return err
		})
		if err == nil {
			o.Collections, err = r.topCollections(ctx, access.Reader(actor), used)
		}
		return err
	})
	if !actor.May(dam.AssetsRead) {
		o.Assets = nil
	}
	if !actor.May(dam.SharesRead) {
		o.Shares = nil
	}
	return o, err
}

// topCollections returns the most used collections among those that a user may view, with
// or without rules. It counts only assets outside the trash; used maps row IDs of assets to
// counts.
func (r *Reports) topCollections(ctx context.Context, user int64, used map[int64]dam.Counts) ([]dam.CollectionCounts, error) {
	if user == storage.Nobody || !r.Index.IsOpen() {
		return nil, nil
	}
	known, err := r.Finder.Collections(ctx, user)
	if err != nil {
		return nil, err
	}
	assets := roaring.New()
	for asset := range used {
		assets.Add(uint32(asset))
	}
	sums := map[int64]*dam.CollectionCounts{}
	err = r.Index.EachInCollections(ctx, known, assets, func(collection, asset int64) {
		if sums[collection] == nil {
			sums[collection] = &dam.CollectionCounts{ID: collection}
		}
		sums[collection].Add(used[asset])
	})
	if err != nil {
		return nil, err
	}
	var all []dam.CollectionCounts
	for _, c := range sums {
		if c.Counts != (dam.Counts{}) {
			all = append(all, *c)
		}
	}
	slices.SortFunc(all, func(a, b dam.CollectionCounts) int {
		return cmp.Or(cmp.Compare(b.Views, a.Views), cmp.Compare(b.Downloads, a.Downloads), cmp.Compare(a.ID, b.ID))
	})
	all = all[:min(dam.TopMost, len(all))]
	err = r.Store.View(ctx, func(tx *storage.Tx) error { return tx.NameCollections(all) })
	return slices.DeleteFunc(all, func(c dam.CollectionCounts) bool { return c.Name == "" }), err // deleted in the meantime
}

func emptyDays(days dam.Days) []dam.DayCounts {
	all := make([]dam.DayCounts, days.Len())
	for i := range all {
		all[i].Day = days.From + dam.Day(i)
	}
	return all
}

// useSums adds up counts.
type useSums struct {
	bots, totals *dam.Counts
	days         []dam.DayCounts // every day of the range
	channels     *[]dam.ChannelCounts
}

func (s useSums) add(k dam.CountKey, n dam.Counts) {
	if k.Bot {
		s.bots.Add(n)
		return
	}
	s.totals.Add(n)
	s.days[k.Day-s.days[0].Day].Add(n)
	for i := range *s.channels {
		if c := &(*s.channels)[i]; c.Channel == k.Channel {
			c.Add(n)
			return
		}
	}
	*s.channels = append(*s.channels, dam.ChannelCounts{Channel: k.Channel, Counts: n})
}

// AssetsUsed lists the assets that were used, most used first, and their total number. A
// collection other than 0 restricts the list to its current assets.
func (r *Reports) AssetsUsed(ctx context.Context, actor dam.Actor, f dam.AssetCountsFilter, collection int64, p dam.Page) (
	all []dam.AssetCounts, total int, err error,
) {
	ranked, err := r.rankAssets(ctx, actor, f, collection)
	if err != nil {
		return nil, 0, err
	}
	from := min(p.Offset, len(ranked))
	all, err = r.nameAssets(ctx, ranked[from:min(from+p.Limit, len(ranked))])
	return all, len(ranked), err
}

// rankAssets returns the used assets that match a filter and a collection.
func (r *Reports) rankAssets(ctx context.Context, actor dam.Actor, f dam.AssetCountsFilter, collection int64) (
	ranked storage.RankedAssets, err error,
) {
	if err := access.MayReadAssetAnalytics(actor); err != nil {
		return nil, err
	}
	if f.ShareID != 0 {
		if _, err := r.Shares.Share(ctx, actor, f.ShareID); err != nil {
			return nil, cmp.Or(fieldFault(err, "share_id"), err)
		}
	}
	if f.OnlyAssets = collection != 0; f.OnlyAssets {
		var q dam.Query
		if _, err := r.Finder.Within(ctx, actor, collection, &q); err != nil {
			return nil, cmp.Or(fieldFault(err, "collection_id"), err)
		}
		if f.Assets, _, err = r.Finder.IDs(ctx, actor, q); err != nil {
			return nil, err
		}
	}
	r.Analytics.Flush(ctx)
	err = r.Analytics.InTurn(ctx, func() error {
		return r.Store.View(ctx, func(tx *storage.Tx) error {
			ranked, err = tx.RankAssets(f)
			return err
		})
	})
	return ranked, err
}

func (r *Reports) nameAssets(ctx context.Context, some storage.RankedAssets) (all []dam.AssetCounts, err error) {
	err = r.Store.View(ctx, func(tx *storage.Tx) error {
		all, err = tx.NameAssets(some)
		return err
	})
	return all, err
}

// AssetUsed returns an asset's use over a range of days. The asset may have been deleted.
func (r *Reports) AssetUsed(ctx context.Context, actor dam.Actor, gaid dam.GAID, days dam.Days) (*dam.AssetUse, error) {
	if err := access.MayReadAssetAnalytics(actor); err != nil {
		return nil, err
	}
	r.Analytics.Flush(ctx)
	u := &dam.AssetUse{AssetCounts: dam.AssetCounts{GAID: gaid, Gone: true}, Days: emptyDays(days)}
	return u, r.Store.View(ctx, func(tx *storage.Tx) error {
		asset, err := tx.Asset(gaid)
		switch {
		case dam.KindOf(err) == dam.NotFound:
			if has, e := tx.HasUsage(gaid); e != nil || !has {
				return cmp.Or(e, err)
			}
		case err != nil:
			return err
		default:
			u.Title, u.Gone = asset.Title, asset.DeletedAt != nil
		}
		return tx.AssetUsage(gaid, days, useSums{bots: &u.Bots, totals: &u.Counts, days: u.Days, channels: &u.Channels}.add)
	})
}

// fieldFault converts a NotFound into an error about a field; it returns nil for other
// errors.
func fieldFault(err error, field string) error {
	if dam.KindOf(err) != dam.NotFound {
		return nil
	}
	return dam.InvalidField(field, "The selected %s is invalid.", field)
}

package app

import (
	"context"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// trimAnalytics deletes what has been kept long enough.
func (u *upkeep) trimAnalytics(tx *storage.Tx) (int64, error) {
	before := func(keep time.Duration) dam.Day {
		if keep == 0 { // switched off
			return dam.DayOf(tx.Now()) + 1
		}
		return dam.DayOf(tx.Now().Add(-keep))
	}
	keep := u.cfg.AnalyticsKeep
	return tx.TrimAnalytics(before(keep), before(min(keep, u.cfg.QueryKeep)), upkeepStep)
}

// Overview says how the library was used on some days, as far as the actor may know: what was
// counted until now is in it.
func (a *App) Overview(ctx context.Context, actor dam.Actor, days dam.Days) (*dam.Overview, error) {
	if err := mayReadAnalytics(actor); err != nil {
		return nil, err
	}
	owner := actor.User.ID
	if seesShare(actor, 0) {
		owner = 0
	}
	a.Analytics.flush(ctx)
	o := &dam.Overview{Days: days, ByDay: emptyDays(days)}
	err := a.store.View(ctx, func(tx *storage.Tx) (err error) {
		sums := useSums{bots: &o.Bots, totals: &o.Totals, days: o.ByDay, channels: &o.ByChannel}
		if err := tx.UsageOf(days, sums.add); err != nil {
			return err
		}
		if err := tx.TopUse(o, reader(actor), owner); err != nil {
			return err
		}
		o.Storage, err = tx.StorageUse()
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
	days         []dam.DayCounts // all of a range
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

// AssetsUsed lists how assets were used, the most used first, and of how many there is
// something: those in a collection as it is now, unless that is 0.
func (a *App) AssetsUsed(ctx context.Context, actor dam.Actor, f dam.AssetCountsFilter, collection int64, p dam.Page) (
	all []dam.AssetCounts, total int, err error,
) {
	if err := mayReadAssetAnalytics(actor); err != nil {
		return nil, 0, err
	}
	if f.ShareID != 0 {
		if _, err := a.Share(ctx, actor, f.ShareID); err != nil {
			return nil, 0, either(fieldFault(err, "share_id"), err)
		}
	}
	if f.OnlyAssets = collection != 0; f.OnlyAssets {
		var q dam.Query
		if _, err := a.Finder.within(ctx, actor, collection, &q); err != nil {
			return nil, 0, either(fieldFault(err, "collection_id"), err)
		}
		if f.Assets, err = a.Finder.IDs(ctx, actor, q); err != nil {
			return nil, 0, err
		}
	}
	a.Analytics.flush(ctx)
	err = a.store.View(ctx, func(tx *storage.Tx) error {
		all, total, err = tx.AssetCounts(f, p)
		return err
	})
	return all, total, err
}

// AssetUsed says how an asset was used on some days. It may be gone.
func (a *App) AssetUsed(ctx context.Context, actor dam.Actor, gaid dam.GAID, days dam.Days) (*dam.AssetUse, error) {
	if err := mayReadAssetAnalytics(actor); err != nil {
		return nil, err
	}
	a.Analytics.flush(ctx)
	u := &dam.AssetUse{AssetCounts: dam.AssetCounts{GAID: gaid, Gone: true}, Days: emptyDays(days)}
	return u, a.store.View(ctx, func(tx *storage.Tx) error {
		asset, err := tx.Asset(gaid)
		switch {
		case dam.KindOf(err) == dam.NotFound:
			if has, e := tx.HasUsage(gaid); e != nil || !has {
				return either(e, err)
			}
		case err != nil:
			return err
		default:
			u.Title, u.Gone = asset.Title, asset.DeletedAt != nil
		}
		return tx.AssetUsage(gaid, days, useSums{bots: &u.Bots, totals: &u.Counts, days: u.Days, channels: &u.Channels}.add)
	})
}

// fieldFault returns a NotFound as a fault of a field, nil for other errors.
func fieldFault(err error, field string) error {
	if dam.KindOf(err) != dam.NotFound {
		return nil
	}
	return dam.InvalidField(field, "The selected %s is invalid.", field)
}

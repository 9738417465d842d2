package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// AnalyticsCounts counts actions.
type AnalyticsCounts struct {
	Views         int64 `json:"views" minimum:"0" doc:"Views of assets." example:"812"`
	Visits        int64 `json:"visits" minimum:"0" doc:"Visits to share pages." example:"64"`
	Plays         int64 `json:"plays" minimum:"0" doc:"Plays of video and audio in shares." example:"7"`
	Downloads     int64 `json:"downloads" minimum:"0" doc:"Downloads; an archive of several files counts once." example:"120"`
	Shares        int64 `json:"shares" minimum:"0" doc:"Shares created, including embeds." example:"5"`
	Searches      int64 `json:"searches" minimum:"0" doc:"Text searches in the period." example:"240"`
	EmptySearches int64 `json:"searches_without_results" minimum:"0" doc:"Text searches without results." example:"12"`
}

func toAnalyticsCounts(c dam.Counts) AnalyticsCounts {
	return AnalyticsCounts{c.Views, c.Visits, c.Plays, c.Downloads, c.Shares, c.Searches, c.EmptySearches}
}

// AnalyticsUses counts actions on assets.
type AnalyticsUses struct {
	Views     int64 `json:"views" minimum:"0" doc:"Views of the asset." example:"31"`
	Plays     int64 `json:"plays" minimum:"0" doc:"Plays of video and audio in shares." example:"0"`
	Downloads int64 `json:"downloads" minimum:"0" doc:"Downloads, single or in archives." example:"4"`
}

func toAnalyticsUses(c dam.Counts) AnalyticsUses { return AnalyticsUses{c.Views, c.Plays, c.Downloads} }

// The parts of analytics answers.
type (
	// AnalyticsDay holds the counts of a day.
	AnalyticsDay struct {
		Date string `json:"date" format:"date" doc:"The day, in UTC." example:"2026-01-31"`
		AnalyticsCounts
	}
	// AnalyticsChannel holds the counts of a channel.
	AnalyticsChannel struct {
		Channel dam.Channel `json:"channel" example:"share"`
		AnalyticsCounts
	}
	// AnalyticsStorage is the storage used by a file category.
	AnalyticsStorage struct {
		FileCategory dam.FileCategory `json:"file_category" example:"Image"`
		Count        int64            `json:"count" minimum:"1" doc:"Number of assets." example:"812"`
		Bytes        int64            `json:"bytes" minimum:"0" doc:"Total size of their files, in bytes." example:"73400320"`
	}
	// AnalyticsAsset holds the usage of an asset.
	AnalyticsAsset struct {
		GAID   dam.GAID `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
		Title  *string  `json:"title" doc:"Title of the asset; null once it is permanently deleted." example:"Harbour at dawn"`
		IsGone bool     `json:"is_gone" doc:"Whether the asset is in the trash or permanently deleted." example:"false"`
		AnalyticsUses
	}
	// AnalyticsCollection holds the usage of a collection's assets.
	AnalyticsCollection struct {
		ID   int64  `json:"id" example:"2"`
		Name string `json:"name" example:"Harbours"`
		AnalyticsUses
	}
	// AnalyticsShare holds the usage of a share.
	AnalyticsShare struct {
		ID   int64         `json:"id" example:"7"`
		Name string        `json:"name" example:"Press pictures, spring"`
		Type dam.ShareType `json:"type" example:"assets"`
		AnalyticsUses
	}
	// AnalyticsQuery is a search text and its frequency.
	AnalyticsQuery struct {
		Text  string `json:"text" example:"harbour dawn"`
		Count int64  `json:"count" minimum:"1" doc:"Number of searches with this text." example:"17"`
	}
	// AnalyticsOverview holds the usage of the library.
	AnalyticsOverview struct {
		From         string                `json:"from" format:"date" doc:"First day of the range." example:"2026-01-01"`
		To           string                `json:"to" format:"date" doc:"Last day of the range." example:"2026-01-31"`
		Totals       AnalyticsCounts       `json:"totals"`
		Bots         AnalyticsCounts       `json:"bots"`
		Days         []AnalyticsDay        `json:"days" maxItems:"731" doc:"All days of the range, oldest first."`
		Channels     []AnalyticsChannel    `json:"channels" maxItems:"5" doc:"Channels with any activity."`
		Storage      []AnalyticsStorage    `json:"storage" maxItems:"4" doc:"Current storage of the assets outside the trash."`
		Assets       []AnalyticsAsset      `json:"top_assets" maxItems:"10"`
		Collections  []AnalyticsCollection `json:"top_collections" maxItems:"10"`
		Shares       []AnalyticsShare      `json:"top_shares" maxItems:"10"`
		Queries      []AnalyticsQuery      `json:"top_queries" maxItems:"10" doc:"Most frequent queries."`
		EmptyQueries []AnalyticsQuery      `json:"top_queries_without_results" maxItems:"10" doc:"Most frequent queries without results."`
	}
	// AssetAnalytics holds the usage of one asset.
	AssetAnalytics struct {
		GAID     dam.GAID                `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
		Title    *string                 `json:"title" doc:"Title of the asset; null once it is permanently deleted." example:"Harbour at dawn"`
		IsGone   bool                    `json:"is_gone" doc:"Whether the asset is in the trash or permanently deleted." example:"false"`
		From     string                  `json:"from" format:"date" doc:"First day of the range." example:"2026-01-01"`
		To       string                  `json:"to" format:"date" doc:"Last day of the range." example:"2026-01-31"`
		Totals   AnalyticsUses           `json:"totals"`
		Bots     AnalyticsUses           `json:"bots"`
		Days     []AssetAnalyticsDay     `json:"days" maxItems:"731" doc:"All days of the range, oldest first."`
		Channels []AssetAnalyticsThrough `json:"channels" maxItems:"5" doc:"Channels with any activity."`
	}
	// AssetAnalyticsDay holds the usage of an asset on one day.
	AssetAnalyticsDay struct {
		Date string `json:"date" format:"date" doc:"The day, in UTC." example:"2026-01-31"`
		AnalyticsUses
	}
	// AssetAnalyticsThrough holds the usage of an asset through one channel.
	AssetAnalyticsThrough struct {
		Channel dam.Channel `json:"channel" example:"share"`
		AnalyticsUses
	}
)

func toAnalyticsAsset(c dam.AssetCounts) AnalyticsAsset {
	return AnalyticsAsset{c.GAID, text(c.Title), c.Gone, toAnalyticsUses(c.Counts)}
}

func toQuery(q dam.QueryCount) AnalyticsQuery { return AnalyticsQuery(q) }

func toOverview(o *dam.Overview) AnalyticsOverview {
	return AnalyticsOverview{
		From: o.Days.From.String(), To: o.Days.To.String(), Totals: toAnalyticsCounts(o.Totals), Bots: toAnalyticsCounts(o.Bots),
		Days: mapped(o.ByDay, func(d dam.DayCounts) AnalyticsDay {
			return AnalyticsDay{d.Day.String(), toAnalyticsCounts(d.Counts)}
		}),
		Channels: mapped(o.ByChannel, func(c dam.ChannelCounts) AnalyticsChannel {
			return AnalyticsChannel{c.Channel, toAnalyticsCounts(c.Counts)}
		}),
		Storage: mapped(o.Storage, func(s dam.StorageUse) AnalyticsStorage { return AnalyticsStorage{s.Category, s.Count, s.Bytes} }),
		Assets:  mapped(o.Assets, toAnalyticsAsset),
		Collections: mapped(o.Collections, func(c dam.CollectionCounts) AnalyticsCollection {
			return AnalyticsCollection{c.ID, c.Name, toAnalyticsUses(c.Counts)}
		}),
		Shares: mapped(o.Shares, func(c dam.ShareCounts) AnalyticsShare {
			return AnalyticsShare{c.ID, c.Name, c.Type, toAnalyticsUses(c.Counts)}
		}),
		Queries: mapped(o.Queries, toQuery), EmptyQueries: mapped(o.EmptyQueries, toQuery),
	}
}

func toAssetAnalytics(days dam.Days) func(*dam.AssetUse) AssetAnalytics {
	return func(u *dam.AssetUse) AssetAnalytics {
		return AssetAnalytics{
			GAID: u.GAID, Title: text(u.Title), IsGone: u.Gone, From: days.From.String(), To: days.To.String(),
			Totals: toAnalyticsUses(u.Counts), Bots: toAnalyticsUses(u.Bots),
			Days: mapped(u.Days, func(d dam.DayCounts) AssetAnalyticsDay {
				return AssetAnalyticsDay{d.Day.String(), toAnalyticsUses(d.Counts)}
			}),
			Channels: mapped(u.Channels, func(c dam.ChannelCounts) AssetAnalyticsThrough {
				return AssetAnalyticsThrough{c.Channel, toAnalyticsUses(c.Counts)}
			}),
		}
	}
}

// AnalyticsSort is the count to sort assets by, in descending order.
type AnalyticsSort string

// Values lists the sort options.
func (AnalyticsSort) Values() []AnalyticsSort { return []AnalyticsSort{"views", "downloads"} }

// usualDays is the default length of the range in days, today included.
const usualDays = 30

// DaysInput is a range of days.
type DaysInput struct {
	From string `query:"from" format:"date" doc:"First day, in UTC. Default: 29 days before the last day." example:"2026-01-01"`
	To   string `query:"to" format:"date" doc:"Last day, in UTC. Default: today." example:"2026-01-31"`
}

// days returns the range, at most dam.MaxAnalyticsDays long.
func (in *DaysInput) days(ctx context.Context) (d dam.Days, err error) {
	d.To = dam.DayOf(requestOf(ctx).start)
	if in.To != "" {
		if d.To, err = dam.ParseDay(in.To); err != nil {
			return d, dam.InvalidField("to", "to must be a date such as 2026-01-31.")
		}
	}
	d.From = d.To - usualDays + 1
	if in.From != "" {
		if d.From, err = dam.ParseDay(in.From); err != nil {
			return d, dam.InvalidField("from", "from must be a date such as 2026-01-31.")
		}
	}
	switch {
	case d.To < d.From:
		return d, dam.InvalidField("to", "The last day must not be before the first.")
	case d.Len() > dam.MaxAnalyticsDays:
		return d, dam.InvalidField("from", "There can be at most %d days.", dam.MaxAnalyticsDays)
	}
	return d, nil
}

type (
	// AssetsUsedFilters are the parameters for the usage of assets.
	AssetsUsedFilters struct {
		DaysInput
		SortBy     AnalyticsSort `query:"sort_by" default:"views" example:"downloads"`
		Collection int64         `query:"collection_id" minimum:"1" example:"2"`
		Share      int64         `query:"share_id" minimum:"1" example:"7"`
	}
	assetsUsedInput struct {
		PageInput
		AssetsUsedFilters
	}
	assetsUsedTableInput struct{ AssetsUsedFilters }
	assetUsedInput       struct {
		GAIDInput
		DaysInput
	}
)

func (f *AssetsUsedFilters) filter(ctx context.Context) (dam.AssetCountsFilter, error) {
	days, err := f.days(ctx)
	return dam.AssetCountsFilter{Days: days, ByDownloads: f.SortBy == "downloads", ShareID: f.Share}, err
}

func (s *Server) analyticsRoutes() {
	analytics := group{tag: "Analytics", path: "/analytics", abilities: []dam.Ability{dam.AnalyticsRead}}
	register(s, analytics.route("showAnalytics", "GET", "/overview", "Show usage analytics").searching(), s.showAnalytics)
	byDay := analytics.route("downloadAnalytics", "GET", "/overview/download", "Download usage analytics as CSV")
	byDay.responses = s.tableResponses()
	register(s, byDay, s.downloadAnalytics)
	list := analytics.route("listAssetAnalytics", "GET", "/assets", "List usage by asset", dam.AssetsRead)
	register(s, list.searching(), s.listAssetAnalytics)
	table := analytics.route("downloadAssetsAnalytics", "GET", "/assets/download", "Download usage by asset as CSV", dam.AssetsRead)
	table.responses = s.tableResponses()
	register(s, table.searching(), s.downloadAssetsAnalytics)
	register(s, analytics.route("showAssetAnalytics", "GET", "/assets/{gaid}", "Show the usage of an asset", dam.AssetsRead),
		s.showAssetAnalytics)
	one := analytics.route("downloadAssetAnalytics", "GET", "/assets/{gaid}/download", "Download the usage of an asset as CSV",
		dam.AssetsRead)
	one.responses = s.tableResponses()
	register(s, one, s.downloadAssetAnalytics)
}

func (s *Server) showAnalytics(ctx context.Context, in *DaysInput) (*oneOutput[AnalyticsOverview], error) {
	days, err := in.days(ctx)
	if err != nil {
		return nil, err
	}
	return answer(toOverview)(s.app.Reports.Overview(ctx, requestOf(ctx).actor, days))
}

func (s *Server) downloadAnalytics(ctx context.Context, in *DaysInput) (*streamOutput, error) {
	days, err := in.days(ctx)
	if err != nil {
		return nil, err
	}
	write, err := s.app.Reports.UseTable(ctx, requestOf(ctx).actor, days)
	return s.table(ctx, "analytics-"+days.String()+".csv", write), err
}

func (s *Server) listAssetAnalytics(ctx context.Context, in *assetsUsedInput) (*listOutput[AnalyticsAsset], error) {
	f, err := in.filter(ctx)
	if err != nil {
		return nil, err
	}
	return pageAnswer(ctx, &in.PageInput, toAnalyticsAsset)(s.app.Reports.AssetsUsed(ctx, requestOf(ctx).actor, f, in.Collection, in.page()))
}

func (s *Server) downloadAssetsAnalytics(ctx context.Context, in *assetsUsedTableInput) (*streamOutput, error) {
	f, err := in.filter(ctx)
	if err != nil {
		return nil, err
	}
	write, err := s.app.Reports.AssetsUsedTable(ctx, requestOf(ctx).actor, f, in.Collection)
	return s.table(ctx, "assets-"+f.Days.String()+".csv", write), err
}

func (s *Server) showAssetAnalytics(ctx context.Context, in *assetUsedInput) (*oneOutput[AssetAnalytics], error) {
	days, err := in.days(ctx)
	if err != nil {
		return nil, err
	}
	return answer(toAssetAnalytics(days))(s.app.Reports.AssetUsed(ctx, requestOf(ctx).actor, in.GAID, days))
}

func (s *Server) downloadAssetAnalytics(ctx context.Context, in *assetUsedInput) (*streamOutput, error) {
	days, err := in.days(ctx)
	if err != nil {
		return nil, err
	}
	write, err := s.app.Reports.AssetUseTable(ctx, requestOf(ctx).actor, in.GAID, days)
	return s.table(ctx, string(in.GAID)+"-"+days.String()+".csv", write), err
}

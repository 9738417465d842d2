package dam

import (
	"strings"
	"time"
	"unicode/utf8"
)

// A Channel is the way through which a counted use reached the library.
type Channel string

// The channels.
const (
	ChannelApp   Channel = "app"   // signed-in users
	ChannelAPI   Channel = "api"   // tokens
	ChannelShare Channel = "share" // share pages
	ChannelEmbed Channel = "embed" // players on other sites
	ChannelImage Channel = "image" // signed image URLs
)

// Values lists the channels.
func (Channel) Values() []Channel {
	return []Channel{ChannelApp, ChannelAPI, ChannelShare, ChannelEmbed, ChannelImage}
}

// Limits of analytics.
const (
	MaxAnalyticsDays = 731  // range of one answer
	MaxDayQueries    = 1000 // different query texts kept for each day
	MaxKeptQuery     = 100  // characters kept of a query
	TopMost          = 10   // assets, shares etc. in the lists of an overview
)

// Counts are the usage counters.
type Counts struct {
	Views         int64 // of assets
	Visits        int64 // to share pages
	Plays         int64 // of videos and audio in shares
	Downloads     int64 // a single file or an archive counts as one
	Archived      int64 // files in archives
	Shares        int64 // created, including embeds
	Searches      int64
	EmptySearches int64 // searches without results; included in Searches
}

// Add adds o to c.
func (c *Counts) Add(o Counts) {
	c.Views += o.Views
	c.Visits += o.Visits
	c.Plays += o.Plays
	c.Downloads += o.Downloads
	c.Archived += o.Archived
	c.Shares += o.Shares
	c.Searches += o.Searches
	c.EmptySearches += o.EmptySearches
}

// A CountKey identifies the subject of Counts.
type CountKey struct {
	Day     Day
	Channel Channel
	Bot     bool
	GAID    GAID  // "" if not specific to an asset
	ShareID int64 // 0 if not specific to a share
}

// A Day is a number of days since 1970-01-01, in UTC.
type Day int

// DayOf returns the day of a time.
func DayOf(t time.Time) Day { return Day(floorDiv(t.Unix(), 24*60*60)) }

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// String formats the day as 2006-01-02.
func (d Day) String() string { return time.Unix(int64(d)*24*60*60, 0).UTC().Format(time.DateOnly) }

// ParseDay parses the format of String.
func ParseDay(s string) (Day, error) {
	t, err := time.Parse(time.DateOnly, s)
	return DayOf(t), err
}

// Days is a range of days, both ends included.
type Days struct{ From, To Day }

// Len returns the number of days.
func (d Days) Len() int { return int(d.To-d.From) + 1 }

// String formats the range as 2006-01-02-2006-01-31.
func (d Days) String() string { return d.From.String() + "-" + d.To.String() }

// DayCounts are the counts of a day.
type DayCounts struct {
	Day Day
	Counts
}

// ChannelCounts are the counts of a channel.
type ChannelCounts struct {
	Channel Channel
	Counts
}

// AssetCounts are the counts of an asset. Downloads include downloads in archives.
type AssetCounts struct {
	GAID  GAID
	Title string // "" for a deleted asset
	Gone  bool   // permanently deleted, or in the trash
	Counts
}

// AssetUse is the usage of an asset.
type AssetUse struct {
	AssetCounts
	Bots     Counts // separate from AssetCounts
	Days     []DayCounts
	Channels []ChannelCounts
}

// CollectionCounts are the counts of the assets of a collection.
type CollectionCounts struct {
	ID   int64
	Name string
	Counts
}

// ShareCounts are the counts of a share. Views counts page visits for a share and views for
// an embed.
type ShareCounts struct {
	ID   int64
	Name string
	Type ShareType
	Counts
}

// QueryCount is the number of searches for a text.
type QueryCount struct {
	Text  string
	Count int64
}

// StorageUse is the storage that the assets of a category occupy.
type StorageUse struct {
	Category FileCategory
	Count    int64
	Bytes    int64 // size of their files
}

// Overview is the usage of a library.
type Overview struct {
	Days         Days
	Totals, Bots Counts
	ByDay        []DayCounts // every day of the range, earliest first
	ByChannel    []ChannelCounts
	Storage      []StorageUse

	// The most used, at most TopMost of each.
	Assets                []AssetCounts
	Collections           []CollectionCounts
	Shares                []ShareCounts
	Queries, EmptyQueries []QueryCount
}

// AssetCountsFilter selects the assets in a list of counts.
type AssetCountsFilter struct {
	Days        Days
	ByDownloads bool  // sorts by downloads instead of views
	ShareID     int64 // only use of this share; 0 for all
	Assets      []int64
	OnlyAssets  bool // restricts the list to Assets
}

// QueryText returns the form of a search text that is recorded. It normalizes case and
// whitespace.
func QueryText(q string) string {
	text := strings.ToLower(strings.Join(strings.Fields(Visible(q)), " "))
	if utf8.RuneCountInString(text) > MaxKeptQuery {
		text = strings.TrimSpace(string([]rune(text)[:MaxKeptQuery]))
	}
	return text
}

// botMarks are substrings of the user agents of programs without a human reader: crawlers,
// link previews, uptime monitors, and HTTP libraries and commands. Programs that pretend to
// be a browser are not detected.
var botMarks = []string{
	"bot", "crawl", "spider", "slurp", "preview", "facebookexternalhit", "whatsapp", "skypeuripreview", "embedly", "monitor", "uptime",
	"pingdom", "headless", "phantomjs", "lighthouse", "scrapy", "archiver", "feedfetcher", "mediapartners",
	"curl/", "wget/", "python", "go-http-client", "java/", "okhttp", "libwww", "node-fetch", "axios/", "undici", "httpclient", "guzzle",
	"postmanruntime", "ruby", "perl", "apache-http",
}

// IsBot reports whether a user agent belongs to a program without a human reader. An empty
// user agent does.
func IsBot(agent string) bool {
	agent = strings.ToLower(agent)
	if strings.TrimSpace(agent) == "" {
		return true
	}
	for _, mark := range botMarks {
		if strings.Contains(agent, mark) {
			return true
		}
	}
	return false
}

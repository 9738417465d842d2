package dam

import (
	"strings"
	"time"
	"unicode/utf8"
)

// A Channel is how somebody came to what was counted.
type Channel string

// The channels.
const (
	ChannelApp   Channel = "app"   // people who are logged in
	ChannelAPI   Channel = "api"   // tokens
	ChannelShare Channel = "share" // the page of a share
	ChannelEmbed Channel = "embed" // a player on another page
	ChannelImage Channel = "image" // the signed URL of a picture
)

// Values lists the channels.
func (Channel) Values() []Channel {
	return []Channel{ChannelApp, ChannelAPI, ChannelShare, ChannelEmbed, ChannelImage}
}

// The bounds of analytics.
const (
	MaxAnalyticsDays = 731  // that one answer is about
	MaxDayQueries    = 1000 // different texts that are kept of a day
	MaxKeptQuery     = 100  // characters that are kept of one
	TopMost          = 10   // assets, shares and the like that an overview names
)

// Counts are numbers of what was done.
type Counts struct {
	Views         int64 // of an asset
	Visits        int64 // to the page of a share
	Plays         int64 // of a video or a sound in a share
	Downloads     int64 // a file, or an archive of many
	Archived      int64 // files in archives
	Shares        int64 // made, embeds included
	Searches      int64
	EmptySearches int64 // of Searches
}

// Add adds another.
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

// A CountKey says what Counts are of.
type CountKey struct {
	Day     Day
	Channel Channel
	Bot     bool
	GAID    GAID  // "" for what is about no one asset
	ShareID int64 // 0 for what is about no share
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

// String writes the day as 2006-01-02.
func (d Day) String() string { return time.Unix(int64(d)*24*60*60, 0).UTC().Format(time.DateOnly) }

// ParseDay reads what String writes.
func ParseDay(s string) (Day, error) {
	t, err := time.Parse(time.DateOnly, s)
	return DayOf(t), err
}

// Days are a range of days, both ends included.
type Days struct{ From, To Day }

// Len is how many days there are.
func (d Days) Len() int { return int(d.To-d.From) + 1 }

// String writes the days as 2006-01-02-2006-01-31.
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

// AssetCounts are the counts of an asset. Downloads include those in archives.
type AssetCounts struct {
	GAID  GAID
	Title string // "" once it is gone
	Gone  bool   // deleted for good, or in the trash
	Counts
}

// AssetUse is how an asset was used.
type AssetUse struct {
	AssetCounts
	Bots     Counts // apart
	Days     []DayCounts
	Channels []ChannelCounts
}

// CollectionCounts are the counts of the assets of a collection.
type CollectionCounts struct {
	ID   int64
	Name string
	Counts
}

// ShareCounts are the counts of a share. Views are visits to a share, and views of an embed.
type ShareCounts struct {
	ID   int64
	Name string
	Type ShareType
	Counts
}

// QueryCount is how often a text was searched for.
type QueryCount struct {
	Text  string
	Count int64
}

// StorageUse is what the assets of a category take.
type StorageUse struct {
	Category FileCategory
	Count    int64
	Bytes    int64 // of their files
}

// Overview is how a library was used.
type Overview struct {
	Days         Days
	Totals, Bots Counts
	ByDay        []DayCounts // all days of the range, the earliest first
	ByChannel    []ChannelCounts
	Storage      []StorageUse

	// The most used, up to TopMost of each.
	Assets                []AssetCounts
	Collections           []CollectionCounts
	Shares                []ShareCounts
	Queries, EmptyQueries []QueryCount
}

// AssetCountsFilter says which assets a list of their counts has.
type AssetCountsFilter struct {
	Days        Days
	ByDownloads bool  // the most downloaded first, not the most viewed
	ShareID     int64 // only what was done in this share; 0 for all
	Assets      []int64
	OnlyAssets  bool // only those of Assets
}

// QueryText returns what is kept of a text that somebody searched for: how it is written in
// upper or lower case and with spaces makes no difference.
func QueryText(q string) string {
	text := strings.ToLower(strings.Join(strings.Fields(Visible(q)), " "))
	if utf8.RuneCountInString(text) > MaxKeptQuery {
		text = strings.TrimSpace(string([]rune(text)[:MaxKeptQuery]))
	}
	return text
}

// botMarks are in how programs name themselves that no person looks through: crawlers, those
// that preview links or watch sites, and libraries and commands that fetch. Programs that
// pretend to be a browser are taken for one.
var botMarks = []string{
	"bot", "crawl", "spider", "slurp", "preview", "facebookexternalhit", "whatsapp", "skypeuripreview", "embedly", "monitor", "uptime",
	"pingdom", "headless", "phantomjs", "lighthouse", "scrapy", "archiver", "feedfetcher", "mediapartners",
	"curl/", "wget/", "python", "go-http-client", "java/", "okhttp", "libwww", "node-fetch", "axios/", "undici", "httpclient", "guzzle",
	"postmanruntime", "ruby", "perl", "apache-http",
}

// IsBot reports whether a user agent names a program that no person looks through. One that
// names nothing does.
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

package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

// Config holds the settings of an App. Start from DefaultConfig: a zero value
// does not stand for a default. Limits has the defaults and bounds of all
// numbers.
type Config struct {
	DataDir   string // the data folder
	Access    Access // what the library is opened for; the zero value creates one if there is none
	AllowRoot bool   // root may write to another user's folder

	MaxFileSize     int64         // bytes of one uploaded file
	MaxBatchFiles   int           // files in one upload batch
	MaxRequestFiles int           // files in one upload request
	BatchIdle       time.Duration // an open batch is closed after this long without a new file
	UploadKeep      time.Duration // how long an unfinished upload is kept after its last byte
	FailedKeep      time.Duration // how long the bytes of a failed file are kept for a retry
	AuditKeep       time.Duration // how long the audit trail is kept
	AnalyticsKeep   time.Duration // how long is known how the library was used; 0: it is not counted
	QueryKeep       time.Duration // how long is known what was searched for; 0: it is not kept
	EventKeep       time.Duration // how long events are kept
	ExportKeep      time.Duration // how long the file of an export is kept
	ExportQuota     int64         // bytes that one user's export files may take up
	LostKeep        time.Duration // how long a file that no record refers to is kept
	MaxTableSize    int64         // bytes of one table that changes assets
	OperationKeep   time.Duration // how long a finished operation is kept
	VersionKeep     time.Duration // how long a file is kept after a new version has replaced it
	RenditionCache  int64         // bytes of the renditions that are kept; 0 for no bound
	FollowPlaces    bool          // Run follows the folders of files in place
	RescanEvery     time.Duration // how often folders of files in place are scanned even if nothing is told
	DiskReserve     int64         // bytes kept free on each disk; 0: 512 MiB, or 5 % of a smaller disk
	JobAttempts     int           // how often a job is tried before it is given up
	Workers         int           // files ingested at once; 0: one more than processors, at most 8
	Clamd           string        // "unix:/path" or "tcp://host:port"; "" for none
	Embeddings      string        // EmbeddingsOff, EmbeddingsBuiltin, or the URL of an OpenAI-compatible endpoint
	EmbeddingsModel string        // the endpoint's model
	EmbeddingsKey   string        // the endpoint's secret
	TagThreshold    float64       // the score of tags for what pictures show, 0.5 to 1; 0 for no such tags
	AIEndpoint      string        // the URL of an OpenAI-compatible endpoint that describes pictures; "" for none
	AIModel         string        // its model
	AIKey           string        // its secret
	AIBudget        int           // requests to it in an hour
	Language        string        // of search.Languages; "" for that of the index there is, or English
	Media           media.Limits
	Stack           string   // StackOn or StackOff
	AcceptAny       bool     // files of types that the library does not read are accepted
	AllowPrograms   bool     // programs and scripts are, too
	Reject          []string // types of files that are rejected: see media.CheckReject
	EngineWorkers   int      // processes that run engines; 0: one for two processors, at most 4
	EngineMemory    int64    // bytes that one of them may use for the engine
	EnginesDir      string   // files of engines that win over those built in; "" for none
	EnginesOff      []string // engines that are not used
	EngineCommand   []string // what runs such a process; nil for this program
	EngineCache     string   // a folder for compiled engines; "" for one in the data folder
	OCR             string   // of OCRModes
	OCRLanguages    []string // that text in pictures is in, the likeliest first
	OCRData         string   // a folder of Tesseract's data of languages besides those built in; "" for none
	OCRPages        int      // of one file that are read
	FFmpeg          string   // a program that makes copies which browsers play; "" for none

	BackupDir   string        // Run makes backups in this folder; "" for none
	BackupEvery time.Duration // the time between two backups
	BackupKeep  int           // how many of them are kept

	MaxStreams        int // streams of updates open at once
	MaxStreamsPerUser int // of them, of one user

	SMTP     string // the URL of the mail server that sends codes to guests, see mail.New; "" for none
	SiteName string // of the library, as mails name it

	WebhookAllow    []netip.Prefix // private addresses that webhooks may be sent to
	WebhookProxy    *url.URL       // an HTTP proxy for webhooks; nil for none
	WebhookCAFile   string         // PEM certificates to trust besides the system's
	WebhookKeep     time.Duration  // how long the history of deliveries is kept
	WebhookTimeout  time.Duration  // of one attempt
	WebhookResolver *net.Resolver  // looks up receivers; nil for the system's
	EventView       EventView      // what webhooks are sent; without it, events wait for a server
	Version         string         // of dal, as receivers see it

	Now func() time.Time // the clock
	Log *slog.Logger
}

// DefaultConfig returns the settings of a server that nobody has changed, but
// for the data folder.
func DefaultConfig() Config {
	c := Config{
		Embeddings:   EmbeddingsBuiltin,
		TagThreshold: defaultTagThreshold,
		OCR:          OCRAuto, OCRLanguages: []string{"eng", "deu"},
		Stack:        StackOn,
		AcceptAny:    true,
		FollowPlaces: true,
		Media:        media.DefaultLimits(),
		Version:      "dev",
		SiteName:     "dal",
		Now:          time.Now,
		Log:          slog.Default(),
	}
	c.Limits().SetDefaults()
	return c
}

const (
	day  = 24 * time.Hour
	ever = 36_500 * day // the longest that anything is kept
)

// Limits returns the defaults and bounds of all numbers in c.
func (c *Config) Limits() Limits {
	const (
		leastKeep = time.Minute
		tebibyte  = 1 << 40
		exbibyte  = 1 << 60
	)
	m := media.DefaultLimits()
	return Limits{
		NewLimit("MaxFileSize", &c.MaxFileSize, 10<<30, 1, 16*tebibyte),
		NewLimit("MaxBatchFiles", &c.MaxBatchFiles, 10_000, 1, 100_000),
		NewLimit("MaxRequestFiles", &c.MaxRequestFiles, 1000, 1, 10_000),
		NewLimit("BatchIdle", &c.BatchIdle, day, time.Minute, 365*day),
		NewLimit("UploadKeep", &c.UploadKeep, day, leastKeep, ever),
		NewLimit("FailedKeep", &c.FailedKeep, 30*day, leastKeep, ever),
		NewLimit("AuditKeep", &c.AuditKeep, 90*day, leastKeep, ever),
		NewLimit("AnalyticsKeep", &c.AnalyticsKeep, 730*day, 0, ever),
		NewLimit("QueryKeep", &c.QueryKeep, 90*day, 0, ever),
		NewLimit("EventKeep", &c.EventKeep, 30*day, leastKeep, ever),
		NewLimit("ExportKeep", &c.ExportKeep, day, leastKeep, ever),
		NewLimit("ExportQuota", &c.ExportQuota, 50<<30, 1, exbibyte),
		NewLimit("MaxTableSize", &c.MaxTableSize, 64<<20, 1, 4<<30),
		NewLimit("LostKeep", &c.LostKeep, 30*day, leastKeep, ever),
		NewLimit("OperationKeep", &c.OperationKeep, 90*day, leastKeep, ever),
		NewLimit("VersionKeep", &c.VersionKeep, 365*day, leastKeep, ever),
		NewLimit("RenditionCache", &c.RenditionCache, 20<<30, 0, exbibyte),
		NewLimit("RescanEvery", &c.RescanEvery, time.Hour, time.Second, 365*day),
		NewLimit("DiskReserve", &c.DiskReserve, 0, 0, exbibyte),
		NewLimit("JobAttempts", &c.JobAttempts, 5, 1, 100),
		NewLimit("Workers", &c.Workers, 0, 0, 256),
		NewLimit("Media.MaxPixels", &c.Media.MaxPixels, m.MaxPixels, 1, 10_000_000_000),
		NewLimit("Media.MaxFrames", &c.Media.MaxFrames, m.MaxFrames, 1, 100_000),
		NewLimit("Media.MemoryBudget", &c.Media.MemoryBudget, m.MemoryBudget, 16<<20, tebibyte),
		NewLimit("Media.Timeout", &c.Media.Timeout, m.Timeout, time.Second, day),
		NewLimit("EngineWorkers", &c.EngineWorkers, 0, 0, 64),
		NewLimit("EngineMemory", &c.EngineMemory, 1<<30, 64<<20, 4<<30),
		NewLimit("AIBudget", &c.AIBudget, 100, 1, 1_000_000),
		NewLimit("OCRPages", &c.OCRPages, 100, 1, 10_000),
		NewLimit("BackupEvery", &c.BackupEvery, day, time.Second, 365*day),
		NewLimit("BackupKeep", &c.BackupKeep, 7, 1, 10_000),
		NewLimit("MaxStreams", &c.MaxStreams, 500, 1, 100_000),
		NewLimit("MaxStreamsPerUser", &c.MaxStreamsPerUser, 20, 1, 100_000),
		NewLimit("WebhookKeep", &c.WebhookKeep, 30*day, leastKeep, ever),
		NewLimit("WebhookTimeout", &c.WebhookTimeout, 10*time.Second, 100*time.Millisecond, time.Hour),
	}
}

// KeepAll is for programs that open a library beside its server or without one:
// deleting what has been kept long enough, and following files in place, is left to
// the server, which knows the settings.
func (c *Config) KeepAll() {
	c.FollowPlaces = false
	for _, keep := range []*time.Duration{
		&c.UploadKeep, &c.FailedKeep, &c.AuditKeep, &c.EventKeep, &c.LostKeep, &c.OperationKeep, &c.VersionKeep, &c.WebhookKeep,
		&c.AnalyticsKeep, &c.QueryKeep,
	} {
		*keep = ever
	}
}

// check refuses settings that DefaultConfig did not begin, or that are out of
// bounds.
func (c *Config) check() error {
	if c.Now == nil || c.Log == nil {
		return errors.New("the configuration has no clock or no log; start from DefaultConfig")
	}
	if c.Language != "" {
		if err := search.CheckLanguage(c.Language); err != nil {
			return err
		}
	}
	for _, name := range c.EnginesOff {
		if err := CheckEngine(name); err != nil {
			return err
		}
	}
	for _, pattern := range c.Reject {
		if err := media.CheckReject(pattern); err != nil {
			return err
		}
	}
	if err := CheckTagThreshold(c.TagThreshold); err != nil {
		return err
	}
	if !slices.Contains(OCRModes(), c.OCR) {
		return fmt.Errorf("text recognition is %s, not %q", strings.Join(OCRModes(), ", "), c.OCR)
	}
	if c.OCR != OCROff {
		if len(c.OCRLanguages) == 0 || len(c.OCRLanguages) > maxOCRLanguages {
			return fmt.Errorf("text recognition takes 1 to %d languages", maxOCRLanguages)
		}
		if err := CheckLanguages(c.OCRLanguages, c.OCRData); err != nil {
			return err
		}
	}
	return c.Limits().Check()
}

// accepts says which files are accepted.
func (c *Config) accepts() media.Accept {
	return media.Accept{Unread: c.AcceptAny, Programs: c.AllowPrograms, Reject: c.Reject}
}

// workers is how many files are ingested at once. By default it is one more than
// there are processors, since a file waits for the disk now and then.
func (c *Config) workers() int {
	if c.Workers > 0 {
		return c.Workers
	}
	return min(runtime.GOMAXPROCS(0)+1, 8)
}

// fairShare bounds how many of those files have the same owner. Guest uploads never take all workers, unless
// there is only one, nor all processes that run engines.
func (c *Config) fairShare() *storage.FairShare {
	n := c.workers()
	return &storage.FairShare{Owner: max(1, n-1), Guests: max(1, n/2-1)}
}

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

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/library"
	"github.com/digital-asset-library/dal/app/maintain"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/storage"
)

// Config holds the settings of an App. Start from DefaultConfig: a zero value does not
// select a default. Limits has the defaults and bounds of all numbers.
type Config struct {
	DataDir   string         // the data folder
	Access    library.Access // how to open the library; the zero value creates one if none exists
	AllowRoot bool           // allow root to write to another user's folder

	maintain.Retention // of records and files

	MaxFileSize     int64         // bytes per uploaded file
	MaxBatchFiles   int           // files per upload batch
	MaxRequestFiles int           // files per upload request
	ExportKeep      time.Duration // retention of export files
	ExportQuota     int64         // total bytes of a user's export files
	LostKeep        time.Duration // retention of orphaned files
	MaxTableSize    int64         // bytes per import table
	RenditionCache  int64         // bytes of cached renditions; 0 for no limit
	FollowPlaces    bool          // Run watches the folders of external libraries
	RescanEvery     time.Duration // interval of scans of external libraries that run even if no changes are reported
	DiskReserve     int64         // bytes kept free on each disk; 0 for 512 MiB, or 5 % of a smaller disk
	JobAttempts     int           // attempts before a job fails permanently
	Workers         int           // files ingested concurrently; 0 for one more than processors, at most 8
	Clamd           string        // "unix:/path" or "tcp://host:port"; "" for none
	Embeddings      string        // EmbeddingsOff, EmbeddingsBuiltin, or the URL of an OpenAI-compatible endpoint
	EmbeddingsModel string        // the endpoint's model
	EmbeddingsKey   string        // the endpoint's secret
	TagThreshold    float64       // minimum score of tags for picture content, 0.5 to 1; 0 disables these tags
	AIEndpoint      string        // URL of an OpenAI-compatible endpoint that describes pictures; "" for none
	AIModel         string        // the endpoint's model
	AIKey           string        // the endpoint's secret
	AIBudget        int           // requests to the endpoint per hour
	Language        string        // of search.Languages; "" for that of the existing index, or English
	Media           media.Limits
	Stack           string   // StackOn or StackOff
	AcceptAny       bool     // accept files of unsupported types
	AllowPrograms   bool     // also accept programs and scripts
	Reject          []string // rejected file types, see media.CheckReject
	EngineWorkers   int      // engine processes; 0 for one per two processors, at most 4
	EngineMemory    int64    // bytes of memory per engine process
	EnginesDir      string   // folder of engine files that override the built-in ones; "" for none
	EnginesOff      []string // disabled engines
	EngineCommand   []string // command that starts an engine process; nil for this program
	EngineCache     string   // folder for compiled engines; "" for one in the data folder
	OCR             string   // one of OCRModes
	OCRLanguages    []string // languages of text in pictures, most likely first
	OCRData         string   // folder of additional Tesseract language data; "" for none
	OCRPages        int      // pages read per file
	FFmpeg          string   // program that makes browser-playable copies; "" for none

	BackupDir   string        // folder that Run makes backups in; "" for none
	BackupEvery time.Duration // time between backups
	BackupKeep  int           // number of backups kept

	MaxStreams        int // concurrent update streams
	MaxStreamsPerUser int // concurrent update streams per user

	SMTP     string // URL of the mail server that sends codes to guests, see mail.New; "" for none
	SiteName string // name of the library in emails

	WebhookAllow    []netip.Prefix // private addresses that webhooks may use
	WebhookProxy    *url.URL       // HTTP proxy for webhooks; nil for none
	WebhookCAFile   string         // PEM certificates to trust in addition to the system's
	WebhookTimeout  time.Duration  // timeout per attempt
	WebhookResolver *net.Resolver  // resolves receivers; nil for the system's resolver
	EventView       EventView      // builds webhook payloads; without it, events wait for a server
	Version         string         // dal's version, as sent to receivers

	Now func() time.Time // the clock
	Log *slog.Logger
}

// DefaultConfig returns the default settings of a server, without a data folder.
func DefaultConfig() Config {
	c := Config{
		Embeddings:   find.EmbeddingsBuiltin,
		TagThreshold: analyze.DefaultTagThreshold,
		OCR:          analyze.OCRAuto, OCRLanguages: []string{"eng", "deu"},
		Stack:        ingest.StackOn,
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

// ever is the longest possible retention.
const ever = 36_500 * 24 * time.Hour

// Limits returns the defaults and bounds of all numbers in c.
func (c *Config) Limits() account.Limits {
	const (
		day       = 24 * time.Hour
		leastKeep = time.Minute
		tebibyte  = 1 << 40
		exbibyte  = 1 << 60
	)
	m := media.DefaultLimits()
	return account.Limits{
		account.NewLimit("MaxFileSize", &c.MaxFileSize, 10<<30, 1, 16*tebibyte),
		account.NewLimit("MaxBatchFiles", &c.MaxBatchFiles, 10_000, 1, 100_000),
		account.NewLimit("MaxRequestFiles", &c.MaxRequestFiles, 1000, 1, 10_000),
		account.NewLimit("BatchIdle", &c.BatchIdle, day, time.Minute, 365*day),
		account.NewLimit("UploadKeep", &c.UploadKeep, day, leastKeep, ever),
		account.NewLimit("FailedKeep", &c.FailedKeep, 30*day, leastKeep, ever),
		account.NewLimit("AuditKeep", &c.AuditKeep, 90*day, leastKeep, ever),
		account.NewLimit("AnalyticsKeep", &c.AnalyticsKeep, 730*day, 0, ever),
		account.NewLimit("QueryKeep", &c.QueryKeep, 90*day, 0, ever),
		account.NewLimit("EventKeep", &c.EventKeep, 30*day, leastKeep, ever),
		account.NewLimit("ExportKeep", &c.ExportKeep, day, leastKeep, ever),
		account.NewLimit("ExportQuota", &c.ExportQuota, 50<<30, 1, exbibyte),
		account.NewLimit("MaxTableSize", &c.MaxTableSize, 64<<20, 1, 4<<30),
		account.NewLimit("LostKeep", &c.LostKeep, 30*day, leastKeep, ever),
		account.NewLimit("OperationKeep", &c.OperationKeep, 90*day, leastKeep, ever),
		account.NewLimit("VersionKeep", &c.VersionKeep, 365*day, leastKeep, ever),
		account.NewLimit("RenditionCache", &c.RenditionCache, 20<<30, 0, exbibyte),
		account.NewLimit("RescanEvery", &c.RescanEvery, time.Hour, time.Second, 365*day),
		account.NewLimit("DiskReserve", &c.DiskReserve, 0, 0, exbibyte),
		account.NewLimit("JobAttempts", &c.JobAttempts, 5, 1, 100),
		account.NewLimit("Workers", &c.Workers, 0, 0, 256),
		account.NewLimit("Media.MaxPixels", &c.Media.MaxPixels, m.MaxPixels, 1, 10_000_000_000),
		account.NewLimit("Media.MaxFrames", &c.Media.MaxFrames, m.MaxFrames, 1, 100_000),
		account.NewLimit("Media.MemoryBudget", &c.Media.MemoryBudget, m.MemoryBudget, 16<<20, tebibyte),
		account.NewLimit("Media.Timeout", &c.Media.Timeout, m.Timeout, time.Second, day),
		account.NewLimit("EngineWorkers", &c.EngineWorkers, 0, 0, 64),
		account.NewLimit("EngineMemory", &c.EngineMemory, 1<<30, 64<<20, 4<<30),
		account.NewLimit("AIBudget", &c.AIBudget, 100, 1, 1_000_000),
		account.NewLimit("OCRPages", &c.OCRPages, 100, 1, 10_000),
		account.NewLimit("BackupEvery", &c.BackupEvery, day, time.Second, 365*day),
		account.NewLimit("BackupKeep", &c.BackupKeep, 7, 1, 10_000),
		account.NewLimit("MaxStreams", &c.MaxStreams, 500, 1, 100_000),
		account.NewLimit("MaxStreamsPerUser", &c.MaxStreamsPerUser, 20, 1, 100_000),
		account.NewLimit("WebhookKeep", &c.WebhookKeep, 30*day, leastKeep, ever),
		account.NewLimit("WebhookTimeout", &c.WebhookTimeout, 10*time.Second, 100*time.Millisecond, time.Hour),
	}
}

// KeepAll configures programs that open a library beside its server or without one:
// deleting data beyond its retention and watching external libraries are left to the
// server, which knows the settings.
func (c *Config) KeepAll() {
	c.FollowPlaces = false
	for _, keep := range []*time.Duration{
		&c.UploadKeep, &c.FailedKeep, &c.AuditKeep, &c.EventKeep, &c.LostKeep, &c.OperationKeep, &c.VersionKeep, &c.WebhookKeep,
		&c.AnalyticsKeep, &c.QueryKeep,
	} {
		*keep = ever
	}
}

// check rejects settings that are out of bounds or not derived from DefaultConfig.
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
	if err := analyze.CheckTagThreshold(c.TagThreshold); err != nil {
		return err
	}
	if !slices.Contains(analyze.OCRModes(), c.OCR) {
		return fmt.Errorf("text recognition is %s, not %q", strings.Join(analyze.OCRModes(), ", "), c.OCR)
	}
	if c.OCR != analyze.OCROff {
		if len(c.OCRLanguages) == 0 || len(c.OCRLanguages) > analyze.MaxOCRLanguages {
			return fmt.Errorf("text recognition takes 1 to %d languages", analyze.MaxOCRLanguages)
		}
		if err := analyze.CheckLanguages(c.OCRLanguages, c.OCRData); err != nil {
			return err
		}
	}
	return c.Limits().Check()
}

// accepts returns which files are accepted.
func (c *Config) accepts() media.Accept {
	return media.Accept{Unread: c.AcceptAny, Programs: c.AllowPrograms, Reject: c.Reject}
}

// workers returns the number of files ingested concurrently. The default is one more than
// the number of processors, since a file sometimes waits for the disk.
func (c *Config) workers() int {
	if c.Workers > 0 {
		return c.Workers
	}
	return min(runtime.GOMAXPROCS(0)+1, 8)
}

// fairShare limits how many of those files may have the same owner. Guest uploads never
// occupy all workers, unless there is only one, nor all engine processes.
func (c *Config) fairShare() *storage.FairShare {
	n := c.workers()
	return &storage.FairShare{Owner: max(1, n-1), Guests: max(1, n/2-1)}
}

// embedder returns the configuration of the embedding model.
func (c *Config) embedder() find.EmbedderConfig {
	return find.EmbedderConfig{Source: c.Embeddings, Model: c.EmbeddingsModel, Key: c.EmbeddingsKey}
}

package cli

import (
	"os"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/analyze"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/ingest"
	"github.com/digital-asset-library/dal/app/media"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/web"
)

// defaultListen is the default listen address.
const defaultListen = "127.0.0.1:8080"

// embeddingsKey is the environment variable with the secret of the endpoint.
const embeddingsKey = "DAL_EMBEDDINGS_KEY"

// serveFlags are the settings of the server.
type serveFlags struct {
	app    app.Config
	web    web.Options
	listen string
	memory int64 // bytes
}

func newServeFlags() *serveFlags {
	f := &serveFlags{app: app.DefaultConfig(), web: web.DefaultOptions(), listen: defaultListen, memory: 320 << 20}
	f.app.Version = thisBuild().Version
	f.app.Language = search.English
	f.app.EmbeddingsKey = os.Getenv(embeddingsKey)
	f.app.AIKey = os.Getenv(aiKey)
	return f
}

func (f *serveFlags) define(fl *flags) {
	f.defineNetwork(fl)
	f.defineUploads(fl)
	f.defineSearch(fl)
	f.defineUnderstanding(fl)
	f.defineStorage(fl)
	f.defineWebhooks(fl)
	fl.under("Shares")
	fl.smtp(&f.app.SMTP)
}

func (f *serveFlags) defineNetwork(fl *flags) {
	limits := f.web.Limits()
	fl.under("Network")
	fl.text(&f.listen, "listen", "the `address` to listen on; put a TLS proxy in front unless only this machine connects")
	fl.parsed(siteURL(&f.web.SiteURL), "site-url", "",
		"the public `URL` of the server for links in responses, optionally with a path; if empty, the URL of each request")
	fl.parsed(siteName(&f.web.SiteName), "site-name", f.web.SiteName, "the `name` of the library on the login page")
	fl.prefixes(&f.web.TrustedProxies, "trusted-proxy",
		"addresses or `CIDRs` of proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted (repeatable)")
	fl.list(&f.web.CORSOrigins, "cors-origin",
		"`origins` such as https://app.example.com whose pages may call the API with bearer tokens; * for all (repeatable)",
		web.CheckOrigin)
	fl.number(limits.Of(&f.web.RateLimit), "rate-limit",
		"requests per minute per token; all tokens of a user together have ten times as many")
	fl.number(limits.Of(&f.web.SessionLimit), "session-rate-limit", "requests per minute for all browser sessions of a user")
	fl.number(limits.Of(&f.web.MaxConnections), "max-connections",
		"concurrent connections; beyond that, the longest-idle connection is closed to admit a new one, or the new one gets 503")
	fl.number(limits.Of(&f.web.MaxConnectionsPerAddress), "max-connections-per-address",
		"concurrent connections per IPv4 address or IPv6 /64 network; trusted proxies and this machine are exempt")
	streams := f.app.Limits()
	fl.number(streams.Of(&f.app.MaxStreams), "max-streams", "concurrent update streams; each uses a connection")
	fl.number(streams.Of(&f.app.MaxStreamsPerUser), "max-streams-per-user", "concurrent update streams per user")
	fl.time(limits.Of(&f.web.Stall), "stall", "close a connection after this `time` without progress in either direction")
}

// siteName returns a function that reads the name of a library.
func siteName(v *string) func(string) error {
	return func(text string) error {
		*v = text
		return web.CheckSiteName(text)
	}
}

func (f *serveFlags) defineUploads(fl *flags) {
	limits := f.app.Limits()
	fl.under("Uploads and ingestion")
	fl.size(limits.Of(&f.app.MaxFileSize), "max-file-size", "the maximum size of an uploaded file")
	fl.number(limits.Of(&f.app.MaxBatchFiles), "max-batch-files", "maximum number of files in an upload batch")
	fl.number(limits.Of(&f.app.MaxRequestFiles), "max-request-files", "maximum number of files in an upload request")
	fl.size(limits.Of(&f.app.MaxTableSize), "max-table-size", "the maximum size of an uploaded CSV file that changes metadata")
	fl.time(limits.Of(&f.app.BatchIdle), "batch-idle", "close an upload batch after this `time` without a new file")
	fl.time(limits.Of(&f.app.UploadKeep), "upload-keep",
		"how long an unfinished resumable upload is kept after its last byte was received")
	fl.number(limits.Of(&f.app.Workers), "workers", "files ingested concurrently; 0: one more than the number of CPUs, up to 8")
	fl.number(limits.Of(&f.app.Media.MaxPixels), "max-pixels", "maximum number of pixels of a picture")
	fl.size(limits.Of(&f.app.Media.MemoryBudget), "media-memory",
		"memory for decoding pictures, for all of them together")
	fl.engines(&f.app)
	fl.choice(&f.app.OCR, "ocr", "recognize text (OCR) in the background: auto in scanned pages and in pictures that seem to contain text, "+
		"all in every picture, off in none", analyze.OCRModes())
	fl.list(&f.app.OCRLanguages, "ocr-languages", "`languages` to recognize, the most likely one first, such as eng,deu; "+
		"each one takes additional time (repeatable)", analyze.CheckLanguageName)
	fl.ocrData(&f.app)
	fl.number(limits.Of(&f.app.OCRPages), "ocr-pages", "maximum number of pages per file in which text is recognized")
	fl.clamd(&f.app.Clamd)
	fl.time(limits.Of(&f.app.RescanEvery), "rescan-every",
		"scan external libraries at this `interval`, even if the OS reported no changes; see dal help import")
	fl.time(limits.Of(&f.app.FailedKeep), "failed-keep", "how long a file that could not be ingested is kept for a retry")
}

func (f *serveFlags) defineSearch(fl *flags) {
	fl.under("Search")
	fl.choice(&f.app.Language, "language",
		"the `language` whose word forms search recognizes, as an ISO 639-1 code; exact words are found in every language; "+
			"after a change, the text index is rebuilt in the background", search.Languages())
	fl.embeddings(&f.app.Embeddings)
	fl.text(&f.app.EmbeddingsModel, "embeddings-model", "the `name` of the endpoint's model; "+embeddingsKey+" contains its key")
}

func (f *serveFlags) defineStorage(fl *flags) {
	limits := f.app.Limits()
	fl.under("Memory and disk")
	fl.size(account.NewLimit("memory", &f.memory, f.memory, 16<<20, 1<<50), "memory",
		"soft memory limit; above it, memory is returned to the OS eagerly; raised if a large library needs more")
	fl.diskReserve(limits.Of(&f.app.DiskReserve))
	fl.size(limits.Of(&f.app.RenditionCache), "rendition-cache",
		"the maximum `size` of cached renditions; beyond it, renditions made on demand are removed first, then previews, then "+
			"thumbnails, the least recently used first; they are rebuilt on demand; 0: unlimited")

	fl.under("Retention")
	fl.time(limits.Of(&f.app.AuditKeep), "audit-keep", "how long the audit log is kept")
	fl.time(limits.Of(&f.app.AnalyticsKeep), "analytics-keep", "how long daily usage statistics are kept; 0: none are recorded")
	fl.time(limits.Of(&f.app.QueryKeep), "query-keep",
		"how long search queries are kept, without the names of users; 0: none are recorded")
	fl.time(limits.Of(&f.app.VersionKeep), "version-keep", "how long a file is kept after a new version replaced it")
	fl.time(limits.Of(&f.app.OperationKeep), "operation-keep", "how long a finished operation and its items are kept")
	fl.time(limits.Of(&f.app.ExportKeep), "export-keep", "how long an export file is kept")
	fl.size(limits.Of(&f.app.ExportQuota), "export-quota", "disk space for the export files of one user")
	fl.time(limits.Of(&f.app.LostKeep), "lost-keep", "how long an orphaned file is kept in blobs/lost")

	fl.under("Backups")
	fl.folder(&f.app.BackupDir, "backup-dir", "back up to this `folder` while serving, preferably on another disk; see dal help backup")
	fl.time(limits.Of(&f.app.BackupEvery), "backup-every", "back up when the last backup is older than this `time`")
	fl.number(limits.Of(&f.app.BackupKeep), "backup-keep", "how many of the newest snapshots are kept in --backup-dir")
}

func (f *serveFlags) defineWebhooks(fl *flags) {
	fl.under("Webhooks")
	fl.prefixes(&f.app.WebhookAllow, "webhook-allow-cidr",
		"private addresses or `CIDRs` to which webhooks may be sent (repeatable)")
	fl.file(&f.app.WebhookCAFile, "webhook-ca-file",
		"a `file` of PEM certificates to trust for webhooks, in addition to the system's", "pem", "crt", "cer")
	fl.parsed(webURL(&f.app.WebhookProxy), "webhook-proxy", "",
		"the `URL` of an HTTP proxy for webhooks, such as http://proxy:3128; the proxy resolves host names itself, "+
			"so it must block private addresses; HTTPS_PROXY is ignored")
	fl.time(f.app.Limits().Of(&f.app.WebhookKeep), "webhook-keep",
		"how long deliveries are kept, including pending ones of inactive webhooks")
}

// Flags shared by several commands.

func (f *flags) clamd(v *string) {
	f.text(v, "clamd", "the `address` of a ClamAV daemon, unix:/path or tcp://host:port; files wait while it is unavailable")
}

func (f *flags) smtp(v *string) {
	f.text(v, "smtp", "the `URL` of a mail server, smtp://user:password@host:587?from=ADDRESS or smtps://…:465: "+
		"guests verify their email address with a code; set it as DAL_SMTP or in the configuration file to protect the password, "+
		"or use password-file=PATH; ca-file=PATH adds trusted certificates, tls=none disables encryption")
}

// engines defines the flags about the engines that read files in separate processes, and
// related settings.
func (f *flags) engines(c *app.Config) {
	limits := c.Limits()
	f.number(limits.Of(&c.EngineWorkers), "engine-workers",
		"concurrent processes that read formats such as SVG; 0: one per two CPUs, up to 4; idle processes exit")
	f.size(limits.Of(&c.EngineMemory), "engine-memory", "memory limit of an engine in such a process for one file")
	f.enginesThere(c)
	f.ffmpeg(c)
	f.choice(&c.Stack, "stack", "on: the RAW file and the JPEG or HEIC of one photo, and the picture and the video of a live photo, "+
		"become one asset if they are uploaded together or share a folder of an external library; off: one asset per file",
		[]string{ingest.StackOn, ingest.StackOff})
	f.list(&c.Reject, "reject", "`types` of files to reject: an extension such as psd, a MIME type such as video/mp4, "+
		"a wildcard such as video/*, or unknown for all types that dal cannot read (repeatable)", media.CheckReject)
	f.yes(&c.AllowPrograms, "allow-programs", "accept programs and scripts, for download only")
	f.yes(&c.AcceptAny, "accept-any", "accept files of types that dal cannot read, without a preview and for download only; "+
		"deprecated: this is the default; --reject unknown rejects them")
}

func (f *flags) ffmpeg(c *app.Config) {
	f.text(&c.FFmpeg, "ffmpeg", "the FFmpeg `program`, as a path or a name in PATH; "+
		"it transcodes videos and audio that browsers cannot play")
}

func (f *flags) ocrData(c *app.Config) {
	f.folder(&c.OCRData, "ocr-data", "a `folder` with additional language data for Tesseract, such as fra.traineddata")
}

// enginesThere defines the flags about the available engines.
func (f *flags) enginesThere(c *app.Config) {
	f.folder(&c.EnginesDir, "engines", "a `folder` with engines, such as resvg.wasm, that replace the built-in ones")
	f.list(&c.EnginesOff, "engines-off", "`names` of engines to disable; their formats are stored without a preview (repeatable)",
		app.CheckEngine)
}

func (f *flags) diskReserve(l account.Limit) {
	f.size(l, "disk-reserve", "free space to reserve on each disk for the database: "+
		"uploads, imports, exports and the search index stop before they use it, and resume when space is available; "+
		"0: 512MiB, or 5% of a smaller disk")
}

func (f *flags) embeddings(v *string) {
	f.text(v, "embeddings", "the source of embeddings for semantic search: off, builtin (English), "+
		"or the `URL` of an OpenAI-compatible endpoint such as http://localhost:11434/v1",
		find.EmbeddingsOff, find.EmbeddingsBuiltin)
}

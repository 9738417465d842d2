package cli

import (
	"os"

	"github.com/digital-asset-library/dal/app"
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
	fl.text(&f.listen, "listen", "the `address` to listen on; put a TLS proxy in front unless it is for this machine only")
	fl.parsed(siteURL(&f.web.SiteURL), "site-url", "",
		"the public `URL` of the server, for links in answers, maybe with a path; if empty, the URL that each request came to")
	fl.parsed(siteName(&f.web.SiteName), "site-name", f.web.SiteName, "the `name` of the library, as people see it when they log in")
	fl.prefixes(&f.web.TrustedProxies, "trusted-proxy",
		"addresses or `CIDRs` of proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted (repeatable)")
	fl.list(&f.web.CORSOrigins, "cors-origin",
		"`origins` such as https://app.example.com whose pages may use the API, with bearer tokens only; * for all (repeatable)",
		web.CheckOrigin)
	fl.number(limits.Of(&f.web.RateLimit), "rate-limit",
		"requests per minute for each token, and ten times as many for all tokens of a user")
	fl.number(limits.Of(&f.web.SessionLimit), "session-rate-limit", "requests per minute for the browser sessions of a user")
	fl.number(limits.Of(&f.web.MaxConnections), "max-connections",
		"connections at once; beyond that, the one idle longest makes way for a new one, or the new one is answered 503")
	fl.number(limits.Of(&f.web.MaxConnectionsPerAddress), "max-connections-per-address",
		"connections at once from one IPv4 address or one IPv6 /64; trusted proxies and this machine are exempt")
	streams := f.app.Limits()
	fl.number(streams.Of(&f.app.MaxStreams), "max-streams", "streams of updates open at once; each takes a connection")
	fl.number(streams.Of(&f.app.MaxStreamsPerUser), "max-streams-per-user", "streams of updates that one user may have open at once")
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
	fl.size(limits.Of(&f.app.MaxFileSize), "max-file-size", "the largest file that can be uploaded")
	fl.number(limits.Of(&f.app.MaxBatchFiles), "max-batch-files", "files in one upload batch")
	fl.number(limits.Of(&f.app.MaxRequestFiles), "max-request-files", "files in one upload request")
	fl.size(limits.Of(&f.app.MaxTableSize), "max-table-size", "the largest CSV file that can be uploaded to change metadata")
	fl.time(limits.Of(&f.app.BatchIdle), "batch-idle", "close an upload batch after this `time` without a new file")
	fl.time(limits.Of(&f.app.UploadKeep), "upload-keep",
		"how long the bytes of an unfinished resumable upload are kept after the last of them came")
	fl.number(limits.Of(&f.app.Workers), "workers", "files ingested at once; 0 for one more than processors, at most 8")
	fl.number(limits.Of(&f.app.Media.MaxPixels), "max-pixels", "pixels in one picture")
	fl.size(limits.Of(&f.app.Media.MemoryBudget), "media-memory",
		"memory that all pictures being decoded may use together")
	fl.engines(&f.app)
	fl.choice(&f.app.OCR, "ocr", "read the `words` in pictures: auto for scanned pages and pictures that look as if there were words, "+
		"all for every picture, off for none; that goes on in the background", app.OCRModes())
	fl.list(&f.app.OCRLanguages, "ocr-languages", "`languages` that text in pictures is in, the likeliest first, such as eng,deu; "+
		"each takes time (repeatable)", app.CheckLanguageName)
	fl.ocrData(&f.app)
	fl.number(limits.Of(&f.app.OCRPages), "ocr-pages", "pages of one file in which words are read")
	fl.clamd(&f.app.Clamd)
	fl.time(limits.Of(&f.app.RescanEvery), "rescan-every",
		"scan the folders of files in place after this `time`, even if the system has told of no change; see dal help import")
	fl.time(limits.Of(&f.app.FailedKeep), "failed-keep", "how long the bytes of a failed file are kept for a retry")
}

func (f *serveFlags) defineSearch(fl *flags) {
	fl.under("Search")
	fl.choice(&f.app.Language, "language",
		"the `language` whose word forms search knows, by its ISO 639-1 code; words as they are written are found in every language; "+
			"after a change, the text index is rebuilt in the background", search.Languages())
	fl.embeddings(&f.app.Embeddings)
	fl.text(&f.app.EmbeddingsModel, "embeddings-model", "the `name` of the endpoint's model; its key is in "+embeddingsKey)
}

func (f *serveFlags) defineStorage(fl *flags) {
	limits := f.app.Limits()
	fl.under("Memory and disk")
	fl.size(app.NewLimit("memory", &f.memory, f.memory, 16<<20, 1<<50), "memory",
		"memory above which unused memory is returned eagerly; a soft limit, raised if a large library needs more")
	fl.diskReserve(limits.Of(&f.app.DiskReserve))
	fl.size(limits.Of(&f.app.RenditionCache), "rendition-cache",
		"the `size` of the pictures that are kept of files; beyond it, those go that are made on demand, then previews, then thumbnails, "+
			"the ones longest unused first, and are made again when they are wanted; 0 for no bound")

	fl.under("How long things are kept")
	fl.time(limits.Of(&f.app.AuditKeep), "audit-keep", "how long the audit trail is kept")
	fl.time(limits.Of(&f.app.AnalyticsKeep), "analytics-keep", "how long is known how the library was used, by day; 0 to count nothing")
	fl.time(limits.Of(&f.app.QueryKeep), "query-keep",
		"how long is known what people searched for, without their names; 0 to keep no words")
	fl.time(limits.Of(&f.app.VersionKeep), "version-keep", "how long a file is kept after a new version has replaced it")
	fl.time(limits.Of(&f.app.OperationKeep), "operation-keep", "how long a finished operation and its items are kept")
	fl.time(limits.Of(&f.app.ExportKeep), "export-keep", "how long the file of an export is kept")
	fl.size(limits.Of(&f.app.ExportQuota), "export-quota", "space for the export files of one user")
	fl.time(limits.Of(&f.app.LostKeep), "lost-keep", "how long a file that no record refers to is kept in blobs/lost")

	fl.under("Backups")
	fl.folder(&f.app.BackupDir, "backup-dir", "make backups in this `folder` while serving, best on another disk; see dal help backup")
	fl.time(limits.Of(&f.app.BackupEvery), "backup-every", "make a backup when the last one is older than this `time`")
	fl.number(limits.Of(&f.app.BackupKeep), "backup-keep", "how many snapshots are kept in --backup-dir; the newest ones stay")
}

func (f *serveFlags) defineWebhooks(fl *flags) {
	fl.under("Webhooks")
	fl.prefixes(&f.app.WebhookAllow, "webhook-allow-cidr",
		"addresses or `CIDRs` that webhooks may be sent to although they are not public (repeatable)")
	fl.file(&f.app.WebhookCAFile, "webhook-ca-file",
		"a `file` of PEM certificates to trust besides the system's when sending webhooks", "pem", "crt", "cer")
	fl.parsed(webURL(&f.app.WebhookProxy), "webhook-proxy", "",
		"the `URL` of an HTTP proxy for webhooks, such as http://proxy:3128; the proxy resolves host names itself, "+
			"so it has to refuse private addresses too; HTTPS_PROXY is ignored")
	fl.time(f.app.Limits().Of(&f.app.WebhookKeep), "webhook-keep",
		"how long the history of webhooks is kept, and what waits for an inactive one")
}

// Flags shared by several commands.

func (f *flags) clamd(v *string) {
	f.text(v, "clamd", "the `address` of a ClamAV daemon, unix:/path or tcp://host:port; files wait while it cannot be reached")
}

func (f *flags) smtp(v *string) {
	f.text(v, "smtp", "the `URL` of a mail server, smtp://user:password@host:587?from=ADDRESS or smtps://…:465: "+
		"guests of a share that asks for an address prove it by a code; best given as DAL_SMTP or in the configuration file, "+
		"or with password-file=PATH; ca-file=PATH trusts more certificates, tls=none is for a server without encryption")
}

// engines defines the flags about the engines that read files in separate processes, and
// related settings.
func (f *flags) engines(c *app.Config) {
	limits := c.Limits()
	f.number(limits.Of(&c.EngineWorkers), "engine-workers",
		"processes at once that read files such as SVG; 0 for one for two processors, at most 4; none runs when there is nothing to read")
	f.size(limits.Of(&c.EngineMemory), "engine-memory", "memory that an engine in such a process may use for one file")
	f.enginesThere(c)
	f.ffmpeg(c)
	f.choice(&c.Stack, "stack", "on: the RAW file and the JPEG or HEIC of one photo, and the picture and the video of a live photo, "+
		"become one asset if they are uploaded together or share a folder in place; off: each file is an asset of its own",
		[]string{app.StackOn, app.StackOff})
	f.list(&c.Reject, "reject", "`types` of files to reject: an extension such as psd, a MIME type such as video/mp4, "+
		"either with a wildcard such as video/*, or unknown for all types that dal does not read (repeatable)", media.CheckReject)
	f.yes(&c.AllowPrograms, "allow-programs", "accept programs and scripts, too; they are only ever downloaded")
	f.yes(&c.AcceptAny, "accept-any", "accept files of types that dal does not read, without a preview and for download only; "+
		"deprecated: this is the default, and --reject unknown is its opposite")
}

func (f *flags) ffmpeg(c *app.Config) {
	f.text(&c.FFmpeg, "ffmpeg", "the `program` FFmpeg, as a path or a name in PATH; "+
		"with it, videos and sounds that browsers do not play get a copy that they do")
}

func (f *flags) ocrData(c *app.Config) {
	f.folder(&c.OCRData, "ocr-data", "a `folder` with Tesseract's data of languages, such as fra.traineddata, besides those built in")
}

// enginesThere defines the flags about the available engines.
func (f *flags) enginesThere(c *app.Config) {
	f.folder(&c.EnginesDir, "engines", "a `folder` whose files, such as resvg.wasm, are used in place of the engines that are built in")
	f.list(&c.EnginesOff, "engines-off", "`names` of engines that are not used; what they read is kept without a picture (repeatable)",
		app.CheckEngine)
}

func (f *flags) diskReserve(l app.Limit) {
	f.size(l, "disk-reserve", "the `size` of free space to keep on each disk for the records: "+
		"uploads, imports, exports and the search index stop before it is used up and resume when there is space; "+
		"0 for 512MiB, or 5% of a smaller disk")
}

func (f *flags) embeddings(v *string) {
	f.text(v, "embeddings", "the source of embeddings for search by meaning: off, builtin (English), "+
		"or the `URL` of an OpenAI-compatible endpoint such as http://localhost:11434/v1",
		app.EmbeddingsOff, app.EmbeddingsBuiltin)
}

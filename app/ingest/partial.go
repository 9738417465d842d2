package ingest

import (
	"regexp"
	"strings"
)

// partialNames matches the names that programs give to files while they download or copy
// them. Names that start with a dot are omitted because such files are hidden (rsync, and
// Syncthing except on Windows):
//
//   - .part: Firefox, KDE, Transmission, JDownloader, aMule; yt-dlp, also .part-Frag7 and .ytdl
//   - .crdownload: Chrome, Edge, Brave and other Chromiums; .opdownload: Opera
//   - .download: Safari, which creates a folder with the file in it
//   - .partial: Internet Explorer; rclone, after eight letters and digits
//   - .filepart: WinSCP
//   - .!ut: uTorrent; .!qB: qBittorrent; .bc!: BitComet; .!sync: Resilio Sync
//   - .fdmdownload: Free Download Manager
//   - .aria2: aria2, beside an incomplete file: see AriaControl
//   - ~syncthing~NAME.tmp: Syncthing on Windows; .tmp: Chromium on Windows, Photoshop, Office
//   - NAME_exiftool_tmp: ExifTool, while it rewrites a file
var partialNames = regexp.MustCompile(`(?i)(\.(part|part-frag\d+|ytdl|crdownload|opdownload|download|partial|filepart|!ut|!qb|bc!|!sync` +
	`|fdmdownload|aria2|tmp)|_exiftool_tmp)$`)

// IsPartial reports whether the name of a file or folder marks it as still being downloaded
// or copied. It is renamed once it is complete.
func IsPartial(name string) bool { return partialNames.MatchString(name) }

// AriaControl is the suffix that aria2 adds to the name of a file for its control file,
// which records how much of the file has been downloaded. aria2 removes it once the file is
// complete (https://aria2.github.io/manual/en/html/aria2c.html#control-file).
const AriaControl = ".aria2"

// Controls reports whether the file with a name marks another file as incomplete.
func Controls(name string) bool { return strings.HasSuffix(name, AriaControl) }

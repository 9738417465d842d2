package app

import (
	"regexp"
	"strings"
)

// partialNames are the names that programs give to files that they are still downloading or
// copying, without those that begin with a dot, which are hidden (rsync, and Syncthing except on
// Windows):
//
//   - .part: Firefox, KDE, Transmission, JDownloader, aMule; yt-dlp, also .part-Frag7 and .ytdl
//   - .crdownload: Chrome, Edge, Brave and other Chromiums; .opdownload: Opera
//   - .download: Safari, which makes it a folder with the file in it
//   - .partial: Internet Explorer; rclone, behind eight letters and digits
//   - .filepart: WinSCP
//   - .!ut: uTorrent; .!qB: qBittorrent; .bc!: BitComet; .!sync: Resilio Sync
//   - .fdmdownload: Free Download Manager
//   - .aria2: aria2 keeps it beside a file that is not whole: see ariaControl
//   - ~syncthing~NAME.tmp: Syncthing on Windows; .tmp: Chromium on Windows, Photoshop, Office
//   - NAME_exiftool_tmp: ExifTool, while it writes a file again
var partialNames = regexp.MustCompile(`(?i)(\.(part|part-frag\d+|ytdl|crdownload|opdownload|download|partial|filepart|!ut|!qb|bc!|!sync` +
	`|fdmdownload|aria2|tmp)|_exiftool_tmp)$`)

// isPartial reports whether a file or folder is named as one that is still being downloaded or
// copied. It gets another name once it is whole.
func isPartial(name string) bool { return partialNames.MatchString(name) }

// ariaControl is what aria2 adds to the name of a file for that of the file beside it that says
// how much of it is there. It is removed once the file is whole
// (https://aria2.github.io/manual/en/html/aria2c.html#control-file).
const ariaControl = ".aria2"

// controls reports whether the file with a name says of another that it is not whole.
func controls(name string) bool { return strings.HasSuffix(name, ariaControl) }

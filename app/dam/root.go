package dam

import (
	"strings"
	"time"
)

// RootState is the state of an external library.
type RootState string

// The states of an external library. A library whose folder is missing is offline: dal does
// not treat its files as deleted.
const (
	RootOnline  RootState = "online"
	RootOffline RootState = "offline"
)

// Values lists the states of an external library.
func (RootState) Values() []RootState { return []RootState{RootOnline, RootOffline} }

// Availability tells whether the file of an asset can be read now. Files in dal's storage
// are always available.
type Availability string

// The availabilities of a file in an external library.
const (
	Available          Availability = "available"
	UnavailableOffline Availability = "offline"    // its external library is offline
	UnavailableMissing Availability = "missing"    // the external library is online, but the file is missing or was changed
	Unreadable         Availability = "unreadable" // the file exists, but cannot be read
)

// Values lists the availabilities.
func (Availability) Values() []Availability {
	return []Availability{Available, UnavailableOffline, UnavailableMissing, Unreadable}
}

// RootFileState is the state of a file of an external library.
type RootFileState string

// The states of a file of an external library.
const (
	RootFilePresent RootFileState = "present"
	RootFileMissing RootFileState = "missing"
)

// Values lists the states of a file of an external library.
func (RootFileState) Values() []RootFileState {
	return []RootFileState{RootFilePresent, RootFileMissing}
}

// RootFileKind is the kind of a file of an external library.
type RootFileKind string

// The kinds of files of an external library.
const (
	RootFileOriginal RootFileKind = "original"
	RootFileSidecar  RootFileKind = "sidecar" // XMP file of an original
)

// Values lists the kinds of files of an external library.
func (RootFileKind) Values() []RootFileKind { return []RootFileKind{RootFileOriginal, RootFileSidecar} }

// Root is an external library: a folder whose files are indexed in place without being
// copied.
type Root struct {
	ID         int64
	Name       string // unique, without slashes; the first part of the folders of its assets
	Path       string // absolute, in the notation of the OS
	UserID     int64  // owner of its assets
	State      RootState
	Note       string   // reason why it is offline or the last scan was incomplete; "" for none
	Identity   string   // OS identity of the folder at the last scan; "" if not supported
	Mounts     []string // subfolders on other devices at the last scan
	Unread     []string // folders that the last scan could not read
	Watched    bool     // the OS reports changes; otherwise only scans detect them
	ScanWanted bool
	CreatedAt  time.Time
	LastScanAt *time.Time // end of the last scan; nil for none
	LastScan   time.Duration
	Counts     RootCounts // only if requested
}

// RootCounts are the numbers of files of an external library.
type RootCounts struct {
	Present  int // asset files present
	Missing  int // asset files missing
	Open     int // being ingested
	Problems int // rejected or no longer readable
	Excluded int // files of permanently deleted assets
	Sidecars int
}

// RootFile is a file of an external library as of the last scan.
type RootFile struct {
	ID       int64
	RootID   int64
	Folder   string // relative to the root, with slashes; "" for the root itself
	Name     string
	Size     int64  // bytes
	MTime    int64  // nanoseconds since 1970
	Stamp    string // changes with the file even if Size and MTime do not; "" if not supported or not known yet
	SHA256   string // "" if not read
	State    RootFileState
	Kind     RootFileKind
	AssetID  int64 // 0 for none
	FileID   int64 // upload batch file while it is ingested or can be retried; 0 for none
	Excluded bool  // its asset was permanently deleted
	Problem  string

	Unreadable bool // present but unreadable; Problem has the reason
}

// Path returns the path relative to the root, with slashes.
func (f *RootFile) Path() string {
	if f.Folder == "" {
		return f.Name
	}
	return f.Folder + "/" + f.Name
}

// Folder is a folder of an external library with the number of its assets.
type Folder struct {
	Path    string // name of the external library and its folders, with slashes
	RootID  int64
	State   RootState
	Assets  int  // including subfolders
	Folders bool // has subfolders
}

// MaxRootName is the maximum length of the name of an external library, in characters.
const MaxRootName = 100

// MaxFolder is the maximum length of a stored folder path, in characters.
const MaxFolder = 4000

// FolderOf returns the folder of an asset: the name of the external library and the folder
// in it.
func FolderOf(root, folder string) string {
	if folder != "" {
		root += "/" + folder
	}
	return cut(root, MaxFolder)
}

// Validate checks the name of the external library.
func (r *Root) Validate() error {
	var p Problems
	p.length("name", r.Name, 1, MaxRootName)
	if strings.ContainsAny(r.Name, "/\x00") || Visible(r.Name) != r.Name || strings.TrimSpace(r.Name) != r.Name {
		p.Add("name", "The name must not have slashes, control characters, or spaces around it.")
	}
	return p.Err()
}

// IsSidecar reports whether the file name is that of an XMP sidecar.
func IsSidecar(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".xmp") }

package dam

import (
	"strings"
	"time"
)

// RootState says whether the folder of a root can be read.
type RootState string

// The states of a root. One whose folder is not there is offline: nothing is
// concluded from what cannot be seen.
const (
	RootOnline  RootState = "online"
	RootOffline RootState = "offline"
)

// Values lists the states of a root.
func (RootState) Values() []RootState { return []RootState{RootOnline, RootOffline} }

// Availability says whether the file of an asset can be read now. It is always
// available of an asset whose file is in the library.
type Availability string

// What a file in place can be.
const (
	Available          Availability = "available"
	UnavailableOffline Availability = "offline"    // the folder that has it is not there
	UnavailableMissing Availability = "missing"    // the folder is there, and the file is not, or not as it was read
	Unreadable         Availability = "unreadable" // the file is there, and cannot be read
)

// Values lists the availabilities.
func (Availability) Values() []Availability {
	return []Availability{Available, UnavailableOffline, UnavailableMissing, Unreadable}
}

// RootFileState says whether a file of a root is there.
type RootFileState string

// The states of a file of a root.
const (
	RootFilePresent RootFileState = "present"
	RootFileMissing RootFileState = "missing"
)

// Values lists the states of a file of a root.
func (RootFileState) Values() []RootFileState {
	return []RootFileState{RootFilePresent, RootFileMissing}
}

// RootFileKind says what a file of a root is for.
type RootFileKind string

// The kinds of files of a root.
const (
	RootFileOriginal RootFileKind = "original"
	RootFileSidecar  RootFileKind = "sidecar" // XMP beside an original
)

// Values lists the kinds of files of a root.
func (RootFileKind) Values() []RootFileKind { return []RootFileKind{RootFileOriginal, RootFileSidecar} }

// Root is a folder whose files are in the library without being copied.
type Root struct {
	ID         int64
	Name       string // unique; the first part of the folders of its assets; has no slash
	Path       string // absolute, as the system writes it
	UserID     int64  // who owns its assets
	State      RootState
	Note       string   // why it is offline, or why the last scan was not whole; "" if all is well
	Identity   string   // of the folder when it was last scanned, as the system tells it; "" if it does not
	Mounts     []string // folders below it that were on other devices then
	Unread     []string // folders that the last scan could not read
	Watched    bool     // the system tells of changes; otherwise only scans find them
	ScanWanted bool
	CreatedAt  time.Time
	LastScanAt *time.Time // when the last scan ended; nil for none
	LastScan   time.Duration
	Counts     RootCounts // where it is asked for
}

// RootCounts says how many files a root has.
type RootCounts struct {
	Present  int // files of assets that are there
	Missing  int // files of assets that are not there
	Open     int // being ingested
	Problems int // that the library could not take, or cannot read any more
	Excluded int // whose assets were deleted for good
	Sidecars int
}

// RootFile is a file of a root as it was when it was last looked at.
type RootFile struct {
	ID       int64
	RootID   int64
	Folder   string // below the root, with slashes; "" for the root itself
	Name     string
	Size     int64  // bytes
	MTime    int64  // nanoseconds since 1970
	Stamp    string // changes with the file, also if its size and MTime do not; "" if the system has none, or it is not known yet
	SHA256   string // "" for what was not read
	State    RootFileState
	Kind     RootFileKind
	AssetID  int64 // 0 for none
	FileID   int64 // of an upload batch, while it is ingested or may be retried; 0 for none
	Excluded bool  // its asset was deleted for good
	Problem  string

	Unreadable bool // it is there, and cannot be read; Problem says why
}

// Path is where the file is below its root, with slashes.
func (f *RootFile) Path() string {
	if f.Folder == "" {
		return f.Name
	}
	return f.Folder + "/" + f.Name
}

// Folder is a folder of assets in place, and how many assets are in it and below.
type Folder struct {
	Path    string // that of a root's name, then its folders, with slashes
	RootID  int64
	State   RootState
	Assets  int  // in it or below
	Folders bool // whether it has folders
}

// MaxRootName is how many characters the name of a root may have.
const MaxRootName = 100

// MaxFolder is how many characters of a folder's path are kept.
const MaxFolder = 4000

// FolderOf is the folder of an asset: the name of the root, and the folder in it.
func FolderOf(root, folder string) string {
	if folder != "" {
		root += "/" + folder
	}
	return cut(root, MaxFolder)
}

// Validate reports what is wrong with the name of a root.
func (r *Root) Validate() error {
	var p Problems
	p.length("name", r.Name, 1, MaxRootName)
	if strings.ContainsAny(r.Name, "/\x00") || Visible(r.Name) != r.Name || strings.TrimSpace(r.Name) != r.Name {
		p.Add("name", "The name must not have slashes, control characters, or spaces around it.")
	}
	return p.Err()
}

// IsSidecar reports whether a file is named like one that has metadata of another.
func IsSidecar(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".xmp") }

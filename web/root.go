package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// Root is an external library: a folder whose files are in the library without being
// copied.
type Root struct {
	ID         int64         `json:"id" example:"1"`
	Name       string        `json:"name" doc:"Name of the root, with which the folders of its assets start." example:"Photos"`
	Path       *string       `json:"path" doc:"Path on the server; null unless you are an admin." example:"/mnt/photos"`
	State      dam.RootState `json:"state" example:"online"`
	Note       *string       `json:"note" doc:"Why the root is offline, or the last scan was incomplete; null if neither."`
	Files      int           `json:"files" minimum:"0" doc:"Number of available files of assets, including parts." example:"20000"`
	Missing    int           `json:"missing" minimum:"0" doc:"Number of missing files of assets." example:"0"`
	Open       int           `json:"being_ingested" minimum:"0" doc:"Number of files being ingested." example:"0"`
	Problems   int           `json:"problems" minimum:"0" doc:"Number of files that could not be added or cannot be read." example:"0"`
	Excluded   int           `json:"excluded" minimum:"0" doc:"Number of files whose assets were permanently deleted." example:"0"`
	Sidecars   int           `json:"sidecars" minimum:"0" doc:"Number of XMP sidecar files." example:"0"`
	IsWatched  bool          `json:"is_watched" example:"true"`
	LastScanAt NullTime      `json:"last_scan_at" doc:"When the last scan ended; null before the first one."`
	CreatedAt  Time          `json:"created_at"`
}

// Folder is a folder of an external library.
type Folder struct {
	Path       string        `json:"path" doc:"Path, starting with the name of the root." example:"Photos/2024"`
	Name       string        `json:"name" doc:"Last part of the path." example:"2024"`
	RootID     *int64        `json:"root_id" doc:"Id of the root that contains the folder." example:"1"`
	State      dam.RootState `json:"state" doc:"State of the root." example:"online"`
	Assets     int           `json:"assets_count" minimum:"1" doc:"Assets in it and below, excluding the trash." example:"812"`
	HasFolders bool          `json:"has_folders" doc:"Whether the folder has subfolders." example:"true"`
}

func toRoot(actor dam.Actor) func(*dam.Root) Root {
	return func(r *dam.Root) Root {
		c := r.Counts
		v := Root{
			ID: r.ID, Name: r.Name, State: r.State, Note: text(r.Note), Files: c.Present, Missing: c.Missing, Open: c.Open,
			Problems: c.Problems, Excluded: c.Excluded, Sidecars: c.Sidecars, IsWatched: r.Watched,
			LastScanAt: NullTime{r.LastScanAt}, CreatedAt: Time{r.CreatedAt},
		}
		if actor.RequireAdmin() == nil {
			v.Path = &r.Path
		} else {
			v.Note = nil
		}
		return v
	}
}

func toFolder(f dam.Folder) Folder {
	return Folder{Path: f.Path, Name: f.Path[lastPart(f.Path):], RootID: number(f.RootID), State: f.State,
		Assets: f.Assets, HasFolders: f.Folders}
}

// lastPart returns the index of the last part of a path.
func lastPart(path string) int {
	for i := len(path); i > 0; i-- {
		if path[i-1] == '/' {
			return i
		}
	}
	return 0
}

type (
	// RootInput names an external library in the path.
	RootInput struct {
		Root int64 `path:"root" doc:"The root's id." example:"1"`
	}
	forgetRootInput struct {
		RootInput
		Forget Flag `query:"forget" doc:"Move assets whose file is only in this root to the trash. Other assets stay." example:"true"`
	}
	listFoldersInput struct {
		PageInput
		Path string `query:"path" maxLength:"4000" doc:"Parent of the listed folders; omitted, the roots are listed." example:"Photos/2024"`
	}
)

func (s *Server) rootRoutes() {
	roots := group{tag: "Files in place", path: "/roots", abilities: []dam.Ability{dam.AssetsRead}}
	register(s, roots.route("listRoots", "GET", "", "List roots"), s.listRoots)
	register(s, roots.route("showRoot", "GET", "/{root}", "Show a root"), s.showRoot)
	kept := group{tag: "Files in place", path: "/roots"}
	register(s, kept.route("scanRoot", "POST", "/{root}/scan", "Scan a root").administering(), s.scanRoot)
	registerChange(s, kept.route("forgetRoot", "DELETE", "/{root}", "Remove a root").administering().failing(409),
		func(ctx context.Context, in *forgetRootInput) (any, error) {
			return shownBy(s.showRoot)(ctx, &in.RootInput)
		}, s.forgetRoot)
	folders := group{tag: "Files in place", path: "/folders", abilities: []dam.Ability{dam.AssetsRead}}
	register(s, folders.route("listFolders", "GET", "", "List folders"), s.listFolders)
}

func (s *Server) listRoots(ctx context.Context, in *PageInput) (*listOutput[Root], error) {
	actor := requestOf(ctx).actor
	roots, err := s.app.External.List(ctx, actor)
	return pageAnswer(ctx, in, toRoot(actor))(partOf(roots, in.page()), len(roots), err)
}

func (s *Server) showRoot(ctx context.Context, in *RootInput) (*oneOutput[Root], error) {
	actor := requestOf(ctx).actor
	return answer(toRoot(actor))(s.app.External.Get(ctx, actor, in.Root))
}

func (s *Server) scanRoot(ctx context.Context, in *RootInput) (*oneOutput[Root], error) {
	actor := requestOf(ctx).actor
	return answer(toRoot(actor))(s.app.External.Scan(ctx, actor, in.Root))
}

func (s *Server) forgetRoot(ctx context.Context, in *forgetRootInput) (*messageOutput, error) {
	return done("Root forgotten.", s.app.External.Forget(ctx, requestOf(ctx).actor, in.Root, in.Forget.isTrue()))
}

func (s *Server) listFolders(ctx context.Context, in *listFoldersInput) (*listOutput[Folder], error) {
	folders, err := s.app.External.Folders(ctx, requestOf(ctx).actor, in.Path)
	return pageAnswer(ctx, &in.PageInput, toFolder)(partOf(folders, in.page()), len(folders), err)
}

// partOf returns the items of a page.
func partOf[T any](all []T, p dam.Page) []T {
	from := min(p.Offset, len(all))
	return all[from:min(from+p.Limit, len(all))]
}

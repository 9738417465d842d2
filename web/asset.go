package web

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/digital-asset-library/dal/app/asset"
	"github.com/digital-asset-library/dal/app/dam"
	finds "github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/app/render"
)

// AssetFields are the members common to every representation of an asset.
type AssetFields struct {
	GAID             dam.GAID             `json:"gaid" minLength:"26" maxLength:"26" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Title            string               `json:"title" example:"Harbour at dawn"`
	OriginalFilename string               `json:"original_filename" example:"IMG_1234.jpg"`
	MIMEType         string               `json:"mime_type" example:"image/jpeg"`
	FileCategory     dam.FileCategory     `json:"file_category" example:"Image"`
	Extension        string               `json:"extension" doc:"File extension of the detected type, in lower case." example:"jpg"`
	Width            *int64               `json:"width" doc:"Width in pixels, as displayed." example:"6000"`
	Height           *int64               `json:"height" doc:"Height in pixels, as displayed." example:"4000"`
	Duration         *float64             `json:"duration" doc:"Duration of audio and video, in seconds."`
	PageCount        *int64               `json:"page_count" doc:"Number of pages of a document or multi-page picture."`
	FileSize         int64                `json:"file_size" doc:"File size in bytes." example:"4194304"`
	Checksum         string               `json:"checksum_sha256" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	AssetClassID     *int64               `json:"asset_class_id" example:"1"`
	BatchID          *int64               `json:"ingestion_batch_id" example:"3"`
	CaptureDate      NullTime             `json:"capture_date"`
	CaptureLocalTime *string              `json:"capture_local_time" example:"2023-12-31T22:00:00"`
	CaptureUTCOffset *string              `json:"capture_utc_offset" example:"-08:00"`
	Creator          *string              `json:"creator" example:"Ada Lovelace"`
	Copyright        *string              `json:"copyright" example:"© 2026 Ada Lovelace"`
	Description      *string              `json:"description" example:"Fishing boats leaving the old harbour."`
	Keywords         []string             `json:"keywords" example:"[\"harbour\",\"dawn\"]"`
	People           []string             `json:"people" example:"[\"Ada Lovelace\"]"`
	FocalPoint       Null[FocalPoint]     `json:"focal_point"`
	Rating           *int64               `json:"rating" minimum:"0" maximum:"5" doc:"Rating from 0 to 5; null if there is none." example:"4"`
	Location         Null[Location]       `json:"location"`
	UsageFrom        NullTime             `json:"usage_from" doc:"Start of the licence period; null for none."`
	UsageUntil       NullTime             `json:"usage_until" doc:"End of the licence period, exclusive; null for none."`
	UsageState       dam.UsageState       `json:"usage_state" example:"active"`
	UsageTerms       *string              `json:"usage_terms" doc:"Conditions of use." example:"Editorial use only."`
	AICaption        *string              `json:"ai_caption" doc:"Description of the picture, usually AI-generated; null if there is none."`
	AITags           []string             `json:"ai_tags" doc:"Tags for what the picture shows, usually AI-generated."`
	WorkflowStatus   dam.WorkflowStatus   `json:"workflow_status" example:"draft"`
	ProcessingStatus dam.ProcessingStatus `json:"processing_status" example:"ready"`
	Colors           []dam.Color          `json:"colors" doc:"Dominant colours, largest share first."`
	ThumbHash        *string              `json:"thumbhash" example:"1QcSHQRnh493V4dIh4eXh1h4kJUI"`
	Metadata         map[string]any       `json:"metadata" doc:"Custom fields by key." example:"{\"project\":\"Apollo\"}"`
	URLs             assetURLs            `json:"urls" doc:"URLs of the files. Downloading them requires assets:download."`
	FileVersion      int64                `json:"file_version" minimum:"1" doc:"Version of the current file, starting at 1." example:"1"`
	Version          int64                `json:"version" doc:"Version of the asset; increases with each change." example:"1"`
	CreatedAt        Time                 `json:"created_at"`
	UpdatedAt        Time                 `json:"updated_at"`
	DeletedAt        NullTime             `json:"deleted_at" doc:"When the asset was moved to the trash; null if it was not."`
	RootID           *int64               `json:"root_id" doc:"Root of the external library with the file; null if there is none."`
	Folder           *string              `json:"folder" doc:"Folder in the external library, starting with the name of its root."`
	Availability     dam.Availability     `json:"availability" example:"available"`
}

func captureInstant(a *dam.Asset) *time.Time {
	if a.CaptureDate == nil {
		return nil
	}
	return &a.CaptureDate.Time
}

type assetURLs struct {
	Thumbnail *string `json:"thumbnail" example:"http://localhost:8080/api/v1/assets/01KB3J8Q5V7X9Z1B3D5F7H9K1M/download?rendition=thumbnail"`
	Preview   *string `json:"preview" example:"http://localhost:8080/api/v1/assets/01KB3J8Q5V7X9Z1B3D5F7H9K1M/download?rendition=preview"`
	Large     *string `json:"large" example:"http://localhost:8080/api/v1/assets/01KB3J8Q5V7X9Z1B3D5F7H9K1M/download?rendition=large"`
	Proxy     *string `json:"proxy" example:"http://localhost:8080/api/v1/assets/01KB3J8Q5V7X9Z1B3D5F7H9K1M/download?rendition=proxy"`
	Original  string  `json:"original" example:"http://localhost:8080/api/v1/assets/01KB3J8Q5V7X9Z1B3D5F7H9K1M/download"`
}

// assetView is the context in which assets are rendered.
type assetView struct {
	base string // see request.base
	now  time.Time
}

func viewOf(ctx context.Context) assetView {
	return assetView{requestOf(ctx).base, requestOf(ctx).start}
}

// AssetItem is an asset in a list.
type AssetItem struct {
	AssetFields
	Score      *float64    `json:"score,omitempty" doc:"Relevance for q: higher is better. Only with q." example:"4.2"`
	MatchedOn  []string    `json:"matched_on,omitempty" example:"[\"title\",\"meaning\"]"`
	Highlights []Highlight `json:"highlights,omitempty" doc:"Matching passages of the text. Only with q."`
	Truncated  []string    `json:"truncated,omitempty" example:"[\"metadata\"]"`
}

// Highlight is a matching passage of text.
type Highlight struct {
	Field string `json:"field" doc:"Field name, as in matched_on; metadata.{key} for a custom field." example:"title"`
	HTML  string `json:"html" example:"<mark>Harbour</mark> at dawn"`
}

// AssetList is a page of assets.
type AssetList struct {
	Data  []AssetItem `json:"data"`
	Links pageLinks   `json:"links"`
	Meta  AssetMeta   `json:"meta"`
}

// AssetMeta describes the page and the result as a whole.
type AssetMeta struct {
	PageMeta
	Meaning         dam.Meaning             `json:"meaning" example:"ready"`
	Matches         *AssetMatches           `json:"matches,omitempty"`
	UnknownPrefixes []string                `json:"unknown_prefixes,omitempty" example:"[\"titel\"]"`
	Query           *ParsedQuery            `json:"query,omitempty"`
	Facets          map[string][]FacetValue `json:"facets,omitempty" example:"{\"file_category\":[{\"value\":\"Image\",\"count\":812}]}"`
}

// ParsedQuery is the interpretation of q.
type ParsedQuery struct {
	Readable     string        `json:"readable" example:"black AND (horse OR cat) AND NOT dog"`
	Operator     dam.MatchMode `json:"operator" example:"all"`
	Terms        []string      `json:"terms" example:"[\"black\",\"horse\",\"cat\"]"`
	Phrases      []string      `json:"phrases" example:"[\"\\\"at dawn\\\"\"]"`
	Excluded     []string      `json:"excluded" example:"[\"dog\"]"`
	Alternatives [][]string    `json:"alternatives" example:"[[\"horse\",\"cat\"]]"`
}

func toParsedQuery(p *dam.ParsedQuery) *ParsedQuery {
	if p == nil {
		return nil
	}
	return &ParsedQuery{p.Readable, p.Operator, orEmpty(p.Terms), orEmpty(p.Phrases), orEmpty(p.Excluded), orEmpty(p.Alternatives)}
}

// AssetMatches counts the assets of a search by the kind of match.
type AssetMatches struct {
	Words   int `json:"words" minimum:"0" doc:"Number of results that contain the words." example:"12"`
	Meaning int `json:"meaning" minimum:"0" doc:"Number of results that match only by meaning; 0 with meaning=false." example:"3"`
}

// FacetValue is a value and the number of assets that have it.
type FacetValue struct {
	Value any    `json:"value" doc:"Text, number, boolean or id." example:"\"Image\""`
	Label string `json:"label,omitempty" doc:"Name of an id or a MIME type, or label of a term." example:"Harbours"`
	Count int    `json:"count" minimum:"1" example:"812"`
}

// Asset is a single asset.
type Asset struct {
	AssetFields
	OCRText     *string          `json:"ocr_text" doc:"Text of the file, including recognised text; null if there is none."`
	TagDetails  []TagDetail      `json:"ai_tag_details" maxItems:"500" doc:"Source of each tag in ai_tags, in the same order."`
	Technical   map[string]any   `json:"technical"`
	Collections []CollectionItem `json:"collections" doc:"Collections of the asset that you may view; none without collections:read."`
	Owner       Null[User]       `json:"owner"`
	CreatedBy   Null[User]       `json:"created_by"`
	Parts       []Part           `json:"parts" doc:"Additional files of the asset, such as the RAW file of a photo."`
	UpdatedBy   Null[User]       `json:"updated_by"`
}

// CollectionItem names a collection.
type CollectionItem struct {
	ID   int64  `json:"id" example:"2"`
	Name string `json:"name" example:"Harbours"`
}

func toAssetFields(v assetView, a *dam.Asset) AssetFields {
	f := AssetFields{
		GAID: a.GAID, Title: a.Title, OriginalFilename: a.OriginalFilename, MIMEType: a.MIMEType, FileCategory: a.FileCategory,
		Extension: a.Extension, Width: number(a.Width), Height: number(a.Height), PageCount: number(a.PageCount), FileSize: a.FileSize,
		Checksum: a.SHA256, AssetClassID: number(a.AssetClassID), BatchID: number(a.BatchID), CaptureDate: NullTime{captureInstant(a)},
		CaptureLocalTime: text(a.CaptureLocalTime()), CaptureUTCOffset: text(a.CaptureUTCOffset()),
		Creator: text(a.Creator), Copyright: text(a.Copyright), Keywords: orEmpty(a.Keywords), People: orEmpty(a.People),
		Description: text(a.Description), FocalPoint: null(a.FocalPoint, toFocalPoint), Rating: a.Rating,
		Location: null(a.Location, toLocation), UsageTerms: text(a.UsageTerms),
		UsageFrom: NullTime{a.UsageFrom}, UsageUntil: NullTime{a.UsageUntil}, UsageState: a.UsageAt(v.now),
		AICaption: text(a.AICaption), AITags: orEmpty(a.AITags),
		WorkflowStatus: a.WorkflowStatus, ProcessingStatus: a.ProcessingStatus, Colors: orEmpty(a.Colors),
		Metadata: orEmptyMap(a.Metadata), URLs: urlsOf(fmt.Sprintf("%s%s/assets/%s/download", v.base, apiRoot, a.GAID), a),
		FileVersion: a.FileVersion, Version: a.Version,
		CreatedAt: Time{a.CreatedAt}, UpdatedAt: Time{a.UpdatedAt}, DeletedAt: NullTime{a.DeletedAt},
		RootID: number(a.RootID), Folder: text(a.Folder), Availability: cmp.Or(a.Availability, dam.Available),
	}
	if a.DurationMS != 0 {
		f.Duration = ptr(float64(a.DurationMS) / 1000)
	}
	if len(a.ThumbHash) > 0 {
		f.ThumbHash = ptr(base64.StdEncoding.EncodeToString(a.ThumbHash))
	}
	return f
}

// urlsOf returns the URLs of an asset's files. Picture URLs of later file versions contain
// the version number, so that browsers do not show the cached previous version.
func urlsOf(download string, a *dam.Asset) assetURLs {
	rendition := func(kind dam.Rendition) *string {
		query := url.Values{"rendition": {string(kind)}}
		if a.FileVersion > 1 {
			query.Set("v", itoa(a.FileVersion))
		}
		return ptr(download + "?" + query.Encode())
	}
	u := assetURLs{Original: download} // clients append parameters
	if a.HasPicture() {
		u.Thumbnail, u.Preview = rendition(dam.RenditionThumbnail), rendition(dam.RenditionPreview)
	}
	if render.HasLarge(a) {
		u.Large = rendition(dam.RenditionLarge)
	}
	if a.HasProxy {
		u.Proxy = rendition(dam.RenditionProxy)
	}
	return u
}

func toAsset(v assetView, d *asset.Detail) Asset {
	return Asset{AssetFields: toAssetFields(v, d.Asset), OCRText: text(d.OCRText), Technical: technical(d.Asset),
		TagDetails:  mapped(d.TagDetails(), toTagDetail),
		Collections: mapped(d.Collections, func(c dam.CollectionRef) CollectionItem { return CollectionItem(c) }),
		Owner:       null(d.Owner, toUser), CreatedBy: null(d.CreatedBy, toUser), UpdatedBy: null(d.UpdatedBy, toUser),
		Parts: mapped(d.Parts, toPart)}
}

// technical returns the metadata of the asset's file and the text recognized in its
// pictures.
func technical(a *dam.Asset) map[string]any {
	all := orEmptyMap(a.Technical)
	if a.Recognized != nil {
		all = maps.Clone(all)
		all["ocr"] = a.Recognized.Shown()
	}
	return all
}

// etag returns the entity tag of a single asset at the given time.
func etag(a *dam.Asset, now time.Time) string {
	tag := fmt.Sprintf("v%d", a.Version)
	if state := a.UsageAt(now); state != dam.UsageActive { // changes over time, without a new version
		tag += "-" + string(state)
	}
	if len(a.Collections) == 0 {
		return `"` + tag + `"`
	}
	h := fnv.New64a()
	for _, c := range a.Collections { // collections, too, can change without a new version
		fmt.Fprintf(h, "%d %q ", c.ID, c.Name)
	}
	return fmt.Sprintf(`"%s-%016x"`, tag, h.Sum64())
}

// AssetChanges are the fields of an asset that a client can change.
type AssetChanges struct {
	Title            Opt[string]             `json:"title,omitempty" example:"Harbour at dawn"`
	Creator          Opt[string]             `json:"creator,omitempty" doc:"Up to 1000 characters." example:"Ada Lovelace"`
	Copyright        Opt[string]             `json:"copyright,omitempty" doc:"Up to 1000 characters." example:"© 2026 Ada Lovelace"`
	Description      Opt[string]             `json:"description,omitempty" doc:"Up to 10000 characters." example:"Boats leaving."`
	Keywords         Opt[[]string]           `json:"keywords,omitempty" maxItems:"500" example:"[\"harbour\",\"dawn\"]"`
	People           Opt[[]string]           `json:"people,omitempty" maxItems:"500" example:"[\"Ada Lovelace\"]"`
	CaptureDate      Opt[time.Time]          `json:"capture_date,omitempty" example:"2026-01-31T06:12:00+01:00"`
	CaptureUTCOffset Opt[string]             `json:"capture_utc_offset,omitempty" example:"-08:00"`
	FocalPoint       Opt[FocalPoint]         `json:"focal_point,omitempty"`
	Rating           Opt[int64]              `json:"rating,omitempty" minimum:"0" maximum:"5" example:"4"`
	Location         Opt[LocationChanges]    `json:"location,omitempty"`
	UsageFrom        Opt[time.Time]          `json:"usage_from,omitempty" example:"2026-01-01T00:00:00Z"`
	UsageUntil       Opt[time.Time]          `json:"usage_until,omitempty" example:"2027-12-31T23:59:59Z"`
	UsageTerms       Opt[string]             `json:"usage_terms,omitempty" doc:"Up to 10000 characters." example:"Editorial use only."`
	WorkflowStatus   Opt[dam.WorkflowStatus] `json:"workflow_status,omitempty" example:"approved"`
	AssetClassID     Opt[int64]              `json:"asset_class_id,omitempty" minimum:"1" example:"1"`
	OwnerID          Opt[int64]              `json:"owner_id,omitempty" minimum:"1" doc:"Id of the owner." example:"1"`
	AICaption        Opt[string]             `json:"ai_caption,omitempty" doc:"Up to 100000 characters."`
	AITags           Opt[[]string]           `json:"ai_tags,omitempty" maxItems:"500" doc:"All tags: up to 500 of up to 255 characters."`
	Metadata         Opt[map[string]any]     `json:"metadata,omitempty" example:"{\"project\":\"Apollo\"}"`
}

func (c *AssetChanges) dam() dam.AssetPatch {
	return dam.AssetPatch{Title: c.Title.Opt, Creator: c.Creator.Opt, Copyright: c.Copyright.Opt, Keywords: c.Keywords.Opt,
		People:      c.People.Opt,
		Description: c.Description.Opt, FocalPoint: optAs(c.FocalPoint, FocalPoint.dam), Rating: c.Rating.Opt,
		Location: optAs(c.Location, LocationChanges.dam), UsageFrom: c.UsageFrom.Opt, UsageUntil: c.UsageUntil.Opt, UsageTerms: c.UsageTerms.Opt,
		CaptureDate:      optAs(c.CaptureDate, func(t time.Time) dam.CaptureTime { return dam.CaptureTime{Time: t} }),
		CaptureUTCOffset: c.CaptureUTCOffset.Opt, WorkflowStatus: c.WorkflowStatus.Opt, AssetClassID: c.AssetClassID.Opt, OwnerID: c.OwnerID.Opt,
		AICaption: c.AICaption.Opt, AITags: c.AITags.Opt, Metadata: c.Metadata.Opt}
}

type (
	// AssetsSought are the parameters that select assets, and the sort direction. The sort
	// key is separate, since its values depend on the list.
	AssetsSought struct {
		Q             string        `query:"q" maxLength:"500" example:"harbour dawn"`
		Meaning       bool          `query:"meaning" default:"true" example:"false"`
		Exact         bool          `query:"exact" example:"true"`
		SortDirection dam.Direction `query:"sort_direction" example:"asc"`
		AssetClassID  int64         `query:"asset_class_id" minimum:"1" doc:"Assets of this class." example:"1"`
		MIMEType      string        `query:"mime_type" maxLength:"100" example:"image/"`

		Filters string `query:"filters" maxLength:"65536" example:"{\"type\":\"filter\",\"field\":\"asset.title\",\"operator\":\"is_empty\"}"`

		BatchID      int64            `query:"ingestion_batch_id" minimum:"1" doc:"Assets of this upload batch of yours." example:"3"`
		FileCategory dam.FileCategory `query:"file_category" doc:"Assets of this file category." example:"Image"`
		Extension    string           `query:"extension" maxLength:"100" doc:"Assets with this file extension." example:"jpg"`
		OwnerID      int64            `query:"owner_id" minimum:"1" doc:"Assets of this owner." example:"1"`
		CreatedByID  int64            `query:"created_by_id" minimum:"1" doc:"Assets uploaded by this user." example:"1"`
		Keywords     []string         `query:"keywords" maxItems:"100" doc:"Assets with any of these keywords." example:"harbour,dawn"`
		CollectionID int64            `query:"collection_id" minimum:"1" doc:"Assets in this collection." example:"3"`
		GAIDs        []string         `query:"gaids[],explode" maxItems:"1000" doc:"Only these assets; repeat the parameter for each."`

		Trashed dam.Trashed `query:"trashed" doc:"only: only assets in the trash; with: also those." example:"only"`
	}
	// AssetsQuery are the parameters of all lists of assets, except for the sort key.
	AssetsQuery struct {
		PageInput
		AssetsSought
		Facets string `query:"facets" maxLength:"1000" example:"file_category,keywords"`
	}
	assetsInput struct {
		AssetsQuery
		SortBy AssetSort `query:"sort_by" doc:"Sort order. Default: relevance with q, otherwise created_at." example:"title"`
	}
	assetsOutput struct{ Body AssetList }
	// GAIDInput names an asset in the path.
	GAIDInput struct {
		GAID dam.GAID `path:"gaid" doc:"The asset's GAID." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	}
	showAssetInput struct {
		GAIDInput
		Trashed     string `query:"trashed" enum:"with" doc:"Return the asset even if it is in the trash." example:"with"`
		IfNoneMatch string `header:"If-None-Match" doc:"Respond with 304 if the asset still has one of these ETags." example:"\"v1\""`
	}
	assetOutput struct {
		Status int
		ETag   string `header:"ETag" doc:"Entity tag, which changes with the version and the collections of the asset."`
		Body   *one[Asset]
	}
	updateAssetInput struct {
		GAIDInput
		ConditionInput
		ReturnedInput
		Body *AssetChanges `contentType:"application/json"`
	}
	deleteAssetInput struct {
		GAIDInput
		ConditionInput
		Force bool `query:"force" example:"false"`
	}
	restoreAssetInput struct {
		GAIDInput
		ConditionInput
	}
)

func (s *Server) assetRoutes() {
	assets := group{tag: "Assets", path: "/assets"}
	register(s, assets.route("listAssets", "GET", "", "Search and list assets", dam.AssetsRead).searching(), s.listAssets)
	outline := assets.route("outlineAssets", "GET", "/outline", "Show the layout index of a list of assets", dam.AssetsRead)
	register(s, outline.searching(), s.outlineAssets)
	register(s, assets.route("similarAssets", "GET", "/{gaid}/similar", "List similar assets", dam.AssetsRead).searching(), s.similarAssets)
	register(s, assets.route("showAsset", "GET", "/{gaid}", "Show an asset", dam.AssetsRead), s.showAsset)
	register(s, assets.route("assetAnalyses", "GET", "/{gaid}/analyses", "List the analyses of an asset", dam.AssetsRead), s.assetAnalyses)
	register(s, assets.route("assetHistory", "GET", "/{gaid}/history", "List the changes of an asset", dam.AssetsRead), s.assetHistory)
	update := assets.route("updateAsset", "PUT", "/{gaid}", "Update an asset", dam.AssetsWrite)
	update.maxBody = metadataBody
	registerPut(s, update, s.assetAsShown, s.updateAsset)
	register(s, assets.route("deleteAsset", "DELETE", "/{gaid}", "Delete an asset", dam.AssetsDelete), s.deleteAsset)
	register(s, assets.route("mergeAssets", "POST", "/{gaid}/merge", "Merge assets",
		dam.AssetsDelete, dam.AssetsWrite, dam.CollectionsWrite), s.mergeAssets)
	register(s, assets.route("restoreAsset", "POST", "/{gaid}/restore", "Restore an asset", dam.AssetsDelete).failing(409),
		s.restoreAsset)
}

func (s *Server) listAssets(ctx context.Context, in *assetsInput) (*assetsOutput, error) {
	out, err := s.assets(ctx, &in.AssetsQuery, dam.Sort(in.SortBy), dam.SortCreatedAt, s.app.Finder.Assets)
	if err == nil && in.Q != "" && in.Page == 1 {
		s.app.Analytics.Searched(ctx, in.Q, out.Body.Meta.Total)
	}
	return out, err
}

// params converts the parameters to those of a query sorted by by.
func (q *AssetsSought) params(by dam.Sort) dam.QueryParams {
	return dam.QueryParams{
		Q: q.Q, WordsOnly: !q.Meaning || q.Exact, Exact: q.Exact, Filters: q.Filters, SortBy: by, SortDirection: q.SortDirection,
		AssetClassID: q.AssetClassID, MIMEType: q.MIMEType, BatchID: q.BatchID, Trashed: q.Trashed,
		FileCategory: q.FileCategory, Extension: q.Extension, OwnerID: q.OwnerID, CreatedByID: q.CreatedByID, Keywords: q.Keywords,
		CollectionID: q.CollectionID, GAIDs: mapped(q.GAIDs, func(s string) dam.GAID { return dam.GAID(s) }),
	}
}

// assets answers with the assets that find returns, sorted by usual unless the request
// names a sort key.
func (s *Server) assets(ctx context.Context, in *AssetsQuery, by, usual dam.Sort,
	find func(context.Context, dam.Actor, dam.Query) (*finds.AssetList, error)) (*assetsOutput, error) {
	params := in.params(by)
	params.Facets = in.Facets
	q, err := s.app.Finder.Query(ctx, params, usual)
	if err != nil {
		return nil, err
	}
	q.Page = in.page()
	found, err := find(ctx, requestOf(ctx).actor, q)
	if err != nil {
		return nil, err
	}
	view := viewOf(ctx)
	items := mapped(found.Hits, func(h finds.AssetHit) AssetItem {
		item := AssetItem{AssetFields: toAssetFields(view, h.Asset)}
		if q.HasText() {
			item.Score, item.MatchedOn = &h.Score, orEmpty(h.MatchedOn)
			item.Highlights = mapped(h.Fragments, func(f dam.Fragment) Highlight { return Highlight{f.Field, f.HTML} })
		}
		return item
	})
	fitAssets(items, func(i *AssetItem) (*AssetFields, *[]string) { return &i.AssetFields, &i.Truncated })
	page := paginate(ctx, &in.PageInput, items, found.Total)
	meta := AssetMeta{PageMeta: page.Meta, Meaning: found.Meaning, UnknownPrefixes: found.UnknownPrefixes,
		Query: toParsedQuery(found.Query)}
	if q.HasText() {
		meta.Matches = ptr(AssetMatches(found.Matches))
	}
	out := &assetsOutput{AssetList{Data: page.Data, Links: page.Links, Meta: meta}}
	if len(q.Facets) > 0 {
		out.Body.Meta.Facets = toFacets(found.Facets)
	}
	return out, nil
}

func (s *Server) showAsset(ctx context.Context, in *showAssetInput) (*assetOutput, error) {
	d, err := s.app.Assets.Get(ctx, requestOf(ctx).actor, in.GAID, in.Trashed == "with")
	if err != nil {
		return nil, err
	}
	s.app.Analytics.Opened(ctx, d.GAID)
	out := assetAnswer(ctx, d)
	if unmodified(ctx, out.ETag) {
		out.Status, out.Body = http.StatusNotModified, nil
	}
	return out, nil
}

func assetAnswer(ctx context.Context, d *asset.Detail) *assetOutput {
	return &assetOutput{Status: http.StatusOK, ETag: etag(d.Asset, requestOf(ctx).start), Body: &one[Asset]{toAsset(viewOf(ctx), d)}}
}

func (s *Server) assetAsShown(ctx context.Context, in *updateAssetInput) (any, error) {
	d, err := s.app.Assets.Get(ctx, requestOf(ctx).actor, in.GAID, false)
	if err != nil {
		return nil, err
	}
	return toAsset(viewOf(ctx), d), nil
}

func (s *Server) updateAsset(ctx context.Context, in *updateAssetInput) (*assetOutput, error) {
	p := &dam.AssetPatch{}
	if in.Body != nil {
		*p = in.Body.dam()
	}
	return s.patchAsset(ctx, in.GAID, p)
}

// patchAsset changes an asset if the request's preconditions hold.
func (s *Server) patchAsset(ctx context.Context, gaid dam.GAID, p *dam.AssetPatch) (*assetOutput, error) {
	d, err := s.app.Assets.Update(ctx, requestOf(ctx).actor, gaid, p, assetCheck(ctx))
	if err != nil {
		return nil, err
	}
	return assetAnswer(ctx, d), nil
}

func (s *Server) deleteAsset(ctx context.Context, in *deleteAssetInput) (*messageOutput, error) {
	remove := s.app.Assets.Trash
	if in.Force {
		remove = s.app.Assets.Delete
	}
	return done("Asset deleted.", remove(ctx, requestOf(ctx).actor, in.GAID, assetCheck(ctx)))
}

func (s *Server) restoreAsset(ctx context.Context, in *restoreAssetInput) (*assetOutput, error) {
	d, err := s.app.Assets.Restore(ctx, requestOf(ctx).actor, in.GAID, assetCheck(ctx))
	if err != nil {
		return nil, err
	}
	return assetAnswer(ctx, d), nil
}

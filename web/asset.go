package web

import (
	"context"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"net/http"
	"time"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

// AssetFields are what every view of an asset has.
type AssetFields struct {
	GAID             dam.GAID           `json:"gaid" doc:"The Global Asset ID: a ULID, stable and never used again." minLength:"26" maxLength:"26" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Title            string             `json:"title" example:"Harbour at dawn"`
	OriginalFilename string             `json:"original_filename" example:"IMG_1234.jpg"`
	MIMEType         string             `json:"mime_type" example:"image/jpeg"`
	FileCategory     string             `json:"file_category" enum:"Image,Video,Audio,Document" example:"Image"`
	Extension        string             `json:"extension" doc:"Of the real type, lower case." example:"jpg"`
	Width            *int64             `json:"width" doc:"Pixels, as seen after orientation." example:"6000"`
	Height           *int64             `json:"height" doc:"Pixels, as seen after orientation." example:"4000"`
	Duration         *float64           `json:"duration" doc:"Seconds, of audio and video."`
	PageCount        *int64             `json:"page_count" doc:"Pages, of documents and multi-page pictures."`
	FileSize         int64              `json:"file_size" doc:"Bytes." example:"4194304"`
	Checksum         string             `json:"checksum_sha256" doc:"SHA-256 of the original, hex." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	AssetClassID     *int64             `json:"asset_class_id" example:"1"`
	BatchID          *int64             `json:"ingestion_batch_id" doc:"The upload batch that it came with; null when that is another user's, unless you are an admin with uploads:manage." example:"3"`
	CaptureDate      NullTime           `json:"capture_date" doc:"When the picture was taken, UTC."`
	Creator          *string            `json:"creator" example:"Ada Lovelace"`
	Copyright        *string            `json:"copyright" example:"© 2026 Ada Lovelace"`
	Keywords         []string           `json:"keywords" example:"[\"harbour\",\"dawn\"]"`
	AICaption        *string            `json:"ai_caption" doc:"A description made by a model; null without one."`
	AITags           []string           `json:"ai_tags" doc:"Tags made by a model."`
	WorkflowStatus   dam.WorkflowStatus `json:"workflow_status" enum:"draft,in_review,approved,rejected,archived" example:"draft"`
	ProcessingStatus string             `json:"processing_status" enum:"processing,ready,failed,damaged" doc:"damaged: the server's copy of the file is not what was uploaded, and is not served; uploading the same file again heals it." example:"ready"`
	Colors           []dam.Color        `json:"colors" doc:"Dominant colours, largest share first."`
	ThumbHash        *string            `json:"thumbhash" doc:"A placeholder of about 25 bytes, base64: https://evanw.github.io/thumbhash/" example:"1QcSHQRnh493V4dIh4eXh1h4kJUI"`
	Metadata         map[string]any     `json:"metadata" doc:"Custom fields by key." example:"{\"project\":\"Apollo\"}"`
	URLs             assetURLs          `json:"urls" doc:"Where the files are. They need the ability assets:download."`
	Version          int64              `json:"version" doc:"Counts up with each change." example:"1"`
	CreatedAt        Time               `json:"created_at"`
	UpdatedAt        Time               `json:"updated_at"`
	DeletedAt        NullTime           `json:"deleted_at" doc:"When it went to the trash; null outside it."`
}

type assetURLs struct {
	Thumbnail *string `json:"thumbnail" doc:"JPEG within 320 × 320 pixels; null for a file without a picture." example:"http://localhost:8080/api/v1/assets/01KB3J8Q5V7X9Z1B3D5F7H9K1M/download?rendition=thumbnail"`
	Preview   *string `json:"preview" doc:"JPEG within 1600 × 1600 pixels; null for a file without a picture." example:"http://localhost:8080/api/v1/assets/01KB3J8Q5V7X9Z1B3D5F7H9K1M/download?rendition=preview"`
	Original  string  `json:"original" doc:"The file as it was uploaded." example:"http://localhost:8080/api/v1/assets/01KB3J8Q5V7X9Z1B3D5F7H9K1M/download"`
}

// AssetItem is an asset in a list.
type AssetItem struct {
	AssetFields
	Score      *float64    `json:"score,omitempty" doc:"How well it matches q, higher is better; only with q." example:"4.2"`
	MatchedOn  []string    `json:"matched_on,omitempty" doc:"Which fields matched q, and meaning when it was found by what it is about; only with q." example:"[\"title\",\"meaning\"]"`
	Highlights []Highlight `json:"highlights,omitempty" doc:"Pieces of the text that matched; only with q."`
	Truncated  []string    `json:"truncated,omitempty" doc:"Which of metadata, keywords, ai_tags and ai_caption are empty here because the page would be too large with them (4 MiB in all; each item has its share of that); GET the asset for them." example:"[\"metadata\"]"`
}

// Highlight is a piece of text that matched.
type Highlight struct {
	Field string `json:"field" doc:"A field as in matched_on; of custom fields metadata.{key}." example:"title"`
	HTML  string `json:"html" doc:"The text around the first match, escaped for HTML; what matched is in mark elements." example:"<mark>Harbour</mark> at dawn"`
}

// AssetList is a page of assets.
type AssetList struct {
	Data  []AssetItem `json:"data"`
	Links pageLinks   `json:"links"`
	Meta  AssetMeta   `json:"meta"`
}

// AssetMeta says which part of the result a page is, and more about the result.
type AssetMeta struct {
	PageMeta
	Meaning dam.Meaning             `json:"meaning" enum:"ready,indexing,loading,off,unavailable" doc:"Whether q finds by meaning too: ready; indexing, but some texts are still to be read; loading, the vectors are being read; off; or unavailable, the model does not answer. Words are found in all of them." example:"ready"`
	Facets  map[string][]FacetValue `json:"facets,omitempty" doc:"For each of facets how many assets of the whole result have which value: up to 100 values, the most frequent first." example:"{\"file_category\":[{\"value\":\"Image\",\"count\":812}]}"`
}

// FacetValue is how many assets have a value.
type FacetValue struct {
	Value any    `json:"value" doc:"A text, number, boolean or id." example:"\"Image\""`
	Label string `json:"label,omitempty" doc:"The name of what has an id, or the label of a term." example:"Harbours"`
	Count int    `json:"count" minimum:"1" example:"812"`
}

// SimilarAssets are the assets that are like one, most alike first.
type SimilarAssets struct {
	Data []SimilarItem `json:"data"`
	Meta SimilarMeta   `json:"meta"`
}

// SimilarMeta says how it was looked for similar assets.
type SimilarMeta struct {
	Meaning dam.Meaning `json:"meaning" enum:"ready,indexing,loading,off,unavailable" doc:"Whether assets are found by meaning too; near duplicates are found always." example:"ready"`
}

// SimilarItem is an asset that is like another.
type SimilarItem struct {
	AssetFields
	MatchedOn []string `json:"matched_on" doc:"picture: a near duplicate; meaning: about the same." example:"[\"picture\"]"`
	Distance  *int     `json:"distance" doc:"How many of the 64 bits of the perceptual hashes differ, for a near duplicate." example:"2"`
	Cosine    *float64 `json:"cosine" doc:"Of the angle between the meanings, up to 1; null when it is not known." example:"0.83"`
	Truncated []string `json:"truncated,omitempty" doc:"What is empty here because the answer would be too large with it, as in lists; GET the asset for it." example:"[\"metadata\"]"`
}

// Asset is a single asset.
type Asset struct {
	AssetFields
	OCRText     *string          `json:"ocr_text" doc:"Text seen in the picture; null when none was read."`
	Technical   map[string]any   `json:"technical" doc:"What the file says of itself, by namespace: exif, iptc, xmp, gps, file."`
	Collections []CollectionItem `json:"collections" doc:"Those with this asset that you may view; none without collections:read."`
	Owner       NullUser         `json:"owner"`
	CreatedBy   NullUser         `json:"created_by"`
	UpdatedBy   NullUser         `json:"updated_by"`
}

// CollectionItem names a collection.
type CollectionItem struct {
	ID   int64  `json:"id" example:"2"`
	Name string `json:"name" example:"Harbours"`
}

func toAssetFields(base string, a *dam.Asset) AssetFields {
	download := fmt.Sprintf("%s%s/assets/%s/download", base, apiRoot, a.GAID)
	f := AssetFields{
		GAID: a.GAID, Title: a.Title, OriginalFilename: a.OriginalFilename, MIMEType: a.MIMEType, FileCategory: string(a.FileCategory),
		Extension: a.Extension, Width: number(a.Width), Height: number(a.Height), PageCount: number(a.PageCount), FileSize: a.FileSize,
		Checksum: a.SHA256, AssetClassID: number(a.AssetClassID), BatchID: number(a.BatchID), CaptureDate: NullTime{a.CaptureDate},
		Creator: text(a.Creator), Copyright: text(a.Copyright), Keywords: orEmpty(a.Keywords), AICaption: text(a.AICaption), AITags: orEmpty(a.AITags),
		WorkflowStatus: a.WorkflowStatus, ProcessingStatus: string(a.ProcessingStatus), Colors: orEmpty(a.Colors),
		Metadata: orEmptyMap(a.Metadata), URLs: assetURLs{Original: download}, Version: a.Version,
		CreatedAt: Time{a.CreatedAt}, UpdatedAt: Time{a.UpdatedAt}, DeletedAt: NullTime{a.DeletedAt},
	}
	if a.DurationMS != 0 {
		f.Duration = ptr(float64(a.DurationMS) / 1000)
	}
	if a.HasPicture() {
		f.URLs.Thumbnail, f.URLs.Preview = ptr(download+"?rendition=thumbnail"), ptr(download+"?rendition=preview")
	}
	if len(a.ThumbHash) > 0 {
		f.ThumbHash = ptr(base64.StdEncoding.EncodeToString(a.ThumbHash))
	}
	return f
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func orEmptyMap(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func toAsset(base string, d *app.AssetDetail) Asset {
	return Asset{AssetFields: toAssetFields(base, d.Asset), OCRText: text(d.OCRText), Technical: orEmptyMap(d.Technical),
		Collections: mapped(d.Collections, func(c dam.CollectionRef) CollectionItem { return CollectionItem(c) }),
		Owner:       toNullUser(d.Owner), CreatedBy: toNullUser(d.CreatedBy), UpdatedBy: toNullUser(d.UpdatedBy)}
}

// etag is the entity tag of a single asset.
func etag(a *dam.Asset) string {
	if len(a.Collections) == 0 {
		return fmt.Sprintf(`"v%d"`, a.Version)
	}
	h := fnv.New64a()
	for _, c := range a.Collections { // they change without the asset
		fmt.Fprintf(h, "%d %q ", c.ID, c.Name)
	}
	return fmt.Sprintf(`"v%d-%016x"`, a.Version, h.Sum64())
}

// AssetChanges are the fields of an asset that a client can change.
type AssetChanges struct {
	Title          Opt[string]             `json:"title,omitempty" doc:"1 to 500 characters; null for the file's name." example:"Harbour at dawn"`
	Creator        Opt[string]             `json:"creator,omitempty" doc:"Up to 1000 characters." example:"Ada Lovelace"`
	Copyright      Opt[string]             `json:"copyright,omitempty" doc:"Up to 1000 characters." example:"© 2026 Ada Lovelace"`
	Keywords       Opt[[]string]           `json:"keywords,omitempty" maxItems:"500" doc:"All keywords: up to 500 of up to 255 characters." example:"[\"harbour\",\"dawn\"]"`
	CaptureDate    Opt[time.Time]          `json:"capture_date,omitempty" example:"2026-01-31T06:12:00Z"`
	WorkflowStatus Opt[dam.WorkflowStatus] `json:"workflow_status,omitempty" enum:"draft,in_review,approved,rejected,archived" example:"approved"`
	AssetClassID   Opt[int64]              `json:"asset_class_id,omitempty" minimum:"1" example:"1"`
	OwnerID        Opt[int64]              `json:"owner_id,omitempty" minimum:"1" doc:"The id of a user." example:"1"`
	AICaption      Opt[string]             `json:"ai_caption,omitempty" doc:"Up to 100000 characters."`
	AITags         Opt[[]string]           `json:"ai_tags,omitempty" maxItems:"500" doc:"All tags: up to 500 of up to 255 characters."`
	Metadata       Opt[map[string]any]     `json:"metadata,omitempty" doc:"Values by key: texts, numbers, booleans or lists of texts, as the metadata fields say once there are any. Keys that are absent stay, null removes one." example:"{\"project\":\"Apollo\"}"`
}

func (c *AssetChanges) dam() dam.AssetPatch {
	return dam.AssetPatch{Title: c.Title.Opt, Creator: c.Creator.Opt, Copyright: c.Copyright.Opt, Keywords: c.Keywords.Opt,
		CaptureDate: c.CaptureDate.Opt, WorkflowStatus: c.WorkflowStatus.Opt, AssetClassID: c.AssetClassID.Opt, OwnerID: c.OwnerID.Opt,
		AICaption: c.AICaption.Opt, AITags: c.AITags.Opt, Metadata: c.Metadata.Opt}
}

type (
	// AssetsQuery are the parameters of all lists of assets, but for what they
	// can be sorted by.
	AssetsQuery struct {
		PageInput
		Q             string        `query:"q" maxLength:"500" doc:"What to look for, in words and meaning: in title, file name, keywords, creator, copyright, text and metadata. More and rarer words rank higher; the last may be a beginning, and a word that is nowhere may have one letter wrong. \"a phrase\" and field:word (title, filename, keyword, creator) must match, -word must not. Nothing is a syntax error." example:"harbour dawn"`
		SortDirection dam.Direction `query:"sort_direction" enum:"asc,desc" doc:"asc for title, original_filename and position and desc for the others when absent." example:"asc"`
		AssetClassID  int64         `query:"asset_class_id" minimum:"1" doc:"Assets of this class." example:"1"`
		MIMEType      string        `query:"mime_type" maxLength:"100" doc:"Assets whose MIME type has this in it, in any case: a full type, or just image." example:"image/"`
		Filters       string        `query:"filters" maxLength:"65536" doc:"A filter document: a rule {type: filter, field, operator, value} or a group {type: group, operator: and or or, rules}, up to 10 groups deep and 200 rules. Text is compared without case and accents; a negative operator finds exactly what its positive one does not; a date without a time is the whole day, UTC. Rules over asset.collections need collections:read; rules over asset.ingestion_batch_id know your own upload batches." example:"{\"type\":\"filter\",\"field\":\"asset.width\",\"operator\":\"greater_than\",\"value\":2000}"`
		Facets        string        `query:"facets" maxLength:"1000" doc:"Fields to count over the whole result, separated by commas: file_category, mime_type, extension, workflow_status, processing_status, creator, copyright, asset_class_id, ingestion_batch_id, keywords, ai_tags, collections (needs collections:read), metadata.{key}." example:"file_category,keywords"`
		BatchID       int64         `query:"ingestion_batch_id" minimum:"1" doc:"Assets that came with this upload batch: one of yours." example:"3"`
		Trashed       dam.Trashed   `query:"trashed" enum:"only,with" doc:"Only the assets in the trash, or those too." example:"only"`
	}
	assetsInput struct {
		AssetsQuery
		SortBy dam.Sort `query:"sort_by" enum:"created_at,updated_at,title,original_filename,size,relevance" doc:"relevance with q and created_at without it when absent." example:"title"`
	}
	assetsOutput struct{ Body AssetList }
	similarInput struct {
		GAIDInput
		PerPage int `query:"per_page" minimum:"1" maximum:"100" default:"24" doc:"How many at most." example:"12"`
	}
	similarOutput struct{ Body SimilarAssets }
	// GAIDInput names an asset in the path.
	GAIDInput struct {
		GAID dam.GAID `path:"gaid" doc:"The asset's GAID." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	}
	showAssetInput struct {
		GAIDInput
		Trashed     string `query:"trashed" enum:"with" doc:"Show the asset in the trash too." example:"with"`
		IfNoneMatch string `header:"If-None-Match" doc:"Answer 304 when the asset still has one of these ETags." example:"\"v1\""`
	}
	assetOutput struct {
		Status int
		ETag   string `header:"ETag" doc:"Changes with the asset's version and its collections."`
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
		Force bool `query:"force" doc:"Delete for good, from the trash too, instead of putting it there. The file goes once nothing refers to it." example:"false"`
	}
	restoreAssetInput struct {
		GAIDInput
		ConditionInput
	}
)

func (s *Server) assetRoutes() {
	register(s, route{id: "listAssets", searches: true, method: "GET", path: "/assets", tag: "Assets", summary: "Search and list assets", abilities: []dam.Ability{dam.AssetsRead},
		doc: "All parameters can be combined. Assets in the trash are left out unless asked for. meta.total is exact."}.huma(), s.listAssets)
	register(s, route{id: "similarAssets", searches: true, method: "GET", path: "/assets/{gaid}/similar", tag: "Assets", summary: "List similar assets", abilities: []dam.Ability{dam.AssetsRead},
		doc: "Near duplicates of its picture first, by perceptual hash, then assets about the same, by meaning. The asset itself and those in the trash are left out."}.huma(), s.similarAssets)
	register(s, route{id: "showAsset", method: "GET", path: "/assets/{gaid}", tag: "Assets", summary: "Show an asset", abilities: []dam.Ability{dam.AssetsRead},
		doc: "With its collections, if you hold collections:read, its owner and the users who created and last changed it."}.huma(), s.showAsset)
	registerPut(s, route{id: "updateAsset", method: "PUT", path: "/assets/{gaid}", tag: "Assets", summary: "Update an asset", abilities: []dam.Ability{dam.AssetsWrite}, errors: []int{412},
		maxBody: 4 << 20, doc: "Changes what is sent, leaves what is absent, clears what is null. To change metadata takes metadata:write too."}.huma(), s.assetAsShown, s.updateAsset)
	register(s, route{id: "deleteAsset", method: "DELETE", path: "/assets/{gaid}", tag: "Assets", summary: "Delete an asset", abilities: []dam.Ability{dam.AssetsDelete}, errors: []int{412},
		doc: "Puts the asset in the trash, from which it can be restored."}.huma(), s.deleteAsset)
	register(s, route{id: "restoreAsset", method: "POST", path: "/assets/{gaid}/restore", tag: "Assets", summary: "Restore an asset", abilities: []dam.Ability{dam.AssetsDelete}, errors: []int{409, 412},
		doc: "Takes the asset out of the trash."}.huma(), s.restoreAsset)
}

func (s *Server) listAssets(ctx context.Context, in *assetsInput) (*assetsOutput, error) {
	return s.assets(ctx, &in.AssetsQuery, in.SortBy, dam.SortCreatedAt, s.app.Finder.Assets)
}

// params returns the parameters of a list that is sorted by something.
func (q *AssetsQuery) params(by dam.Sort) dam.QueryParams {
	return dam.QueryParams{
		Q: q.Q, Filters: q.Filters, SortBy: by, SortDirection: q.SortDirection, AssetClassID: q.AssetClassID, MIMEType: q.MIMEType,
		BatchID: q.BatchID, Trashed: q.Trashed, Facets: q.Facets,
	}
}

// assets answers a list of assets that find finds.
func (s *Server) assets(ctx context.Context, in *AssetsQuery, by, usual dam.Sort,
	find func(context.Context, dam.Actor, dam.Query) (*app.AssetList, error)) (*assetsOutput, error) {
	q, err := s.app.Finder.Query(ctx, in.params(by), usual)
	if err != nil {
		return nil, err
	}
	q.Page = in.page()
	found, err := find(ctx, requestOf(ctx).actor, q)
	if err != nil {
		return nil, err
	}
	base := requestOf(ctx).base
	items := mapped(found.Hits, func(h app.AssetHit) AssetItem {
		item := AssetItem{AssetFields: toAssetFields(base, h.Asset)}
		if q.HasText() {
			item.Score, item.MatchedOn = &h.Score, orEmpty(h.MatchedOn)
			item.Highlights = mapped(h.Fragments, func(f dam.Fragment) Highlight { return Highlight{f.Field, f.HTML} })
		}
		return item
	})
	fitAssets(items, func(i *AssetItem) (*AssetFields, *[]string) { return &i.AssetFields, &i.Truncated })
	page := paginate(ctx, &in.PageInput, items, found.Total)
	out := &assetsOutput{AssetList{Data: page.Data, Links: page.Links, Meta: AssetMeta{PageMeta: page.Meta, Meaning: found.Meaning}}}
	if len(q.Facets) > 0 {
		out.Body.Meta.Facets = map[string][]FacetValue{}
	}
	for field, values := range found.Facets {
		out.Body.Meta.Facets[field] = mapped(values, func(f app.Facet) FacetValue { return FacetValue{f.Value, f.Label, f.Count} })
	}
	return out, nil
}

func (s *Server) similarAssets(ctx context.Context, in *similarInput) (*similarOutput, error) {
	found, meaning, err := s.app.Finder.Similar(ctx, requestOf(ctx).actor, in.GAID, in.PerPage)
	if err != nil {
		return nil, err
	}
	base := requestOf(ctx).base
	out := &similarOutput{SimilarAssets{Meta: SimilarMeta{Meaning: meaning}}}
	out.Body.Data = orEmpty(mapped(found, func(a app.SimilarAsset) SimilarItem {
		item := SimilarItem{AssetFields: toAssetFields(base, a.Asset), MatchedOn: []string{}}
		if a.Distance >= 0 {
			item.MatchedOn, item.Distance = append(item.MatchedOn, "picture"), &a.Distance
		}
		if a.Cosine != 0 {
			item.Cosine = &a.Cosine
		}
		if a.Distance < 0 {
			item.MatchedOn = append(item.MatchedOn, "meaning")
		}
		return item
	}))
	fitAssets(out.Body.Data, func(i *SimilarItem) (*AssetFields, *[]string) { return &i.AssetFields, &i.Truncated })
	return out, nil
}

func (s *Server) showAsset(ctx context.Context, in *showAssetInput) (*assetOutput, error) {
	d, err := s.app.Asset(ctx, requestOf(ctx).actor, in.GAID, in.Trashed == "with")
	if err != nil {
		return nil, err
	}
	out := assetAnswer(ctx, d)
	if unmodified(ctx, out.ETag) {
		out.Status, out.Body = http.StatusNotModified, nil
	}
	return out, nil
}

func assetAnswer(ctx context.Context, d *app.AssetDetail) *assetOutput {
	return &assetOutput{Status: http.StatusOK, ETag: etag(d.Asset), Body: &one[Asset]{toAsset(requestOf(ctx).base, d)}}
}

func (s *Server) assetAsShown(ctx context.Context, in *updateAssetInput) (any, error) {
	d, err := s.app.Asset(ctx, requestOf(ctx).actor, in.GAID, false)
	if err != nil {
		return nil, err
	}
	return toAsset(requestOf(ctx).base, d), nil
}

func (s *Server) updateAsset(ctx context.Context, in *updateAssetInput) (*assetOutput, error) {
	p := &dam.AssetPatch{}
	if in.Body != nil {
		*p = in.Body.dam()
	}
	return s.patchAsset(ctx, in.GAID, p)
}

// patchAsset changes an asset that the request's conditions hold for.
func (s *Server) patchAsset(ctx context.Context, gaid dam.GAID, p *dam.AssetPatch) (*assetOutput, error) {
	d, err := s.app.UpdateAsset(ctx, requestOf(ctx).actor, gaid, p, assetCheck(ctx))
	if err != nil {
		return nil, err
	}
	return assetAnswer(ctx, d), nil
}

func (s *Server) deleteAsset(ctx context.Context, in *deleteAssetInput) (*messageOutput, error) {
	var err error
	if in.Force {
		err = s.app.DeleteAsset(ctx, requestOf(ctx).actor, in.GAID, assetCheck(ctx))
	} else {
		err = s.app.TrashAsset(ctx, requestOf(ctx).actor, in.GAID, assetCheck(ctx))
	}
	if err != nil {
		return nil, err
	}
	return &messageOutput{message{"Asset deleted."}}, nil
}

func (s *Server) restoreAsset(ctx context.Context, in *restoreAssetInput) (*assetOutput, error) {
	d, err := s.app.RestoreAsset(ctx, requestOf(ctx).actor, in.GAID, assetCheck(ctx))
	if err != nil {
		return nil, err
	}
	return assetAnswer(ctx, d), nil
}

package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// UploadBatch is an upload batch.
type UploadBatch struct {
	ID              int64           `json:"id" example:"3"`
	Name            *string         `json:"name" example:"Harbour shoot"`
	Status          dam.BatchStatus `json:"status" example:"processing"`
	Counts          BatchCounts     `json:"counts"`
	Waiting         *string         `json:"waiting" example:"The virus scanner cannot be reached; the file waits for it."`
	AssetClassID    *int64          `json:"asset_class_id" example:"1"`
	CollectionIDs   []int64         `json:"collection_ids"`
	Metadata        map[string]any  `json:"metadata" doc:"Metadata for each asset."`
	ExpectedFiles   *int64          `json:"expected_files" doc:"Number of files after which the batch closes; null for none." example:"24"`
	AllowDuplicates bool            `json:"allow_duplicates" example:"false"`
	VersionOf       *dam.GAID       `json:"version_of" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	ShareID         *int64          `json:"share_id" example:"7"`
	CreatedAt       Time            `json:"created_at"`
	UpdatedAt       Time            `json:"updated_at"`
	ClosedAt        NullTime        `json:"closed_at" doc:"When the batch was closed to further files."`
	CompletedAt     NullTime        `json:"completed_at" doc:"When the batch reached a final status."`
	Truncated       []string        `json:"truncated,omitempty" example:"[\"metadata\"]"`
}

// BatchCounts counts the files of a batch by state.
type BatchCounts struct {
	Total      int `json:"total" example:"24"`
	Queued     int `json:"queued" example:"10"`
	Processing int `json:"processing" doc:"Number of files being scanned, validated, extracted or enriched." example:"2"`
	Ready      int `json:"ready" example:"11"`
	Duplicate  int `json:"duplicate" example:"1"`
	Rejected   int `json:"rejected" example:"0"`
	Failed     int `json:"failed" example:"0"`
}

func toBatch(b *dam.Batch) UploadBatch {
	batch := UploadBatch{ID: b.ID, Name: text(b.Name), Status: b.Status, Counts: BatchCounts(b.Counts), Waiting: text(b.Waiting),
		AssetClassID: number(b.AssetClassID), CollectionIDs: orEmpty(b.CollectionIDs), Metadata: orEmptyMap(b.Metadata),
		ExpectedFiles: number(b.ExpectedFiles), AllowDuplicates: b.AllowDuplicates, ShareID: number(b.ShareID),
		CreatedAt: Time{b.CreatedAt}, UpdatedAt: Time{b.UpdatedAt},
		ClosedAt: NullTime{b.ClosedAt}, CompletedAt: NullTime{b.CompletedAt}}
	if b.VersionOf != "" {
		batch.VersionOf = &b.VersionOf
	}
	return batch
}

// BatchFile is a file of an upload batch.
type BatchFile struct {
	ID               int64           `json:"id" example:"17"`
	OriginalFilename string          `json:"original_filename" example:"IMG_1234.jpg"`
	FileSize         int64           `json:"file_size" doc:"Number of bytes received." example:"4194304"`
	Filename         string          `json:"filename" deprecated:"true" doc:"Same as original_filename." example:"IMG_1234.jpg"`
	Size             int64           `json:"size" deprecated:"true" doc:"Same as file_size." example:"4194304"`
	Status           dam.FileStatus  `json:"status" example:"ready"`
	Error            Null[FileError] `json:"error" doc:"Why the file failed, or what it is waiting for; null if neither."`
	Warning          *string         `json:"warning" doc:"Problem with the created asset, such as a missing preview; null if there is none."`
	GAID             *dam.GAID       `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	CreatedAt        Time            `json:"created_at"`
	UpdatedAt        Time            `json:"updated_at"`
}

// FileError explains why a file did not become an asset.
type FileError struct {
	Code      dam.FileErrorCode `json:"code" example:"corrupt"`
	Message   string            `json:"message" example:"The file is cut off in the middle."`
	Retryable bool              `json:"retryable" doc:"Whether a retry with the same bytes can succeed." example:"false"`
}

func toFileError(e *dam.FileError) FileError { return FileError{e.Code, e.Message, e.Retryable} }

func toBatchFile(f *dam.BatchFile) BatchFile {
	b := BatchFile{ID: f.ID, OriginalFilename: f.Filename, FileSize: f.Size, Filename: f.Filename,
		Size: f.Size, Status: f.Status, Error: null(f.Error, toFileError),
		Warning: text(f.Warning), CreatedAt: Time{f.CreatedAt}, UpdatedAt: Time{f.UpdatedAt}}
	if f.GAID != "" {
		b.GAID = &f.GAID
	}
	return b
}

type (
	// BatchInput names a batch in the path.
	BatchInput struct {
		Batch int64 `path:"batch" doc:"The batch's id." example:"3"`
	}
	createBatchInput struct {
		Body *struct {
			Name            Opt[string]         `json:"name,omitempty" doc:"Up to 255 characters." example:"Harbour shoot"`
			AssetClassID    Opt[int64]          `json:"asset_class_id,omitempty" minimum:"1" doc:"Asset class of the created assets." example:"1"`
			CollectionIDs   Opt[[]int64]        `json:"collection_ids,omitempty"`
			Metadata        Opt[map[string]any] `json:"metadata,omitempty" doc:"Metadata for each asset." example:"{\"project\":\"Apollo\"}"`
			ExpectedFiles   Opt[int]            `json:"expected_files,omitempty" doc:"Number of files after which the batch closes." example:"24"`
			AllowDuplicates bool                `json:"allow_duplicates,omitempty" example:"false"`
		} `contentType:"application/json" nameHint:"CreateUploadBatch"`
	}
	batchFilesInput struct {
		BatchInput
		PageInput
		Status dam.FileStatus `query:"status" doc:"Files in this state." example:"rejected"`
	}
	batchFileInput struct {
		BatchInput
		File int64 `path:"file" doc:"The file's id." example:"17"`
	}
)

func (s *Server) batchRoutes() {
	batches := group{tag: "Uploads", path: "/upload-batches", abilities: []dam.Ability{dam.UploadsManage}}
	register(s, batches.route("createUploadBatch", "POST", "", "Create an upload batch").creating(), s.createBatch)
	register(s, batches.route("listUploadBatches", "GET", "", "List upload batches"), s.listBatches)
	register(s, batches.route("showUploadBatch", "GET", "/{batch}", "Show an upload batch"), s.showBatch)
	register(s, batches.route("listUploadBatchFiles", "GET", "/{batch}/files", "List the files of an upload batch"), s.listBatchFiles)
	register(s, batches.route("completeUploadBatch", "POST", "/{batch}/complete", "Close an upload batch").failing(409), s.completeBatch)
	register(s, batches.route("cancelUploadBatch", "POST", "/{batch}/cancel", "Cancel an upload batch").failing(409), s.cancelBatch)
	register(s, batches.route("retryUploadBatchFile", "POST", "/{batch}/files/{file}/retry", "Retry a failed file").failing(409), s.retryFile)
}

func (s *Server) createBatch(ctx context.Context, in *createBatchInput) (*created[UploadBatch], error) {
	b := &dam.Batch{}
	if body := in.Body; body != nil {
		b = &dam.Batch{Name: body.Name.Value, AssetClassID: body.AssetClassID.Value, CollectionIDs: body.CollectionIDs.Value,
			Metadata: body.Metadata.Value, ExpectedFiles: body.ExpectedFiles.Value, AllowDuplicates: body.AllowDuplicates}
	}
	if err := s.app.Uploads.CreateBatch(ctx, requestOf(ctx).actor, b); err != nil {
		return nil, err
	}
	return made(ctx, "/upload-batches/"+itoa(b.ID), toBatch(b)), nil
}

func (s *Server) listBatches(ctx context.Context, in *PageInput) (*listOutput[UploadBatch], error) {
	batches, total, err := s.app.Uploads.Batches(ctx, requestOf(ctx).actor, in.page())
	if err != nil {
		return nil, err
	}
	items := mapped(batches, toBatch)
	all := make([][]large, len(items))
	for i := range items {
		b := &items[i]
		all[i] = []large{{"metadata", b.Metadata, func() { b.Metadata = map[string]any{} }}}
	}
	for i, names := range fitPage(all) {
		items[i].Truncated = names
	}
	return &listOutput[UploadBatch]{*paginate(ctx, in, items, total)}, nil
}

func (s *Server) showBatch(ctx context.Context, in *BatchInput) (*oneOutput[UploadBatch], error) {
	return answer(toBatch)(s.app.Uploads.Batch(ctx, requestOf(ctx).actor, in.Batch))
}

func (s *Server) completeBatch(ctx context.Context, in *BatchInput) (*oneOutput[UploadBatch], error) {
	return answer(toBatch)(s.app.Uploads.CompleteBatch(ctx, requestOf(ctx).actor, in.Batch))
}

func (s *Server) cancelBatch(ctx context.Context, in *BatchInput) (*oneOutput[UploadBatch], error) {
	return answer(toBatch)(s.app.Uploads.CancelBatch(ctx, requestOf(ctx).actor, in.Batch))
}

func (s *Server) listBatchFiles(ctx context.Context, in *batchFilesInput) (*listOutput[BatchFile], error) {
	return pageAnswer(ctx, &in.PageInput, toBatchFile)(s.app.Uploads.BatchFiles(ctx, requestOf(ctx).actor, in.Batch, in.Status, in.page()))
}

func (s *Server) retryFile(ctx context.Context, in *batchFileInput) (*oneOutput[BatchFile], error) {
	return answer(toBatchFile)(s.app.Uploads.RetryFile(ctx, requestOf(ctx).actor, in.Batch, in.File))
}

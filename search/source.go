package search

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// Source is the library as read by the engine.
type Source interface {
	// LastSeq returns the sequence number of the latest committed change, 0 if there was
	// none. It is called before every search.
	LastSeq(ctx context.Context) (int64, error)
	// Columns returns up to limit changes after a sequence number, in order, whose assets
	// have their scalar fields only.
	Columns(ctx context.Context, after int64, limit int) ([]dam.Change, error)
	// Documents returns the same changes with all fields.
	Documents(ctx context.Context, after int64, limit int) ([]dam.Change, error)
	// Values calls yield with each value of one field of some assets, or of all if the
	// list is nil: each of the keywords or ai_tags (a string), each of the collections (an
	// int64), a long text such as the ocr_text (a string), the colors ([]dam.Color),
	// metadata.{key} (a string, float64, bool or []any), the owner, created_by and
	// updated_by (an int64), the file_version (a float64), deleted_at (a string that
	// dam.ParseDateRange accepts), and results of dam.CameraValue.
	Values(ctx context.Context, field string, assets []int64, yield func(asset int64, v any)) error
	// Keep stores the name of a snapshot with the records, and the sequence number that it
	// was made from. Copying or restoring the records includes the name.
	Keep(ctx context.Context, name string, seq int64) error
	// Kept returns the latest name passed to Keep, "" for none or if another version of
	// the program stored it.
	Kept(ctx context.Context) (name string, err error)
}

// Embedder converts texts to vectors whose direction represents their meaning.
type Embedder interface {
	// Model names the model; vectors of different models cannot be compared.
	Model() string
	// Embed returns a vector of length one for each text, nil for a text without meaning.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Reads reports whether a text has any content for the model. It is fast.
	Reads(text string) bool
}

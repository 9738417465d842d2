package search

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// Source is the library as the engine reads it.
type Source interface {
	// LastSeq returns the sequence number of the latest committed change, 0 if
	// there was none. It is called before every search.
	LastSeq(ctx context.Context) (int64, error)
	// Columns returns up to limit changes after a sequence number, in order,
	// whose assets have their scalar fields only.
	Columns(ctx context.Context, after int64, limit int) ([]dam.Change, error)
	// Documents returns the same changes with all fields.
	Documents(ctx context.Context, after int64, limit int) ([]dam.Change, error)
	// Values calls yield with each value of one field of some assets, of all if the
	// list is nil: each of the keywords or ai_tags (a string), each of the
	// collections (an int64), a long text such as the ocr_text (a string), the
	// colors ([]dam.Color), metadata.{key} (a string, float64, bool or []any), the owner,
	// created_by and updated_by (an int64), the file_version (a float64), deleted_at (a
	// string, as dam.ParseDateRange reads it), and what dam.CameraValue returns.
	Values(ctx context.Context, field string, assets []int64, yield func(asset int64, v any)) error
	// Keep remembers a name with the records, of what was made from them as they were
	// at a sequence number: whoever copies or restores the records gets the name too.
	Keep(ctx context.Context, name string, seq int64) error
	// Kept returns the name that Keep had last, "" if there is none or another version
	// of the program called it.
	Kept(ctx context.Context) (name string, err error)
}

// Embedder turns texts into vectors whose direction is their meaning.
type Embedder interface {
	// Model names the model; vectors of different models cannot be compared.
	Model() string
	// Embed returns a vector of length one for each text, nil for a text
	// without meaning.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Reads reports whether there is anything to read in a text. It is quick.
	Reads(text string) bool
}

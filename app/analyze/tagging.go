package analyze

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/render"
)

const (
	objectsEngine = "objects"
	objectsModel  = "coco-ssdlite/1" // changes with the engine's output
	tagTime       = time.Minute      // per picture

)

// DefaultTagThreshold is a score above which nine in ten tags of photographs are correct.
const DefaultTagThreshold = 0.7

// CheckTagThreshold returns an error for an invalid Config.TagThreshold.
func CheckTagThreshold(score float64) error {
	if score == 0 || score >= 0.5 && score <= 1 {
		return nil
	}
	return fmt.Errorf("the score of tags must be from 0.5 to 1, or 0 for no tags, not %g", score)
}

// Tagger tags the content of pictures, with the built-in engine.
type Tagger struct {
	engines    *engine.Pool
	renditions *render.Renditions
	least      float64 // minimum score of tags; 0 disables them
}

// NewTagger returns a tagger. least is the minimum score of tags; 0 disables them.
func NewTagger(engines *engine.Pool, renditions *render.Renditions, least float64) *Tagger {
	return &Tagger{engines, renditions, least}
}

// Analyzer returns the analyzer of the task tags.
func (t *Tagger) Analyzer() *Analyzer {
	z := &Analyzer{Task: dam.TaskTags, wants: isPhotograph, look: t.look}
	switch {
	case t.least == 0:
		z.why = "Tags for what pictures show are off on this server (--tag-threshold)."
	case !t.engines.Has(objectsEngine):
		z.why = "Tags for what pictures show are off on this server (--engines-off)."
	default:
		z.version = fmt.Sprintf("%s %g", objectsModel, t.least)
	}
	return z
}

// isPhotograph reports whether an asset is a photograph or a video. The models are not
// trained on drawings and documents.
func isPhotograph(a *dam.Asset) bool {
	return a.HasPicture() && !strings.HasPrefix(a.MIMEType, "image/svg") &&
		(a.FileCategory == dam.CategoryImage || a.FileCategory == dam.CategoryVideo)
}

func (t *Tagger) look(ctx context.Context, a *dam.Asset) (finding, error) {
	preview, err := t.renditions.Preview(ctx, a)
	if err != nil {
		return nil, err
	}
	look, err := t.engines.Look(ctx, engine.Job{
		Engine: objectsEngine, Bytes: int64(len(preview)), Least: t.least, Background: true,
	}, bytes.NewReader(preview), tagTime)
	if fault, ok := errors.AsType[*engine.Fault](err); ok {
		return nil, &dam.FileError{Code: dam.CodeCorrupt, Message: "The preview cannot be read.", Err: fault}
	}
	if stopped, ok := errors.AsType[*engine.Stopped](err); ok {
		return nil, &dam.FileError{Code: dam.CodeLimitsExceeded, Message: "Looking at the picture took too long, or failed.", Err: stopped}
	}
	if err != nil {
		return nil, err
	}
	tags := make([]dam.FoundTag, len(look.Tags))
	for i, tag := range look.Tags {
		tags[i] = dam.FoundTag{Tag: tag.Name, Score: round(tag.Score)}
	}
	return func(a *dam.Asset) bool { return a.FindTags(dam.TagBuiltin, objectsModel, tags) }, nil
}

// round rounds a score to two decimals for display.
func round(score float64) float64 { return float64(int(score*100+0.5)) / 100 }

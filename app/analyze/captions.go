package analyze

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/enrich/vision"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/render"
	"github.com/digital-asset-library/dal/storage"
)

const (
	aiRetry = time.Minute // pause before an unavailable endpoint is asked again
	aiTries = 2           // attempts to get a valid answer
)

// Captions has a model describe pictures with captions, tags, and the text in them.
type Captions struct {
	store      *storage.Store
	Renditions *render.Renditions
	endpoint   *vision.Endpoint // nil if none is configured
	budget     int              // requests per hour
	now        func() time.Time

	mu   sync.Mutex
	down string // why the endpoint is unavailable; "" if it is not
}

// AIConfig configures the OpenAI-compatible endpoint that describes pictures.
type AIConfig struct {
	Endpoint string // URL; "" for none
	Model    string
	Key      string // the endpoint's secret
	Budget   int    // requests per hour
	Language string // of the descriptions, as in search.Languages; "" for English
}

// NewCaptions returns the client of the AI endpoint, if one is configured.
func NewCaptions(cfg AIConfig, store *storage.Store, now func() time.Time) (c *Captions, err error) {
	c = &Captions{store: store, budget: cfg.Budget, now: now}
	if cfg.Endpoint != "" {
		c.endpoint, err = vision.New(cfg.Endpoint, cfg.Model, cfg.Key, cmp.Or(cfg.Language, "en"))
	}
	return c, err
}

// Analyzer returns the analyzer of the task caption.
func (c *Captions) Analyzer() *Analyzer {
	z := &Analyzer{Task: dam.TaskCaption, wants: isPhotograph, look: c.look}
	if c.endpoint == nil {
		z.why = "No AI endpoint is set up on this server (--ai-endpoint)."
	} else {
		z.version = c.endpoint.Version()
	}
	return z
}

func (c *Captions) look(ctx context.Context, a *dam.Asset) (finding, error) {
	preview, err := c.Renditions.Preview(ctx, a)
	if err != nil {
		return nil, err
	}
	d, err := c.describe(ctx, preview)
	if err != nil {
		return nil, err
	}
	tags := make([]dam.FoundTag, len(d.Tags))
	for i, tag := range d.Tags {
		tags[i] = dam.FoundTag{Tag: tag}
	}
	model := c.endpoint.Model()
	return func(a *dam.Asset) bool {
		captioned := a.FindCaption(model, d.Caption)
		tagged := a.FindTags(dam.TagEndpoint, model, tags)
		return a.FindText(d.Text) || captioned || tagged
	}, nil
}

// describe requests the description of a picture within the budget. It returns a job.Later
// for temporary errors, and a fault of the file if the picture or the answer is unusable.
func (c *Captions) describe(ctx context.Context, preview []byte) (*vision.Description, error) {
	for try := 1; ; try++ {
		if err := c.spend(ctx); err != nil {
			return nil, err
		}
		d, err := c.endpoint.Describe(ctx, preview)
		if unavailable, ok := errors.AsType[*vision.Unavailable](err); ok {
			c.note(err)
			return nil, &job.Later{After: min(max(unavailable.After, aiRetry), time.Hour), Err: err, All: true}
		}
		if ctx.Err() == nil {
			c.note(nil)
		}
		nonsense, isNonsense := errors.AsType[*vision.Nonsense](err)
		refused, isRefused := errors.AsType[*vision.Refused](err)
		switch {
		case isRefused:
			return nil, &dam.FileError{Code: dam.CodeInternal, Message: "The AI endpoint refuses the picture: " + refused.Error(), Err: err}
		case isNonsense && try == aiTries:
			return nil, &dam.FileError{
				Code: dam.CodeInternal, Message: "The AI endpoint gave no proper answer: " + nonsense.Error(), Err: err,
			}
		case !isNonsense:
			return d, err
		}
	}
}

// spend counts a request, or returns a job.Later with the time until the budget renews.
func (c *Captions) spend(ctx context.Context) error {
	left := false
	err := c.store.Update(ctx, func(tx *storage.Tx) (err error) {
		left, err = tx.SpendAIRequest(c.budget)
		return err
	})
	if err != nil || left {
		return err
	}
	now := c.now()
	return &job.Later{
		After: now.Truncate(time.Hour).Add(time.Hour).Sub(now), All: true,
		Err: fmt.Errorf("the AI endpoint has been asked %d times in this hour, which is its budget (--ai-budget)", c.budget),
	}
}

// note records whether the endpoint is available.
func (c *Captions) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = ""
	if err != nil {
		c.down = err.Error()
	}
}

// AIStatus is the state of the AI endpoint.
type AIStatus struct {
	Model  string
	Budget int    // requests per hour
	Used   int    // in the current hour
	Down   string // why the latest request failed; "" if it did not
}

// Status returns nil if no endpoint is configured.
func (c *Captions) Status(tx *storage.Tx) (*AIStatus, error) {
	if c.endpoint == nil {
		return nil, nil
	}
	used, err := tx.AIRequests()
	c.mu.Lock()
	defer c.mu.Unlock()
	return &AIStatus{c.endpoint.Model(), c.budget, used, c.down}, err
}

// CheckAI describes the state of the AI endpoint in words; "" if none is configured.
func (u *Analyses) CheckAI(ctx context.Context) string {
	e := u.Captions.endpoint
	if e == nil {
		return ""
	}
	if err := e.Check(ctx); err != nil {
		return fmt.Sprintf("%s does not answer: %v", e, err)
	}
	return fmt.Sprintf("%s answers", e)
}

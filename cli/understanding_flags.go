package cli

import (
	"fmt"
	"strconv"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/analyze"
)

// aiKey is the environment variable with the secret of the AI endpoint.
const aiKey = "DAL_AI_KEY"

// defineUnderstanding defines the flags about the analysis of assets.
func (f *serveFlags) defineUnderstanding(fl *flags) {
	fl.under("Tags and captions")
	fl.parsed(tagThreshold(&f.app.TagThreshold), "tag-threshold", strconv.FormatFloat(f.app.TagThreshold, 'g', -1, 64),
		"the minimum `score` of automatic tags, from 0.5 to 1; off: no tags; after a change, pictures are analyzed again")
	fl.aiEndpoint(&f.app)
	fl.number(f.app.Limits().Of(&f.app.AIBudget), "ai-budget",
		"requests to the AI endpoint per hour; further requests wait for the next hour")
}

// aiEndpoint defines the flags about the AI endpoint.
func (f *flags) aiEndpoint(c *app.Config) {
	f.text(&c.AIEndpoint, "ai-endpoint", "the `URL` of an OpenAI-compatible endpoint such as http://localhost:11434/v1, "+
		"which receives a preview of each picture and returns a caption, tags and its text; if empty, it is disabled")
	f.text(&c.AIModel, "ai-model", "the `name` of the endpoint's vision model; "+aiKey+" contains its key")
}

// tagThreshold returns a function that reads the score of tags.
func tagThreshold(v *float64) func(string) error {
	return func(text string) error {
		if text == "off" {
			*v = 0
			return nil
		}
		score, err := strconv.ParseFloat(text, 64)
		if err != nil || score == 0 || analyze.CheckTagThreshold(score) != nil {
			return fmt.Errorf("%q is neither a score from 0.5 to 1 nor off", text)
		}
		*v = score
		return nil
	}
}

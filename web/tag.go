package web

import "github.com/digital-asset-library/dal/app/dam"

// TagDetail says who chose a tag.
type TagDetail struct {
	Tag    string        `json:"tag" doc:"As in ai_tags." example:"dog"`
	Score  *float64      `json:"score" minimum:"0" maximum:"1" doc:"How sure the model is; null if it does not say." example:"0.92"`
	Source dam.TagSource `json:"source" doc:"builtin is the model that is part of dal, endpoint that of the AI endpoint." example:"builtin"`
	Model  *string       `json:"model" doc:"The model's name; null for a person." example:"coco-ssdlite/1"`
}

func toTagDetail(t dam.FoundTag) TagDetail {
	d := TagDetail{Tag: t.Tag, Source: t.Source, Model: text(t.Model)}
	if t.Score > 0 {
		d.Score = &t.Score
	}
	return d
}

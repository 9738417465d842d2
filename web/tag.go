package web

import "github.com/digital-asset-library/dal/app/dam"

// TagDetail is the origin of a tag.
type TagDetail struct {
	Tag    string        `json:"tag" doc:"Tag, as in ai_tags." example:"dog"`
	Score  *float64      `json:"score" minimum:"0" maximum:"1" doc:"Confidence of the model; null if unknown." example:"0.92"`
	Source dam.TagSource `json:"source" doc:"builtin: the model in dal; endpoint: the AI endpoint; person: a user." example:"builtin"`
	Model  *string       `json:"model" doc:"Name of the model; null for a person." example:"coco-ssdlite/1"`
}

func toTagDetail(t dam.FoundTag) TagDetail {
	d := TagDetail{Tag: t.Tag, Source: t.Source, Model: text(t.Model)}
	if t.Score > 0 {
		d.Score = &t.Score
	}
	return d
}

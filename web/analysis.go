package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// AssetAnalysis is the state of an analysis task for an asset.
type AssetAnalysis struct {
	Task    AnalysisTask `json:"task" doc:"Task, as in tasks of an ai_analysis operation." example:"ocr"`
	Pending bool         `json:"pending" doc:"Whether the task is queued or running." example:"false"`
	Error   *string      `json:"error" doc:"Why the task failed; null if it did not." example:"The file is damaged."`
	DoneAt  NullTime     `json:"done_at" doc:"When the task was last completed."`
}

// AnalysisTask is a task that runs once per asset.
type AnalysisTask string

// Values lists the tasks.
func (AnalysisTask) Values() (list []AnalysisTask) {
	for _, task := range dam.Tasks() {
		if dam.JobOf(task) != "" {
			list = append(list, AnalysisTask(task))
		}
	}
	return list
}

type (
	analysesOutput struct{ Body assetAnalyses }
	assetAnalyses  struct {
		Data []AssetAnalysis `json:"data" maxItems:"3"`
	}
)

func (s *Server) assetAnalyses(ctx context.Context, in *GAIDInput) (*analysesOutput, error) {
	list, err := s.app.Analyses.Analyses(ctx, requestOf(ctx).actor, in.GAID)
	if err != nil {
		return nil, err
	}
	return &analysesOutput{assetAnalyses{mapped(list, func(a dam.Analysis) AssetAnalysis {
		return AssetAnalysis{AnalysisTask(a.Task), a.Pending, text(a.Error), NullTime{a.DoneAt}}
	})}}, nil
}

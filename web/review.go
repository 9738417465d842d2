package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// ShareFeedback is what a guest says about an asset of a share of the type review.
type ShareFeedback struct {
	ID        int64      `json:"id" example:"12"`
	GAID      *string    `json:"gaid" doc:"The asset; null without assets:read." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Guest     ShareGuest `json:"guest" doc:"Who says it."`
	Picked    bool       `json:"picked" doc:"Whether the guest has picked the asset." example:"true"`
	Rating    *int64     `json:"rating" minimum:"1" maximum:"5" doc:"Null if there is none." example:"4"`
	Comment   *string    `json:"comment" doc:"Plain text of up to 2,000 characters; null if there is none." example:"The light!"`
	Revision  int64      `json:"revision" minimum:"1" doc:"How often the guest has changed it, up to 1,000 times." example:"2"`
	ChangedAt Time       `json:"changed_at" doc:"When the guest changed it last."`
}

// ShareGuest is somebody without an account who has said something.
type ShareGuest struct {
	ID    int64   `json:"id" doc:"The same for all that one browser says about the assets of a share." example:"3"`
	Name  *string `json:"name" doc:"As the guest typed it; null if none was given." example:"Bo Ek"`
	Email *string `json:"email" doc:"As the guest typed it; null if none was asked." example:"bo@example.com"`
}

func toShareFeedback(f *dam.ShareFeedback) ShareFeedback {
	g := f.Guest
	return ShareFeedback{ID: f.ID, GAID: text(string(f.GAID)), Guest: ShareGuest{g.ID, text(g.Name), text(g.Email)}, Picked: f.Picked,
		Rating: number(f.Rating), Comment: text(f.Comment), Revision: f.Revision, ChangedAt: Time{f.ChangedAt}}
}

// FeedbackTotal is what all guests of a share say about an asset.
type FeedbackTotal struct {
	GAID          *string  `json:"gaid" doc:"The asset; null without assets:read." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Title         *string  `json:"title" doc:"The title of the asset; null without assets:read." example:"Harbour at dawn"`
	Picks         int64    `json:"picks" minimum:"0" doc:"How many guests have picked it." example:"3"`
	Ratings       int64    `json:"ratings" minimum:"0" doc:"How many guests have rated it." example:"2"`
	AverageRating *float64 `json:"average_rating" minimum:"1" maximum:"5" doc:"To two digits; null without ratings." example:"4.5"`
	Comments      int64    `json:"comments" minimum:"0" doc:"How many guests have written a comment." example:"1"`
	ChangedAt     Time     `json:"changed_at" doc:"When a guest changed any of it last."`
}

func toFeedbackTotal(t *dam.FeedbackTotal) FeedbackTotal {
	total := FeedbackTotal{GAID: text(string(t.GAID)), Title: text(t.Title), Picks: t.Picks, Ratings: t.Ratings, Comments: t.Comments,
		ChangedAt: Time{t.ChangedAt}}
	if t.Ratings > 0 {
		total.AverageRating = &t.AverageRating
	}
	return total
}

type (
	// FeedbackFilters say what of the feedback of a share is asked for.
	FeedbackFilters struct {
		ShareInput
		GAID      dam.GAID `query:"gaid" doc:"What is said about this asset." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
		Picked    Flag     `query:"picked" doc:"Only of assets that the guest has picked, or has not." example:"true"`
		MinRating int64    `query:"min_rating" minimum:"1" maximum:"5" doc:"Only with this rating or a better one." example:"4"`
	}
	shareFeedbackInput struct {
		PageInput
		FeedbackFilters
	}
	feedbackTableInput  struct{ FeedbackFilters }
	feedbackTotalsInput struct {
		ShareInput
		PageInput
	}
)

func (in *FeedbackFilters) query() *dam.ShareFeedbackQuery {
	q := &dam.ShareFeedbackQuery{GAID: in.GAID, MinRating: in.MinRating}
	if in.Picked != "" {
		q.Picked = ptr(in.Picked.isTrue())
	}
	return q
}

func (s *Server) reviewRoutes() {
	shares := group{tag: "Shares", path: "/shares", abilities: []dam.Ability{dam.SharesRead}}
	register(s, shares.route("listShareFeedback", "GET", "/{share}/feedback", "List what guests say"), s.listShareFeedback)
	table := shares.route("downloadShareFeedback", "GET", "/{share}/feedback/download", "Download what guests say as a table")
	table.responses = s.tableResponses()
	register(s, table, s.downloadShareFeedback)
	register(s, shares.route("sumShareFeedback", "GET", "/{share}/feedback/summary", "Sum up what guests say"), s.sumShareFeedback)
}

func (s *Server) listShareFeedback(ctx context.Context, in *shareFeedbackInput) (*listOutput[ShareFeedback], error) {
	q := in.query()
	q.Page = in.page()
	return pageAnswer(ctx, &in.PageInput, toShareFeedback)(s.app.ShareFeedback(ctx, requestOf(ctx).actor, in.Share, q))
}

func (s *Server) downloadShareFeedback(ctx context.Context, in *feedbackTableInput) (*streamOutput, error) {
	write, err := s.app.FeedbackTable(ctx, requestOf(ctx).actor, in.Share, in.query())
	return s.table(ctx, "feedback-"+itoa(in.Share)+".csv", write), err
}

func (s *Server) sumShareFeedback(ctx context.Context, in *feedbackTotalsInput) (*listOutput[FeedbackTotal], error) {
	return pageAnswer(ctx, &in.PageInput, toFeedbackTotal)(s.app.FeedbackTotals(ctx, requestOf(ctx).actor, in.Share, in.page()))
}

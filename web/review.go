package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// ShareFeedback is a guest's feedback on an asset of a review.
type ShareFeedback struct {
	ID        int64      `json:"id" example:"12"`
	GAID      *string    `json:"gaid" doc:"GAID of the asset; null without assets:read." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Guest     ShareGuest `json:"guest" doc:"Guest who gave the feedback."`
	Picked    bool       `json:"picked" doc:"Whether the guest has picked the asset." example:"true"`
	Rating    *int64     `json:"rating" minimum:"1" maximum:"5" doc:"Rating; null if there is none." example:"4"`
	Comment   *string    `json:"comment" doc:"Comment as plain text of up to 2,000 characters; null if there is none." example:"The light!"`
	Revision  int64      `json:"revision" minimum:"1" doc:"Number of times that the guest has saved this feedback, up to 1,000." example:"2"`
	ChangedAt Time       `json:"changed_at" doc:"When the guest last changed the feedback."`
}

// ShareGuest is a guest who gave feedback.
type ShareGuest struct {
	ID    int64   `json:"id" doc:"Id of the guest: the same for all feedback from one browser in a share." example:"3"`
	Name  *string `json:"name" doc:"Name, as entered by the guest; null if none was given." example:"Bo Ek"`
	Email *string `json:"email" doc:"Email, as entered by the guest; null if none was requested." example:"bo@example.com"`
}

func toShareFeedback(f *dam.ShareFeedback) ShareFeedback {
	g := f.Guest
	return ShareFeedback{ID: f.ID, GAID: text(string(f.GAID)), Guest: ShareGuest{g.ID, text(g.Name), text(g.Email)}, Picked: f.Picked,
		Rating: number(f.Rating), Comment: text(f.Comment), Revision: f.Revision, ChangedAt: Time{f.ChangedAt}}
}

// FeedbackTotal summarizes the feedback of all guests of a share on an asset.
type FeedbackTotal struct {
	GAID          *string  `json:"gaid" doc:"GAID of the asset; null without assets:read." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Title         *string  `json:"title" doc:"Title of the asset; null without assets:read." example:"Harbour at dawn"`
	Picks         int64    `json:"picks" minimum:"0" doc:"Number of guests who picked the asset." example:"3"`
	Ratings       int64    `json:"ratings" minimum:"0" doc:"Number of guests who rated the asset." example:"2"`
	AverageRating *float64 `json:"average_rating" minimum:"1" maximum:"5" doc:"To two decimals; null without ratings." example:"4.5"`
	Comments      int64    `json:"comments" minimum:"0" doc:"Number of guests who commented on the asset." example:"1"`
	ChangedAt     Time     `json:"changed_at" doc:"When a guest last changed feedback about the asset."`
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
	// FeedbackFilters select feedback of a share.
	FeedbackFilters struct {
		ShareInput
		GAID      dam.GAID `query:"gaid" doc:"Feedback about this asset." example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
		Picked    Flag     `query:"picked" doc:"true: only picked assets; false: only assets that are not picked." example:"true"`
		MinRating int64    `query:"min_rating" minimum:"1" maximum:"5" doc:"Only feedback with at least this rating." example:"4"`
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
	register(s, shares.route("listShareFeedback", "GET", "/{share}/feedback", "List feedback from guests"), s.listShareFeedback)
	table := shares.route("downloadShareFeedback", "GET", "/{share}/feedback/download", "Download feedback from guests as CSV")
	table.responses = s.tableResponses()
	register(s, table, s.downloadShareFeedback)
	register(s, shares.route("sumShareFeedback", "GET", "/{share}/feedback/summary", "Summarise feedback from guests"), s.sumShareFeedback)
}

func (s *Server) listShareFeedback(ctx context.Context, in *shareFeedbackInput) (*listOutput[ShareFeedback], error) {
	q := in.query()
	q.Page = in.page()
	return pageAnswer(ctx, &in.PageInput, toShareFeedback)(s.app.Shares.ShareFeedback(ctx, requestOf(ctx).actor, in.Share, q))
}

func (s *Server) downloadShareFeedback(ctx context.Context, in *feedbackTableInput) (*streamOutput, error) {
	write, err := s.app.Shares.FeedbackTable(ctx, requestOf(ctx).actor, in.Share, in.query())
	return s.table(ctx, "feedback-"+itoa(in.Share)+".csv", write), err
}

func (s *Server) sumShareFeedback(ctx context.Context, in *feedbackTotalsInput) (*listOutput[FeedbackTotal], error) {
	return pageAnswer(ctx, &in.PageInput, toFeedbackTotal)(s.app.Shares.FeedbackTotals(ctx, requestOf(ctx).actor, in.Share, in.page()))
}

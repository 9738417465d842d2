package dam

import (
	"strings"
	"time"
	"unicode/utf8"
)

// The limits of guest feedback in a ShareReview.
const (
	MaxFeedback        = 100_000 // records per share
	MaxGuestFeedback   = 10_000  // records per guest
	MaxFeedbackChanges = 1000    // changes per record
	MaxFeedbackComment = 2000    // characters

	// MaxPickShares is the maximum number of shares in the rules of a filter.
	MaxPickShares = 20
)

// ShareGuest is the author of feedback on the assets of a share. It is identified by its
// browser, because guests have no account.
type ShareGuest struct {
	ID    int64
	Name  string // as entered; "" for none
	Email string // as entered if the share requires one; "" for none
}

// ShareFeedback is a guest's feedback on an asset.
type ShareFeedback struct {
	ID        int64
	ShareID   int64
	Guest     ShareGuest
	GAID      GAID
	Title     string // of the asset
	Picked    bool
	Rating    int64  // 1 to MaxRating; 0 for none
	Comment   string // up to MaxFeedbackComment characters; "" for none
	Revision  int64  // number of changes, up to MaxFeedbackChanges; 0 before it is stored
	ChangedAt time.Time
}

// ShareFeedbackPatch is a guest's change: absent fields are kept.
type ShareFeedbackPatch struct {
	Name    Opt[string]
	Picked  Opt[bool]
	Rating  Opt[int64]
	Comment Opt[string]
}

// Apply changes f. It reports whether anything changed, or returns the problems. The
// messages contain no variable text, so that they can be translated.
func (p *ShareFeedbackPatch) Apply(f *ShareFeedback) (changed bool, err error) {
	before := *f
	f.Guest.Name = strings.TrimSpace(p.Name.to(f.Guest.Name))
	f.Picked = p.Picked.to(f.Picked)
	f.Rating = p.Rating.to(f.Rating)
	f.Comment = strings.TrimSpace(strings.ReplaceAll(p.Comment.to(f.Comment), "\r\n", "\n"))
	var wrong Problems
	if _, hidden := firstHidden(f.Guest.Name, false); hidden || utf8.RuneCountInString(f.Guest.Name) > MaxName {
		wrong.Add("name", "The name is too long, or has invisible characters.")
	}
	wrong.between("rating", f.Rating, 0, MaxRating)
	if utf8.RuneCountInString(f.Comment) > MaxFeedbackComment {
		wrong.Add("comment", "The comment may not have more than %d characters.", MaxFeedbackComment)
	}
	if _, hidden := firstHidden(f.Comment, true); hidden || !utf8.ValidString(f.Comment) {
		wrong.Add("comment", "The comment has invisible characters.")
	}
	return *f != before, wrong.Err()
}

// ShareFeedbackQuery requests a page of the feedback on a share.
type ShareFeedbackQuery struct {
	GAID      GAID  // "" for all
	Picked    *bool // nil for both
	MinRating int64 // 0 includes assets without a rating
	Page
}

// FeedbackTotal is the feedback of all guests of a share on an asset.
type FeedbackTotal struct {
	GAID          GAID
	Title         string
	Picks         int64
	Ratings       int64
	AverageRating float64 // rounded to two digits; 0 without ratings
	Comments      int64
	ChangedAt     time.Time
}

// OfCollection reports whether s shares the current assets of a collection.
func (s *Share) OfCollection() bool {
	return s.Type == ShareCollection || s.Type == ShareReview && s.CollectionID != 0
}

// checkReview checks the contents of a review: either assets or a collection.
func (s *Share) checkReview(p *Problems) {
	switch {
	case s.CollectionID != 0 && len(s.GAIDs) > 0:
		p.Add("gaids", "A review shows the assets of gaids or those of collection_id, not both.")
	case s.CollectionID == 0 && len(s.GAIDs) == 0:
		p.required("gaids")
	}
	p.items("gaids", len(s.GAIDs), MaxShareAssets)
}

// AboutPicks reports whether f, which may be nil, has a rule over the picks of guests.
func (f *Filter) AboutPicks() bool {
	return f.some(func(r *Filter) bool { return r.Field.Type == FilterPicks })
}

// PickShares returns the shares in the rules of f, which may be nil.
func (f *Filter) PickShares() (ids []int64) {
	for _, r := range f.Leaves() {
		if r.Field.Type == FilterPicks {
			ids = append(ids, r.Value.IDs...)
		}
	}
	return ids
}

// pick parses the share id of a rule over picks.
func (p *filterParser) pick(path string, raw any, v *FilterValue) {
	n, ok := number(raw)
	if !ok || n != float64(int64(n)) || n <= 0 {
		p.Add(path, "value must be the id of a share.")
		return
	}
	if p.picks++; p.picks > MaxPickShares {
		p.Add(path, "The rules may not name more than %d shares.", MaxPickShares)
		return
	}
	v.IDs = append(v.IDs, int64(n))
}

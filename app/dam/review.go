package dam

import (
	"strings"
	"time"
	"unicode/utf8"
)

// The bounds of what the guests of a share of the type ShareReview say.
const (
	MaxFeedback        = 100_000 // records of a share
	MaxGuestFeedback   = 10_000  // of a guest
	MaxFeedbackChanges = 1000    // of a record
	MaxFeedbackComment = 2000    // characters

	// MaxPickShares is how many shares the rules of a filter can name.
	MaxPickShares = 20
)

// ShareGuest is somebody who has said something about the assets of a share: a browser, as
// nobody has an account.
type ShareGuest struct {
	ID    int64
	Name  string // as typed; "" for none
	Email string // as typed when the share asks for one; "" for none
}

// ShareFeedback is what a guest says about an asset.
type ShareFeedback struct {
	ID        int64
	ShareID   int64
	Guest     ShareGuest
	GAID      GAID
	Title     string // of the asset
	Picked    bool
	Rating    int64  // 1 to MaxRating; 0 for none
	Comment   string // up to MaxFeedbackComment characters; "" for none
	Revision  int64  // how often it was changed, up to MaxFeedbackChanges; 0 before it is kept
	ChangedAt time.Time
}

// ShareFeedbackPatch is what a guest changes: what is absent stays.
type ShareFeedbackPatch struct {
	Name    Opt[string]
	Picked  Opt[bool]
	Rating  Opt[int64]
	Comment Opt[string]
}

// Apply changes f and reports whether anything is new, or what is wrong with it. The messages
// have no parts that vary, so that they can be translated.
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

// ShareFeedbackQuery asks for a page of what the guests of a share say.
type ShareFeedbackQuery struct {
	GAID      GAID  // "" for all
	Picked    *bool // nil for both
	MinRating int64 // 0 for those without a rating, too
	Page
}

// FeedbackTotal is what all guests of a share say about an asset.
type FeedbackTotal struct {
	GAID          GAID
	Title         string
	Picks         int64
	Ratings       int64
	AverageRating float64 // to two digits; 0 without ratings
	Comments      int64
	ChangedAt     time.Time
}

// OfCollection reports whether s shows what is in a collection at the time.
func (s *Share) OfCollection() bool {
	return s.Type == ShareCollection || s.Type == ShareReview && s.CollectionID != 0
}

// checkReview checks what a review shows: assets or a collection.
func (s *Share) checkReview(p *Problems) {
	switch {
	case s.CollectionID != 0 && len(s.GAIDs) > 0:
		p.Add("gaids", "A review shows the assets of gaids or those of collection_id, not both.")
	case s.CollectionID == 0 && len(s.GAIDs) == 0:
		p.required("gaids")
	}
	p.items("gaids", len(s.GAIDs), MaxShareAssets)
}

// AboutPicks reports whether f, which may be nil, has a rule about what the guests of shares
// have picked.
func (f *Filter) AboutPicks() bool {
	return f.some(func(r *Filter) bool { return r.Field.Type == FilterPicks })
}

// PickShares returns the shares that the rules of f, which may be nil, name.
func (f *Filter) PickShares() (ids []int64) {
	for _, r := range f.Leaves() {
		if r.Field.Type == FilterPicks {
			ids = append(ids, r.Value.IDs...)
		}
	}
	return ids
}

// pick reads the id of a share of a rule about picks.
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

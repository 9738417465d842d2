package dam

import (
	"slices"
	"strings"
	"time"
)

// Collection is a set of assets in an order, put together by people or by
// rules.
type Collection struct {
	ID          int64
	Name        string // 1 to 255 characters
	Description string // up to MaxDescription characters
	TypeID      int64
	ParentID    int64 // 0 at the top
	Active      bool
	Visibility  Visibility
	ViewerIDs   []int64 // the users who may view it while it is restricted, ascending
	Rules       string  // the filter document as the client wrote it, compact JSON; "" when people fill it
	CoverGAID   GAID
	Position    int64 // among the others, from 0
	CreatedByID int64
	UpdatedByID int64
	CreatedAt   time.Time
	UpdatedAt   time.Time

	AssetsCount   int  // outside the trash; known wherever a collection is shown
	ChildrenCount int  // collections right below it that whoever it is shown to may view; known with AssetsCount
	CoverTrashed  bool // the cover is in the trash, and not to be shown
}

// Visibility says who may view a collection.
type Visibility string

// A restricted collection is there for its creator, its viewers and admins
// only.
const (
	VisibleToEveryone Visibility = "everyone"
	Restricted        Visibility = "restricted"
)

// Values lists who may view collections.
func (Visibility) Values() []Visibility { return []Visibility{VisibleToEveryone, Restricted} }

// The bounds of collections.
const (
	MaxCollections      = 20_000
	MaxRuledCollections = 500 // those that fill themselves
	MaxSearchingRules   = 50  // of those, the ones whose rules search: each change of the library has them search again
	MaxCollectionDepth  = 10  // levels of the tree
	MaxCollectionTypes  = 500
	MaxViewers          = 1000
	MaxDescription      = 10_000
)

// Validate reports what is wrong with c by itself. It does not read the rules:
// see ParseFilter.
func (c *Collection) Validate() error {
	var p Problems
	p.name("name", c.Name, 1)
	p.length("description", c.Description, 0, MaxDescription)
	oneOf(&p, "visibility", c.Visibility, c.Visibility.Values())
	p.items("viewer_ids", len(c.ViewerIDs), MaxViewers)
	p.size("rules", len(c.Rules), MaxFilterBytes)
	p.position("position", c.Position)
	return p.Err()
}

// CollectionPatch makes or changes a collection: what is absent stays, what is
// null is as in a new one.
type CollectionPatch struct {
	Name        Opt[string] // cannot be null
	Description Opt[string]
	TypeID      Opt[int64]
	ParentID    Opt[int64]
	Active      Opt[bool] // null means active
	Visibility  Opt[Visibility]
	ViewerIDs   Opt[[]int64]
	Rules       Opt[string]
	CoverGAID   Opt[GAID]
	Position    Opt[int64]
}

// NewCollection returns a collection with the defaults.
func NewCollection() *Collection { return &Collection{Active: true, Visibility: VisibleToEveryone} }

// Apply changes c, or returns what is wrong with the change.
func (p *CollectionPatch) Apply(c *Collection) error {
	c.Name = strings.TrimSpace(p.Name.to(c.Name))
	c.Description = strings.TrimSpace(p.Description.to(c.Description))
	c.TypeID = p.TypeID.to(c.TypeID)
	c.ParentID = p.ParentID.to(c.ParentID)
	c.Active = p.Active.Null || p.Active.to(c.Active)
	if c.Visibility = p.Visibility.to(c.Visibility); p.Visibility.Null {
		c.Visibility = VisibleToEveryone
	}
	if p.ViewerIDs.Sent {
		c.ViewerIDs = slices.Compact(slices.Sorted(slices.Values(p.ViewerIDs.to(nil))))
	}
	c.Rules = p.Rules.to(c.Rules)
	c.CoverGAID = p.CoverGAID.to(c.CoverGAID)
	c.Position = p.Position.to(c.Position)
	return c.Validate()
}

// CollectionFilter says which collections a list has.
type CollectionFilter struct {
	TypeID   *int64 // of this type; 0 for those without one
	ParentID *int64 // right below this one; 0 for the top
	Active   bool   // only those that are
	Name     string // part of the name, regardless of case and accents; "" for any
}

// NamedID is what has just a name: a type of collections, a class of assets.
type NamedID struct {
	ID   int64  // 0 for a new one
	Name string // 1 to 255 characters; unique regardless of case
}

// Validate reports what is wrong with n.
func (n *NamedID) Validate() error {
	var p Problems
	p.name("name", n.Name, 1)
	return p.Err()
}

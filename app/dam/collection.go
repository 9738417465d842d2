package dam

import (
	"slices"
	"strings"
	"time"
)

// Collection is an ordered set of assets, filled manually or by rules.
type Collection struct {
	ID          int64
	Name        string // 1 to 255 characters
	Description string // up to MaxDescription characters
	TypeID      int64
	ParentID    int64 // 0 at the top
	Active      bool
	Visibility  Visibility
	ViewerIDs   []int64 // users with access to a restricted collection, ascending
	Rules       string  // filter document of the client, as compact JSON; "" for a manual collection
	CoverGAID   GAID
	Position    int64 // order among its siblings, from 0
	CreatedByID int64
	UpdatedByID int64
	CreatedAt   time.Time
	UpdatedAt   time.Time

	AssetsCount   int  // without trashed assets; set in API answers
	ChildrenCount int  // direct children visible to the reader; set with AssetsCount
	CoverTrashed  bool // hides a cover that is in the trash
}

// Visibility controls the access to a collection.
type Visibility string

// A restricted collection is visible only to its creator, its viewers and admins.
const (
	VisibleToEveryone Visibility = "everyone"
	Restricted        Visibility = "restricted"
)

// Values lists the visibilities.
func (Visibility) Values() []Visibility { return []Visibility{VisibleToEveryone, Restricted} }

// The limits of collections.
const (
	MaxCollections      = 20_000
	MaxRuledCollections = 500 // with rules
	MaxSearchingRules   = 50  // of those, the ones with search rules, which run again at each change of the library
	MaxCollectionDepth  = 10  // levels of the tree
	MaxCollectionTypes  = 500
	MaxViewers          = 1000
	MaxDescription      = 10_000
)

// Validate checks the fields of c. It does not parse the rules: see ParseFilter.
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

// CollectionPatch creates or changes a collection: absent fields are kept, null restores
// the default.
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

// Apply changes c and validates the result.
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

// CollectionFilter selects collections for a list.
type CollectionFilter struct {
	TypeID   *int64 // 0 for collections without a type
	ParentID *int64 // direct parent; 0 for the top level
	Active   bool   // only active collections
	Name     string // part of the name, ignoring case and accents; "" for any
}

// NamedID is an object with only a name: a collection type or an asset class.
type NamedID struct {
	ID   int64  // 0 for a new one
	Name string // 1 to 255 characters; unique regardless of case
}

// Validate checks the name of n.
func (n *NamedID) Validate() error {
	var p Problems
	p.name("name", n.Name, 1)
	return p.Err()
}

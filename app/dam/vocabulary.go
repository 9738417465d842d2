package dam

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Vocabulary is a hierarchy of terms.
type Vocabulary struct {
	ID          int64
	Key         string // permanent key, in the form of field keys
	Name        string // 1 to 255 characters
	Description string // up to 2,000 characters
	Version     int64  // incremented by each change of it or its terms
	CreatedAt   time.Time
	UpdatedAt   time.Time

	// Terms are all terms. Parents precede their children, and siblings are sorted by
	// position and label.
	Terms []*Term

	byKey   map[string]*Term
	byLabel map[string][]*Term
	byID    map[int64]*Term
	below   map[int64][]*Term // children by parent; 0 for the top level
}

// Term is a value of the field types term and terms. Assets store its key, so its label can
// change at any time.
type Term struct {
	ID           int64
	VocabularyID int64
	Key          string // permanent key, unique in its vocabulary
	Label        string // 1 to 255 characters
	ParentID     int64  // 0 at the top level
	Position     int    // order among its siblings
	Children     int    // number of direct children; set in a Vocabulary
	IsActive     bool   // can be assigned to assets; existing assignments are kept
}

var termKey = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,63}$`)

// NewVocabulary sorts v's terms. A term whose parent is missing is placed at the top level.
func NewVocabulary(v Vocabulary, terms []*Term) *Vocabulary {
	v.byKey, v.byLabel = make(map[string]*Term, len(terms)), make(map[string][]*Term, len(terms))
	v.byID, v.below = make(map[int64]*Term, len(terms)), map[int64][]*Term{}
	for _, t := range terms {
		v.byID[t.ID], v.byKey[t.Key] = t, t
		v.byLabel[foldLabel(t.Label)] = append(v.byLabel[foldLabel(t.Label)], t)
	}
	for _, t := range terms {
		parent := t.ParentID
		if v.byID[parent] == nil {
			parent = 0
		}
		v.below[parent] = append(v.below[parent], t)
	}
	for _, list := range v.below {
		slices.SortFunc(list, func(a, b *Term) int {
			return cmp.Or(a.Position-b.Position, strings.Compare(a.Label, b.Label), strings.Compare(a.Key, b.Key))
		})
	}
	for id, list := range v.below {
		if t := v.byID[id]; t != nil {
			t.Children = len(list)
		}
	}
	v.Terms = make([]*Term, 0, len(terms))
	v.walk(0, func(t *Term) { v.Terms = append(v.Terms, t) })
	return &v
}

// walk calls fn with all descendants of a term, parents first.
func (v *Vocabulary) walk(id int64, fn func(*Term)) {
	for _, t := range v.below[id] {
		fn(t)
		v.walk(t.ID, fn)
	}
}

// Term returns the term with the given key, nil for none.
func (v *Vocabulary) Term(key string) *Term { return v.byKey[key] }

// TermByID returns the term with the given ID, nil for none.
func (v *Vocabulary) TermByID(id int64) *Term { return v.byID[id] }

// Below returns the children of a term, or the top-level terms for 0.
func (v *Vocabulary) Below(id int64) []*Term { return v.below[id] }

// Find returns the term with the key s, otherwise all terms with that label, ignoring case.
func (v *Vocabulary) Find(s string) []*Term {
	if t := v.byKey[s]; t != nil {
		return []*Term{t}
	}
	return v.byLabel[foldLabel(s)]
}

// depth returns the level of t, from 1 at the top.
func (v *Vocabulary) depth(t *Term) (n int) {
	for ; t != nil && n <= len(v.Terms); t = v.byID[t.ParentID] {
		n++
	}
	return n
}

// height returns the number of levels from t to its lowest descendant, including t.
func (v *Vocabulary) height(t *Term) int {
	most := 0
	for _, c := range v.below[t.ID] {
		most = max(most, v.height(c))
	}
	return most + 1
}

func foldLabel(s string) string { return WordKey(strings.Join(strings.Fields(s), " ")) }

// Validate checks the fields of v, except for its terms.
func (v *Vocabulary) Validate() error {
	var p Problems
	p.key("key", v.Key)
	p.name("name", v.Name, 1)
	p.length("description", v.Description, 0, 2000)
	return p.Err()
}

// Validate checks t as a new or existing term of the vocabulary v.
func (t *Term) Validate(v *Vocabulary) error {
	var p Problems
	p.term("", t)
	if other := v.byKey[t.Key]; other != nil && other.ID != t.ID {
		p.Add("key", "The key has already been taken.")
	}
	if t.ID == 0 && len(v.Terms) >= MaxTerms {
		p.Add("body", "A vocabulary can have at most %d terms.", MaxTerms)
	}
	if t.ParentID != 0 {
		t.checkParent(v, &p)
	}
	return p.Err()
}

func (t *Term) checkParent(v *Vocabulary, p *Problems) {
	parent := v.byID[t.ParentID]
	if parent == nil {
		p.Add("parent_id", "The selected parent_id is invalid: it is a term of the same vocabulary.")
		return
	}
	height := 1
	if t.ID != 0 {
		height = v.height(t)
		for up := parent; up != nil; up = v.byID[up.ParentID] {
			if up.ID == t.ID {
				p.Add("parent_id", "A term cannot be below itself.")
				return
			}
		}
	}
	if v.depth(parent)+height > MaxTermDepth {
		p.Add("parent_id", "Terms can be at most %d deep.", MaxTermDepth)
	}
}

func (p *Problems) term(path string, t *Term) {
	if !termKey.MatchString(t.Key) {
		p.Add(path+"key", "key must start with a letter or digit and may only have lower-case letters, digits, "+
			"underscores, hyphens and dots, 64 at most.")
	}
	p.name(path+"label", t.Label, 1)
	p.position(path+"position", int64(t.Position))
}

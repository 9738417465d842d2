package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/storage"
)

// ApplyOptions are the options of ApplyDefinitions.
type ApplyOptions struct {
	AllowLoss bool   // apply them even if assets lose values
	DryRun    bool   // plan only
	Expect    string // apply them only if Plan.String equals this; "" for any plan
}

// A Plan lists the changes made by applying definitions, in order.
type Plan []PlanStep

// PlanStep is one change of a definition.
type PlanStep struct {
	Action string // create, change, deactivate, delete or break
	What   string
	Detail string // "" for none
	Loss   string // values that assets lose; "" if none
}

// String formats the plan, one line per step.
func (p Plan) String() string {
	var b strings.Builder
	for _, s := range p {
		fmt.Fprintf(&b, "%s %s", s.Action, s.What)
		if s.Detail != "" {
			b.WriteString(": " + s.Detail)
		}
		if s.Loss != "" {
			b.WriteString(" (LOSS: " + s.Loss + ")")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Losses counts the steps that make assets lose values.
func (p Plan) Losses() (n int) {
	for _, s := range p {
		if s.Loss != "" {
			n++
		}
	}
	return n
}

// The reasons why ApplyDefinitions changes nothing.
var (
	ErrLoss     = errors.New("assets would lose values")
	ErrPlanned  = errors.New("only planned")
	ErrReplaced = errors.New("the definitions or the library changed meanwhile")
)

// ApplyDefinitions replaces the definitions of the library by d: completely, or not
// at all if it returns an error. It returns the changes made or planned.
func (ds *Definitions) ApplyDefinitions(ctx context.Context, d *dam.Definitions, opt ApplyOptions) (Plan, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	var plan Plan
	err := ds.Store.Update(ctx, func(tx *storage.Tx) error {
		p := &planner{definitions: ds, tx: tx, d: d}
		if err := p.run(); err != nil {
			return err
		}
		plan = p.plan
		switch {
		case opt.DryRun:
			return ErrPlanned // rolls it back
		case opt.Expect != "" && opt.Expect != plan.String():
			return ErrReplaced
		case !opt.AllowLoss && plan.Losses() > 0:
			return ErrLoss
		}
		if err := ds.Followups.Touched(tx, sorted(p.touched)); err != nil {
			return err
		}
		return ds.Followups.Reindexed(tx, sorted(p.reindex))
	})
	if errors.Is(err, ErrPlanned) {
		err = nil
	}
	return plan, err
}

func sorted(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ExportDefinitions returns the current definitions.
func (ds *Definitions) ExportDefinitions(ctx context.Context) (d *dam.Definitions, err error) {
	err = ds.Store.View(ctx, func(tx *storage.Tx) error {
		s, err := ds.Schemas.In(tx)
		if err != nil {
			return err
		}
		classes, _, err := tx.Names(storage.AssetClasses, dam.Page{Limit: -1})
		names := make(map[int64]string, len(classes))
		for _, c := range classes {
			names[c.ID] = c.Name
		}
		d = s.Definitions(names)
		return err
	})
	return d, err
}

// A planner applies definitions within a transaction, which can be rolled back, and
// records its changes.
type planner struct {
	definitions *Definitions
	tx          *storage.Tx
	d           *dam.Definitions
	plan        Plan
	dam.Problems

	before *dam.Schema
	// classes are the classes in the new definitions, by lower-case name; gone are
	// the classes to be deleted.
	classes map[string]int64
	gone    []dam.NamedID

	touched []int64 // assets whose metadata or class changed
	reindex []int64 // assets whose searchable words changed
}

func (p *planner) step(action, what, detail string) {
	p.plan = append(p.plan, PlanStep{Action: action, What: what, Detail: detail})
}

func (p *planner) lossy(action, what, loss string) {
	p.plan = append(p.plan, PlanStep{Action: action, What: what, Loss: loss})
}

func (p *planner) run() (err error) {
	if p.before, err = p.definitions.Schemas.In(p.tx); err != nil {
		return err
	}
	// Create dependencies before their dependents, and delete them after those.
	for _, do := range []func() error{
		p.addClasses, p.addVocabularies, p.fields, p.checkDefaults, p.removeTerms, p.removeVocabularies, p.removeClasses,
	} {
		if err := do(); err != nil {
			return err
		}
		if err := p.Err(); err != nil {
			return err
		}
	}
	broken, err := brokenRules(p.tx, p.before)
	for _, b := range broken {
		p.lossy("break", fmt.Sprintf("collection %d", b.collection), b.String())
	}
	return err
}

// now returns the definitions as the transaction has written them.
func (p *planner) now() (*dam.Schema, error) { return index.LoadSchema(p.tx, 0, p.before) }

func (p *planner) addClasses() error {
	classes, _, err := p.tx.Names(storage.AssetClasses, dam.Page{Limit: -1})
	if err != nil {
		return err
	}
	p.classes = map[string]int64{}
	have := map[string]dam.NamedID{}
	for _, c := range classes {
		key := strings.ToLower(c.Name)
		have[key] = c
		if p.d.AssetClasses == nil {
			p.classes[key] = c.ID
		} else if !slices.ContainsFunc(p.d.AssetClasses, func(d dam.ClassDefinition) bool { return strings.ToLower(d.Name) == key }) {
			p.gone = append(p.gone, c)
		}
	}
	for _, d := range p.d.AssetClasses {
		c, ok := have[strings.ToLower(d.Name)]
		switch {
		case !ok:
			c.Name = d.Name
			if err := p.tx.InsertName(storage.AssetClasses, &c); err != nil {
				return err
			}
			p.step("create", "asset class "+d.Name, "")
		case c.Name != d.Name:
			if err := p.tx.Rename(storage.AssetClasses, &dam.NamedID{ID: c.ID, Name: d.Name}); err != nil {
				return err
			}
			p.step("change", "asset class "+c.Name, "name "+arrow(c.Name, d.Name))
		}
		p.classes[strings.ToLower(d.Name)] = c.ID
	}
	return nil
}

func arrow(from, to string) string { return fmt.Sprintf("%q → %q", from, to) }

func (p *planner) addVocabularies() error {
	for i := range p.d.Vocabularies {
		d := &p.d.Vocabularies[i]
		v := p.before.VocabularyNamed(d.Key)
		if v == nil {
			made := dam.Vocabulary{Key: d.Key, Name: d.Name, Description: d.Description}
			if err := p.tx.InsertVocabulary(&made); err != nil {
				return err
			}
			v = dam.NewVocabulary(made, nil)
			p.step("create", "vocabulary "+d.Key, "")
		} else if changes := differences("name", v.Name, d.Name, "description", v.Description, d.Description); changes != "" {
			changed := *v
			changed.Name, changed.Description = d.Name, d.Description
			if err := p.tx.UpdateVocabulary(&changed); err != nil {
				return err
			}
			p.step("change", "vocabulary "+d.Key, changes)
		}
		if err := p.addTerms(v, d); err != nil {
			return err
		}
	}
	return nil
}

// differences describes which of the texts changed; each triple is a name, the old
// and the new text.
func differences(triples ...string) string {
	var list []string
	for i := 0; i < len(triples); i += 3 {
		if triples[i+1] != triples[i+2] {
			list = append(list, triples[i]+" "+arrow(triples[i+1], triples[i+2]))
		}
	}
	return strings.Join(list, ", ")
}

// removeVocabularies deletes the vocabularies that are not in the definitions.
func (p *planner) removeVocabularies() error {
	if p.d.Vocabularies == nil {
		return nil
	}
	s, err := p.now()
	if err != nil {
		return err
	}
	for _, v := range s.Vocabularies {
		if slices.ContainsFunc(p.d.Vocabularies, func(d dam.VocabularyDefinition) bool { return d.Key == v.Key }) {
			continue
		}
		if fields := fieldsOf(s, v); len(fields) > 0 {
			p.AtLine(0, "The vocabulary %s cannot go: the field %s uses it.", v.Key, fields[0])
			continue
		}
		p.step("delete", "vocabulary "+v.Key, "")
		if err := p.tx.DeleteVocabulary(v.ID); err != nil {
			return err
		}
	}
	return nil
}

// removeClasses deletes the asset classes that are not in the definitions.
func (p *planner) removeClasses() error {
	if len(p.gone) == 0 {
		return nil
	}
	fields, err := p.tx.Fields()
	if err != nil {
		return err
	}
	for _, c := range p.gone {
		if key := fieldFor(fields, c.ID); key != "" {
			p.AtLine(0, "The asset class %s cannot go: the field %s is for it.", c.Name, key)
			continue
		}
		use, err := p.tx.CountClassUse(c.ID)
		if err != nil {
			return err
		}
		if use > 0 {
			p.lossy("delete", "asset class "+c.Name, classUse(use))
		} else {
			p.step("delete", "asset class "+c.Name, "")
		}
		had, err := p.tx.DeleteAssetClass(c.ID)
		if err != nil {
			return err
		}
		p.touched = append(p.touched, had...)
	}
	return nil
}

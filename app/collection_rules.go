package app

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// parseRules parses the rules of a collection, "" for none, with dam.ParseFilter or
// dam.ParseSavedFilter. The fields of an error are paths such as "rules.operator".
func parseRules(text string, schema *dam.Schema, parse func(string, *dam.Schema) (*dam.Filter, error)) (*dam.Filter, error) {
	if text == "" {
		return nil, nil
	}
	f, err := parse(text, schema)
	if err == nil {
		err = cmp.Or(refusePicks(f), dam.RefuseInRules(f))
	}
	if e, ok := errors.AsType[*dam.Error](err); ok {
		rename := func(s string) string { return strings.Replace(s, "The filters field", "The rules field", 1) }
		e.Msg = rename(e.Msg)
		for i, p := range e.Fields {
			e.Fields[i] = dam.FieldError{Field: "rules" + strings.TrimPrefix(p.Field, "filters"), Msg: rename(p.Msg)}
		}
	}
	return f, err
}

// checkRules checks new rules of a collection: it must not have assets added by
// hand, and rules must not refer to collections with rules.
func (a *App) checkRules(tx *storage.Tx, actor dam.Actor, before, after *dam.Collection, p *dam.Problems) error {
	schema, err := a.schemas.in(tx)
	if err != nil {
		return err
	}
	f, err := parseRules(after.Rules, schema, dam.ParseSavedFilter)
	if err != nil {
		return err
	}
	if err := mayRule(actor, f); err != nil {
		return err
	}
	if err := checkBatchRules(tx, actor, f, p); err != nil {
		return err
	}
	if before.Rules == "" {
		_, ruled, err := tx.CountCollections()
		if err != nil {
			return err
		}
		if ruled >= dam.MaxRuledCollections {
			p.Add("rules", "At most %d collections can fill themselves.", dam.MaxRuledCollections)
		}
		has, err := tx.HasMembers(after.ID)
		if err != nil {
			return err
		}
		if has {
			p.Add("rules", "The collection has assets that people put there; remove them before it can fill itself.")
		}
		referred, err := inRules(tx, viewer(actor), schema, after.ID)
		if err != nil {
			return err
		}
		if referred {
			p.Add("rules", "The rules of another collection refer to this one, so it cannot have rules.")
		}
	}
	if err := checkSearching(tx, schema, after.ID, f, p); err != nil {
		return err
	}
	for path, rule := range f.Leaves() {
		if !rule.AboutCollections() {
			continue
		}
		path = "rules" + path + ".value"
		unknown, ruled, err := tx.Unfillable(viewer(actor), rule.Value.IDs)
		if err != nil {
			return err
		}
		for _, id := range rule.Value.IDs {
			switch {
			case id == after.ID || ruled[id]:
				p.Add(path, "The collection %d fills itself: rules cannot refer to it.", id)
			case unknown[id]:
				p.Add(path, "The selected collection %d is invalid.", id)
			}
		}
	}
	return nil
}

// inRules reports whether the rules of any collection that a user may view refer to
// a collection. Rules that the user cannot see are unaffected if the collection gets
// rules: it is empty now, and to them it then no longer exists.
func inRules(tx *storage.Tx, user int64, schema *dam.Schema, id int64) (found bool, err error) {
	err = tx.VisibleCollections(user, func(_ int64, rules string) {
		f, _ := parseRules(rules, schema, dam.ParseFilter) // unparsable rules refer to nothing
		for _, rule := range f.Leaves() {
			found = found || rule.AboutCollections() && slices.Contains(rule.Value.IDs, id)
		}
	})
	return found, err
}

// checkSearching checks that the number of collections whose rules search stays
// within the limit once the rules of collection id are f.
func checkSearching(tx *storage.Tx, schema *dam.Schema, id int64, f *dam.Filter, p *dam.Problems) error {
	if !f.Searches() {
		return nil
	}
	others := 0
	err := tx.VisibleCollections(storage.Everyone, func(other int64, rules string) {
		if other == id || rules == "" {
			return
		}
		if f, _ := parseRules(rules, schema, dam.ParseFilter); f.Searches() { // unparsable rules do not search
			others++
		}
	})
	if others >= dam.MaxSearchingRules {
		p.Add("rules", "At most %d collections can have rules with hybrid_search or exact_search.", dam.MaxSearchingRules)
	}
	return err
}

// checkBatchRules checks that rules refer only to upload batches that the actor may
// see, with operators that cannot match other users' batches: the matching assets
// are visible to every viewer of the collection.
func checkBatchRules(tx *storage.Tx, actor dam.Actor, f *dam.Filter, p *dam.Problems) error {
	if seesAllBatches(actor) || !f.AboutBatches() {
		return nil
	}
	known, err := tx.BatchIDs(actor.User.ID)
	if err != nil {
		return err
	}
	for path, rule := range f.Leaves() {
		if !rule.AboutBatches() {
			continue
		}
		switch op, _ := rule.Operator.Positive(); op {
		case dam.OpIsEmpty:
		case dam.OpEquals, dam.OpIn:
			for _, n := range rule.Value.Numbers {
				if _, ok := slices.BinarySearch(known, int64(n)); !ok || n != float64(int64(n)) {
					p.Add("rules"+path+".value", "The selected upload batch %v is invalid.", n)
				}
			}
		default:
			p.Add("rules"+path+".operator", "Rules name upload batches with equals, not_equals, in or not_in.")
		}
	}
	return nil
}

// A brokenRule is a collection whose rules can no longer be parsed.
type brokenRule struct {
	collection int64
	why        string
}

func (b brokenRule) String() string {
	return fmt.Sprintf("the rules of the collection %d would find nothing: %s", b.collection, b.why)
}

// brokenRules returns the collections whose rules were valid with the definitions
// before and are invalid with those that tx has written.
func brokenRules(tx *storage.Tx, before *dam.Schema) ([]brokenRule, error) {
	return brokenBy(tx, before, func() (*dam.Schema, error) { return loadSchema(tx, 0, before) })
}

// brokenBy is brokenRules for future definitions. It calls then only if rules use
// custom fields.
func brokenBy(tx *storage.Tx, before *dam.Schema, then func() (*dam.Schema, error)) (broken []brokenRule, err error) {
	var ids []int64
	var texts []string
	if err := tx.VisibleCollections(storage.Everyone, func(id int64, rules string) {
		if strings.Contains(rules, "metadata.") {
			ids, texts = append(ids, id), append(texts, rules)
		}
	}); err != nil || len(ids) == 0 {
		return nil, err
	}
	after, err := then()
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		_, err := dam.ParseFilter(text, after)
		if e, ok := errors.AsType[*dam.Error](err); ok {
			if _, err := dam.ParseFilter(text, before); err == nil {
				broken = append(broken, brokenRule{ids[i], e.Fields[0].Msg})
			}
		}
	}
	return broken, nil
}

// refuseBrokenRules returns a Conflict if a change of definitions breaks the rules
// of a collection. hint tells the user what to do about it.
func refuseBrokenRules(tx *storage.Tx, before *dam.Schema, hint string) error {
	broken, err := brokenRules(tx, before)
	if err != nil || len(broken) == 0 {
		return err
	}
	return dam.Errorf(dam.Conflict, "%s%s %s", strings.ToUpper(broken[0].String()[:1]), broken[0].String()[1:], hint)
}

// refuseUnlessForced is refuseBrokenRules for changes that can be forced.
func refuseUnlessForced(tx *storage.Tx, before *dam.Schema, force bool) error {
	if force {
		return nil
	}
	return refuseBrokenRules(tx, before, "Change the rules first, or send force=true.")
}

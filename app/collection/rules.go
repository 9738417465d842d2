package collection

import (
	"slices"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
	"github.com/digital-asset-library/dal/storage"
)

// checkRules checks new rules of a collection: it must not have assets added by
// hand, and rules must not refer to collections with rules.
func (cs *Collections) checkRules(tx *storage.Tx, actor dam.Actor, before, after *dam.Collection, p *dam.Problems) error {
	schema, err := cs.Schemas.In(tx)
	if err != nil {
		return err
	}
	f, err := find.ParseRules(after.Rules, schema, dam.ParseSavedFilter)
	if err != nil {
		return err
	}
	if err := access.MayRule(actor, f); err != nil {
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
		referred, err := inRules(tx, access.Viewer(actor), schema, after.ID)
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
		unknown, ruled, err := tx.Unfillable(access.Viewer(actor), rule.Value.IDs)
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
		f, _ := find.ParseRules(rules, schema, dam.ParseFilter) // unparsable rules refer to nothing
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
		if f, _ := find.ParseRules(rules, schema, dam.ParseFilter); f.Searches() { // unparsable rules do not search
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
	if access.SeesAllBatches(actor) || !f.AboutBatches() {
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

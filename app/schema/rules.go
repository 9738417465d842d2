package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/storage"
)

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
	return brokenBy(tx, before, func() (*dam.Schema, error) { return index.LoadSchema(tx, 0, before) })
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

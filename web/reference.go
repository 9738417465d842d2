package web

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed docs/reference.md
var referenceText string

// reference contains the texts of the API document that are too long for a struct tag: by
// operation or component, and by parameter or member; "" is the whole.
type reference struct {
	texts map[string]map[string]string
	used  map[string]bool // operations and components in the document
	wrong []string        // problems of the texts
}

// newReference parses a text whose sections, "## showAsset" or "## Asset, AssetItem",
// consist of paragraphs about the whole and an item "- `title`: …" for each member.
func newReference(text string) *reference {
	r := &reference{texts: map[string]map[string]string{}, used: map[string]bool{}}
	_, text, _ = strings.Cut(text, "\n## ")
	for section := range strings.SplitSeq(text, "\n## ") {
		heading, section, _ := strings.Cut(section, "\n")
		owners := strings.Split(heading, ", ")
		whole, items, _ := strings.Cut("\n"+section, "\n- `")
		r.add(owners, "", whole)
		for item := range strings.SplitSeq(items, "\n- `") {
			member, text, _ := strings.Cut(item, "`: ")
			r.add(owners, member, text)
		}
	}
	return r
}

// add records a text about a member of each owner.
func (r *reference) add(owners []string, member, text string) {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(p), " ")
	}
	text = strings.Join(paragraphs, "\n\n")
	for _, owner := range owners {
		if text == "" {
			continue
		}
		if r.texts[owner] == nil {
			r.texts[owner] = map[string]string{}
		}
		if r.texts[owner][member] != "" {
			r.wrong = append(r.wrong, owner+" "+member+" is described twice")
		}
		r.texts[owner][member] = text
	}
}

// describe sets a description if there is a text for it.
func (r *reference) describe(owner, member string, description *string) {
	text, ok := r.texts[owner][member]
	if !ok {
		return
	}
	if *description != "" {
		r.wrong = append(r.wrong, owner+" "+member+" is described in a struct tag too")
	}
	*description = text
}

// operation describes an operation with its parameters, and the components that it added to
// the document.
func (r *reference) operation(op *huma.Operation, components map[string]*huma.Schema) {
	r.describe(op.OperationID, "", &op.Description)
	var params []string
	for _, p := range op.Parameters {
		r.describe(op.OperationID, p.Name, &p.Description)
		p.Schema.Description = p.Description
		params = append(params, p.Name)
	}
	r.check(op.OperationID, params)
	for owner := range r.texts {
		component := components[owner]
		if component == nil || r.used[owner] {
			continue
		}
		r.describe(owner, "", &component.Description)
		var members []string
		for name, s := range component.Properties {
			r.describe(owner, name, &s.Description)
			members = append(members, name)
		}
		r.check(owner, members)
	}
}

// check records texts about members that an owner does not have.
func (r *reference) check(owner string, members []string) {
	r.used[owner] = true
	for member := range r.texts[owner] {
		if member != "" && !slices.Contains(members, member) {
			r.wrong = append(r.wrong, owner+" "+member+" is not in the API")
		}
	}
}

// err reports the problems of the texts once the document is complete.
func (r *reference) err() error {
	for owner := range r.texts {
		if !r.used[owner] {
			r.wrong = append(r.wrong, owner+" is not in the API")
		}
	}
	if len(r.wrong) > 0 {
		slices.Sort(r.wrong)
		return fmt.Errorf("docs/reference.md: %s", strings.Join(r.wrong, "; "))
	}
	return nil
}

package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// Asset classes and collection types have an id and a name, and nothing else.

// NamedItem is something with an id and a name.
type NamedItem struct {
	ID   int64  `json:"id" example:"1"`
	Name string `json:"name" example:"Default"`
}

// NameBody is a name and nothing else.
type NameBody struct {
	Name string `json:"name" minLength:"1" maxLength:"255" doc:"Unique name, ignoring case." example:"Campaign"`
}

// RenameBody is a new name.
type RenameBody struct {
	NameBody
}

func toNamed(n dam.NamedID) NamedItem { return NamedItem(n) }

// putNamed is a use case that creates something with a name, or renames what has the
// id.
type putNamed func(context.Context, dam.Actor, *dam.NamedID) error

// create answers with what put created under path.
func (put putNamed) create(ctx context.Context, path, name string) (*created[NamedItem], error) {
	n := dam.NamedID{Name: name}
	if err := put(ctx, requestOf(ctx).actor, &n); err != nil {
		return nil, err
	}
	return made(ctx, path+"/"+itoa(n.ID), toNamed(n)), nil
}

// rename answers with what put renamed.
func (put putNamed) rename(ctx context.Context, id int64, name string) (*oneOutput[NamedItem], error) {
	n := dam.NamedID{ID: id, Name: name}
	err := put(ctx, requestOf(ctx).actor, &n) // which trims the name
	return answer(toNamed)(n, err)
}

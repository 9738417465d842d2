package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// Asset classes and collection types consist of an id and a name.

// NamedItem is something with an id and a name.
type NamedItem struct {
	ID   int64  `json:"id" example:"1"`
	Name string `json:"name" example:"Default"`
}

// NameBody is a body with only a name.
type NameBody struct {
	Name string `json:"name" minLength:"1" maxLength:"255" doc:"Unique name, ignoring case." example:"Campaign"`
}

// RenameBody is a new name.
type RenameBody struct {
	NameBody
}

func toNamed(n dam.NamedID) NamedItem { return NamedItem(n) }

// putNamed is a use case that creates a named item, or renames the one with the id.
type putNamed func(context.Context, dam.Actor, *dam.NamedID) error

// create calls put and answers with the new item, at a path below path.
func (put putNamed) create(ctx context.Context, path, name string) (*created[NamedItem], error) {
	n := dam.NamedID{Name: name}
	if err := put(ctx, requestOf(ctx).actor, &n); err != nil {
		return nil, err
	}
	return made(ctx, path+"/"+itoa(n.ID), toNamed(n)), nil
}

// rename calls put and answers with the renamed item.
func (put putNamed) rename(ctx context.Context, id int64, name string) (*oneOutput[NamedItem], error) {
	n := dam.NamedID{ID: id, Name: name}
	err := put(ctx, requestOf(ctx).actor, &n) // trims the name
	return answer(toNamed)(n, err)
}

package web

import (
	"context"
	"net/url"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// PageInput are the parameters common to all lists.
type PageInput struct {
	Page    int `query:"page" minimum:"1" maximum:"1000000" default:"1" doc:"Page number, starting at 1." example:"1"`
	PerPage int `query:"per_page" minimum:"1" maximum:"100" default:"24" doc:"Maximum number of items per page." example:"24"`
	url     url.URL
}

// Resolve stores the request's URL for the links of the page.
func (p *PageInput) Resolve(ctx huma.Context) []error {
	p.url = listURL(ctx)
	return nil
}

// listURL returns the request's URL with only the parameters that its operation declares,
// each once except for lists, so that links never contain ignored parameters.
func listURL(ctx huma.Context) url.URL {
	u := ctx.URL()
	sent, known := u.Query(), url.Values{}
	for _, p := range ctx.Operation().Parameters {
		switch {
		case p.In != "query" || !sent.Has(p.Name):
		case p.Explode != nil && *p.Explode:
			known[p.Name] = sent[p.Name]
		default:
			known.Set(p.Name, sent.Get(p.Name))
		}
	}
	u.RawQuery = known.Encode()
	return u
}

// page returns the requested part of the list.
func (p *PageInput) page() dam.Page {
	return dam.Page{Limit: p.PerPage, Offset: (p.Page - 1) * p.PerPage}
}

// list is the envelope of a list, in the format of Laravel's paginator.
type list[T any] struct {
	Data  []T       `json:"data"`
	Links pageLinks `json:"links"`
	Meta  PageMeta  `json:"meta"`
}

type pageLinks struct {
	First *string `json:"first" doc:"URL of the first page." example:"http://localhost:8080/api/v1/assets?page=1"`
	Last  *string `json:"last" doc:"URL of the last page." example:"http://localhost:8080/api/v1/assets?page=9"`
	Prev  *string `json:"prev" doc:"URL of the previous page; null on the first." example:"http://localhost:8080/api/v1/assets?page=1"`
	Next  *string `json:"next" doc:"URL of the next page; null on the last." example:"http://localhost:8080/api/v1/assets?page=3"`
}

type metaLink struct {
	URL    *string `json:"url" example:"http://localhost:8080/api/v1/assets?page=1"`
	Label  string  `json:"label" doc:"Label as HTML: a page number, an ellipsis, Previous or Next." example:"1"`
	Active bool    `json:"active" doc:"Whether this is the current page." example:"true"`
}

// PageMeta describes the page within the list.
type PageMeta struct {
	CurrentPage int        `json:"current_page" minimum:"1" example:"1"`
	From        *int       `json:"from" minimum:"1" doc:"Number of the first item of the page; null if the page is empty." example:"1"`
	LastPage    int        `json:"last_page" minimum:"1" example:"9"`
	Links       []metaLink `json:"links" doc:"Links for a pagination control."`
	Path        *string    `json:"path" doc:"URL of the list without query parameters." example:"http://localhost:8080/api/v1/assets"`
	PerPage     int        `json:"per_page" minimum:"0" example:"24"`
	To          *int       `json:"to" minimum:"1" doc:"Number of the last item of the page; null if the page is empty." example:"24"`
	Total       int        `json:"total" minimum:"0" doc:"Number of items in the whole list." example:"201"`
}

// paginate builds the envelope of a page of total items.
func paginate[T any](ctx context.Context, in *PageInput, items []T, total int) *list[T] {
	if items == nil {
		items = []T{}
	}
	path := requestOf(ctx).base + in.url.Path
	query := in.url.Query()
	link := func(n int) *string {
		query.Set("page", strconv.Itoa(n))
		return ptr(path + "?" + query.Encode())
	}
	last := max(1, (total+in.PerPage-1)/in.PerPage)
	l := &list[T]{Data: items, Meta: PageMeta{CurrentPage: in.Page, LastPage: last, Path: &path, PerPage: in.PerPage, Total: total}}
	l.Links.First, l.Links.Last = link(1), link(last)
	if in.Page > 1 {
		l.Links.Prev = link(min(in.Page-1, last))
	}
	if in.Page < last {
		l.Links.Next = link(in.Page + 1)
	}
	if n := len(items); n > 0 {
		first := (in.Page-1)*in.PerPage + 1
		l.Meta.From, l.Meta.To = &first, ptr(first+n-1)
	}
	l.Meta.Links = append(l.Meta.Links, metaLink{URL: l.Links.Prev, Label: "&laquo; Previous"})
	for _, n := range pageWindow(in.Page, last) {
		if n == 0 {
			l.Meta.Links = append(l.Meta.Links, metaLink{Label: "..."})
		} else {
			l.Meta.Links = append(l.Meta.Links, metaLink{URL: link(n), Label: strconv.Itoa(n), Active: n == in.Page})
		}
	}
	l.Meta.Links = append(l.Meta.Links, metaLink{URL: l.Links.Next, Label: "Next &raquo;"})
	return l
}

// pageWindow lists the page numbers for a pager, with 0 for an ellipsis: all if there are
// fewer than 14, otherwise the first two, the last two, and three on each side of the
// current one, as in Laravel's UrlWindow.
func pageWindow(current, last int) []int {
	const side = 3
	var pages []int
	add := func(from, to int) {
		for n := from; n <= to; n++ {
			pages = append(pages, n)
		}
	}
	switch {
	case last < side*2+8:
		add(1, last)
	case current <= side+4:
		add(1, side*2+4)
		pages = append(pages, 0)
		add(last-1, last)
	case current > last-(side+4):
		add(1, 2)
		pages = append(pages, 0)
		add(last-(side*2+3), last)
	default:
		add(1, 2)
		pages = append(pages, 0)
		add(current-side, current+side)
		pages = append(pages, 0)
		add(last-1, last)
	}
	return pages
}

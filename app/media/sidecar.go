package media

import (
	"bytes"
	"context"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media/embed"
)

// MaxSidecar is how many bytes a sidecar has.
const MaxSidecar = maxXMP

// IsSidecar reports whether a name is that of a sidecar: a file with XMP about another.
func IsSidecar(filename string) bool { return dam.Extension(filename) == "xmp" }

// ReadSidecar reads what a sidecar says of its file. One that is damaged, or without XMP, is
// a *dam.FileError.
func ReadSidecar(data []byte) (f *Facts, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, corrupt("The sidecar cannot be read.")
		}
	}()
	if len(data) > MaxSidecar {
		return nil, exceeded("The sidecar has more than %d MiB.", MaxSidecar>>20)
	}
	if !bytes.Contains(embed.Text(data), []byte(rdf)) {
		return nil, corrupt("The file has no XMP, so it is not a sidecar.")
	}
	c := newCollector()
	if err := c.readXMP(data); err != nil {
		return nil, &dam.FileError{Code: dam.CodeCorrupt, Message: "The sidecar is damaged: its XML cannot be read to the end.", Err: err}
	}
	m := c.metadata(nil)
	facts := m.facts()
	return &facts, nil
}

// Says reads what a file says about itself, as Extract does, without its picture if that
// can be spared.
func (p *Processor) Says(ctx context.Context, r io.ReaderAt, size int64, filename string) (*Facts, error) {
	s := source{ctx: ctx, file: r, size: size, name: filename, limits: p.limits}
	f, _, err := p.check(s)
	if err != nil {
		return nil, err
	}
	if f.metadata == nil && f.engine != nil {
		res, err := p.Extract(ctx, r, size, filename)
		if err != nil {
			return nil, err
		}
		return &res.Facts, nil
	}
	facts := &Facts{}
	err = guard(s, f, func() error {
		m := readMetadata(s, f)
		*facts = m.facts()
		return s.ctx.Err()
	})
	facts.Type = f.Type
	return facts, err
}

// facts are those of metadata alone.
func (m *metadata) facts() Facts {
	return Facts{
		CaptureDate: m.captureDate, Title: m.title, Creator: m.creator, Copyright: m.copyright, Keywords: m.keywords, People: m.people,
		Technical: m.technical, Description: m.description, Rating: m.rating, Location: m.location, UsageTerms: m.usageTerms,
		Properties: m.properties, said: m.said,
	}
}

// With returns what a file says together with its sidecar, which counts before it, and notes
// in the technical data where both say different things.
func (f Facts) With(sidecar *Facts) Facts {
	all := said{}
	one := func(field, of, beside string) string {
		if beside == "" {
			return of
		}
		all.before(field, Statement{"sidecar", beside}, f.said[field], Statement{"file", of}, of != "")
		return beside
	}
	f.Title = one("title", f.Title, sidecar.Title)
	f.Creator = one("creator", f.Creator, sidecar.Creator)
	f.Copyright = one("copyright", f.Copyright, sidecar.Copyright)
	f.Description = one("description", f.Description, sidecar.Description)
	f.UsageTerms = one("usage_terms", f.UsageTerms, sidecar.UsageTerms)
	if len(sidecar.Keywords) > 0 {
		all.before("keywords", Statement{"sidecar", sidecar.Keywords}, nil, Statement{"file", f.Keywords}, len(f.Keywords) > 0)
		f.Keywords = sidecar.Keywords
	}
	if len(sidecar.People) > 0 {
		all.before("people", Statement{"sidecar", sidecar.People}, nil, Statement{"file", f.People}, len(f.People) > 0)
		f.People = sidecar.People
	}
	if _, says := stars(first(sidecar.Properties["xmp:Rating"]...)); says || sidecar.Rating != nil {
		of := Statement{"file", nil}
		if f.Rating != nil {
			of.Value = *f.Rating
		}
		beside := Statement{"sidecar", int64(0)}
		if sidecar.Rating != nil {
			beside.Value = *sidecar.Rating
		}
		all.before("rating", beside, f.said["rating"], of, f.Rating != nil)
		f.Rating = sidecar.Rating
	}
	f.locate(sidecar, all)
	f.date(sidecar.CaptureDate, all)
	for field, list := range f.said {
		if all[field] == nil {
			all[field] = list
		}
	}
	f.said = all
	f.Properties = merged(f.Properties, sidecar.Properties)
	f.Technical = maps.Clone(f.Technical)
	delete(f.Technical, "conflicts")
	all.tell(f.Technical)
	for _, part := range []string{"keywords"} {
		if v, ok := sidecar.Technical[part]; ok {
			f.Technical[part] = v
		}
	}
	if v, ok := sidecar.Technical["xmp"]; ok {
		f.Technical["sidecar"] = v
	}
	return f
}

// before notes what a sidecar says before what the file does: each source in it, or the file
// as a whole.
func (all said) before(field string, sidecar Statement, sources []Statement, file Statement, says bool) {
	list := []Statement{sidecar}
	if len(sources) > 0 {
		list = append(list, sources...)
	} else if says {
		list = append(list, file)
	}
	all[field] = list
}

// locate takes the coordinates and the place of a sidecar, each if it is there.
func (f *Facts) locate(sidecar *Facts, all said) {
	of, beside := f.Location, sidecar.Location
	if beside == nil {
		return
	}
	var l dam.Location
	if of != nil {
		l = *of
	}
	if beside.Latitude != nil && beside.Longitude != nil {
		if l.Latitude != nil && l.Longitude != nil {
			all["location"] = []Statement{
				{"sidecar", position(*beside.Latitude, *beside.Longitude)}, {"file", position(*l.Latitude, *l.Longitude)},
			}
		}
		l.Latitude, l.Longitude = beside.Latitude, beside.Longitude
	}
	if beside.Place != "" {
		all.before("place", Statement{"sidecar", beside.Place}, nil, Statement{"file", l.Place}, l.Place != "")
		l.Place = beside.Place
	}
	f.Location = &l
}

// date takes the capture date of a sidecar, unless that says the same as the file and knows no more
// about the offset.
func (f *Facts) date(beside *dam.CaptureTime, all said) {
	of := f.CaptureDate
	switch {
	case beside == nil:
		return
	case of == nil:
	case !sameMoment(*of, *beside):
		all["capture_date"] = []Statement{{"sidecar", beside.Text()}, {"file", of.Text()}}
	default:
		if _, known := dam.OffsetOf(beside.Time); !known {
			return
		}
	}
	f.CaptureDate = beside
}

// sameMoment reports whether two capture times are the same, or nearly: what the clocks showed if
// only the offset of one is known.
func sameMoment(a, b dam.CaptureTime) bool {
	near := func(a, b time.Time) bool { return a.Sub(b).Abs() < 2*time.Second }
	_, known := dam.OffsetOf(a.Time)
	_, known2 := dam.OffsetOf(b.Time)
	return near(a.Time, b.Time) || known != known2 && near(dam.LocalTime(a.Time), dam.LocalTime(b.Time))
}

// merged returns properties with those of a sidecar in place of the same ones. Keywords below
// others are written in several ways, which are one.
func merged(of, sidecar map[string][]string) map[string][]string {
	all := maps.Clone(of)
	if all == nil {
		all = map[string][]string{}
	}
	if len(KeywordPaths(sidecar)) > 0 {
		maps.DeleteFunc(all, func(path string, _ []string) bool {
			return path == acdseeCategories ||
				slices.ContainsFunc(hierarchies, func(h struct{ path, between string }) bool { return h.path == path })
		})
	}
	for path, texts := range sidecar {
		top, _, isMember := strings.Cut(path, "/")
		if isMember { // a structure is one
			maps.DeleteFunc(all, func(other string, _ []string) bool {
				return strings.HasPrefix(other, top+"/") && sidecar[other] == nil
			})
		}
		all[path] = texts
	}
	return all
}

// isRaw reports whether a name is that of a raw picture, whose metadata programs write beside
// it.
func isRaw(filename string) bool {
	ext := dam.Extension(filename)
	return ext == "dng" || slices.ContainsFunc(raws(), func(f format) bool { return slices.Contains(f.Extensions, ext) })
}

// SidecarOf returns which of some names are those of the files that a sidecar may be about.
// "a.jpg.xmp" is about a.jpg, as darktable names it; "a.xmp" about the raw picture a.nef, as
// Lightroom names it, or else about each file that is called a. Names are compared by
// dam.NameKey; of names that differ only in spelling, those spelled as the sidecar count.
func SidecarOf(sidecar string, names []string) []int {
	of := sidecarOf(sidecar, names)
	stem := sidecar[:len(sidecar)-len(".xmp")]
	exact := slices.DeleteFunc(slices.Clone(of), func(i int) bool {
		return names[i] != stem && strings.TrimSuffix(names[i], path.Ext(names[i])) != stem
	})
	if len(exact) > 0 {
		return exact
	}
	return of
}

func sidecarOf(sidecar string, names []string) (of []int) {
	stem := dam.NameKey(sidecar[:len(sidecar)-len(".xmp")])
	var named, raw []int
	for i, name := range names {
		switch lower := dam.NameKey(name); {
		case lower == stem:
			of = append(of, i)
		case IsSidecar(name) || strings.TrimSuffix(lower, "."+dam.Extension(lower)) != stem:
		case isRaw(name):
			raw = append(raw, i)
		default:
			named = append(named, i)
		}
	}
	switch {
	case len(of) > 0:
		return of
	case len(raw) > 0:
		return raw
	}
	return named
}

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

// MaxSidecar is the maximum size of a sidecar, in bytes.
const MaxSidecar = maxXMP

// IsSidecar reports whether a name is that of a sidecar: a file that contains XMP about
// another file.
func IsSidecar(filename string) bool { return dam.Extension(filename) == "xmp" }

// ReadSidecar reads the facts in a sidecar. For a sidecar that is damaged or contains no XMP
// it returns a *dam.FileError.
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

// Says reads the metadata of a file, like Extract, but skips the picture where
// possible.
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

// facts returns the facts in the metadata alone.
func (m *metadata) facts() Facts {
	return Facts{
		CaptureDate: m.captureDate, Title: m.title, Creator: m.creator, Copyright: m.copyright, Keywords: m.keywords, People: m.people,
		Technical: m.technical, Description: m.description, Rating: m.rating, Location: m.location, UsageTerms: m.usageTerms,
		Properties: m.properties, said: m.said,
	}
}

// With merges the facts of a file with those of its sidecar, which take precedence, and
// records conflicts in the technical data.
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

// before records the statement of a sidecar ahead of those of the file: its individual
// sources, or the file as a whole.
func (all said) before(field string, sidecar Statement, sources []Statement, file Statement, says bool) {
	list := []Statement{sidecar}
	if len(sources) > 0 {
		list = append(list, sources...)
	} else if says {
		list = append(list, file)
	}
	all[field] = list
}

// locate takes the coordinates and the place from a sidecar, each if present.
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

// date takes the capture date from a sidecar, unless it equals that of the file and adds no offset.
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

// sameMoment reports whether two capture times are within two seconds. If only one offset is
// known, it compares the wall-clock times.
func sameMoment(a, b dam.CaptureTime) bool {
	near := func(a, b time.Time) bool { return a.Sub(b).Abs() < 2*time.Second }
	_, known := dam.OffsetOf(a.Time)
	_, known2 := dam.OffsetOf(b.Time)
	return near(a.Time, b.Time) || known != known2 && near(dam.LocalTime(a.Time), dam.LocalTime(b.Time))
}

// merged returns the file's properties, overridden by those of a sidecar. The various
// properties for hierarchical keywords count as one.
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
		if isMember { // the members of a structure count as one
			maps.DeleteFunc(all, func(other string, _ []string) bool {
				return strings.HasPrefix(other, top+"/") && sidecar[other] == nil
			})
		}
		all[path] = texts
	}
	return all
}

// isRaw reports whether a name is that of a raw file, whose metadata programs write into a
// sidecar.
func isRaw(filename string) bool {
	ext := dam.Extension(filename)
	return ext == "dng" || slices.ContainsFunc(raws(), func(f format) bool { return slices.Contains(f.Extensions, ext) })
}

// SidecarOf returns the indexes of the names to which a sidecar may belong. "a.jpg.xmp"
// belongs to a.jpg, darktable's convention; "a.xmp" belongs to the raw file a.nef,
// Lightroom's convention, or else to every file named a. Names are compared by dam.NameKey;
// if several differ only in spelling, exact matches win.
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

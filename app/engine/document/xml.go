package document

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxDepth is the maximum nesting depth of elements.
const maxDepth = 1000

// visitor receives the contents of an XML document. Element names have no namespaces. Any
// error stops the walk.
type visitor struct {
	skip  []string // elements to skip with their contents
	start func(name string, attr []xml.Attr) error
	end   func(name string) error
	text  func(s string) error
}

// walk sends the contents of an XML document to the visitor. Entities other than XML's
// predefined ones are not expanded.
func (v visitor) walk(r io.Reader) error {
	d := xml.NewDecoder(r)
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	depth, skipping := 0, 0 // skipping is the depth of the skipped element
	for {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			if depth > 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return fmt.Errorf("elements lie more than %d deep in each other", maxDepth)
			}
			switch {
			case skipping > 0:
			case slices.Contains(v.skip, t.Name.Local):
				skipping = depth
			case v.start != nil:
				err = v.start(t.Name.Local, t.Attr)
			}
		case xml.EndElement:
			switch {
			case skipping == depth:
				skipping = 0
			case skipping == 0 && v.end != nil:
				err = v.end(t.Name.Local)
			}
			depth = max(depth-1, 0)
		case xml.CharData:
			if skipping == 0 && v.text != nil {
				err = v.text(string(t))
			}
		}
		if err != nil {
			return err
		}
	}
}

// walk sends the contents of a part of a container to a visitor.
func (c *container) walk(name string, v visitor) error {
	if !c.has(name) {
		return nil
	}
	r, err := c.part(name)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := v.walk(r); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// attribute returns the value of an attribute, with a namespace prefix if prefixed is set.
func attribute(attr []xml.Attr, name string, prefixed bool) string {
	for _, a := range attr {
		if a.Name.Local == name && (a.Name.Space != "") == prefixed {
			return a.Value
		}
	}
	return ""
}

// fields returns the texts of a part's elements by name. Attributes are named "@name".
func (c *container) fields(name string) (map[string][]string, error) {
	out := map[string][]string{}
	n := 0
	var b strings.Builder
	put := func(name, value string) error {
		if value = strings.TrimSpace(value); value == "" {
			return nil
		}
		if n++; n > 1000 {
			return errFull
		}
		out[name] = append(out[name], value)
		return nil
	}
	err := c.walk(name, visitor{
		start: func(_ string, attr []xml.Attr) error {
			b.Reset()
			for _, a := range attr {
				if err := put("@"+a.Name.Local, a.Value[:min(len(a.Value), maxWords)]); err != nil {
					return err
				}
			}
			return nil
		},
		text: func(s string) error {
			if b.Len()+len(s) <= 2*maxWords {
				b.WriteString(s)
			}
			return nil
		},
		end: func(name string) error {
			defer b.Reset()
			return put(name, b.String())
		},
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return out, err
}

// first returns the first text of a field.
func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

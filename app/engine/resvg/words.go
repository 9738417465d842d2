package resvg

import (
	"encoding/xml"
	"io"
	"strings"
)

// maxWords is the maximum size of a metadata text of a drawing, in bytes.
const maxWords = 4000

// words returns the metadata of a drawing: its title and desc (SVG 2, section 5.8),
// otherwise those of its metadata element, and its creator. It ignores invalid metadata.
func words(r io.Reader) (title, description, creator string) {
	d := xml.NewDecoder(r)
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var path []string
	found := map[string]*strings.Builder{}
	for range 100_000 {
		t, err := d.Token()
		if err != nil {
			break
		}
		switch t := t.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
		case xml.EndElement:
			path = path[:max(len(path)-1, 0)]
		case xml.CharData:
			key := about(path)
			if key == "" {
				continue
			}
			if found[key] == nil {
				found[key] = &strings.Builder{}
			}
			if b := found[key]; b.Len()+len(t) <= maxWords {
				b.Write(t)
			}
		}
	}
	first := func(keys ...string) string {
		for _, key := range keys {
			if b := found[key]; b != nil {
				if text := strings.Join(strings.Fields(b.String()), " "); text != "" {
					return strings.ToValidUTF8(text, "")
				}
			}
		}
		return ""
	}
	return first("title", "dc title"), first("desc", "dc description"), first("dc creator")
}

// about returns the kind of metadata in an element, "" for other elements.
func about(path []string) string {
	switch {
	case len(path) == 2 && (path[1] == "title" || path[1] == "desc"):
		return path[1]
	case len(path) < 4 || path[1] != "metadata":
		return ""
	}
	for i, name := range path[2:] {
		if i > 3 {
			break
		}
		if name == "title" && i == 2 || name == "description" || name == "creator" {
			return "dc " + name
		}
	}
	return ""
}

package media

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bep/imagemeta"

	"github.com/digital-asset-library/dal/app/media/embed"
)

// maxXMP limits an XMP packet, in bytes.
const maxXMP = 4 << 20

const rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

// xmpFirst are the namespaces that take precedence if several contain a property of the
// same name.
var xmpFirst = []string{
	"http://purl.org/dc/elements/1.1/", "http://ns.adobe.com/xap/1.0/", "http://ns.adobe.com/xap/1.0/rights/",
	"http://ns.adobe.com/photoshop/1.0/", "http://ns.adobe.com/exif/1.0/", "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/",
}

// readXMP reads the properties of an XMP packet (XMP part 1, chapter 7). In a damaged
// packet it stops at the damage. It skips structures.
func (c *collector) readXMP(packet []byte) error {
	c.properties, c.faces = embed.Read(packet), facesIn(packet)
	d := xml.NewDecoder(bytes.NewReader(embed.Text(packet)))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // already converted to UTF-8
	for isOpen := false; ; {
		t, err := d.Token()
		if errors.Is(err, io.EOF) && !isOpen {
			return nil
		}
		if err != nil {
			return fmt.Errorf("XMP: %w", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			isOpen = true
			if t.Name.Space != rdf || t.Name.Local != "Description" {
				continue
			}
			for _, a := range t.Attr {
				c.addXMP(a.Name, a.Value)
			}
			if err := c.xmpProperties(d); err != nil {
				return fmt.Errorf("XMP: %w", err)
			}
		case xml.EndElement:
			if t.Name.Space == rdf && t.Name.Local == "RDF" {
				return nil // the rest is padding
			}
		}
	}
}

// xmpProperties reads the elements of a description up to its end.
func (c *collector) xmpProperties(d *xml.Decoder) error {
	for {
		t, err := d.Token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			v, err := xmpValue(d, t)
			c.addXMP(t.Name, v)
			if err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// xmpValue reads the value of a property up to its end: a text, the texts of a list, or
// nil.
func xmpValue(d *xml.Decoder, of xml.StartElement) (any, error) {
	var text strings.Builder
	var list []string
	for {
		t, err := d.Token()
		if err != nil {
			return oneOrAll(list), err
		}
		switch t := t.(type) {
		case xml.CharData:
			if text.Len() <= maxTagText {
				text.Write(t)
			}
		case xml.StartElement:
			isList := t.Name.Space == rdf && slices.Contains([]string{"Seq", "Bag", "Alt"}, t.Name.Local)
			if !isList || list != nil {
				err = d.Skip()
			} else if list, err = xmpList(d); err != nil {
				return oneOrAll(list), err
			}
			if err != nil {
				return oneOrAll(list), err
			}
		case xml.EndElement:
			if v := oneOrAll(list); v != nil {
				return v, nil
			}
			if s := strings.TrimSpace(text.String()); s != "" {
				return s, nil
			}
			for _, a := range of.Attr {
				if a.Name.Space == rdf && a.Name.Local == "resource" {
					return a.Value, nil
				}
			}
			return nil, nil
		}
	}
}

// xmpList reads the texts of a list up to its end, the default translation first.
func xmpList(d *xml.Decoder) ([]string, error) {
	list := []string{}
	for {
		t, err := d.Token()
		if err != nil {
			return list, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			var item string
			if len(list) >= maxTags {
				err = d.Skip()
			} else {
				item, err = xmpItem(d)
			}
			if item != "" && slices.ContainsFunc(t.Attr, func(a xml.Attr) bool { return a.Name.Local == "lang" && a.Value == "x-default" }) {
				list = slices.Insert(list, 0, item)
			} else if item != "" {
				list = append(list, item)
			}
			if err != nil {
				return list, err
			}
		case xml.EndElement:
			return list, nil
		}
	}
}

// xmpItem reads the text of an item of a list up to its end.
func xmpItem(d *xml.Decoder) (string, error) {
	var text strings.Builder
	for {
		t, err := d.Token()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			if text.Len() <= maxTagText {
				text.Write(t)
			}
		case xml.StartElement:
			if err := d.Skip(); err != nil {
				return "", err
			}
		case xml.EndElement:
			return strings.TrimSpace(text.String()), nil
		}
	}
}

// oneOrAll returns nil for an empty list, the only text of a list of one, or the list.
func oneOrAll(list []string) any {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return list
}

// addXMP stores a property under its name with an initial capital, as exiftool does.
func (c *collector) addXMP(name xml.Name, v any) {
	if v == nil || name.Local == "" || name.Space == rdf || name.Space == "xmlns" || name.Local == "xmlns" || name.Space == "xml" {
		return
	}
	first, n := utf8.DecodeRuneInString(name.Local)
	tag := string(unicode.ToUpper(first)) + name.Local[n:]
	if tag == "GPSLatitude" || tag == "GPSLongitude" {
		s, _ := v.(string)
		degrees, err := xmpDegrees(s)
		if err != nil {
			return
		}
		v = degrees
	}
	if slices.Contains(xmpFirst, name.Space) {
		if !c.xmpCore[tag] {
			c.drop(c.xmp, tag) // a property of the same name in another namespace
		}
		c.xmpCore[tag] = true
	}
	c.add(imagemeta.TagInfo{Source: imagemeta.XMP, Tag: tag, Namespace: name.Space, Value: v})
}

// xmpDegrees parses a coordinate: degrees, optionally followed by minutes and seconds, with
// a letter for the hemisphere (XMP part 2, section 3.3.7).
func xmpDegrees(s string) (float64, error) {
	s = strings.TrimSpace(s)
	sign := 1.0
	if n := len(s); n > 0 && strings.ContainsRune("NSEWnsew", rune(s[n-1])) {
		if strings.ContainsRune("SWsw", rune(s[n-1])) {
			sign = -1
		}
		s = s[:n-1]
	}
	total, unit := 0.0, 1.0
	parts := strings.SplitN(s, ",", 3)
	for _, p := range parts {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil {
			return 0, err
		}
		total += v / unit
		unit *= 60
	}
	return sign * total, nil
}

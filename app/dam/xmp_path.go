package dam

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// xmpNamespaces are the XMP namespaces supported in paths, by their usual prefixes (XMP
// part 2; IPTC Photo Metadata Standard; the others as written by common programs).
var xmpNamespaces = map[string]string{
	"dc":             "http://purl.org/dc/elements/1.1/",
	"xmp":            "http://ns.adobe.com/xap/1.0/",
	"xmpRights":      "http://ns.adobe.com/xap/1.0/rights/",
	"xmpDM":          "http://ns.adobe.com/xmp/1.0/DynamicMedia/",
	"photoshop":      "http://ns.adobe.com/photoshop/1.0/",
	"pdf":            "http://ns.adobe.com/pdf/1.3/",
	"exif":           "http://ns.adobe.com/exif/1.0/",
	"tiff":           "http://ns.adobe.com/tiff/1.0/",
	"aux":            "http://ns.adobe.com/exif/1.0/aux/",
	"Iptc4xmpCore":   "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/",
	"Iptc4xmpExt":    "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
	"plus":           "http://ns.useplus.org/ldf/xmp/1.0/",
	"lr":             "http://ns.adobe.com/lightroom/1.0/",
	"digiKam":        "http://www.digikam.org/ns/1.0/",
	"MicrosoftPhoto": "http://ns.microsoft.com/photo/1.0/",
	"mediapro":       "http://ns.iview-multimedia.com/mediapro/1.0/",
	"acdsee":         "http://ns.acdsee.com/iptc/1.0/",
	"prism":          "http://prismstandard.org/namespaces/basic/2.0/",
	"cc":             "http://creativecommons.org/ns#",
	"dal":            "https://github.com/digital-asset-library/dal/ns/1.0/",
}

// XMPPrefix returns the usual prefix of an XMP namespace, "" if it is unknown.
func XMPPrefix(namespace string) string {
	for prefix, uri := range xmpNamespaces {
		if uri == namespace {
			return prefix
		}
	}
	return ""
}

// XMPNamespace returns the namespace of a prefix, "" if it is unknown.
func XMPNamespace(prefix string) string { return xmpNamespaces[prefix] }

// The properties of hierarchical keywords.
const (
	XMPHierarchy = "lr:hierarchicalSubject" // "Places|Europe|France"
	XMPTagsList  = "digiKam:TagsList"       // "Places/Europe/France"
)

// XMPReplacedDate records the EXIF date that the exif:DateTimeOriginal of a copy overrides,
// "none" if EXIF has no date. If another program changes the EXIF date later, EXIF takes
// precedence again.
const XMPReplacedDate = "dal:ReplacesDateTimeOriginal"

// ownXMP are the properties reserved for built-in fields and for properties derived from
// others.
var ownXMP = map[string]string{
	"dc:title": "title", "dc:description": "description", "dc:creator": "creator", "dc:rights": "copyright", "dc:subject": "keywords",
	"xmp:Rating": "rating", "xmpRights:UsageTerms": "usage_terms", "exif:GPSLatitude": "location", "exif:GPSLongitude": "location",
	XMPTagsList: "keywords", XMPReplacedDate: "capture_date",
}

// MaxXMPPath is the maximum length of a property path, in characters.
const MaxXMPPath = 200

// xmpPath matches a property, or a member of a structure or of the first structure in a
// list.
var xmpPath = regexp.MustCompile(`^([A-Za-z0-9]+):[A-Za-z_][A-Za-z0-9_.-]*(?:/([A-Za-z0-9]+):[A-Za-z_][A-Za-z0-9_.-]*)?$`)

// checkXMP checks the XMP settings of a field.
func (f *Field) checkXMP(p *Problems, s *Schema) {
	if f.AcceptsNewTerms && !f.hasTerms() {
		p.Add("accepts_new_terms", "A field of the type %s has no terms.", f.Type)
	}
	if f.XMPPath == "" {
		return
	}
	parts := xmpPath.FindStringSubmatch(f.XMPPath)
	switch {
	case parts == nil || len(f.XMPPath) > MaxXMPPath:
		p.Add("xmp_path", "xmp_path must be a property such as photoshop:Headline or plus:Licensor/plus:LicensorURL.")
		return
	case xmpNamespaces[parts[1]] == "" || parts[2] != "" && xmpNamespaces[parts[2]] == "":
		p.Add("xmp_path", "The xmp_path field has an unknown prefix; it can be %s.", strings.Join(slices.Sorted(maps.Keys(xmpNamespaces)), ", "))
		return
	case ownXMP[f.XMPPath] != "":
		p.Add("xmp_path", "The property %s is that of the field %s of every asset.", f.XMPPath, ownXMP[f.XMPPath])
		return
	case f.XMPPath == XMPHierarchy && f.Type != FieldTerms:
		p.Add("xmp_path", "A field for %s must be of the type terms.", XMPHierarchy)
		return
	}
	if s == nil {
		return
	}
	for _, other := range s.Fields {
		if other.Key != f.Key && other.XMPPath == f.XMPPath {
			p.Add("xmp_path", "The field %s is for the property %s already.", other.Key, f.XMPPath)
			return
		}
	}
}

package embed

import (
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// Property is an XMP property to write into a copy.
type Property struct {
	Path  string   // same syntax as dam.Field: "dc:title", "plus:Licensor/plus:LicensorURL"
	Texts []string // the values; none removes the property
}

// form is the structure of a property's values (XMP part 1, chapter 6).
type form int

const (
	single     form = iota // a text
	bag                    // a list
	seq                    // an ordered list
	alt                    // a text in several languages
	structured             // a structure
	bagPart                // a list of structures
	seqPart                // an ordered list of structures
)

// forms are the properties that are not just a text (XMP part 2; IPTC Photo Metadata
// Standard 2023.2; PLUS LDF 2.0.1).
var forms = map[string]form{
	"dc:title": alt, "dc:description": alt, "dc:rights": alt, "dc:creator": seq, "dc:subject": bag,
	"dc:contributor": bag, "dc:date": seq, "dc:language": bag, "dc:publisher": bag, "dc:relation": bag, "dc:type": bag,
	"xmp:Identifier": bag, "xmpRights:UsageTerms": alt, "xmpRights:Owner": bag,
	"photoshop:SupplementalCategories": bag,
	"exif:UserComment":                 alt, "tiff:ImageDescription": alt, "tiff:Copyright": alt,
	"Iptc4xmpCore:AltTextAccessibility": alt, "Iptc4xmpCore:ExtDescrAccessibility": alt, "Iptc4xmpCore:CreatorContactInfo": structured,
	"Iptc4xmpCore:Scene": bag, "Iptc4xmpCore:SubjectCode": bag,
	"Iptc4xmpExt:Event": alt, "Iptc4xmpExt:EventId": bag, "Iptc4xmpExt:PersonInImage": bag, "Iptc4xmpExt:ModelAge": bag,
	"Iptc4xmpExt:OrganisationInImageCode": bag, "Iptc4xmpExt:OrganisationInImageName": bag, "Iptc4xmpExt:Contributor": bagPart,
	"Iptc4xmpExt:PersonInImageWDetails": bagPart, "Iptc4xmpExt:ArtworkOrObject": bagPart, "Iptc4xmpExt:RegistryId": bagPart,
	"Iptc4xmpExt:LocationShown": bagPart, "Iptc4xmpExt:LocationCreated": bagPart, "Iptc4xmpExt:Genre": bagPart,
	"plus:Licensor": seqPart, "plus:CopyrightOwner": seqPart, "plus:ImageCreator": seqPart, "plus:ImageSupplier": seqPart,
	"plus:ModelReleaseID": bag, "plus:PropertyReleaseID": bag, "plus:OtherConstraints": alt,
	dam.XMPHierarchy: bag, dam.XMPTagsList: seq, "MicrosoftPhoto:LastKeywordXMP": bag, "mediapro:CatalogSets": bag,
	"prism:keyword": bag,
}

// The limits of the data read from a packet.
const (
	maxProperties = 1000    // properties with texts
	maxTexts      = 1000    // per property
	maxText       = 100_000 // bytes per text
	maxAllTexts   = 1 << 20 // bytes of all texts
	maxDepth      = 40      // nesting of elements in a property
	maxNodes      = 50_000  // elements per property
)

// Read returns the texts of the properties of an XMP packet, by path, for the namespaces
// that dam knows. It returns the default of a text in several languages, the members of a
// structure, and the members of the first structure in a list. In a damaged packet it stops
// at the damage.
func Read(packet []byte) map[string][]string {
	all := map[string][]string{}
	left := maxAllTexts
	keep := func(path string, texts []string) {
		if _, twice := all[path]; twice || len(texts) == 0 || len(all) >= maxProperties {
			return
		}
		n := 0
		for _, t := range texts {
			n += len(t)
		}
		if n <= left {
			left -= n
			all[path] = texts
		}
	}
	if packet = Text(packet); len(packet) > maxPacket {
		return all
	}
	_ = eachProperty(packet, func(n *node) { // keep the properties before the damage
		path := pathOf(n.name)
		if path == "" {
			return
		}
		keep(path, n.texts())
		for _, m := range n.members() {
			if member := pathOf(m.name); member != "" {
				keep(path+"/"+member, m.texts())
			}
		}
	})
	return all
}

// pathOf returns the path of a property, or "" if its namespace is unknown.
func pathOf(name xmlName) string {
	prefix := dam.XMPPrefix(name.Space)
	if prefix == "" {
		return ""
	}
	return prefix + ":" + name.Local
}

// nameOf is the inverse of pathOf.
func nameOf(path string) xmlName {
	prefix, local, _ := strings.Cut(path, ":")
	return xmlName{Space: dam.XMPNamespace(prefix), Local: local}
}

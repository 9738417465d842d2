package embed

import (
	"strings"

	"github.com/digital-asset-library/dal/app/dam"
)

// Property is what becomes of a property of XMP in a copy.
type Property struct {
	Path  string   // as dam.Field has it: "dc:title", "plus:Licensor/plus:LicensorURL"
	Texts []string // what it says; without any it is taken out
}

// form is how a property has its values (XMP part 1, chapter 6).
type form int

const (
	single     form = iota // a text
	bag                    // a list
	seq                    // a list in order
	alt                    // a text in several languages
	structured             // a structure
	bagPart                // a list of structures
	seqPart                // a list of structures in order
)

// forms are those of the properties that are not just a text (XMP part 2; IPTC Photo
// Metadata Standard 2023.2; PLUS LDF 2.0.1).
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

// The bounds of what is read of a packet.
const (
	maxProperties = 1000    // with texts
	maxTexts      = 1000    // of a property
	maxText       = 100_000 // bytes of one
	maxAllTexts   = 1 << 20 // bytes of all
	maxDepth      = 40      // elements in elements of a property
	maxNodes      = 50_000  // elements of a property
)

// Read returns the texts of the properties of an XMP packet whose namespaces dam knows, by
// path: of a text in several languages the default, of a structure those of its members, of
// a list of structures those of the first. Of a packet that is damaged it returns those
// before the damage.
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
	_ = eachProperty(packet, func(n *node) { // what was read before the damage counts
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

// pathOf returns how paths name a property, "" if its namespace is not known.
func pathOf(name xmlName) string {
	prefix := dam.XMPPrefix(name.Space)
	if prefix == "" {
		return ""
	}
	return prefix + ":" + name.Local
}

// nameOf is the reverse of pathOf.
func nameOf(path string) xmlName {
	prefix, local, _ := strings.Cut(path, ":")
	return xmlName{Space: dam.XMPNamespace(prefix), Local: local}
}

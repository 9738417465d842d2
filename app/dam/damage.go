package dam

// Damage is what is wrong with the file that holds the bytes of an asset.
type Damage string

// The kinds of damage, by what it takes to see them. All but the last are seen
// without reading the file.
const (
	DamageNone      Damage = ""
	DamageMissing   Damage = "missing"   // there is no file
	DamageIrregular Damage = "irregular" // a link, a pipe, a device or a folder is in its place
	DamageSize      Damage = "size"      // it has more or fewer bytes than it should
	DamageCorrupt   Damage = "corrupt"   // its bytes are not those that its checksum is of
)

// Values lists the kinds of damage.
func (Damage) Values() []Damage {
	return []Damage{DamageMissing, DamageIrregular, DamageSize, DamageCorrupt}
}

// String says in words what is wrong.
func (d Damage) String() string {
	switch d {
	case DamageNone:
		return "nothing is wrong"
	case DamageMissing:
		return "the file is missing"
	case DamageIrregular:
		return "what is in the place of the file is none: it is a link, a pipe, a device or a folder"
	case DamageSize:
		return "the file does not have the size that it should"
	}
	return "the bytes do not have the checksum they are kept under"
}

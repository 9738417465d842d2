package dam

// Damage is a defect of the stored file of an asset.
type Damage string

// The kinds of damage. All but the last are detected without reading the file.
const (
	DamageNone      Damage = ""
	DamageMissing   Damage = "missing"
	DamageIrregular Damage = "irregular" // a link, pipe, device or folder instead of a file
	DamageSize      Damage = "size"      // wrong size
	DamageCorrupt   Damage = "corrupt"   // checksum mismatch
)

// Values lists the kinds of damage.
func (Damage) Values() []Damage {
	return []Damage{DamageMissing, DamageIrregular, DamageSize, DamageCorrupt}
}

// String describes the damage.
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

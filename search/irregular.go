package search

import "strings"

// singular returns the base form of an irregular English word: the singular of a noun or
// the present tense of a verb. Other words are returned unchanged.
func singular(w string) string {
	switch bare := strings.TrimSuffix(w, "'s"); bare {
	case "men":
		return "man"
	case "women":
		return "woman"
	case "children":
		return "child"
	case "mice":
		return "mouse"
	case "geese":
		return "goose"
	case "feet":
		return "foot"
	case "teeth":
		return "tooth"
	case "oxen":
		return "ox"
	case "knives":
		return "knife"
	case "wives":
		return "wife"
	case "wolves":
		return "wolf"
	case "calves":
		return "calf"
	case "halves":
		return "half"
	case "shelves":
		return "shelf"
	case "loaves":
		return "loaf"
	case "thieves":
		return "thief"
	case "scarves":
		return "scarf"
	case "leaves":
		return "leaf"
	case "fishermen", "policemen", "firemen", "businessmen", "sportsmen", "craftsmen", "horsemen", "salesmen", "snowmen", "gentlemen",
		"policewomen", "businesswomen", "sportswomen", "grandchildren", "schoolchildren":
		return strings.Replace(strings.Replace(bare, "men", "man", 1), "children", "child", 1)
	case "ran":
		return "run"
	case "sat":
		return "sit"
	case "stood":
		return "stand"
	case "swam", "swum":
		return "swim"
	case "sang", "sung":
		return "sing"
	case "flew", "flown":
		return "fly"
	case "rode", "ridden":
		return "ride"
	case "drove", "driven":
		return "drive"
	case "wore", "worn":
		return "wear"
	case "ate", "eaten":
		return "eat"
	case "drank", "drunk":
		return "drink"
	case "threw", "thrown":
		return "throw"
	case "wrote", "written":
		return "write"
	case "slept":
		return "sleep"
	case "held":
		return "hold"
	case "caught":
		return "catch"
	case "built":
		return "build"
	case "taught":
		return "teach"
	case "fought":
		return "fight"
	}
	return w
}
